package baseline_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
)

// reader reads "x knows y" as two entities and their relation, and takes of a
// question all words for particulars and "x knows y" for themes.
type reader struct{ llm.Provider }

var (
	fact = regexp.MustCompile(`(\w+) knows (\w+)`)
	word = regexp.MustCompile(`\w+`)
)

func (r reader) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	var reply any
	switch in := t.Input.(type) {
	case llm.ExtractInput:
		x := llm.Extraction{}
		for _, f := range fact.FindAllStringSubmatch(in.Text, -1) {
			x.Entities = append(x.Entities, llm.Entity{Name: f[1]}, llm.Entity{Name: f[2]})
			x.Relations = append(x.Relations, llm.Relation{Source: f[1], Target: f[2], Description: f[0], Strength: 1})
		}
		reply = x
	case llm.QuestionInput:
		switch t.Kind {
		case llm.QueryElements:
			reply = llm.Elements{Entities: word.FindAllString(in.Question, -1)}
		case llm.Keywords:
			reply = llm.KeywordSet{Low: word.FindAllString(in.Question, -1), High: fact.FindAllString(in.Question, -1)}
		}
	}
	if reply == nil {
		return r.Provider.Do(ctx, t)
	}
	b, err := json.Marshal(reply)
	return llm.Reply{Text: string(b)}, llm.Usage{Calls: 1}, err
}

// path is a graph of five entities in a row, in three documents:
//
//	a: ada knows brom      b: brom knows celia      c: celia knows dorn, dorn knows edda
func path(t *testing.T) *ragtest.Corpus {
	t.Helper()
	c := ragtest.Open(t, all(), encodings()...)
	c.Use(func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
		p := reader{local.New(local.Options{Tokens: c.Tokens().Count})}
		return c.NewModels(rag.Parts{Provider: p, Documents: ragtest.Hashes{}, Questions: ragtest.Hashes{}}), nil
	})
	return c
}

var pathDocs = []ragtest.Doc{
	{Key: "a.txt", Text: "ada knows brom."},
	{Key: "b.txt", Text: "brom knows celia."},
	{Key: "c.txt", Text: "celia knows dorn. dorn knows edda."},
}

// edge is an edge of a graph whose nodes are numbered.
type edge struct {
	a, b   int
	weight float64
}

// ppr is personalised PageRank by its definition: a walk that begins anew with
// probability alpha.
func ppr(n int, edges []edge, start map[int]float64, alpha float64, steps int) []float64 {
	s, out := make([]float64, n), make([]float64, n)
	sum := 0.0
	for _, w := range start {
		sum += w
	}
	for i, w := range start {
		s[i] = w / sum
	}
	for _, e := range edges {
		out[e.a] += e.weight
		out[e.b] += e.weight
	}
	p := slices.Clone(s)
	for range steps {
		next := make([]float64, n)
		for _, e := range edges {
			next[e.b] += (1 - alpha) * p[e.a] * e.weight / out[e.a]
			next[e.a] += (1 - alpha) * p[e.b] * e.weight / out[e.b]
		}
		for i := range next {
			next[i] += alpha * s[i]
		}
		p = next
	}
	return p
}

// scores returns the scores of the evidence's chunks by document.
func scores(t *testing.T, c *ragtest.Corpus, spec, question string) map[string]float64 {
	t.Helper()
	ev := retrieve(t, c, spec, method.Question{Text: question})
	out := map[string]float64{}
	for _, it := range ev.Items() {
		if it.Kind == method.ChunkNodeType {
			if _, twice := out[method.DocOf(it.Keys[0])]; twice {
				t.Errorf("%s is there twice", it.Keys[0])
			}
			out[method.DocOf(it.Keys[0])] = it.Score
		}
	}
	return out
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-5 {
		t.Errorf("%s scores %.6f, want %.6f", what, got, want)
	}
}

// The entities of path by number, and their relations.
var row = []edge{{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}}

// TestHippoRAG says that a walk starts at an entity the less often the more
// chunks name it, and that a chunk scores what its entities do, times how often
// it names them.
func TestHippoRAG(t *testing.T) {
	t.Parallel()
	c := path(t)
	c.Index(t, "hipporag", pathDocs...)
	p := ppr(5, row, map[int]float64{0: 1, 1: 0.5}, 0.5, 20) // brom is in two chunks
	got := scores(t, c, "hipporag", "ada brom")
	near(t, "a", got["a.txt"], p[0]+p[1])
	near(t, "b", got["b.txt"], p[1]+p[2])
	near(t, "c", got["c.txt"], p[2]+2*p[3]+p[4]) // dorn twice
	if got["a.txt"] < got["b.txt"] || got["b.txt"] < got["c.txt"] {
		t.Errorf("order %v", got)
	}
	p = ppr(5, row, map[int]float64{4: 1}, 0.1, 20)
	got = scores(t, c, "hipporag:damping=0.9", "edda")
	near(t, "c", got["c.txt"], p[2]+2*p[3]+p[4])
	near(t, "a", got["a.txt"], p[0]+p[1])
}

