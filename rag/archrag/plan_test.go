package archrag_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// asked is a corpus with the questions of the tests. It is only read.
type asked struct {
	*ragtest.Corpus
	m         *rag.Models
	docs      []ragtest.Doc
	questions []string
}

func newAsked(t testing.TB) *asked {
	t.Helper()
	a := &asked{Corpus: open(t), docs: sorted(ragtest.Docs(81, 14))}
	a.Index(t, small, a.docs...)
	var err error
	if a.m, err = a.Options().Models(t.Context(), a.Corpus.Corpus); err != nil {
		t.Fatal(err)
	}
	for _, d := range a.docs[:2] {
		a.questions = append(a.questions, "What did "+d.Hero+" do at "+d.Place+"?")
	}
	a.questions = append(a.questions, "Who repaired the lighthouse at Karrow?", "Zibble?")
	return a
}

func (a *asked) retrieve(t testing.TB, spec string, q method.Question) *rag.Evidence {
	t.Helper()
	ev, err := a.Retrieve(t.Context(), a.System(t, spec), a.m, q)
	if err != nil {
		t.Fatalf("%s: %q: %v", spec, q.Text, err)
	}
	return ev
}

var headers = map[string]string{
	"entities":    "-----Entities-----\nentity|description",
	"relations":   "-----Relationships-----\nsource – target|description",
	"communities": "-----Communities-----\nlevel|title|content|rank",
}

// TestPlan holds retrieval to its rules, on one index.
func TestPlan(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	h := readHierarchy(t, a.Corpus, small)
	t.Run("budget", func(t *testing.T) { testBudget(t, a) })
	t.Run("layers", func(t *testing.T) { testLayers(t, a) })
	t.Run("citations", func(t *testing.T) { testCitations(t, a, h) })
	t.Run("relations", func(t *testing.T) { testRelations(t, a) })
	t.Run("filter", func(t *testing.T) { testFilter(t, a) })
	t.Run("answer", func(t *testing.T) { testAnswer(t, a) })
	t.Run("at once", func(t *testing.T) { testAtOnce(t, a) })
	t.Run("figures", func(t *testing.T) { testFigures(t, a) })
}

// testBudget counts the tokens of contexts as they are written.
func testBudget(t *testing.T, a *asked) {
	full := 0
	for _, spec := range []string{small, small + ",text=none", small + ",text=hits,text_share=0.2", small + ",max_layer=0", small + ",answer=direct,k_final=4"} {
		for _, budget := range []int{1, 10, 60, 333, 1000, 12000} {
			for _, q := range a.questions {
				ev := a.retrieve(t, spec, method.Question{Text: q, Budget: budget})
				sum := 0
				for _, s := range ev.Sections {
					var b strings.Builder
					if len(s.Items) > 0 && headers[s.Name] != "" {
						b.WriteString(headers[s.Name] + "\n")
					}
					for _, it := range s.Items {
						b.WriteString(it.Text + "\n")
					}
					sum += a.Tokens().Count(b.String())
				}
				if ev.Tokens > budget || sum > ev.Tokens {
					t.Errorf("%s: %q: %d tokens written, %d accounted for, %d allowed", spec, q, sum, ev.Tokens, budget)
				}
				if budget == 1000 && ev.Tokens > 700 {
					full++
				}
			}
		}
	}
	if full == 0 {
		t.Error("no context of 1,000 tokens was ever well filled")
	}
}

