package pgkv_test

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ragdb/ragdb/internal/pgtest"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pgkv"
)

// run runs statements in a database.
func run(t testing.TB, url string, statements ...string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	for _, q := range statements {
		if _, err := c.Exec(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

// put writes one pair under a guard that was not there.
func put(t testing.TB, tab kv.Table, k, v string) {
	t.Helper()
	if err := tab.Write(t.Context(), kv.Guard{Key: []byte(k), New: []byte(v)}, &kv.Changes{}); err != nil {
		t.Fatal(err)
	}
}

// value reads a key of the latest commit.
func value(t testing.TB, tab kv.Table, k string) string {
	t.Helper()
	v, vals, err := tab.View(t.Context(), []byte(k))
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	return string(vals[0])
}

// Open makes a table once, and only if it may.
func TestOpen(t *testing.T) {
	t.Parallel()
	url := shared.Server(t).NewDatabase(t)
	for _, o := range []pgkv.Options{{MustExist: true}, {ReadOnly: true}} {
		if _, err := pgkv.Open(t.Context(), url, o); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	tab := open(t, url, pgkv.Options{})
	put(t, tab, "a", "1")
	if got := value(t, open(t, url, pgkv.Options{MustExist: true}), "a"); got != "1" {
		t.Errorf("a is %q", got)
	}
	reader := open(t, url, pgkv.Options{ReadOnly: true})
	if got := value(t, reader, "a"); got != "1" {
		t.Errorf("a is %q", got)
	}
	if err := reader.Write(t.Context(), kv.Guard{Key: []byte("b")}, &kv.Changes{}); !errors.Is(err, kv.ErrReadOnly) {
		t.Errorf("a reader writes: %v", err)
	}
}

// Two tables of a database are apart, whatever their names.
func TestTableNames(t *testing.T) {
	t.Parallel()
	url := shared.Server(t).NewDatabase(t)
	run(t, url, `CREATE SCHEMA "s p"`)
	names := []string{"", "&table=ragdb2", "&table=Ragdb", "&table=select", "&table=a%22b%3B--", "&table=s+p.t", "&table=s+p.ragdb", "&table=%C3%A9"}
	for i, n := range names {
		put(t, open(t, url+n, pgkv.Options{}), "k", string(rune('a'+i)))
	}
	for i, n := range names {
		if got := value(t, open(t, url+n, pgkv.Options{MustExist: true}), "k"); got != string(rune('a'+i)) {
			t.Errorf("%s has %q", n, got)
		}
	}
	for _, bad := range []string{"&table=", "&table=a.b.c", "&table=.a", "&table=a.", "&table=%zz"} {
		if _, err := pgkv.Open(t.Context(), url+bad, pgkv.Options{}); err == nil {
			t.Errorf("%s was opened", bad)
		}
	}
}

// A table that is not ragdb's is refused and left alone.
func TestForeign(t *testing.T) {
	t.Parallel()
	url := shared.Server(t).NewDatabase(t)
	for name, q := range map[string]string{
		"columns": "CREATE TABLE columns (id int, name text)",
		"more":    "CREATE TABLE more (key bytea PRIMARY KEY, value bytea NOT NULL, x int)",
		"types":   "CREATE TABLE types (key text PRIMARY KEY, value bytea NOT NULL)",
	} {
		run(t, url, q)
		if _, err := pgkv.Open(t.Context(), url+"&table="+name, pgkv.Options{}); !errors.Is(err, kv.ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A table whose keys are not unique is not written to.
func TestNoPrimaryKey(t *testing.T) {
	t.Parallel()
	url := shared.Server(t).NewDatabase(t)
	run(t, url, "CREATE TABLE ragdb (key bytea, value bytea)")
	tab := open(t, url, pgkv.Options{})
	for _, g := range []kv.Guard{{Key: []byte("a"), New: []byte("b")}, {Key: []byte("a"), Old: []byte("b")}} {
		c := &kv.Changes{Set: []kv.Pair{{Key: []byte("a")}}}
		if err := tab.Write(t.Context(), g, c); !errors.Is(err, kv.ErrForeign) && g.Old == nil || err == nil {
			t.Errorf("%+v: %v", g, err)
		}
	}
	if got := value(t, tab, "a"); got != "" {
		t.Errorf("a is %q", got)
	}
}

// Processes that make a table at the same moment all succeed.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	url := shared.Server(t).NewDatabase(t)
	for _, name := range []string{"a", "b", "c"} {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				tab, err := pgkv.Open(t.Context(), url+"&table="+name, pgkv.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				tab.Close()
			})
		}
		all.Wait()
	}
}

// Bounds can be lowered and not raised.
func TestBounds(t *testing.T) {
	t.Parallel()
	url := fresh(t)
	usual := open(t, url, pgkv.Options{}).Bounds()
	low := kv.Bounds{KeyBytes: 2690, ValueBytes: 100, ChangeBytes: 1000, RemoveKeys: 10, ViewAge: time.Millisecond}
	tab := open(t, url, pgkv.Options{Bounds: low})
	if tab.Bounds() != low {
		t.Errorf("%+v, not %+v", tab.Bounds(), low)
	}
	if b := open(t, url, pgkv.Options{Bounds: kv.Bounds{KeyBytes: 1 << 40, ValueBytes: 1 << 40, ViewAge: 1 << 60}}).Bounds(); b != usual {
		t.Errorf("%+v, not %+v", b, usual)
	}
	long := kv.Guard{Key: make([]byte, 2691)}
	if err := tab.Write(t.Context(), long, &kv.Changes{}); !errors.Is(err, kv.ErrTooLarge) {
		t.Errorf("a long key: %v", err)
	}
	for i := range long.Key {
		long.Key[i] = byte(i * i * 31 >> 3) // does not compress
	}
	long.Key = long.Key[:2690]
	if err := tab.Write(t.Context(), long, &kv.Changes{}); err != nil {
		t.Errorf("the longest key: %v", err)
	}
	v, _, err := tab.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	time.Sleep(5 * time.Millisecond)
	if _, err := v.MultiGet(t.Context(), [][]byte{{1}}); !errors.Is(err, kv.ErrExpired) {
		t.Errorf("an old view: %v", err)
	}
}

// A standby is read and not written to; after its promotion it is, with all that was
// committed.
func TestStandby(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t, pgtest.Options{Durable: true})
	tab := open(t, s.URL(), pgkv.Options{})
	st := s.StartStandby(t, pgtest.Options{Durable: true})
	put(t, tab, "a", "1")

	if _, err := pgkv.Open(t.Context(), st.URL()+"&table=other", pgkv.Options{}); !errors.Is(err, kv.ErrRefused) {
		t.Errorf("a table was made on a standby: %v", err)
	}
	writer := open(t, st.URL(), pgkv.Options{})
	if err := writer.Write(t.Context(), kv.Guard{Key: []byte("b"), New: []byte("1")}, &kv.Changes{}); !errors.Is(err, kv.ErrRefused) {
		t.Errorf("a standby was written to: %v", err)
	}
	// It has the commit on disk, and shows it a moment later.
	for end := time.Now().Add(10 * time.Second); value(t, writer, "a") != "1"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the standby does not show a commit")
		}
	}
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	put2 := kv.Guard{Key: []byte("a"), Old: []byte("1"), New: []byte("2")}
	if err := tab.Write(t.Context(), put2, &kv.Changes{}); !errors.Is(err, kv.ErrRefused) && !errors.Is(err, kv.ErrUncertain) {
		t.Errorf("a killed server: %v", err)
	}
	st.Promote(t)
	if err := writer.Write(t.Context(), put2, &kv.Changes{}); err != nil {
		t.Errorf("after the promotion: %v", err)
	}
	if got := value(t, writer, "a"); got != "2" {
		t.Errorf("a is %q", got)
	}
}
