package erarag

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

var errDead = errors.New("the store is dead")

// mortal is a store whose commits fail after some.
type mortal struct {
	kv.Store
	left int // commits; below 0 for ever
}

func (m *mortal) Apply(ctx context.Context, b kv.Batch, d kv.Durability) error {
	if m.left == 0 {
		return errDead
	}
	m.left--
	return m.Store.Apply(ctx, b, d)
}

func (m *mortal) Close() error { return nil }

// world is a corpus that can die and be opened again.
type world struct {
	t     *testing.T
	store *mortal
	db    *engine.DB
	c     *ragtest.Corpus
	spec  string
	work  int // workers
	calls atomic.Int64
}

// counting is a provider that counts what it is asked.
type counting struct {
	llm.Provider
	calls *atomic.Int64
}

func (p counting) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	p.calls.Add(1)
	return p.Provider.Do(ctx, t)
}

func (w *world) models(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
	m, err := ragtest.Fixed(ctx, c)
	m = ragtest.Provide(m, counting{m.Provider(), &w.calls})
	return m, err
}

func newWorld(t *testing.T, spec string, workers int) *world {
	w := &world{t: t, store: &mortal{Store: memkv.New(layout.Schema()), left: -1}, spec: spec, work: workers}
	t.Cleanup(func() { w.db.Close() })
	w.open()
	return w
}

func (w *world) open() {
	if w.db != nil {
		w.db.Close()
	}
	w.store.left = -1
	var err error
	w.db, err = engine.Open(context.Background(), engine.Memory, &engine.Options{
		Encodings: append(rag.Encodings(), Encodings()...),
		OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return w.store, nil },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	corpus := ragtest.OpenIn(w.t, w.db)
	corpus = corpus.With(rag.Options{Models: w.models, NoWords: true})
	w.c = &ragtest.Corpus{Corpus: corpus, Store: w.store, Methods: method.Methods{Name: Open}}
}

// index runs the indexer; it dies after some commits, unless below 0.
func (w *world) index(commits int, docs ...ragtest.Doc) (died bool) {
	w.t.Helper()
	x := rag.Indexer{Corpus: w.c.Corpus, Methods: w.c.Methods, Systems: []*method.System{w.c.System(w.t, w.spec)}}
	x.Options.Workers = w.work
	var in []rag.Input
	if len(docs) > 0 {
		in = []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}
	}
	w.store.left = commits
	_, err := x.Run(w.t.Context(), in)
	if errors.Is(err, errDead) {
		w.open()
		return true
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.store.left = -1
	return false
}

// dump returns all that the corpus holds: its export and the tree to the byte.
func (w *world) dump() string {
	w.t.Helper()
	var out strings.Builder
	out.WriteString(w.c.Canonical(w.t))
	s := opened(w.t, w.c, w.spec)
	view(w.t, w.c, s, func(v *engine.View) error {
		for e, err := range s.tree(v, "hashes").Scan(nil, nil) {
			if err != nil {
				return err
			}
			fmt.Fprintf(&out, "%c %s %s\n", e.Key[0], hex.EncodeToString(e.Key[1:]), hex.EncodeToString(e.Value))
		}
		return nil
	})
	return out.String()
}

// op is a step of a stream: documents that come or come changed, or one that
// goes.
type op struct {
	in   []ragtest.Doc
	gone ragtest.Doc
}

// stream returns random steps.
func stream(seed uint64, n int) (ops []op) {
	r := rand.New(rand.NewPCG(seed, 31))
	version := map[int]int{}
	var live []int
	next := 0
	for range n {
		switch k := r.IntN(6); {
		case k == 0 && len(live) > 6:
			for range 1 + r.IntN(len(live)/2) {
				i := r.IntN(len(live))
				ops = append(ops, op{gone: ragtest.Document(seed, live[i], version[live[i]])})
				live = slices.Delete(live, i, i+1)
			}
		case k == 1 && len(live) > 3:
			i := live[r.IntN(len(live))]
			version[i]++
			ops = append(ops, op{in: []ragtest.Doc{ragtest.Document(seed, i, version[i])}})
		default:
			var in []ragtest.Doc
			for range 1 + r.IntN(5)*r.IntN(4) {
				in = append(in, ragtest.Document(seed, next, 0))
				live = append(live, next)
				next++
			}
			ops = append(ops, op{in: in})
		}
	}
	return ops
}

// specs are trees whose shapes change with few chunks.
var specs = []string{
	small, small + ",gray=true,bucket=6", small + ",bucket=0", "erarag:min=1,max=2,split=3,stop=2,layers=6,tokens=20,bucket=4",
	"erarag:min=3,max=4,split=6,stop=3,planes=5,bucket=3", "erarag:min=1,max=2,split=3,stop=2,layers=6,tokens=20,bucket=0", "erarag:stop=5",
}

// TestStream runs random streams of inserts, replacements and deletes twice:
// in one go by one worker, and with crashes after random commits, each
// resumed, by three. Both come to the same bytes, and the tree is right after
// each step.
func TestStream(t *testing.T) {
	t.Parallel()
	seeds, steps := 5, 7
	if *long {
		seeds, steps = 60, 20
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 32))
			spec := specs[seed%uint64(len(specs))]
			clean, killed := newWorld(t, spec, 1), newWorld(t, spec, 3)
			deaths := 0
			for i, step := range stream(seed, steps) {
				if step.in == nil {
					clean.c.Remove(t, step.gone.Key)
					killed.c.Remove(t, step.gone.Key)
					if i%2 == 0 {
						continue // several at once
					}
				}
				clean.index(-1, step.in...)
				for killed.index(r.IntN(12), step.in...) {
					deaths++
				}
				checkTree(t, clean.c, spec, "hashes")
				ragtest.Same(t, fmt.Sprintf("step %d", i), killed.dump(), clean.dump())
			}
			t.Logf("%d deaths, layers %v", deaths, layers(t, clean.c, spec, "hashes"))
			if deaths == 0 {
				t.Error("no run died")
			}
			// Only an answer that was on its way when a run died is asked for
			// again, one a worker.
			if a, b := clean.calls.Load(), killed.calls.Load(); b > a+int64(3*deaths) || b < a {
				t.Errorf("%d calls, without crashes %d", b, a)
			}
			ragtest.Check(t, killed.db)
		})
	}
}

