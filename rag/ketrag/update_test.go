package ketrag_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/baseline"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// atOnce returns a corpus of documents that came in the given order and were
// then indexed at once.
func atOnce(t testing.TB, spec string, docs []ragtest.Doc) *ragtest.Corpus {
	t.Helper()
	c := open(t)
	c.Methods["bm25"] = baseline.Open("bm25")
	for _, d := range docs {
		c.Index(t, "bm25", d)
	}
	c.Index(t, spec)
	return c
}

// TestAddAndRemove says that documents which come and go again leave nothing:
// the corpus is as if they had never been there.
//
// The models do not learn from the corpus (ragtest.Fixed), so nothing depends
// on when a word table was trained, and the canonical exports are equal to the
// byte.
func TestAddAndRemove(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"ketrag:beta=1", "ketrag:beta=0.5,k=3,slack=0", "ketrag:core=uniform,beta=0.6,slack=0"} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			docs := sorted(ragtest.Docs(51, 16))
			var stay, gone []ragtest.Doc
			for i, d := range docs {
				if i%3 == 1 {
					gone = append(gone, d)
				} else {
					stay = append(stay, d)
				}
			}
			same := func(what string, a, b *ragtest.Corpus) {
				t.Helper()
				ragtest.Same(t, what, a.Canonical(t), b.Canonical(t))
			}
			want := open(t)
			want.Index(t, spec, stay...)
			all := open(t)
			all.Index(t, spec, docs...)
			both := open(t)
			both.Index(t, spec, stay...)
			both.Index(t, spec, docs...)
			for _, d := range gone {
				all.Remove(t, d.Key)
				both.Remove(t, d.Key)
			}
			all.Index(t, spec)
			both.Index(t, spec)
			same("all at once, some removed", all, want)
			same("some added and removed", both, want)
			ragtest.Check(t, both.DB())
		})
	}
}

// TestWalk adds, replaces and removes documents at random and compares the
// corpus, after each run, with one that was indexed at once.
func TestWalk(t *testing.T) {
	t.Parallel()
	seeds, steps := []uint64{7, 12, 14}, 4
	if *long {
		steps = 8
		for seed := range uint64(16) {
			seeds = append(seeds, seed)
		}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 3))
			spec := []string{"ketrag:beta=0.4,unit=400,slack=0", "ketrag:beta=0.6,k=3,slack=0"}[seed%2]
			c := open(t)
			var live []ragtest.Doc
			next := 0
			for range steps {
				var in []ragtest.Doc
				for range 2 + r.IntN(4) {
					in = append(in, ragtest.Document(seed, next, 0))
					next++
				}
				if len(live) > 4 {
					n := 2
					if len(chunks(t, c)) > 25 {
						n = len(live) - 4 // words of over 50 chunks would not count
					}
					for _, i := range r.Perm(len(live))[:n] {
						c.Remove(t, live[i].Key)
						live[i].Key = ""
					}
					live = slices.DeleteFunc(live, func(d ragtest.Doc) bool { return d.Key == "" })
					if i := r.IntN(len(live)); live[i].Team != "" {
						d := live[i]
						var n int
						for d.Code != ragtest.Document(seed, n, 0).Code {
							n++
						}
						// A replaced document comes first, as it is a removal too.
						now := ragtest.Document(seed, n, 1+r.IntN(1000))
						live = append(slices.Delete(live, i, i+1), now)
						c.Index(t, spec, now)
					}
				}
				in = sorted(in)
				live = append(live, in...)
				c.Index(t, spec, in...)
				ragtest.Same(t, fmt.Sprintf("seed %d: %d documents", seed, len(live)),
					c.Canonical(t), atOnce(t, spec, live).Canonical(t))
			}
			ragtest.Check(t, c.DB())
		})
	}
}

// TestCore says how many chunks the core has, and that nothing stays of those
// that left it.
func TestCore(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(52, 20))
	for _, x := range []struct {
		spec string
		size func(n int) int
	}{
		{"ketrag:slack=0", func(n int) int { return (8*n + 9) / 10 }},
		{"ketrag:beta=0.3,slack=0", func(n int) int { return (3*n + 9) / 10 }},
		{"ketrag:beta=0.3,compat=true,slack=0", func(n int) int { return 3 * n / 10 }},
		{"ketrag:beta=0", func(int) int { return 0 }},
		{"ketrag:beta=1", func(n int) int { return n }},
		{"ketrag:beta=0.3,core=uniform,slack=0", func(n int) int { return (3*n + 9) / 10 }},
	} {
		t.Run(x.spec, func(t *testing.T) {
			t.Parallel()
			c := open(t)
			left := 0
			core := map[string]bool{}
			for _, n := range []int{6, 13, 20} {
				c.Index(t, x.spec, docs[:n]...)
				now := keys(t, c, x.spec, "skeleton")
				all := keys(t, c, x.spec, "chunk")
				if len(all) != len(chunks(t, c)) {
					t.Errorf("%d of %d chunks are in the method's graph", len(all), len(chunks(t, c)))
				}
				if want := x.size(len(all)); len(now) != want {
					t.Errorf("the core of %d chunks has %d, want %d", len(all), len(now), want)
				}
				for k := range core {
					if !slices.Contains(now, k) {
						left++
					}
				}
				clear(core)
				for _, k := range now {
					core[k], core[method.DocOf(k)] = true, true
				}
				supported(t, c, x.spec, core)
			}
			if left == 0 && x.spec == "ketrag:beta=0.3,slack=0" {
				t.Error("no chunk ever left the core")
			}
			failures := 0
			c.View(t, x.spec, func(v *engine.View) error {
				for _, err := range c.Failures(v) {
					if err != nil {
						return err
					}
					failures++
				}
				return nil
			})
			if failures > 0 {
				t.Errorf("%d items failed", failures)
			}
		})
	}
}

