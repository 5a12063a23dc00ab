package pgkv_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ragdb/ragdb/internal/pgtest"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pgkv"
)

// trip is the time of a round trip in the tests of their number: far above that of the
// work.
const trip = 100 * time.Millisecond

// far returns a table whose server is far, with sessions that are ready.
func far(t *testing.T, sessions int) kv.Table {
	t.Helper()
	s := shared.Server(t)
	url := fresh(t)
	p := pgtest.StartProxy(t, s.Addr())
	tab := open(t, p.URL(url), pgkv.Options{})
	put(t, tab, "a", "1")
	var open []kv.TableView
	for range sessions {
		v, _, err := tab.View(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, v)
	}
	for _, v := range open {
		v.Close()
	}
	p.SetLatency(trip / 2)
	return tab
}

// trips fails if fn takes another number of round trips. On a busy machine it may take
// longer: then fn is called again.
func trips(t *testing.T, what string, want int, fn func() error) {
	t.Helper()
	var took time.Duration
	for range 5 {
		began := time.Now()
		if err := fn(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if took = time.Since(began); int(took/trip) <= want {
			break
		}
	}
	if got := int(took / trip); got != want {
		t.Errorf("%s takes %d round trips (%v), not %d", what, got, took, want)
	}
}

// Each call is one round trip, and the end of a view is none.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	tab := far(t, 1)
	key := [][]byte{[]byte("a")}
	var v kv.TableView
	trips(t, "View", 1, func() (err error) {
		v, _, err = tab.View(t.Context(), key...)
		return err
	})
	trips(t, "MultiGet", 1, func() error { _, err := v.MultiGet(t.Context(), key); return err })
	trips(t, "Scan", 1, func() error { _, err := v.Scan(t.Context(), nil, nil, true, 10); return err })
	trips(t, "Close", 0, func() error { return v.Close() })
	n := 1
	write := func(c *kv.Changes) func() error {
		return func() error {
			n++
			return tab.Write(t.Context(), kv.Guard{Key: []byte("a"), Old: fmt.Append(nil, n-1), New: fmt.Append(nil, n)}, c)
		}
	}
	trips(t, "Write", 1, write(&kv.Changes{Set: []kv.Pair{{Key: []byte("b")}}, Delete: [][]byte{[]byte("c")}, Remove: []kv.Range{{Lo: []byte("d"), Hi: []byte("e")}}}))
	trips(t, "View and Close four times", 4, func() error {
		for range 4 {
			v, _, err := tab.View(t.Context(), key...)
			if err != nil {
				return err
			}
			v.Close()
		}
		return nil
	})
	trips(t, "a guard that does not hold", 1, func() error {
		if err := tab.Write(t.Context(), kv.Guard{Key: []byte("a"), New: []byte("b")}, &kv.Changes{}); !errors.Is(err, kv.ErrGuard) {
			return fmt.Errorf("%v", err)
		}
		return nil
	})
	trips(t, "the write after it", 1, write(&kv.Changes{}))
}

// Reads of one view that overlap use further connections.
func TestShared(t *testing.T) {
	t.Parallel()
	tab := far(t, 6)
	v, _, err := tab.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if err := tab.Write(t.Context(), kv.Guard{Key: []byte("a"), Old: []byte("1"), New: []byte("2")}, &kv.Changes{}); err != nil {
		t.Fatal(err)
	}
	read := func(each int) time.Duration {
		began := time.Now()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range each {
					vals, err := v.MultiGet(t.Context(), [][]byte{[]byte("a")})
					if err != nil || string(vals[0]) != "1" {
						t.Errorf("%q, %v", vals, err)
					}
				}
			})
		}
		all.Wait()
		return time.Since(began)
	}
	read(2) // it exports the state, and the connections join
	var took time.Duration
	for range 5 { // a busy machine takes longer
		if took = read(3); took < 7*trip {
			return
		}
	}
	t.Errorf("12 reads of 4 goroutines took %v, with round trips of %v", took, trip)
}

// Views that are not closed leave a connection for writes. One view too many is told.
func TestManyViews(t *testing.T) {
	t.Parallel()
	url := fresh(t)
	tab := open(t, url+"&pool_max_conns=3", pgkv.Options{})
	var views []kv.TableView
	for range 2 {
		v, _, err := tab.View(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		views = append(views, v)
	}
	put(t, tab, "a", "1")
	if _, _, err := tab.View(t.Context()); !errors.Is(err, kv.ErrRefused) || !strings.Contains(err.Error(), "pool_max_conns") {
		t.Errorf("a view too many: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		_, _, err := tab.View(t.Context())
		done <- err
	}()
	time.Sleep(20 * time.Millisecond)
	views[0].Close()
	if err := <-done; err != nil {
		t.Errorf("a view that waits for another: %v", err)
	}
	views[1].Close()
	if _, err := views[1].MultiGet(t.Context(), nil); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("a closed view: %v", err)
	}
	if err := tab.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := tab.View(t.Context()); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("a closed table: %v", err)
	}
	if err := tab.Write(t.Context(), kv.Guard{Key: []byte("x")}, &kv.Changes{}); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("a closed table: %v", err)
	}
}

// A session that does not wait for the disk waits for it in a write.
func TestDurable(t *testing.T) {
	t.Parallel()
	s := shared.Server(t)
	for set, want := range map[string]string{"off": "on", "on": "on", "local": "local"} {
		url := s.NewDatabase(t)
		tab := open(t, url+"&synchronous_commit="+set, pgkv.Options{})
		run(t, url, `CREATE TABLE seen (v text)`,
			`CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO seen VALUES (current_setting(''synchronous_commit'')); RETURN NEW; END'`,
			`CREATE TRIGGER see AFTER INSERT ON ragdb EXECUTE FUNCTION see()`)
		put(t, tab, "a", "1")
		c, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		if err := c.QueryRow(t.Context(), "SELECT v FROM seen").Scan(&got); err != nil || got != want {
			t.Errorf("%s: a write had %q, %v", set, got, err)
		}
		c.Close(t.Context())
	}
}

// Reads use the index, also of a table that was never analyzed and with plans that do not
// know the bounds.
func TestPlans(t *testing.T) {
	t.Parallel()
	url := shared.Server(t).NewDatabase(t)
	open(t, url, pgkv.Options{})
	run(t, url, `ALTER TABLE ragdb SET (autovacuum_enabled = off)`,
		`INSERT INTO ragdb SELECT decode(md5(i::text), 'hex'), decode(repeat(md5(i::text), 8), 'hex') FROM generate_series(1, 30000) i`)
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	for mode, settings := range map[string]string{"generic": "force_generic_plan", "custom": "force_custom_plan"} {
		if _, err := c.Exec(t.Context(), "SET plan_cache_mode = "+settings); err != nil {
			t.Fatal(err)
		}
		for name, q := range pgkv.ReadStatements() {
			args := `'\x10', '\xf0', 100`
			switch {
			case strings.Contains(q, "ANY"):
				args = `'{"\\x10","\\x20"}'`
			case !strings.Contains(q, "$3"):
				args = `'\x10', 100`
			}
			if _, err := c.Exec(t.Context(), "PREPARE "+name+mode+" AS "+q); err != nil {
				t.Fatal(err)
			}
			rows, err := c.Query(t.Context(), "EXPLAIN EXECUTE "+name+mode+"("+args+")", pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(plan, "\n"); !strings.Contains(all, "Index Scan") && !strings.Contains(all, "Bitmap Index") || strings.Contains(all, "Sort") {
				t.Errorf("%s, %s:\n%s", name, mode, all)
			}
		}
	}
}
