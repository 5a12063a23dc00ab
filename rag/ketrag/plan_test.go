package ketrag_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// asked is a corpus with the questions of a test.
type asked struct {
	*ragtest.Corpus
	m         *rag.Models
	questions []string
}

func newAsked(t testing.TB, seed uint64, n int, specs ...string) *asked {
	t.Helper()
	a := &asked{Corpus: open(t)}
	docs := ragtest.Docs(seed, n)
	for _, spec := range specs {
		a.Index(t, spec, docs...)
	}
	a.m = a.Corpus.OpenModels(t)
	for _, d := range docs[:3] {
		a.questions = append(a.questions, "What did "+d.Hero+" do at "+d.Place+"?")
	}
	a.questions = append(a.questions, "Who repaired the lighthouse at Karrow?", "granary", "Zibble?")
	return a
}

func (a *asked) retrieve(t testing.TB, spec, question string, budget int) *rag.Evidence {
	t.Helper()
	ev, err := a.Retrieve(t.Context(), a.System(t, spec), a.m, method.Question{Text: question, Budget: budget})
	if err != nil {
		t.Fatalf("%s: %q: %v", spec, question, err)
	}
	return ev
}

// section returns the items of a section, none where there is none.
func section(ev *rag.Evidence, name string) []rag.Cited {
	for _, s := range ev.Sections {
		if s.Name == name {
			return s.Items
		}
	}
	return nil
}

const (
	entityHeader   = "-----Entities-----\nid|entity|description|number of relationships"
	relationHeader = "-----Relationships-----\nid|source|target|description|weight"
)

// context returns a section as a model sees it.
func written(ev *rag.Evidence, name string) string {
	var b strings.Builder
	last := ""
	for _, it := range section(ev, name) {
		if it.Kind != last && it.Kind == "entity" {
			b.WriteString(entityHeader + "\n")
		}
		if it.Kind != last && it.Kind == "relation" {
			b.WriteString(relationHeader + "\n")
		}
		last = it.Kind
		b.WriteString(it.Text + "\n")
	}
	return b.String()
}