// supported checks that every entity and relation rests on core chunks alone,
// and that the queue has no mark of one that is gone.
func supported(t *testing.T, c *ragtest.Corpus, spec string, core map[string]bool) {
	t.Helper()
	c.View(t, spec, func(v *engine.View) error {
		rests := func(target engine.Target) error {
			set, err := v.Sources(target)
			if err != nil {
				return err
			}
			if set.IsEmpty() {
				t.Errorf("%+v rests on nothing", target)
			}
			for it := set.Iterator(); it.HasNext(); {
				n, err := v.Node(engine.NodeID(it.Next()))
				if err != nil {
					return err
				}
				if v.NodeTypeName(n.Type) != "skeleton" || !core[n.Key] {
					t.Errorf("%+v rests on %s %s", target, v.NodeTypeName(n.Type), n.Key)
				}
			}
			return nil
		}
		items := map[string]bool{"all": true}
		if typ, ok := v.NodeType("entity"); ok {
			ids, err := v.Nodes(typ)
			if err != nil {
				return err
			}
			for it := ids.Iterator(); it.HasNext(); {
				id := engine.NodeID(it.Next())
				items[fmt.Sprintf("node:%d", id)] = true
				if err := rests(engine.NodeTarget(id)); err != nil {
					return err
				}
			}
		}
		if typ, ok := v.EdgeType("relation"); ok {
			for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{typ}}) {
				if err != nil {
					return err
				}
				items[fmt.Sprintf("relation:%d-%d", e.From, e.To)] = true
				if err := rests(engine.EdgeTarget(e.From, e.To, typ)); err != nil {
					return err
				}
			}
		}
		for e, err := range v.Bucket("jobs").Scan(nil, nil) {
			if err != nil {
				return err
			}
			item, _, _ := strings.Cut(string(e.Key), "\x00")
			if kind, rest, ok := strings.Cut(item, ":"); ok && (kind == "unit" && !core[method.DocOf(rest)] || (kind == "node" || kind == "relation") && !items[item]) {
				t.Errorf("there is a mark of %s", item)
			}
		}
		return nil
	})
}

// TestKeywordSums says that after documents came and went the stored sums are
// those of the chunks that there are.
func TestKeywordSums(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(53, 12))
	sums := func(c *ragtest.Corpus) map[string]string {
		out := map[string]string{}
		c.View(t, "ketrag", func(v *engine.View) error {
			typ, _ := v.NodeType("keyword")
			ids, err := v.Nodes(typ)
			if err != nil {
				return err
			}
			n := 0
			for e, err := range v.Bucket(method.SumsBucket("hashes")).Scan(nil, nil) {
				if err != nil {
					return err
				}
				id := engine.NodeID(0)
				for _, b := range e.Key {
					id = id<<8 | engine.NodeID(b)
				}
				node, err := v.Node(id)
				if err != nil {
					return fmt.Errorf("sum of %d: %w", id, err)
				}
				out[node.Key] = string(e.Value)
				n++
			}
			if n != int(ids.GetCardinality()) {
				t.Errorf("%d sums of %d keywords", n, ids.GetCardinality())
			}
			return nil
		})
		return out
	}
	c, want := open(t), open(t)
	c.Index(t, "ketrag", docs...)
	for _, d := range docs[5:] {
		c.Remove(t, d.Key)
	}
	want.Index(t, "ketrag", docs[:5]...)
	if a, b := sums(c), sums(want); !maps.Equal(a, b) {
		t.Errorf("%d sums, not the %d of a new corpus", len(a), len(b))
	}
}

// TestRetrain says that after the word table was trained anew the near chunks
// are those of the new vectors, and nothing of the old ones is kept.
func TestRetrain(t *testing.T) {
	t.Parallel()
	const spec = "ketrag:slack=0"
	docs := sorted(ragtest.Docs(54, 24))
	grown, want := open(t), open(t)
	grown.Use(nil)
	want.Use(nil)
	grown.Index(t, spec, docs[:9]...)
	grown.Index(t, spec, docs...)
	want.Index(t, spec, docs...)
	if n := len(chunks(t, want)); n > 50 {
		t.Fatalf("%d chunks: some words do not count any more", n)
	}
	for _, name := range []string{"near:lexical", "near:vector"} {
		sameEdges(t, name, edges(t, grown, spec, name), edges(t, want, spec, name))
	}
	if a, b := keys(t, grown, spec, "skeleton"), keys(t, want, spec, "skeleton"); !slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))) {
		t.Error("the cores differ")
	}
	const old, now = "local/rri-512@v1", "local/rri-512@v2"
	spaces := func(v *engine.View) {
		for _, s := range v.Spaces() {
			if !strings.HasSuffix(s, now) {
				t.Errorf("space %s is left", s)
			}
		}
	}
	if err := grown.DB().View(t.Context(), func(s *engine.Snapshot) error { spaces(s.Graph(grown.Base())); return nil }); err != nil {
		t.Fatal(err)
	}
	grown.View(t, spec, func(v *engine.View) error {
		spaces(v)
		for _, b := range []string{method.SumsBucket(old), method.StaleBucket(old), method.StaleBucket(now)} {
			for e, err := range v.Bucket(b).Scan(nil, nil) {
				if err != nil {
					return err
				}
				t.Errorf("bucket %s has %x", b, e.Key)
				break
			}
		}
		return nil
	})
	ragtest.Check(t, grown.DB())
}
