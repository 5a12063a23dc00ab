package pgtest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// StartStandby starts a server that follows s. From then on a commit of s returns when
// the standby has it on disk too. The standby ends with the test.
func (s *Server) StartStandby(t testing.TB, o Options) *Server {
	t.Helper()
	st, err := empty(t)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("standby:", st.log())
		}
		if err := st.Stop(); err != nil {
			t.Error(err)
		}
	})
	err = st.tool("pg_basebackup", nil, "-D", st.data(), "-d", s.URL(), "-R", "-X", "stream", "-c", "fast", "--no-sync")
	if err == nil {
		err = errors.Join(st.configure(o), st.run())
	}
	if err == nil {
		err = s.synchronous(t)
	}
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// synchronous has commits wait for the standby, and waits until they do.
func (s *Server) synchronous(t testing.TB) error {
	ctx := t.Context()
	c, err := pgx.Connect(ctx, s.URL())
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	for _, q := range []string{"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"} {
		if _, err := c.Exec(ctx, q); err != nil {
			return err
		}
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var n int
		err := c.QueryRow(ctx, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'").Scan(&n)
		if err != nil || n > 0 {
			return err
		}
	}
	return errors.New("the standby does not follow")
}

// Promote makes a standby a server of its own that takes writes, which wait for no other.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	for _, q := range []string{"SELECT pg_promote(true, 60)", "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()"} {
		if _, err := c.Exec(t.Context(), q); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", q, err))
		}
	}
}