// testLayers says which layers are hit, how often, and that no better one was
// left out: against all vectors of the layer.
func testLayers(t *testing.T, a *asked) {
	hits := func(spec, q string) map[int][]string {
		out := map[int][]string{}
		for _, s := range a.retrieve(t, spec, method.Question{Text: q, Budget: 12_000}).Sections {
			if s.Name == "entities" || s.Name == "communities" {
				for _, it := range s.Items {
					out[int(it.Layer)] = append(out[int(it.Layer)], it.Keys[0])
				}
			}
		}
		for _, keys := range out {
			slices.Sort(keys)
		}
		return out
	}
	q := a.questions[0]
	vec, err := a.m.EmbedQuestion(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	want := map[int][]string{}
	a.Corpus.View(t, small, func(v *engine.View) error {
		vecs, err := v.Vectors("node@hashes")
		if err != nil {
			return err
		}
		type scored struct {
			key   string
			score float64
		}
		all := map[int][]scored{}
		for e, err := range vecs.All(t.Context()) {
			if err != nil {
				return err
			}
			n, err := v.Node(engine.NodeID(e.ID))
			if err != nil {
				return err
			}
			dot := 0.0
			for i, x := range e.Vector {
				dot += float64(x) * float64(vec[i])
			}
			all[int(e.Layer)] = append(all[int(e.Layer)], scored{n.Key, dot})
		}
		for layer, s := range all {
			slices.SortStableFunc(s, func(a, b scored) int {
				if a.score > b.score {
					return -1
				}
				return 1
			})
			for _, x := range s[:min(len(s), 3)] {
				want[layer] = append(want[layer], x.key)
			}
			slices.Sort(want[layer])
		}
		return nil
	})
	if len(want) < 3 {
		t.Fatalf("%d layers", len(want))
	}
	for _, spec := range []string{small + ",k=3", small + ",k=3,descent=restart"} {
		if got := hits(spec, q); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", spec, got, want)
		}
	}
	for spec, layers := range map[string]int{small + ",max_layer=0": 1, small + ",max_layer=1": 2} {
		if got := hits(spec, q); len(got) != layers {
			t.Errorf("%s: layers %v", spec, got)
		}
	}
}

// testCitations says that a community rests on the chunks of its entities, and
// that the reasons of each item lead to a hit.
func testCitations(t *testing.T, a *asked, h *hierarchy) {
	met := 0
	for _, s := range a.retrieve(t, small, method.Question{Text: a.questions[0], Budget: 12_000}).Sections {
		for _, it := range s.Items {
			if len(it.Chunks) == 0 || len(it.Spans) == 0 || len(it.Why) < 2 {
				t.Errorf("%s %v: %d chunks, %d spans, why %v", it.Kind, it.Keys, len(it.Chunks), len(it.Spans), it.Why)
			}
			if it.Kind != "community" {
				continue
			}
			met++
			under := it.Keys
			for range int(it.Layer) {
				var next []string
				for _, key := range under {
					next = append(next, h.members[key]...)
				}
				under = next
			}
			want := map[string]bool{}
			a.Corpus.View(t, small, func(v *engine.View) error {
				typ, _ := v.NodeType("entity")
				for _, key := range under {
					id, err := v.Lookup(typ, key)
					if err != nil {
						return err
					}
					set, err := v.Sources(engine.NodeTarget(id))
					if err != nil {
						return err
					}
					for it := set.Iterator(); it.HasNext(); {
						n, err := v.Node(engine.NodeID(it.Next()))
						if err != nil {
							return err
						}
						want[n.Key] = true
					}
				}
				return nil
			})
			if len(want) != len(it.Chunks) {
				t.Errorf("%v rests on %d chunks, its entities on %d", it.Keys, len(it.Chunks), len(want))
			}
			for _, key := range it.Chunks {
				if !want[key] {
					t.Errorf("%v rests on %s", it.Keys, key)
				}
			}
		}
	}
	if met == 0 {
		t.Error("no community was hit")
	}
}

// testRelations says which relations are taken for the entities that are hit.
func testRelations(t *testing.T, a *asked) {
	for _, mode := range []string{"ranked", "within", "any"} {
		inside, outside := 0, 0
		for _, q := range a.questions {
			ev := a.retrieve(t, small+",k=8,relations="+mode, method.Question{Text: q, Budget: 12_000})
			hit := map[string]bool{}
			var relations []rag.Cited
			for _, s := range ev.Sections {
				for _, it := range s.Items {
					if it.Kind == "entity" {
						hit[it.Keys[0]] = true
					}
					if it.Kind == "relation" {
						relations = append(relations, it)
					}
				}
			}
			if len(relations) > 10 {
				t.Errorf("%d relations", len(relations))
			}
			left := false
			for _, it := range relations {
				from, to, _ := strings.Cut(it.Keys[0], "|")
				switch {
				case hit[from] && hit[to]:
					if inside++; left && mode == "ranked" {
						t.Errorf("%s after one that leaves", it.Keys[0])
					}
				case hit[from] || hit[to]:
					outside++
					left = true
				default:
					t.Errorf("%s: %s is at no hit", mode, it.Keys[0])
				}
			}
		}
		if inside == 0 && mode != "any" || (outside == 0) != (mode == "within") {
			t.Errorf("%s: %d within, %d leaving", mode, inside, outside)
		}
	}
}

