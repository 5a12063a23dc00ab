package erarag

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

var leavesFlag = flag.Int("leaves", 0, "measure insertions at this many leaves")

// counts is a store that counts the keys that are read of one graph.
type counts struct {
	kv.Store
	mu    sync.Mutex // guards the fields below it
	graph uint32
	keys  map[byte]int // by tag
}

func (c *counts) note(key []byte) {
	if len(key) < 5 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.keys != nil && key[0] >= 0x10 && key[0] < 0x50 && binary.BigEndian.Uint32(key[1:]) == c.graph {
		c.keys[key[0]]++
	}
}

type countingReader struct {
	kv.Reader
	c *counts
}

func (r countingReader) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	r.c.note(key)
	return r.Reader.Get(ctx, key, dst)
}

func (r countingReader) MultiGet(ctx context.Context, keys [][]byte, fn func(int, []byte) error) error {
	for _, k := range keys {
		r.c.note(k)
	}
	return r.Reader.MultiGet(ctx, keys, fn)
}

func (r countingReader) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	it, err := r.Reader.Iter(ctx, lo, hi)
	return &countingIterator{it, r.c}, err
}

type countingIterator struct {
	kv.Iterator
	c *counts
}

func (it *countingIterator) met(ok bool) bool {
	if ok {
		it.c.note(it.Key())
	}
	return ok
}

func (it *countingIterator) First() bool { return it.met(it.Iterator.First()) }

func (it *countingIterator) Next() bool               { return it.met(it.Iterator.Next()) }
func (it *countingIterator) Prev() bool               { return it.met(it.Iterator.Prev()) }
func (it *countingIterator) SeekGE(k []byte) bool     { return it.met(it.Iterator.SeekGE(k)) }
func (it *countingIterator) SeekPrefix(k []byte) bool { return it.met(it.Iterator.SeekPrefix(k)) }

type countingSnapshot struct {
	countingReader
	close func() error
}

func (s countingSnapshot) Close() error { return s.close() }

func (c *counts) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	s, err := c.Store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return countingSnapshot{countingReader{s, c}, s.Close}, nil
}

func (c *counts) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	return countingReader{c.Store, c}.Get(ctx, key, dst)
}

func (c *counts) MultiGet(ctx context.Context, keys [][]byte, fn func(int, []byte) error) error {
	return countingReader{c.Store, c}.MultiGet(ctx, keys, fn)
}

func (c *counts) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	return countingReader{c.Store, c}.Iter(ctx, lo, hi)
}

// reads counts what the insertion of one chunk reads and asks for.
type reads struct {
	keys      int // of the method's graph but vectors
	vectors   int // of the method's vectors
	calls     int
	summaries int // nodes that the indexer made
	layers    int
	took      time.Duration
}

// insertions indexes n short documents, a chunk each, and then k more one by
// one, and returns what each of these cost, and the calls of the first.
func insertions(t testing.TB, spec string, n, k int) (all []reads, built int) {
	store := &counts{Store: memkv.New(layout.Schema())}
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
		Encodings: append(rag.Encodings(), Encodings()...),
		OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c := &ragtest.Corpus{Corpus: ragtest.OpenIn(t, db), Store: store, Methods: method.Methods{Name: Open}}
	c.Learn(false)
	c.Use(func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		m, err := ragtest.Fixed(ctx, c)
		if err != nil {
			return nil, err
		}
		p := m.Parts()
		p.Free, p.Workers = true, 64 // nothing is kept, and texts are embedded together
		return m.With(p), nil
	})
	file := func(i int) (string, *fstest.MapFile) {
		text := fmt.Sprintf("The keeper of %s number %d met %s in %s and the %s was sold. ",
			[]string{"harbour", "mill", "bridge", "library", "foundry"}[i%5], i, ragtest.Document(9, i%1000, i/1000).Hero,
			[]string{"Karrow", "Selby", "Tarn"}[i/7%3], []string{"boat", "lamp", "clock", "field"}[i/3%4])
		return fmt.Sprintf("%07d.md", i), &fstest.MapFile{Data: []byte(text)}
	}
	files := fstest.MapFS{}
	for i := range n {
		name, f := file(i)
		files[name] = f
	}
	built = calls(c.IndexFS(t, spec, files, true))
	store.graph = uint32(opened(t, c, spec).g.ID())
	for i := range k {
		name, f := file(n + i)
		before := nodesMade(t, c, spec)
		store.mu.Lock()
		store.keys = map[byte]int{}
		store.mu.Unlock()
		start := time.Now()
		r := c.IndexFS(t, spec, fstest.MapFS{name: f}, true)
		x := reads{calls: calls(r), took: time.Since(start)}
		store.mu.Lock()
		for tag, n := range store.keys {
			if tag >= 0x30 && tag <= 0x37 {
				x.vectors += n
			} else {
				x.keys += n
			}
		}
		store.keys = nil
		store.mu.Unlock()
		x.layers = len(layers(t, c, spec, "hashes")) - 1
		x.summaries = nodesMade(t, c, spec) - before - 1
		all = append(all, x)
	}
	checkTree(t, c, spec, "hashes")
	return all, built
}

