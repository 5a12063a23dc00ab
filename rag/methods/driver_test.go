package methods_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

var duration = flag.Duration("duration", time.Second, "how long the driver of the API runs")

// TestDriver has two who ask, one who indexes, one who removes and one who drops
// at once, cancelled calls among them, and closes the database while they do,
// again and again with other seeds, for as long as -duration says. Every call
// gives a result or an error that a program can tell from others, none hangs, and
// what is left passes a full check.
func TestDriver(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "db")
	seed, ends := uint64(1), outcomes{n: map[string]int{}}
	defer func() { t.Logf("%d opens; calls by what they gave: %v", seed-1, ends.n) }()
	for end := time.Now().Add(*duration); seed == 1 || time.Now().Before(end); seed++ {
		drive(t, dir, seed, min(*duration, 10*time.Second), &ends)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	db, err := engine.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ragtest.Check(t, db)
}

// outcomes counts calls by what they gave.
type outcomes struct {
	mu sync.Mutex
	n  map[string]int
}

// add counts a call, whose error is named by the sentinel that it wraps.
func (o *outcomes) add(call string, err error) {
	if err != nil {
		call += ": another error"
		for _, kind := range []error{
			context.Canceled, engine.ErrClosed, engine.ErrConflict, engine.ErrNotFound,
			rag.ErrModel, rag.ErrNoDocuments, method.ErrNotIndexed, local.ErrUntrained,
		} {
			if errors.Is(err, kind) {
				call = strings.TrimSuffix(call, "another error") + kind.Error()
				break
			}
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n[call]++
}

// drive opens a database, uses it from several goroutines for a time, and closes
// it while they do.
func drive(t *testing.T, dir string, seed uint64, long time.Duration, ends *outcomes) {
	db, err := engine.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := ragtest.OpenIn(t, db)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for role := range uint64(5) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, role))
			for {
				select {
				case <-stop:
					return
				default:
				}
				err := act(t.Context(), db, first, r, role)
				ends.add([]string{"ask", "ask", "index", "remove", "drop"}[role], err)
				if err != nil && !typed(err) {
					t.Errorf("goroutine %d: %v", role, err)
					return
				}
			}
		})
	}
	time.Sleep(long)
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Errorf("close: %v", err)
		}
	case <-time.After(asks):
		t.Error("close hangs")
	}
	close(stop)
	wg.Wait()
}

// act does one thing on a corpus of its own or the first one, whose namespace may
// have been dropped since.
func act(ctx context.Context, db *engine.DB, c *rag.Corpus, r *rand.Rand, role uint64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if r.IntN(6) == 0 {
		defer time.AfterFunc(time.Duration(r.IntN(20000))*time.Microsecond, cancel).Stop()
	}
	if r.IntN(2) == 0 {
		other, err := rag.OpenCorpus(ctx, db, "main", &rag.Options{Tokens: c.Tokens()})
		if err != nil {
			return err
		}
		c = other
	}
	spec := []string{"naive", "bm25", "bridge", "ketrag"}[r.IntN(4)]
	sys, err := methods.All().Open(ctx, c.Docs(), method.Spec{Name: spec})
	if err != nil {
		return err
	}
	switch role {
	case 0, 1:
		var m *rag.Models
		if r.IntN(2) == 0 {
			if m, err = c.OpenLocal(ctx, r.IntN(2) == 0, rag.Parts{}); err != nil {
				return err
			}
		}
		d := ragtest.Document(91, r.IntN(12), r.IntN(2))
		_, err = c.Ask(ctx, sys, m, method.Question{Text: "Who knew the " + d.Code + "ium of " + d.Place + "?"})
	case 2:
		docs := make([]ragtest.Doc, 1+r.IntN(6))
		for i := range docs {
			docs[i] = ragtest.Document(91, r.IntN(12), r.IntN(2))
		}
		x := rag.Indexer{Corpus: c, Methods: methods.All(), Systems: []*method.System{sys}}
		_, err = x.Run(ctx, []rag.Input{{FS: ragtest.Files(docs...)}})
	case 3:
		_, err = c.Remove(ctx, methods.All(), ragtest.Document(91, r.IntN(12), 0).Key, rag.RemoveOptions{KeepCache: r.IntN(2) == 0})
	default:
		if r.IntN(4) == 0 {
			return db.DropNamespace(ctx, "main")
		}
		time.Sleep(time.Duration(r.IntN(100)) * time.Millisecond)
	}
	// A run sets items aside that a removal beside it took the chunks of.
	if errors.Is(err, rag.ErrPartial) {
		err = nil
	}
	return err
}
