package pgkv_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/pgtest"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pgkv"
)

// step writes the n-th state: the guard, a key that is set, one that is removed, and a
// range. n is at least 2.
func stepTo(ctx context.Context, tab kv.Table, n int) error {
	return tab.Write(ctx, kv.Guard{Key: []byte("n"), Old: fmt.Append(nil, n-1), New: fmt.Append(nil, n)}, &kv.Changes{
		Remove: []kv.Range{{Lo: []byte("r"), Hi: []byte("s")}},
		Delete: [][]byte{fmt.Appendf(nil, "d%d", n-1)},
		Set:    []kv.Pair{{Key: []byte("a"), Value: fmt.Append(nil, n)}, {Key: fmt.Appendf(nil, "d%d", n)}, {Key: fmt.Appendf(nil, "r%d", n)}},
	})
}

// state returns the state that a table has, and fails if it is a part of one.
func state(t *testing.T, tab kv.Table) (n int) {
	t.Helper()
	v, vals, err := tab.View(t.Context(), []byte("n"))
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	pairs, err := v.Scan(t.Context(), nil, nil, false, 100)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(vals[0]), &n); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range pairs {
		got = append(got, fmt.Sprintf("%s=%s", p.Key, p.Value))
	}
	want := fmt.Sprintf("a=%d d%d= n=%d r%d=", n, n, n, n)
	if n == 1 {
		want = "n=1"
	}
	if strings.Join(got, " ") != want {
		t.Fatalf("the table has %q, which is no state", got)
	}
	return n
}

// A connection that is cut at any message leaves what the error says.
func TestCuts(t *testing.T) {
	t.Parallel()
	s := shared.Server(t)
	url := fresh(t)
	direct := open(t, url, pgkv.Options{})
	put(t, direct, "n", "1")
	p := pgtest.StartProxy(t, s.Addr())
	tab := open(t, p.URL(url), pgkv.Options{})
	at := 1
	for _, way := range []pgtest.Direction{pgtest.ToServer, pgtest.ToClient} {
		kinds := map[string]int{}
		unsure := false // the server may still be at the write before
		for cut, done := 1, false; !done; cut++ {
			p.SetCut(way, cut)
			err := stepTo(t.Context(), tab, at+1)
			done = err == nil && p.Messages(way) < cut
			p.SetCut(way, 0)
			now := state(t, direct)
			switch {
			case errors.Is(err, kv.ErrGuard) && unsure && now == at+1:
				unsure = false
				cut--
			case err == nil:
				kinds["made"]++
				unsure = false
				if now != at+1 {
					t.Fatalf("%d, cut %d: state %d after success at %d", way, cut, now, at)
				}
			case errors.Is(err, kv.ErrUncertain):
				kinds["uncertain"]++
				unsure = now == at
				if now != at && now != at+1 {
					t.Fatalf("%d, cut %d: state %d after %v at %d", way, cut, now, err, at)
				}
			case errors.Is(err, kv.ErrRefused):
				kinds["refused"]++
				if now != at && !(unsure && now == at+1) {
					t.Fatalf("%d, cut %d: state %d after %v at %d", way, cut, now, err, at)
				}
			default:
				t.Fatalf("%d, cut %d: %v", way, cut, err)
			}
			at = now
		}
		t.Log(way, kinds)
		if kinds["uncertain"] < 5 || kinds["made"] < 1 {
			t.Errorf("%d: %v", way, kinds)
		}
	}
}