// testFilter says that nothing of a refused document is in the context.
func testFilter(t *testing.T, a *asked) {
	d := a.docs[0]
	where, err := cypher.ParseWhere(fmt.Sprintf("team <> %q", d.Team))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.DB().Update(t.Context(), func(tx *engine.Tx) error { return tx.Graph(a.Base()).MakeIndex("team") }); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, s := range a.retrieve(t, small, method.Question{Text: a.questions[0], Where: where}).Sections {
		for _, it := range s.Items {
			seen++
			if strings.Contains(strings.ToLower(it.Text), d.Code) {
				t.Errorf("%s %v: %s", it.Kind, it.Keys, it.Text)
			}
		}
	}
	if seen == 0 {
		t.Error("nothing was found")
	}
}

// testAnswer says that an answer is made of points, and cites chunks.
func testAnswer(t *testing.T, a *asked) {
	for _, spec := range []string{small, small + ",answer=direct", small + ",filter_tokens=100", small + ",cot=true"} {
		x, err := a.Ask(t.Context(), a.System(t, spec), a.m, method.Question{Text: a.questions[0]})
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		if !x.Answered || len(x.Sources) == 0 || !strings.Contains(x.Text, "[1]") {
			t.Errorf("%s: %+v", spec, x.Text)
			continue
		}
		if direct := strings.Contains(spec, "direct"); direct != (x.Usage.Calls == 1) {
			t.Errorf("%s: %d calls", spec, x.Usage.Calls)
		}
		for _, src := range x.Sources {
			if src.Doc == "" || src.Quote == "" {
				t.Errorf("%s: source %+v", spec, src)
			}
		}
	}
	x, err := a.Ask(t.Context(), a.System(t, small), a.m, method.Question{Text: "Zibble?"})
	if err != nil || x.Answered {
		t.Errorf("answered a question that nothing speaks of: %q, %v", x.Text, err)
	}
}

// testFigures says what is counted of the communities.
func testFigures(t *testing.T, a *asked) {
	h := readHierarchy(t, a.Corpus, small)
	first := 0
	for _, key := range h.communities {
		if strings.HasPrefix(key, "1/") {
			first++
		}
	}
	a.Corpus.View(t, small, func(v *engine.View) error {
		figures := map[string]float64{}
		sys := a.System(t, small)
		for _, read := range []func(context.Context, *engine.View) ([]method.Figure, error){
			sys.Stats, sys.CommunityStats,
		} {
			all, err := read(t.Context(), v)
			if err != nil {
				return err
			}
			for _, f := range all {
				figures[f.Name] = f.Value
			}
		}
		if got := figures["level 1: communities"]; int(got) != first {
			t.Errorf("%g communities, want %d", got, first)
		}
		if q := figures["level 1: modularity"]; q < 0.2 || q > 1 {
			t.Errorf("modularity %g", q)
		}
		if cos := figures["level 1: mean cosine"]; cos < 0.3 || cos > 1 || figures["level 1: Calinski-Harabasz"] <= 1 {
			t.Errorf("mean cosine %g, Calinski-Harabasz %g", cos, figures["level 1: Calinski-Harabasz"])
		}
		if figures["level 1: moved"] != 0 {
			t.Errorf("%g moved", figures["level 1: moved"])
		}
		return nil
	})
}

// testAtOnce asks at once what was asked one by one.
func testAtOnce(t *testing.T, a *asked) {
	sys := a.System(t, small)
	one := func(q string) string {
		ev, err := a.Retrieve(t.Context(), sys, a.m, method.Question{Text: q, Budget: 12_000})
		if err != nil {
			return err.Error()
		}
		var refs []query.Ref
		for _, it := range ev.Items() {
			refs = append(refs, it.Ref())
		}
		return fmt.Sprint(refs, ev.Tokens)
	}
	var wg sync.WaitGroup
	for _, q := range a.questions {
		want := one(q)
		for range 2 {
			wg.Go(func() {
				if got := one(q); got != want {
					t.Errorf("%q: %s, want %s", q, got, want)
				}
			})
		}
	}
	wg.Wait()
}