// calls returns the summaries that a run asked for.
func calls(r *rag.IndexResult) (n int) {
	for _, s := range r.Spent {
		if len(s.Stage) > 9 && s.Stage[:9] == "summaries" && s.Model != "hashes" && !strings.HasPrefix(s.Model, "local/rri") {
			n += s.Calls
		}
	}
	return n
}

// nodesMade returns the last id of the method's nodes.
func nodesMade(t testing.TB, c *ragtest.Corpus, spec string) (last int) {
	s := opened(t, c, spec)
	view(t, c, s, func(v *engine.View) error {
		for _, typ := range v.NodeTypes() {
			set, err := v.Nodes(typ)
			if err != nil {
				return err
			}
			last = max(last, int(set.Maximum()))
		}
		return nil
	})
	return last
}

// most returns the greatest of each count.
func most(all []reads) (m reads) {
	for _, x := range all {
		m.keys, m.vectors, m.calls = max(m.keys, x.keys), max(m.vectors, x.vectors), max(m.calls, x.calls)
		m.summaries, m.layers, m.took = max(m.summaries, x.summaries), max(m.layers, x.layers), max(m.took, x.took)
	}
	return m
}

// mean returns what an insertion costs for each layer of the tree, leaves
// included: keys of both kinds, and summaries.
func mean(all []reads) (keys, calls float64) {
	for _, x := range all {
		n := float64(len(all) * (x.layers + 1))
		keys, calls = keys+float64(x.keys+x.vectors)/n, calls+float64(x.calls)/n
	}
	return keys, calls
}

// TestInsertionReads counts the keys that one inserted chunk reads in the
// method's graph. They are in proportion to the layers: ten times as many
// leaves, which make a layer more, cost a layer more, and no pass is made over
// all of them.
func TestInsertionReads(t *testing.T) {
	const eager = Name + ":bucket=0"
	if *leavesFlag > 0 {
		all, built := insertions(t, eager, *leavesFlag, 20)
		keys, calls := mean(all)
		layers := float64(most(all).layers + 1)
		t.Logf("%d leaves, %d calls to build: mean of %d insertions: %.0f keys, %.1f calls; most %+v",
			*leavesFlag, built, len(all), keys*layers, calls*layers, most(all))
		return
	}
	t.Parallel()
	few, _ := insertions(t, eager, 200, 6)
	many, built := insertions(t, eager, 2000, 6)
	a, b := most(few), most(many)
	t.Logf("200 leaves: %+v; 2000 leaves: %+v of %d calls", a, b, built)
	if b.layers != a.layers+1 {
		t.Fatalf("ten times as many leaves make %d layers of %d", b.layers, a.layers)
	}
	keysA, callsA := mean(few)
	keysB, callsB := mean(many)
	if math.Abs(keysA-keysB) > 0.15*keysA || callsB-callsA > 0.5 {
		t.Errorf("for a layer %.1f keys and %.2f calls, with ten times as many leaves %.1f and %.2f", keysA, callsA, keysB, callsB)
	}
	for _, x := range []reads{a, b} {
		// A changed segment in each layer, or the two that it was split into.
		if x.calls > 2*x.layers {
			t.Errorf("%d calls in %d layers", x.calls, x.layers)
		}
	}
	if n := b.keys + b.vectors; n > 2000/4 {
		t.Errorf("%d keys read for one chunk beside 2000", n)
	}
	if 10*b.calls > built {
		t.Errorf("an insertion asks for %d summaries of %d", b.calls, built)
	}
}

// TestInsertionWaits says that with buckets a chunk waits until there are enough for a
// segment, and that the insertions before ask for nothing and read few keys.
func TestInsertionWaits(t *testing.T) {
	t.Parallel()
	all, built := insertions(t, Name, 400, 24)
	var asked []int
	total, keys := 0, 0
	for _, x := range all {
		asked = append(asked, x.calls)
		total, keys = total+x.calls, max(keys, x.keys+x.vectors)
	}
	slices.Sort(asked)
	t.Logf("calls %v of %d, at most %d keys", asked, built, keys)
	// A segment of chunks is made of eight or more; those of the one or two buckets
	// may have been all but there.
	if median := asked[len(asked)/2]; median > 0 || total == 0 || total > 24/8+2+2 {
		t.Errorf("24 insertions ask for %v summaries", asked)
	}
	if keys > 200 {
		t.Errorf("an insertion reads %d keys", keys)
	}
}