// TestRemoveAfterCrash removes documents while the tree is behind: nothing
// stays of them, in summaries and replies neither, and the tree is right when
// it has caught up.
func TestRemoveAfterCrash(t *testing.T) {
	t.Parallel()
	seeds, steps := 5, 8
	if *long {
		seeds, steps = 60, 24
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 33))
			spec := specs[(seed+1)%uint64(len(specs))]
			w := newWorld(t, spec, 2)
			live := map[string]ragtest.Doc{}
			deaths := 0
			for _, step := range stream(seed+100, steps) {
				for _, d := range step.in {
					live[d.Key] = d
				}
				if step.in != nil && w.index(r.IntN(25), step.in...) {
					deaths++
				}
				keys := []string{step.gone.Key}
				if step.in != nil {
					keys = nil
					for key := range live {
						if keys = append(keys, key); len(keys) == 2 {
							break
						}
					}
				}
				for _, key := range keys {
					d, ok := live[key]
					if !ok {
						continue
					}
					delete(live, key)
					_, err := w.c.Corpus.Remove(t.Context(), w.c.Methods, key, rag.RemoveOptions{})
					if err != nil && !errors.Is(err, engine.ErrNotFound) {
						t.Fatal(err)
					}
					if left := ragtest.Find(t, w.store, d.Code); len(left) > 0 {
						t.Fatalf("after %s went it is in %q", key, left)
					}
				}
			}
			w.index(-1, docsOf(live)...)
			checkTree(t, w.c, spec, "hashes")
			ragtest.Check(t, w.db)
			if deaths == 0 {
				t.Error("no run died")
			}
		})
	}
}

func docsOf(m map[string]ragtest.Doc) (out []ragtest.Doc) {
	for _, d := range m {
		out = append(out, d)
	}
	return sorted(out)
}