// A connection that is cut while a view is opened costs nothing; one that is cut under
// an open view ends it.
func TestViewCuts(t *testing.T) {
	t.Parallel()
	s := shared.Server(t)
	url := fresh(t)
	p := pgtest.StartProxy(t, s.Addr())
	tab := open(t, p.URL(url), pgkv.Options{})
	put(t, tab, "a", "1")
	value(t, tab, "a")
	for i := range 4 {
		p.CutAll()
		if got := value(t, tab, "a"); got != "1" {
			t.Fatalf("%d: a is %q", i, got)
		}
		v, _, err := tab.View(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p.CutAll()
		for range 2 {
			if _, err := v.MultiGet(t.Context(), [][]byte{[]byte("a")}); !errors.Is(err, kv.ErrExpired) {
				t.Errorf("a view whose connection was cut: %v", err)
			}
		}
		if _, err := v.Scan(t.Context(), nil, nil, false, 1); !errors.Is(err, kv.ErrExpired) {
			t.Errorf("a view whose connection was cut: %v", err)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
	p.Stop()
	if _, _, err := tab.View(t.Context()); !errors.Is(err, kv.ErrRefused) {
		t.Errorf("no server: %v", err)
	}
	if err := tab.Write(t.Context(), kv.Guard{Key: []byte("b")}, &kv.Changes{}); !errors.Is(err, kv.ErrRefused) && !errors.Is(err, kv.ErrUncertain) {
		t.Errorf("no server: %v", err)
	}
	p.Restart()
	if got := value(t, tab, "a"); got != "1" {
		t.Errorf("a is %q", got)
	}
}

// Writers go on while the server is killed and started again; each write that was
// reported as made is there, and no state is half made.
func TestKills(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t, pgtest.Options{Durable: true})
	tab := open(t, s.URL(), pgkv.Options{})
	put(t, tab, "n", "1")
	stop := make(chan struct{})
	var work sync.WaitGroup
	at := 1
	made := 0
	work.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			err := stepTo(t.Context(), tab, at+1)
			switch {
			case err == nil:
				at++
				made++
			case errors.Is(err, kv.ErrUncertain):
				for {
					v, vals, err := tab.View(t.Context(), []byte("n"))
					if err != nil {
						if !errors.Is(err, kv.ErrRefused) {
							t.Error(err)
							return
						}
						time.Sleep(10 * time.Millisecond)
						continue
					}
					v.Close()
					var n int
					if _, err := fmt.Sscan(string(vals[0]), &n); err != nil || n != at && n != at+1 {
						t.Errorf("state %d after an uncertain write at %d, %v", n, at, err)
						return
					}
					at = n
					break
				}
			case errors.Is(err, kv.ErrRefused):
				time.Sleep(10 * time.Millisecond)
			default:
				t.Errorf("at %d: %v", at, err)
				return
			}
		}
	})
	for i, end := range []func() error{s.Kill, s.Shut, s.Kill} {
		time.Sleep(300 * time.Millisecond)
		if err := end(); err != nil {
			t.Fatal(i, err)
		}
		time.Sleep(50 * time.Millisecond)
		if err := s.Restart(); err != nil {
			t.Fatal(i, err)
		}
	}
	time.Sleep(300 * time.Millisecond)
	close(stop)
	work.Wait()
	if n := state(t, tab); n != at || made < 4 {
		t.Errorf("state %d, not %d, after %d writes", n, at, made)
	}
}

// A write that is given up says what is known of it.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	s := shared.Server(t)
	url := fresh(t)
	p := pgtest.StartProxy(t, s.Addr())
	tab := open(t, p.URL(url), pgkv.Options{})
	put(t, tab, "n", "1")
	v, _, err := tab.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put(t, tab, "b", "1") // now there are two connections
	p.SetLatency(150 * time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := stepTo(ctx, tab, 2); err != nil {
		t.Errorf("an answer within the grace: %v", err)
	}
	p.SetLatency(2 * time.Second)
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := stepTo(ctx, tab, 3); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, kv.ErrUncertain) {
		t.Errorf("no answer: %v", err)
	}
	if _, err := v.MultiGet(ctx, [][]byte{{1}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("no answer: %v", err)
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("two calls that were given up took %v", took)
	}
	p.SetLatency(0)
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// Transactions that meet are refused, as is what a server does not take for now.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := shared.Server(t)
	url := s.NewDatabase(t)
	put(t, open(t, url, pgkv.Options{}), "n", "1")
	readOnly := open(t, url+"&default_transaction_read_only=on", pgkv.Options{})
	if err := stepTo(t.Context(), readOnly, 2); !errors.Is(err, kv.ErrRefused) {
		t.Errorf("a server that takes no writes: %v", err)
	}
	impatient := open(t, url+"&idle_in_transaction_session_timeout=20", pgkv.Options{})
	v, _, err := impatient.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	time.Sleep(200 * time.Millisecond)
	if _, err := v.MultiGet(t.Context(), [][]byte{{1}}); !errors.Is(err, kv.ErrExpired) {
		t.Errorf("a view that was not read: %v", err)
	}
	run(t, url, "ALTER DATABASE "+databaseOf(url)+" CONNECTION LIMIT 1", "CREATE ROLE limited_"+databaseOf(url)+" LOGIN PASSWORD 'x'",
		"GRANT ALL ON ragdb TO limited_"+databaseOf(url))
	limited := strings.Replace(url, "postgres:"+strings.SplitN(strings.SplitN(url, "postgres:", 3)[2], "@", 2)[0], "limited_"+databaseOf(url)+":x", 1)
	if _, err := pgkv.Open(t.Context(), limited, pgkv.Options{}); !errors.Is(err, kv.ErrRefused) {
		t.Errorf("too many connections: %v", err)
	}
	run(t, url, "ALTER DATABASE "+databaseOf(url)+" CONNECTION LIMIT -1", "DROP OWNED BY limited_"+databaseOf(url), "DROP ROLE limited_"+databaseOf(url))
}

// databaseOf returns the name of a URL's database.
func databaseOf(url string) string {
	base, _, _ := strings.Cut(url, "?")
	return base[strings.LastIndexByte(base, '/')+1:]
}

var _ io.Closer = (*pgkv.Table)(nil)
