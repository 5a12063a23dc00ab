package engine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
)

var duration = flag.Duration("duration", time.Second, "how long the drivers of the API run")

// TestDriver has readers, a writer, removals, drops, cancelled calls and a Close at
// once on a database, again and again with other seeds, for as long as -duration
// says. Every call gives a result or an error that a program can tell from others,
// none hangs, and what is left passes a full check.
func TestDriver(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "db")
	seed, ends := uint64(1), outcomes{n: map[string]int{}}
	defer func() { t.Logf("%d opens; calls by what they gave: %v", seed-1, ends.n) }()
	for end := time.Now().Add(*duration); seed == 1 || time.Now().Before(end); seed++ {
		drive(t, dir, seed, min(*duration, 5*time.Second), &ends)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	db, err := engine.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for f, err := range db.Check(t.Context(), engine.CheckOptions{Full: true}) {
		if err != nil {
			t.Fatal(err)
		}
		t.Errorf("check: %v", f)
	}
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
		for _, kind := range []error{context.Canceled, engine.ErrClosed, engine.ErrConflict, engine.ErrExists, engine.ErrInvalid, engine.ErrNotFound} {
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
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for i := range uint64(5) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, i))
			for {
				select {
				case <-stop:
					return
				default:
				}
				err := act(t.Context(), db, r, i)
				ends.add([]string{"read", "read", "read", "write", "write or drop"}[i], err)
				if err != nil && !typedError(err) {
					t.Errorf("goroutine %d: %v", i, err)
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
	case <-time.After(callsTake):
		t.Error("close hangs")
	}
	close(stop)
	wg.Wait()
}

// act does one thing: reader 0 to 2 read, 3 writes, 4 drops; any call may be
// cancelled in its midst.
func act(ctx context.Context, db *engine.DB, r *rand.Rand, role uint64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if r.IntN(8) == 0 {
		defer time.AfterFunc(time.Duration(r.IntN(2000))*time.Microsecond, cancel).Stop()
	}
	ns, err := db.Namespace(ctx, fmt.Sprint("ns", r.IntN(2)))
	if err != nil {
		return err
	}
	g, err := ns.Graph(ctx, fmt.Sprint("g", r.IntN(2)))
	if err != nil {
		return err
	}
	switch {
	case role < 3:
		return db.View(ctx, func(s *engine.Snapshot) error { return look(s.Graph(g).WithContext(ctx), r) })
	case role == 3 || r.IntN(6) > 0:
		return db.Update(ctx, func(tx *engine.Tx) error { return change(tx.Graph(g), r) })
	case r.IntN(2) == 0:
		return rule(ctx, db, g, r)
	case r.IntN(3) == 0:
		return db.DropNamespace(ctx, ns.Name())
	case r.IntN(3) == 0:
		return db.Compact(ctx)
	case r.IntN(2) == 0:
		return ns.Swap(ctx, "g0", g)
	}
	return ns.Drop(ctx, g.Name())
}

// rule makes or drops an index that every write of a person keeps.
func rule(ctx context.Context, db *engine.DB, g *engine.Graph, r *rand.Rand) error {
	x := engine.Rule{Name: "n", Kind: engine.RangeIndex, Types: []string{"person"}, Properties: []string{"n"}}
	if r.IntN(2) == 0 {
		x = engine.Rule{Name: "text", Kind: engine.FulltextIndex, Types: []string{"person"}, Properties: []string{"text"}}
	}
	if r.IntN(3) == 0 {
		return db.DropRule(ctx, g, x.Name)
	}
	return db.MakeRule(ctx, g, x)
}

// look reads some of a graph.
func look(v *engine.View, r *rand.Rand) error {
	kind, ok := v.NodeType("person")
	if !ok {
		return nil
	}
	id, err := v.Lookup(kind, fmt.Sprint(r.IntN(40)))
	if err != nil {
		return err
	}
	if _, err := v.Node(id); err != nil {
		return err
	}
	if _, err := v.Neighbors(id, engine.EdgeFilter{}, 0, nil); err != nil {
		return err
	}
	if _, err := v.Terms("f", []string{"mill"}, engine.TermsOptions{K: 3}); err != nil {
		return err
	}
	vectors, err := v.Vectors("s")
	if err == nil {
		vectors.Len()
	}
	return err
}

// change writes or removes a node with all that hangs on it.
func change(v *engine.TxView, r *rand.Rand) error {
	kind, err := v.MakeNodeType("person")
	if err != nil {
		return err
	}
	knows, err := v.MakeEdgeType("knows", false)
	if err != nil {
		return err
	}
	if err := v.MakeField("f", engine.FieldOptions{Analyzer: text.Standard{}.Name()}); err != nil {
		return err
	}
	if err := v.MakeSpace("s", engine.SpaceOptions{Dim: 4, Model: "m"}); err != nil {
		return err
	}
	a, _, err := v.PutNode(kind, fmt.Sprint(r.IntN(40)), engine.Props{"n": engine.Int(int64(r.IntN(9))), "text": engine.String(fmt.Sprint("mill ", r.IntN(9)))})
	if err != nil {
		return err
	}
	if r.IntN(3) == 0 {
		_, err := v.DeleteNode(a)
		return err
	}
	b, _, err := v.PutNode(kind, fmt.Sprint(r.IntN(40)), nil)
	if err != nil {
		return err
	}
	if err := v.AddEdge(a, b, knows, 1); err != nil {
		return err
	}
	if err := v.PutTerms("f", a, text.Standard{}.Terms("the mill of Karrow")); err != nil {
		return err
	}
	return v.PutVector("s", a, []float32{1, float32(r.IntN(9)), 2, 3})
}