// TestBudget counts the tokens of contexts as they are written: they never
// exceed the budget, nor what the evidence says it used.
func TestBudget(t *testing.T) {
	t.Parallel()
	specs := []string{"ketrag", "ketrag:theta=0", "ketrag:theta=1", "ketrag:theta=0.9,seeds=40", "ketrag:compat=true", "ketrag:compat=true,order=fused", "ketrag:channel=text", "ketrag:order=paper,rank=vector"}
	a := newAsked(t, 61, 24, specs...)
	full := 0
	for _, spec := range specs {
		for _, budget := range []int{1, 10, 45, 100, 333, 1000, 12000} {
			for _, q := range a.questions {
				ev := a.retrieve(t, spec, q, budget)
				what := fmt.Sprintf("%s: %q within %d", spec, q, budget)
				if ev.Tokens > budget {
					t.Errorf("%s: %d tokens", what, ev.Tokens)
				}
				sum := 0
				for _, s := range ev.Sections {
					text := written(ev, s.Name)
					n := a.Tokens().Count(text)
					if sum += n; n > 0 && len(s.Items) == 0 {
						t.Errorf("%s: %s has tokens and no items", what, s.Name)
					}
				}
				if sum > ev.Tokens {
					t.Errorf("%s: %d tokens are written, %d accounted for", what, sum, ev.Tokens)
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
	x, y := a.retrieve(t, "ketrag", a.questions[0], 0), a.retrieve(t, "ketrag", a.questions[0], method.DefaultBudget)
	if x.Tokens != y.Tokens || len(x.Items()) != len(y.Items()) {
		t.Errorf("a budget of 0 gives %d tokens, the default %d", x.Tokens, y.Tokens)
	}
}

// TestTheta says which sections there are for the ends of theta.
func TestTheta(t *testing.T) {
	t.Parallel()
	a := newAsked(t, 62, 20, "ketrag")
	names := func(ev *rag.Evidence) (out []string) {
		for _, s := range ev.Sections {
			if len(s.Items) > 0 {
				out = append(out, s.Name)
			}
		}
		return out
	}
	q := a.questions[0]
	// Keyword-RAG alone and Skeleton-RAG alone.
	ev := a.retrieve(t, "ketrag:theta=0", q, 1500)
	if got := names(ev); !slices.Equal(got, []string{"text"}) {
		t.Errorf("theta 0: sections %v", got)
	}
	for _, it := range ev.Items() {
		if it.Kind != "chunk" {
			t.Errorf("theta 0: a %s", it.Kind)
		}
	}
	if got := names(a.retrieve(t, "ketrag:theta=1,order=paper", q, 1500)); !slices.Equal(got, []string{"graph", "sources"}) {
		t.Errorf("theta 1: sections %v", got)
	}
	for _, spec := range []string{"ketrag", "ketrag:theta=1"} {
		if got := names(a.retrieve(t, spec, q, 1500)); !slices.Equal(got, []string{"text", "graph"}) {
			t.Errorf("%s: sections %v", spec, got)
		}
	}
	ev = a.retrieve(t, "ketrag:order=paper", q, 1500)
	if got := names(ev); len(got) < 3 || !slices.Equal(got[:3], []string{"graph", "sources", "text"}) {
		t.Errorf("theta 0.4: sections %v", got)
	}
	// The text is packed first: it is the same whatever the graph part is.
	alone := a.retrieve(t, "ketrag:theta=0", q, 900)
	if x, y := written(ev, "text"), written(alone, "text"); x != y {
		t.Errorf("the text part of 60%% of 1,500 tokens differs from one of 900:\n%s\n%s", x, y)
	}
}

// channel is a brute-force keyword channel (spec B3).
func (a *asked) channel(t testing.TB, spec, question string, probe, budget int) []string {
	t.Helper()
	var out []string
	a.Corpus.View(t, spec, func(v *engine.View) error {
		q, err := a.m.EmbedQuestion(t.Context(), question)
		if err != nil {
			return err
		}
		ranked := func(space string, ids []engine.NodeID) (map[engine.NodeID]float32, error) {
			vecs, err := v.Vectors(space)
			if err != nil {
				return nil, err
			}
			all := make([]uint64, len(ids))
			for i, id := range ids {
				all[i] = uint64(id)
			}
			s, err := vecs.Score(t.Context(), q, all, nil)
			score := map[engine.NodeID]float32{}
			for i, id := range ids {
				score[id] = s[i]
			}
			slices.SortFunc(ids, func(a, b engine.NodeID) int {
				return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b))
			})
			return score, err
		}
		of := func(name string) ([]engine.NodeID, error) {
			typ, _ := v.NodeType(name)
			set, err := v.Nodes(typ)
			var ids []engine.NodeID
			for it := set.Iterator(); err == nil && it.HasNext(); {
				ids = append(ids, engine.NodeID(it.Next()))
			}
			return ids, err
		}
		words, err := of("keyword")
		if err != nil {
			return err
		}
		if _, err := ranked("keyword@hashes", words); err != nil {
			return err
		}
		contains, _ := v.EdgeType("contains")
		size := func(id engine.NodeID) int {
			n, err := v.Node(id)
			if err != nil {
				t.Fatal(err)
			}
			return int(n.Prop("tokens").AsInt())
		}
		var found []engine.NodeID
		used := 0
	walk:
		for _, w := range words[:min(probe, len(words))] {
			set, err := v.NeighborSet(w, engine.EdgeFilter{Types: []engine.EdgeType{contains}})
			if err != nil {
				return err
			}
			var own []engine.NodeID
			for it := set.Iterator(); it.HasNext(); {
				own = append(own, engine.NodeID(it.Next()))
			}
			if _, err := ranked("chunk@hashes", own); err != nil {
				return err
			}
			for _, id := range own {
				if used+size(id) > 2*budget {
					break walk // looked at before whether it was met
				}
				if !slices.Contains(found, id) {
					used += size(id)
					found = append(found, id)
				}
			}
		}
		if _, err := ranked("chunk@hashes", found); err != nil {
			return err
		}
		for _, id := range found {
			if budget -= size(id) + 1; budget < 0 {
				break // no skipping
			}
			n, err := v.Node(id)
			if err != nil {
				return err
			}
			out = append(out, n.Key)
		}
		return nil
	})
	return out
}

// TestKeywordChannel holds the text part of the paper against a brute-force one.
func TestKeywordChannel(t *testing.T) {
	t.Parallel()
	a := newAsked(t, 63, 24, "ketrag")
	some := 0
	for _, probe := range []int{1, 7, 1000} {
		for _, budget := range []int{400, 1500, 12000} {
			for _, q := range a.questions {
				spec := fmt.Sprintf("ketrag:order=paper,rank=vector,probe=%d", probe)
				want := a.channel(t, spec, q, probe, budget*6/10)
				var got []string
				for _, it := range section(a.retrieve(t, spec, q, budget), "text") {
					got = append(got, it.Chunks[0])
				}
				if len(want) == 0 && len(got) == 1 {
					continue // the first, cut
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: %q within %d:\n got %v\nwant %v", spec, q, budget, got, want)
				}
				some += len(want)
			}
		}
	}
	if some == 0 {
		t.Error("no chunk was ever found")
	}
}

// TestGraphPart checks the rules of the tables and the sources: what may be in
// them, in which order, and that nothing that had its place was left out.
func TestGraphPart(t *testing.T) {
	t.Parallel()
	a := newAsked(t, 64, 24, "ketrag", "ketrag:compat=true")
	relations, repeated, reverted := 0, 0, 0
	for _, spec := range []string{"ketrag:order=paper", "ketrag:compat=true", "ketrag:theta=1,seeds=3,order=paper"} {
		seeds, _ := strconv.Atoi(a.System(t, spec).Params()["seeds"])
		for _, budget := range []int{150, 400, 1000, 3000, 12000} {
			for _, q := range a.questions {
				what := fmt.Sprintf("%s: %q within %d", spec, q, budget)
				ev := a.retrieve(t, spec, q, budget)
				used := func(name string) (n int) {
					for _, it := range section(ev, name) {
						n += it.Tokens
					}
					return n
				}
				local := (budget - used("text")) / 2
				var entities []engine.NodeID
				ends := map[engine.NodeID]bool{}
				var rels []rag.Cited
				total := 0
				for i, it := range section(ev, "graph") {
					total += it.Tokens
					switch {
					case it.Kind == "entity" && len(rels) == 0:
						if i > 0 && it.Score > section(ev, "graph")[i-1].Score {
							t.Errorf("%s: seeds are not in their order", what)
						}
						if ends[it.ID] {
							t.Errorf("%s: a seed twice", what)
						}
						ends[it.ID] = true
						entities = append(entities, it.ID)
					case it.Kind == "relation":
						rels = append(rels, it)
					default:
						t.Errorf("%s: %s at %d of the tables", what, it.Kind, i)
					}
				}
				if len(entities) > 0 {
					total += a.Tokens().Count(entityHeader + "\n")
				}
				if len(rels) > 0 {
					total += a.Tokens().Count(relationHeader + "\n")
				}
				if total > local {
					t.Errorf("%s: the tables have %d tokens of %d", what, total, local)
				}
				if len(entities) > seeds {
					t.Errorf("%s: %d seeds, at most %d", what, len(entities), seeds)
				}
				relations += len(rels)
				if len(rels) == 0 && len(entities) > 0 {
					reverted++
				}
				a.checkRelations(t, what, spec, entities, rels)
				repeated += a.checkSources(t, what, spec, ev, entities)
			}
		}
	}
	if relations == 0 || repeated == 0 || reverted == 0 {
		t.Errorf("%d relations, %d repeated sources with compat, %d tables without room for relations: one was never tested",
			relations, repeated, reverted)
	}
}

// checkRelations checks the order of relations: those between seeds by rank,
// then those that leave by the number of seeds that share the outer end.
func (a *asked) checkRelations(t *testing.T, what, spec string, entities []engine.NodeID, rels []rag.Cited) {
	t.Helper()
	if len(rels) == 0 {
		return
	}
	a.Corpus.View(t, spec, func(v *engine.View) error {
		typ, _ := v.EdgeType("relation")
		f := engine.EdgeFilter{Types: []engine.EdgeType{typ}}
		neighbours := map[engine.NodeID]map[engine.NodeID]bool{}
		degree := func(id engine.NodeID) int {
			n, err := v.Degree(id, f)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		for _, e := range entities {
			set, err := v.NeighborSet(e, f)
			if err != nil {
				return err
			}
			neighbours[e] = map[engine.NodeID]bool{}
			for it := set.Iterator(); it.HasNext(); {
				neighbours[e][engine.NodeID(it.Next())] = true
			}
		}
		type edge struct {
			from, to    engine.NodeID
			out         int
			links, rank int
		}
		var got []edge
		for _, it := range rels {
			got = append(got, edge{from: it.Edge.From, to: it.Edge.To})
		}
		// The relations of the first n seeds, for each n: one of them it is.
		for n := 1; n <= len(entities); n++ {
			inside := map[engine.NodeID]bool{}
			for _, e := range entities[:n] {
				inside[e] = true
			}
			met := map[edge]bool{}
			for e := range inside {
				for o := range neighbours[e] {
					x := edge{from: min(e, o), to: max(e, o), rank: degree(e) + degree(o)}
					if !inside[o] {
						x.out = 1
						for s := range inside {
							if neighbours[s][o] {
								x.links++
							}
						}
					}
					met[x] = true
				}
			}
			want := slices.SortedFunc(maps.Keys(met), func(a, b edge) int {
				return cmp.Or(cmp.Compare(a.out, b.out), cmp.Compare(b.links, a.links), cmp.Compare(b.rank, a.rank),
					cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
			})
			within := 0
			for _, x := range want {
				within += 1 - x.out
			}
			want = want[:min(len(want), within+10*n)]
			if slices.EqualFunc(got, want, func(a, b edge) bool { return a.from == b.from && a.to == b.to }) {
				return nil
			}
		}
		t.Errorf("%s: the %d relations are not those of the first seeds, whatever their number", what, len(rels))
		return nil
	})
}

// checkSources checks that sources are core chunks of the seeds, and returns
// how many stand in the context more than once.
func (a *asked) checkSources(t *testing.T, what, spec string, ev *rag.Evidence, entities []engine.NodeID) (repeated int) {
	t.Helper()
	core := keys(t, a.Corpus, spec, "skeleton")
	count := map[string]int{}
	for _, s := range ev.Sections {
		for _, it := range s.Items {
			if it.Kind == "chunk" {
				if count[it.Chunks[0]]++; count[it.Chunks[0]] > 1 {
					repeated++
				}
			}
		}
	}
	if !strings.Contains(spec, "compat") && repeated > 0 {
		t.Errorf("%s: %d chunks stand in the context again", what, repeated)
	}
	last := -1.0
	for i, it := range section(ev, "sources") {
		if !slices.Contains(core, it.Chunks[0]) {
			t.Errorf("%s: the source %s is not in the core", what, it.Chunks[0])
		}
		if i > 0 && it.Score > last {
			t.Errorf("%s: the sources are not in the order of their seeds", what)
		}
		last = it.Score
	}
	return repeated
}

// TestSourcesOfSeeds holds the sources, where there is room for all, against
// the core chunks of the seeds.
func TestSourcesOfSeeds(t *testing.T) {
	t.Parallel()
	a := newAsked(t, 65, 16, "ketrag")
	for _, q := range a.questions {
		ev := a.retrieve(t, "ketrag:theta=1,seeds=4,order=paper", q, 200_000)
		want := map[string]bool{}
		for _, it := range section(ev, "graph") {
			if it.Kind == "entity" {
				for _, ch := range it.Chunks {
					want[ch] = true
				}
			}
		}
		got := map[string]bool{}
		for _, it := range section(ev, "sources") {
			got[it.Chunks[0]] = true
		}
		if !maps.Equal(got, want) || len(got) == 0 {
			t.Errorf("%q: sources %v, want %v", q, got, want)
		}
	}
}

// TestDeterminism says that the same question has the same context, and that
// it does not matter how many workers indexed.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(66, 20)
	var exports, contexts []string
	for _, workers := range []int{1, 3, 16} {
		c := open(t)
		x := rag.Indexer{
			Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, "ketrag")},
			Options: rag.IndexOptions{Workers: workers},
		}
		if _, err := x.Run(context.Background(), []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}); err != nil {
			t.Fatal(err)
		}
		exports = append(exports, c.Canonical(t))
		var b strings.Builder
		for range 2 {
			b.Reset()
			ev, err := c.Retrieve(t.Context(), c.System(t, "ketrag"), c.OpenModels(t), method.Question{Text: "Who was at Karrow?", Budget: 2000})
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range ev.Items() {
				fmt.Fprintln(&b, it.Kind, it.Score, it.Chunks, it.Text)
			}
		}
		contexts = append(contexts, b.String())
	}
	for i := range exports[1:] {
		ragtest.Same(t, "export", exports[i+1], exports[0])
		ragtest.Same(t, "context", contexts[i+1], contexts[0])
	}
}