// TestHippoRAG2 says that chunks are nodes of the graph, and that a walk starts
// at the ends of the near triples, less often the more chunks name them.
func TestHippoRAG2(t *testing.T) {
	t.Parallel()
	c := path(t)
	c.Index(t, "hipporag2", pathDocs...)
	// Chunks are 5, 6, 7; dorn is named twice by c.
	edges := append(slices.Clone(row), edge{0, 5, 1}, edge{1, 5, 1}, edge{1, 6, 1}, edge{2, 6, 1}, edge{2, 7, 1}, edge{3, 7, 2}, edge{4, 7, 1})
	p := ppr(8, edges, map[int]float64{3: 1, 4: 1}, 0.5, 20) // both in one chunk
	got := scores(t, c, "hipporag2:triples=1,passages=0", "dorn – edda dorn knows edda")
	for i, doc := range []string{"a.txt", "b.txt", "c.txt"} {
		near(t, doc, got[doc], p[5+i])
	}
	p = ppr(8, edges, map[int]float64{0: 1, 1: 0.5}, 0.5, 20)
	got = scores(t, c, "hipporag2:triples=1,passages=0", "ada – brom ada knows brom")
	for i, doc := range []string{"a.txt", "b.txt", "c.txt"} {
		near(t, doc, got[doc], p[5+i])
	}
}

// TestFastGraphRAG says that a relation scores the sum of its ends, and a chunk
// the sum of the relations that it states.
func TestFastGraphRAG(t *testing.T) {
	t.Parallel()
	c := path(t)
	c.Index(t, "fastgraphrag", pathDocs...)
	p := ppr(5, row, map[int]float64{0: 1}, 0.15, 40)
	got := scores(t, c, "fastgraphrag", "ada")
	near(t, "a", got["a.txt"], p[0]+p[1])
	near(t, "b", got["b.txt"], p[1]+p[2])
	near(t, "c", got["c.txt"], p[2]+2*p[3]+p[4])
	got = scores(t, c, "fastgraphrag:relations=1", "ada")
	near(t, "a", got["a.txt"], max(p[0]+p[1], p[1]+p[2]))
	if got["b.txt"] == p[1]+p[2] {
		t.Error("a second relation counts")
	}
}

// sections returns the first items of the sections: an entity's key, a
// relation's, a chunk's document.
func sections(t *testing.T, c *ragtest.Corpus, spec, question string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, s := range retrieve(t, c, spec, method.Question{Text: question}).Sections {
		for _, it := range s.Items {
			key := strings.Join(it.Keys, "|")
			if it.Kind == method.ChunkNodeType {
				key = method.DocOf(key)
			}
			out[s.Name] = append(out[s.Name], key)
		}
	}
	return out
}

// TestLightRAG says what each level finds: entities with their relations, or
// relations with their ends, and their chunks.
func TestLightRAG(t *testing.T) {
	t.Parallel()
	c := path(t)
	c.Index(t, "lightrag-hybrid", pathDocs...)
	for _, x := range []struct {
		spec, question            string
		entities, relations, text []string
	}{
		{"lightrag-low:k=1", "brom", []string{"brom"}, []string{"brom|celia", "ada|brom"}, []string{"a.txt", "b.txt"}},
		{"lightrag-low:k=1", "dorn", []string{"dorn"}, []string{"celia|dorn", "dorn|edda"}, []string{"c.txt"}},
		{"lightrag-high:k=1", "ada knows brom", []string{"ada", "brom"}, []string{"ada|brom"}, []string{"a.txt"}},
	} {
		got := sections(t, c, x.spec, x.question)
		for name, want := range map[string][]string{"entities": x.entities, "relations": x.relations, "text": x.text} {
			if !slices.Equal(got[name], want) {
				t.Errorf("%s %q: %s %v, want %v", x.spec, x.question, name, got[name], want)
			}
		}
	}
	got := sections(t, c, "lightrag-hybrid:k=2", "dorn knows edda")
	slices.Sort(got["entities"])
	if want := []string{"celia", "dorn", "edda"}; !slices.Equal(got["entities"], want) || got["relations"][0] != "dorn|edda" ||
		!slices.Contains(got["relations"], "celia|dorn") || got["text"][0] != "c.txt" {
		t.Errorf("both levels: %v, want %v, dorn|edda, celia|dorn and c.txt", got, want)
	}
}

