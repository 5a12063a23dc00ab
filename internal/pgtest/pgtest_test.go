package pgtest_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ragdb/ragdb/internal/pgtest"
)

var shared pgtest.Shared

func TestMain(m *testing.M) {
	code := m.Run()
	if err := shared.Stop(); err != nil {
		println(err.Error())
		code = 1
	}
	os.Exit(code)
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

func exec(t *testing.T, c *pgx.Conn, q string) {
	t.Helper()
	if _, err := c.Exec(t.Context(), q); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
}

func count(t *testing.T, url string) (n int) {
	t.Helper()
	if err := connect(t, url).QueryRow(t.Context(), "SELECT count(*) FROM a").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A database is its test's own.
func TestDatabases(t *testing.T) {
	t.Parallel()
	s := shared.Server(t)
	one, two := s.NewDatabase(t), s.NewDatabase(t)
	exec(t, connect(t, one), "CREATE TABLE a (k int)")
	exec(t, connect(t, two), "CREATE TABLE a (k int)")
}

// What was committed is there after a kill.
func TestKill(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t, pgtest.Options{Durable: true})
	c := connect(t, s.URL())
	exec(t, c, "CREATE TABLE a (k int)")
	exec(t, c, "INSERT INTO a VALUES (1)")
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(t.Context(), "INSERT INTO a VALUES (2)"); err == nil {
		t.Fatal("a killed server answers")
	}
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	if n := count(t, s.URL()); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// What was committed is on the standby too.
func TestStandby(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t, pgtest.Options{Durable: true})
	exec(t, connect(t, s.URL()), "CREATE TABLE a (k int)")
	st := s.StartStandby(t, pgtest.Options{Durable: true})
	exec(t, connect(t, s.URL()), "INSERT INTO a VALUES (1)")
	if _, err := connect(t, st.URL()).Exec(t.Context(), "INSERT INTO a VALUES (2)"); err == nil {
		t.Error("a standby takes writes")
	}
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	st.Promote(t)
	if n := count(t, st.URL()); n != 1 {
		t.Errorf("%d rows", n)
	}
	exec(t, connect(t, st.URL()), "INSERT INTO a VALUES (2)")
}

func TestProxy(t *testing.T) {
	t.Parallel()
	s := shared.Server(t)
	url := s.NewDatabase(t)
	p := pgtest.StartProxy(t, s.Addr())
	c := connect(t, p.URL(url))
	exec(t, c, "CREATE TABLE a (k int)")

	p.SetLatency(20 * time.Millisecond)
	began := time.Now()
	exec(t, c, "INSERT INTO a VALUES (1)")
	if took := time.Since(began); took < 40*time.Millisecond || took > 400*time.Millisecond {
		t.Errorf("one round trip took %v", took)
	}
	p.SetLatency(0)

	p.SetCut(pgtest.ToServer, 1)
	if _, err := c.Exec(t.Context(), "INSERT INTO a VALUES (2)"); err == nil {
		t.Error("a connection that was cut answers")
	}
	c = connect(t, p.URL(url))
	p.SetCut(pgtest.ToClient, 1)
	if _, err := c.Exec(t.Context(), "INSERT INTO a VALUES (3)"); err == nil {
		t.Error("a connection that was cut answers")
	}
	// The server got this one, and may be a moment behind.
	for end := time.Now().Add(10 * time.Second); count(t, url) != 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the message before the cut did not arrive")
		}
	}
	p.Stop()
	if _, err := pgx.Connect(t.Context(), p.URL(url)); err == nil {
		t.Error("a proxy that was stopped answers")
	}
	p.Restart()
	exec(t, connect(t, p.URL(url)), "SELECT 1")
}
