package rag_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// moody is an embedder with a name, that sets some texts aside and may end the run.
type moody struct {
	ragtest.Hashes
	name  string
	word  string // in texts that it does not embed
	calls int    // after so many it fails for good; < 0 never
}

// Space implements [llm.Embedder].
func (e *moody) Space() llm.SpaceInfo {
	s := e.Hashes.Space()
	s.Model = e.name
	return s
}

// Embed implements [llm.Embedder].
func (e *moody) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	if e.calls == 0 {
		return nil, llm.Usage{}, llm.ErrProvider
	}
	e.calls--
	if e.word != "" && strings.Contains(strings.Join(texts, " "), e.word) {
		return nil, llm.Usage{}, errors.New("not this one")
	}
	return e.Hashes.Embed(ctx, texts)
}

// growthLife is a corpus to which anything happens.
type growthLife struct {
	t     *testing.T
	r     *rand.Rand
	c     *ragtest.Corpus
	e     *moody
	docs  map[string]int // version by key
	trail []string
}

const (
	growthSmall = "dense"
	growthLarge = "dense:chunks=cl100k/300/0/paragraph"
)

// steps returns the base steps of both chunk sets.
func (l *growthLife) steps() []queue.Step {
	l.t.Helper()
	systems := []*method.System{l.c.System(l.t, growthSmall), l.c.System(l.t, growthLarge)}
	steps, err := l.c.BaseStages(systems, l.c.NewModels(rag.Parts{Documents: l.e, Questions: l.e}))
	if err != nil {
		l.t.Fatal(err)
	}
	return steps
}

// audit holds what a run would find to do, by either model, against a look at all
// marks. After a run nothing of the sets in idle is pending.
func (l *growthLife) audit(idle ...string) {
	l.t.Helper()
	now := l.e.name
	for _, l.e.name = range []string{"one", "two"} {
		if l.e.name != now {
			l.auditModel()
		}
	}
	l.e.name = now
	l.auditModel(idle...)
}

func (l *growthLife) auditModel(idle ...string) {
	l.t.Helper()
	err := l.c.DB().View(l.t.Context(), func(s *engine.Snapshot) error {
		pending, err := pendingByFrontiers(l.t.Context(), s, l.steps())
		for _, set := range idle {
			for name, n := range pending {
				if strings.HasSuffix(name, set) && n > 0 {
					err = errors.Join(err, fmt.Errorf("%s: %d items are pending after a run", name, n))
				}
			}
		}
		return err
	})
	if err != nil {
		l.t.Fatalf("%s\n%v", strings.Join(l.trail, "\n"), err)
	}
}

// pendingByFrontiers counts the pending items of steps as a run finds them by their
// frontiers. It is an error if a look at all marks finds others.
func pendingByFrontiers(ctx context.Context, s *engine.Snapshot, steps []queue.Step) (map[string]int, error) {
	pending := map[string]int{}
	for _, st := range steps {
		got, err := st.Count(ctx, s)
		if err != nil {
			return nil, err
		}
		pending[st.Name()] = got.Pending
		all := st
		all.Growth = nil
		want, err := all.Count(ctx, s)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(st.Name(), "chunk ") {
			want.Done = got.Done // documents that are cut have no item
		}
		if got != want {
			return nil, fmt.Errorf("%s: %+v, by all marks %+v", st.Name(), got, want)
		}
	}
	return pending, nil
}

// index runs one or both of the systems, and may be interrupted.
func (l *growthLife) index(docs ...ragtest.Doc) {
	l.t.Helper()
	var systems []*method.System
	var sets []string
	for i, spec := range []string{growthSmall, growthLarge} {
		if which := l.r.IntN(3); which == 2 || which == i {
			sys := l.c.System(l.t, spec)
			systems, sets = append(systems, sys), append(sets, sys.ChunkSet().String())
		}
	}
	if len(systems) == 0 {
		return
	}
	o := rag.IndexOptions{Retry: l.r.IntN(4) == 0, Reembed: true, Workers: 1 + l.r.IntN(2)}
	l.e.calls = -1
	if l.r.IntN(3) == 0 {
		l.e.calls = l.r.IntN(6)
	}
	x := rag.Indexer{Corpus: l.c.Corpus, Methods: l.c.Methods, Systems: systems, Options: o}
	var in []rag.Input
	if len(docs) > 0 {
		in = []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}
	}
	_, err := x.Run(l.t.Context(), in)
	l.trail = append(l.trail, fmt.Sprintf("index %d documents by %v, %+v, model %q, word %q: %v", len(docs), sets, o.Retry, l.e.name, l.e.word, err))
	switch {
	case errors.Is(err, llm.ErrProvider):
		l.audit()
	case err == nil || errors.Is(err, rag.ErrPartial):
		l.audit(sets...)
	default:
		l.t.Fatal(strings.Join(l.trail, "\n"), err)
	}
}

// doc returns a version of a document.
func (l *growthLife) doc(key string, version int) ragtest.Doc {
	var b strings.Builder
	for p := range 1 + version%4 {
		fmt.Fprintf(&b, "In the year %d the keeper of %s wrote page %d. %s\n\n", version, key, p, strings.Repeat("Rain fell on the harbour. ", 20))
		if (version+p)%5 == 0 {
			b.WriteString("An unwanted word.\n\n")
		}
	}
	return ragtest.Doc{Key: key, Text: b.String()}
}