// TestGraphRAGLocal says that relations between the seeds come before those that
// leave them, whatever their degrees.
func TestGraphRAGLocal(t *testing.T) {
	t.Parallel()
	c := path(t)
	c.Index(t, "graphrag-local", append(slices.Clone(pathDocs),
		ragtest.Doc{Key: "d.txt", Text: "celia knows falk. celia knows greta. celia knows ilse."})...)
	var relations []string
	for _, it := range retrieve(t, c, "graphrag-local:seeds=2", method.Question{Text: "ada brom"}).Items() {
		if it.Kind == "relation" {
			keys := slices.Sorted(slices.Values(it.Keys))
			relations = append(relations, strings.Join(keys, "|"))
		}
	}
	if want := []string{"ada|brom", "brom|celia"}; !slices.Equal(relations, want) {
		t.Errorf("relations %v, want %v", relations, want)
	}
}

// TestSynonyms says that entities are joined whose names are as near as is asked
// for, and that the walk takes those edges.
func TestSynonyms(t *testing.T) {
	t.Parallel()
	c := path(t)
	spec := "hipporag:synonyms=0.99"
	c.Index(t, spec, pathDocs[0], ragtest.Doc{Key: "e.txt", Text: "edda knows falk."})
	if got := scores(t, c, spec, "ada"); got["e.txt"] > 0.2 {
		t.Errorf("unlike names are joined: %v", got)
	}
	synonyms := func() (n int) {
		c.View(t, spec, func(v *engine.View) error {
			typ, ok := v.EdgeType("synonym")
			if !ok {
				return nil
			}
			for _, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{typ}}) {
				if err != nil {
					return err
				}
				n++
			}
			return nil
		})
		return n
	}
	if n := synonyms(); n != 0 {
		t.Errorf("%d synonyms of unlike names", n)
	}
	spec = "hipporag:synonyms=0"
	c.Index(t, spec)
	if n := synonyms(); n == 0 || n > 6 {
		t.Errorf("%d synonyms of four names that are as good as any", n)
	}
}

// TestUnaided says what a model is asked that gets no evidence.
func TestUnaided(t *testing.T) {
	t.Parallel()
	c := path(t)
	c.Index(t, "zeroshot", pathDocs...)
	for name, steps := range map[string]bool{"zeroshot": false, "cot": true} {
		p := &oracle{}
		m := c.Corpus.NewModels(rag.Parts{Provider: p, Documents: ragtest.Hashes{}, Questions: ragtest.Hashes{}})
		ans, err := c.Ask(t.Context(), c.System(t, name), m, method.Question{Text: "Whom does ada know?"})
		if err != nil {
			t.Fatal(err)
		}
		if !ans.Answered || ans.Text != "Brom." || len(ans.Sources) > 0 || ans.Method != name {
			t.Errorf("%s: %+v", name, ans)
		}
		if want := (llm.AnswerInput{Question: "Whom does ada know?", Unaided: true, Steps: steps}); len(p.asked) != 1 || !equal(p.asked[0], want) {
			t.Errorf("%s: asked %+v", name, p.asked)
		}
		ans, err = c.Ask(t.Context(), c.System(t, name), c.OpenModels(t), method.Question{Text: "Whom does ada know?"})
		if err != nil || ans.Answered {
			t.Errorf("%s: the local rules answered %+v, %v", name, ans, err)
		}
	}
}

func equal(a, b llm.AnswerInput) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// oracle answers everything alike.
type oracle struct{ asked []llm.AnswerInput }

func (o *oracle) Do(_ context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	if in, ok := t.Input.(llm.AnswerInput); ok {
		o.asked = append(o.asked, in)
	}
	return llm.Reply{Text: "Brom."}, llm.Usage{Calls: 1}, nil
}
func (o *oracle) Name() string      { return "oracle" }
func (o *oracle) Can(llm.Kind) bool { return true }

// TestHyDE says that the passage is searched by, and not the question.
func TestHyDE(t *testing.T) {
	t.Parallel()
	c := path(t)
	c.Index(t, "hyde", pathDocs...)
	m := c.OpenModels(t)
	m = ragtest.Provide(m, &passage{m.Provider(), "celia knows dorn. dorn knows edda."})
	ev, err := c.Retrieve(t.Context(), c.System(t, "hyde"), m, method.Question{Text: "ada knows brom."})
	if err != nil {
		t.Fatal(err)
	}
	if items := ev.Items(); len(items) != 3 || method.DocOf(items[0].Keys[0]) != "c.txt" || items[0].Score < 0.999 {
		t.Errorf("found %+v", items)
	}
}

type passage struct {
	llm.Provider
	text string
}

// Can implements [llm.Provider], for a chat model.
func (*passage) Can(k llm.Kind) bool { return k.Known() }

func (p *passage) Do(context.Context, llm.Task) (llm.Reply, llm.Usage, error) {
	return llm.Reply{Text: p.text}, llm.Usage{Calls: 1}, nil
}

