package noderag_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// scripted is a model that takes texts apart to events which it tells in its own words,
// and does all else by the rules. It fails the calls after the first Most.
type scripted struct {
	llm.Provider
	most int

	mu    sync.Mutex
	asked map[llm.Kind]int
	texts map[string]int // of decompose, by text
}

// Name implements [llm.Provider]. Rules are known by theirs.
func (p *scripted) Name() string { return "scripted" }

var errScript = errors.New("the model is gone")

// Do implements [llm.Provider].
func (p *scripted) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	p.mu.Lock()
	p.asked[t.Kind]++
	n := p.asked[t.Kind]
	in, ok := t.Input.(llm.ExtractInput)
	if t.Kind == llm.Decompose {
		p.texts[in.Text]++
	}
	p.mu.Unlock()
	if t.Kind != llm.Decompose || !ok {
		return p.Provider.Do(ctx, t)
	}
	if p.most > 0 && n > p.most {
		return llm.Reply{}, llm.Usage{}, errScript
	}
	// Two events a text: the first names a thing by what it is not called there.
	head, _, _ := strings.Cut(in.Text, ".")
	words := strings.Fields(head)
	last := words[len(words)-1]
	x := llm.Decomposition{Units: []llm.Event{
		{Text: "Told anew: " + strings.Join(words, " ") + ".", Entities: []string{last, "12 May 1931", "The Chronicle"},
			Relations: []llm.Stated{{Source: "The Chronicle", Relation: "tells of", Target: last}, {Source: "Karrow, Norway", Relation: "lies by", Target: last}}},
		{Text: "The Chronicle ends with " + last + ".", Entities: []string{"The Chronicle", last}},
	}}
	b, err := json.Marshal(x)
	return llm.Reply{Text: string(b)}, llm.Usage{Calls: 1}, err
}

// openScripted opens a corpus whose model is scripted.
func openScripted(t *testing.T) (*ragtest.Corpus, *scripted) {
	t.Helper()
	p := &scripted{asked: map[llm.Kind]int{}, texts: map[string]int{}}
	c := open(t)
	c.Use(func(ctx context.Context, rc *rag.Corpus) (*rag.Models, error) {
		m, err := ragtest.Fixed(ctx, rc)
		if err != nil {
			return nil, err
		}
		p.Provider = m.Provider()
		parts := m.Parts()
		parts.Provider, parts.Free = p, false
		return m.With(parts), nil
	})
	return c, p
}

const own = "noderag:units=own"

func indexOwn(t *testing.T, c *ragtest.Corpus, o rag.IndexOptions, docs ...ragtest.Doc) (*rag.IndexResult, error) {
	t.Helper()
	x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, own)}, Options: o}
	var in []rag.Input
	if len(docs) > 0 {
		in = []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}
	}
	return x.Run(t.Context(), in)
}

// TestOwnUnits: units=own asks about each chunk once; units are the model's words, tied to
// their chunk, with their entities, relations and times; a malformed relation is repaired.
func TestOwnUnits(t *testing.T) {
	t.Parallel()
	c, p := openScripted(t)
	docs := ragtest.Docs(81, 6)
	if _, err := indexOwn(t, c, rag.IndexOptions{}, docs...); err != nil {
		t.Fatal(err)
	}
	chunks := nodes(t, c, own, "chunk")
	if p.asked[llm.Extract] != 0 || p.asked[llm.Decompose] != len(p.texts) || p.asked[llm.RepairRelation] == 0 {
		t.Errorf("calls %v, %d texts", p.asked, len(p.texts))
	}
	if len(p.texts) > chunks || len(p.texts) < chunks-2 { // equal chunks are one task
		t.Errorf("%d texts were read, of %d chunks", len(p.texts), chunks)
	}
	if n := nodes(t, c, own, "unit"); n == 0 || n > 2*chunks {
		t.Errorf("%d units of %d chunks", n, chunks)
	}
	c.View(t, own, func(v *engine.View) error {
		unit, _ := v.NodeType("unit")
		entity, _ := v.NodeType("entity")
		source, _ := v.EdgeType("source")
		mentions, _ := v.EdgeType("mentions")
		set, err := v.Nodes(unit)
		if err != nil {
			return err
		}
		time, err := v.Lookup(entity, "1931 05 12")
		if err != nil {
			t.Fatal("the time is no entity")
		}
		for it := set.Iterator(); it.HasNext(); {
			id := engine.NodeID(it.Next())
			total, err := v.Total(engine.NodeTarget(id))
			if err != nil {
				return err
			}
			says := strings.Join(total.Texts, " ")
			told := strings.HasPrefix(says, "Told anew: ")
			if !told && !strings.HasPrefix(says, "The Chronicle ends with") {
				t.Errorf("a unit is %q", says)
			}
			if n, err := v.Degree(id, engine.EdgeFilter{Types: []engine.EdgeType{source}, Direction: engine.Both}); err != nil || n == 0 {
				t.Errorf("unit %d has %d chunks: %v", id, n, err)
			}
			if _, at, err := v.HasEdge(id, time, mentions); err != nil || at != told {
				t.Errorf("%q lists the time: %t, %v", says, at, err)
			}
		}
		chronicle, err := v.Lookup(entity, "chronicle")
		if err != nil {
			return err
		}
		total, err := v.Total(engine.NodeTarget(chronicle))
		if err != nil || total.Label != "The Chronicle" || total.Count < uint64(chunks) {
			t.Errorf("the chronicle is %+v, %v", total, err)
		}
		return nil
	})
}