func (l *growthLife) step() {
	l.t.Helper()
	switch l.r.IntN(8) {
	case 0, 1, 2: // documents that are new, or replaced
		var docs []ragtest.Doc
		for range 1 + l.r.IntN(3) {
			key := fmt.Sprintf("%d.txt", l.r.IntN(9))
			l.docs[key]++
			docs = append(docs, l.doc(key, l.docs[key]*7+l.r.IntN(3)))
		}
		l.index(docs...)
	case 3:
		l.index()
	case 4:
		key := fmt.Sprintf("%d.txt", l.r.IntN(9))
		_, err := l.c.Corpus.Remove(l.t.Context(), l.c.Methods, key, rag.RemoveOptions{})
		l.trail = append(l.trail, fmt.Sprintf("remove %s: %v", key, err))
		if err != nil && !errors.Is(err, engine.ErrNotFound) {
			l.t.Fatal(err)
		}
	case 5:
		l.e.word = []string{"", "unwanted", "page 2"}[l.r.IntN(3)]
	case 6:
		l.e.name = []string{"one", "two"}[l.r.IntN(2)]
	case 7: // a database from before there were frontiers
		err := l.c.DB().Update(l.t.Context(), func(tx *engine.Tx) error {
			b, err := tx.Graph(l.c.Base()).MakeBucket("frontiers")
			if err != nil {
				return err
			}
			return b.DeletePrefix(nil)
		})
		if err != nil {
			l.t.Fatal(err)
		}
		l.trail = append(l.trail, "the frontiers are gone")
	}
	l.audit()
}

// TestGrowth lets documents come, change and go while runs fail, are interrupted and
// change their model. What a run finds to do from the frontiers of its stages is, after
// each step, what a look at all marks finds.
func TestGrowth(t *testing.T) {
	t.Parallel()
	seeds := 12
	if *long {
		seeds = 400
	}
	for seed := range uint64(seeds) {
		l := &growthLife{t: t, r: rand.New(rand.NewPCG(seed, 19)), docs: map[string]int{}, e: &moody{name: "one", calls: -1}}
		l.c = ragtest.Open(t, methods.All(), methods.Encodings()...)
		l.c.Use(func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
			return c.NewModels(rag.Parts{Documents: l.e, Questions: l.e}), nil
		})
		l.c.Learn(false)
		l.trail = []string{fmt.Sprintf("seed %d", seed)}
		for range 16 {
			l.step()
		}
		ragtest.Check(t, l.c.DB())
	}
}

// TestGrowthImported says that frontiers do not hold in another database, whose nodes
// have other ids.
func TestGrowthImported(t *testing.T) {
	t.Parallel()
	e := &moody{name: "one", calls: -1}
	use := func(c *ragtest.Corpus) *growthLife {
		c.Use(func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
			return c.NewModels(rag.Parts{Documents: e, Questions: e}), nil
		})
		c.Learn(false)
		return &growthLife{t: t, r: rand.New(rand.NewPCG(1, 19)), docs: map[string]int{}, e: e, c: c}
	}
	from, to := use(ragtest.Open(t, methods.All())), use(ragtest.Open(t, methods.All()))
	for i := range 9 {
		from.c.Index(t, growthSmall, from.doc(fmt.Sprintf("%d.txt", i), i))
	}
	e.calls = 0 // a document that is cut and not embedded
	x := rag.Indexer{Corpus: to.c.Corpus, Methods: to.c.Methods, Systems: []*method.System{to.c.System(t, growthSmall)}}
	if _, err := x.Run(t.Context(), []rag.Input{{FS: ragtest.Files(to.doc("here.txt", 3)), Root: "."}}); !errors.Is(err, llm.ErrProvider) {
		t.Fatal(err)
	}
	e.calls = -1
	export := ragtest.Export(t, from.c.DB(), engine.ExportOptions{})
	ns, err := to.c.DB().Namespace(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	if err := ns.Import(t.Context(), strings.NewReader(export)); err != nil {
		t.Fatal(err)
	}
	to.audit()
	to.c.Index(t, growthSmall)
	to.audit("150/0/paragraph")
}

// TestReadsOfNoNews counts what a run reads that finds nothing to do, and one that finds
// a document more, in corpora of two sizes: the size does not matter.
func TestReadsOfNoNews(t *testing.T) {
	t.Parallel()
	type counts struct{ none, one int }
	measure := func(n int, learn bool) (out counts) {
		store := kvtest.NewCounter(memkv.New(layout.Schema()))
		db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
			OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		c := &ragtest.Corpus{Corpus: ragtest.OpenIn(t, db), Store: store, Methods: methods.All()}
		if !learn {
			c.Use(func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
				return c.NewModels(rag.Parts{Documents: ragtest.Hashes{}, Questions: ragtest.Hashes{}}), nil
			})
			c.Learn(false)
		}
		doc := func(i int) ragtest.Doc {
			return ragtest.Doc{Key: fmt.Sprintf("%d.txt", i), Text: fmt.Sprintf("The ferry %d leaves at %d.\n\nKeeper %d waits.", i, i, i)}
		}
		var docs []ragtest.Doc
		for i := range n {
			docs = append(docs, doc(i))
		}
		c.Index(t, "naive", docs...)
		reads := func(docs ...ragtest.Doc) int {
			store.Take()
			c.Index(t, "naive", docs...)
			return store.Take().Keys
		}
		return counts{reads(), reads(doc(n))}
	}
	for _, learn := range []bool{false, true} {
		few, many := measure(20, learn), measure(400, learn)
		if many.none > few.none+2 || many.one > few.one+5 {
			t.Errorf("local models %v: runs without news read %d keys of 20 documents and %d of 400, those with one more %d and %d", learn, few.none, many.none, few.one, many.one)
		}
		if many.none > 70 || many.one > 250 {
			t.Errorf("local models %v: a run without news reads %d keys, one with a document more %d", learn, many.none, many.one)
		}
	}
}