// TestRAPTOR says that each node of a layer below another is in a cluster, that
// summaries rest on what is below them, and that they go with it.
func TestRAPTOR(t *testing.T) {
	t.Parallel()
	const spec = "raptor:dim=2,cluster=600"
	docs := corpus(93, 37)
	c := open(t)
	c.Index(t, spec, docs[:36]...)
	before := c.Canonical(t)
	layers := 0
	check := func() {
		t.Helper()
		c.View(t, spec, func(v *engine.View) error {
			summary, _ := v.NodeType("summary")
			chunk, _ := v.NodeType("chunk")
			leaves, err := v.Nodes(chunk)
			if err != nil {
				return err
			}
			above := 0
			for it := leaves.Iterator(); it.HasNext(); {
				for range v.ContributedBy(engine.NodeID(it.Next())) {
					above++
				}
			}
			if above < int(leaves.GetCardinality()) {
				t.Errorf("%d chunks are %d times in a cluster", leaves.GetCardinality(), above)
			}
			all, err := v.Nodes(summary)
			if err != nil {
				return err
			}
			for it := all.Iterator(); it.HasNext(); {
				n, err := v.Node(engine.NodeID(it.Next()))
				if err != nil {
					return err
				}
				layers = max(layers, int(n.Prop("layer").AsInt()))
				below, err := v.Sources(engine.NodeTarget(n.ID))
				if err != nil {
					return err
				}
				if below.IsEmpty() {
					t.Errorf("%s rests on nothing", n.Key)
				}
			}
			return nil
		})
	}
	check()
	if layers < 2 {
		t.Fatalf("%d layers of summaries: too few to test", layers)
	}
	c.Index(t, spec, docs[36])
	check()
	c.Remove(t, docs[36].Key)
	c.Index(t, spec)
	ragtest.Same(t, "added and removed", c.Canonical(t), before)
	ragtest.Check(t, c.DB())
}

// picker picks of each part its first piece, and answers by the best point.
type picker struct {
	llm.Provider
	mu    sync.Mutex
	parts [][]llm.Evidence
	last  llm.AnswerInput
}

// Can implements [llm.Provider], for a chat model.
func (*picker) Can(k llm.Kind) bool { return k.Known() }

func (p *picker) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	in, ok := t.Input.(llm.AnswerInput)
	if !ok {
		return p.Provider.Do(ctx, t)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.Kind == llm.Answer {
		p.last = in
		return llm.Reply{Text: fmt.Sprintf("So it is. [%d]", in.Evidence[0].N)}, llm.Usage{Calls: 1}, nil
	}
	p.parts = append(p.parts, in.Evidence)
	first := in.Evidence[0]
	b, err := json.Marshal(llm.Points{Points: []llm.Point{
		{Description: "none", Score: 0, N: first.N}, {Description: "some", Score: float64(first.N), N: first.N},
	}})
	return llm.Reply{Text: string(b)}, llm.Usage{Calls: 1}, err
}

// TestGraphRAGGlobal says that all reports are read in parts of the budget, best
// rated first, and that the answer is made of the best points and cites chunks.
func TestGraphRAGGlobal(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.Index(t, "graphrag-global", corpus(94, 12)...)
	m := c.OpenModels(t)
	p := &picker{Provider: m.Provider()}
	m = ragtest.Provide(m, p)
	const budget = 700
	ans, err := c.Ask(t.Context(), c.System(t, "graphrag-global:batches=8"), m, method.Question{Text: "What is it all about?", Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.parts) < 3 {
		t.Fatalf("%d parts: too few to test", len(p.parts))
	}
	pieces := 0
	for _, part := range p.parts {
		tokens := 0
		for _, e := range part {
			tokens += c.Tokens().Count(e.Text)
		}
		if tokens > budget {
			t.Errorf("a part of %d tokens", tokens)
		}
		pieces += len(part)
	}
	items := ans.Evidence.Items()
	if pieces != len(items) || len(items) < 4 {
		t.Errorf("%d of %d reports are read", pieces, len(items))
	}
	if !slices.IsSortedFunc(items, func(a, b rag.Cited) int { return cmp.Compare(b.Score, a.Score) }) {
		t.Error("the reports are not in order of rating")
	}
	if len(p.last.Evidence) != len(p.parts) {
		t.Errorf("the answer is made of %d points of %d parts", len(p.last.Evidence), len(p.parts))
	}
	for i, e := range p.last.Evidence {
		if e.Text != "some" || i > 0 && e.N > p.last.Evidence[i-1].N {
			t.Errorf("points %+v", p.last.Evidence)
		}
	}
	if len(ans.Sources) != 1 || ans.Sources[0].Quote == "" {
		t.Errorf("sources %+v", ans.Sources)
	}
}