// TestOwnFallsBack: a provider that cannot take texts apart reads them as for all methods.
func TestOwnFallsBack(t *testing.T) {
	t.Parallel()
	c, shared := open(t), open(t)
	c.Use(func(ctx context.Context, rc *rag.Corpus) (*rag.Models, error) {
		m, err := ragtest.Fixed(ctx, rc)
		if err != nil {
			return nil, err
		}
		return ragtest.Provide(m, unable{m.Provider()}), nil
	})
	docs := ragtest.Docs(82, 4)
	if _, err := indexOwn(t, c, rag.IndexOptions{}, docs...); err != nil {
		t.Fatal(err)
	}
	index(t, shared, rag.IndexOptions{}, docs...)
	if a, b := nodes(t, c, own, "unit"), nodes(t, shared, "noderag", "unit"); a != b || a == 0 {
		t.Errorf("%d units, %d of what all methods read", a, b)
	}
}

// unable cannot take texts apart.
type unable struct{ llm.Provider }

func (p unable) Can(k llm.Kind) bool { return k != llm.Decompose && p.Provider.Can(k) }

// TestOwnResumes: a run that ends in the middle goes on where it was, and no text is read
// twice; and what comes of it is what an unbroken run makes.
func TestOwnResumes(t *testing.T) {
	t.Parallel()
	c, p := openScripted(t)
	docs := ragtest.Docs(83, 8)
	p.most = 5
	if _, err := indexOwn(t, c, rag.IndexOptions{Workers: 1}, docs...); err == nil {
		t.Fatal("the run ended well without a model")
	}
	p.mu.Lock()
	p.most, p.asked[llm.Decompose] = 0, 0
	p.mu.Unlock()
	if _, err := indexOwn(t, c, rag.IndexOptions{Retry: true, Recluster: true}); err != nil {
		t.Fatal(err)
	}
	// Of the first run five were answered.
	if n := p.asked[llm.Decompose]; n != len(p.texts)-5 {
		t.Errorf("%d texts were asked about to go on, of %d of which 5 were read", n, len(p.texts))
	}
	want, _ := openScripted(t)
	if _, err := indexOwn(t, want, rag.IndexOptions{}, docs...); err != nil {
		t.Fatal(err)
	}
	ragtest.Same(t, "stopped and resumed", without(c.Canonical(t), nearEdges), without(want.Canonical(t), nearEdges))
}

// TestOwnRemoved: documents that come and go again leave nothing of their units.
func TestOwnRemoved(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(84, 9)
	c, _ := openScripted(t)
	want, _ := openScripted(t)
	for _, x := range []struct {
		c    *ragtest.Corpus
		docs []ragtest.Doc
	}{{want, docs[:6]}, {c, docs}} {
		if _, err := indexOwn(t, x.c, rag.IndexOptions{}, x.docs...); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range docs[6:] {
		c.Remove(t, d.Key)
	}
	if _, err := indexOwn(t, c, rag.IndexOptions{Recluster: true}); err != nil {
		t.Fatal(err)
	}
	for _, d := range docs[6:] {
		if left := ragtest.Find(t, c.Store, d.Code); len(left) > 0 {
			t.Errorf("%s is left in %d places, such as %s", d.Code, len(left), left[0])
		}
	}
	ragtest.Same(t, "added and removed", without(c.Canonical(t), nearEdges), without(want.Canonical(t), nearEdges))
	ragtest.Check(t, c.DB())
}
