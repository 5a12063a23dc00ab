package hirag_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/hirag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// scripted reads lines as entities and relations: "E name | type | text" and
// "R source | target | text | strength". "G" before a line leaves it to a
// gleaning, the first to the first. All else is for the rules.
type scripted struct {
	llm.Provider
	gleaned, merged atomic.Int64
}

func (p *scripted) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	text, skip := "", 0
	switch in := t.Input.(type) {
	case llm.ExtractInput:
		text = in.Text
	case llm.GleanInput:
		p.gleaned.Add(1)
		text = in.Text
		skip = 1
		for _, e := range in.Found.Entities {
			if e.Description == "gleaned" {
				skip++
			}
		}
	case llm.MergeInput:
		p.merged.Add(1)
		return p.Provider.Do(ctx, t)
	default:
		return p.Provider.Do(ctx, t)
	}
	var x llm.Extraction
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		n := 0
		for strings.HasPrefix(line, "G ") {
			line, n = line[2:], n+1
		}
		if n != skip || len(line) < 2 {
			continue
		}
		f := strings.Split(line[2:], "|")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		switch line[:2] {
		case "E ":
			x.Entities = append(x.Entities, llm.Entity{Name: f[0], Type: f[1], Description: f[2]})
		case "R ":
			r := llm.Relation{Source: f[0], Target: f[1], Description: f[2]}
			if len(f) > 3 {
				fmt.Sscan(f[3], &r.Strength)
			}
			x.Relations = append(x.Relations, r)
		}
	}
	b, err := json.Marshal(x)
	return llm.Reply{Text: string(b)}, llm.Usage{Calls: 1}, err
}

// script opens a corpus of some documents that a scripted provider reads.
func script(t testing.TB, spec string, texts ...string) (*ragtest.Corpus, *scripted) {
	t.Helper()
	c := open(t)
	p := &scripted{}
	c.Use(func(ctx context.Context, rc *rag.Corpus) (*rag.Models, error) {
		m, err := ragtest.Fixed(ctx, rc)
		if err != nil {
			return nil, err
		}
		parts := m.Parts()
		p.Provider, parts.Provider = parts.Provider, p
		return m.With(parts), nil
	})
	var docs []ragtest.Doc
	for i, s := range texts {
		docs = append(docs, ragtest.Doc{Key: fmt.Sprintf("d%d.txt", i), Text: s})
	}
	c.Index(t, spec, docs...)
	return c, p
}

// relations returns the relations by the keys of their ends.
func relations(t testing.TB, v *engine.View) map[string]engine.Edge {
	t.Helper()
	out := map[string]engine.Edge{}
	typ, ok := v.EdgeType("relation")
	if !ok {
		return out
	}
	for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{typ}}) {
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, id := range []engine.NodeID{e.From, e.To} {
			n, err := v.Node(id)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, n.Key)
		}
		slices.Sort(keys)
		out[strings.Join(keys, "-")] = e
	}
	return out
}

// TestMerging says what becomes of what several texts say of one thing: the
// type with the most votes, the first of equals; the sorted distinct
// descriptions; the sum of the strengths. An end that no text lists has its
// relation's description and no vector.
func TestMerging(t *testing.T) {
	t.Parallel()
	const spec = "hirag:hiindex=off"
	c, _ := script(t, spec,
		"E Karrow | town | Zinc is mined.\nE Ada | person | Ada lives.\nR Ada | Karrow | Ada lives at Karrow. | 3",
		"E KARROW | place | A harbour.\nE \"Karrow\" | place | Boats.\nR Karrow | Ada | Ada owns a house. | 2.5\nR Ada | Skarholm | Ada fled to Skarholm.",
		"E Ada | poet | Ada lives.",
	)
	c.View(t, spec, func(v *engine.View) error {
		ents := nodes(t, v, "entity")
		if len(ents) != 3 {
			t.Fatalf("entities %v", ents)
		}
		text := func(n engine.Node, prop string) string { return n.Props()[prop].AsString() }
		karrow, ada, skarholm := ents["karrow"], ents["ada"], ents["skarholm"]
		if got := text(karrow, "kind"); got != "place" {
			t.Errorf("kind %q, want place", got)
		}
		if got := text(ada, "kind"); got != "person" {
			t.Errorf("kind %q, want the first of equals, person", got)
		}
		if got := text(karrow, "description"); got != "A harbour.\nBoats.\nZinc is mined." {
			t.Errorf("description %q", got)
		}
		if got := text(ada, "description"); got != "Ada lives." {
			t.Errorf("description %q, want it once", got)
		}
		if got := text(skarholm, "description"); got != "Ada fled to Skarholm." {
			t.Errorf("description %q", got)
		}
		vecs, err := v.Vectors("entity@hashes")
		if err != nil {
			return err
		}
		if vecs.Len() != 2 {
			t.Errorf("%d vectors, want none of Skarholm", vecs.Len())
		}
		rel := relations(t, v)
		if w := rel["ada-karrow"].Weight; w != 5.5 {
			t.Errorf("weight %g, want 5.5", w)
		}
		if w := rel["ada-skarholm"].Weight; w != 1 {
			t.Errorf("weight %g, want 1 where there is none", w)
		}
		return nil
	})
}

// TestMergeFrom says that a model makes one description of several from 500
// tokens on.
func TestMergeFrom(t *testing.T) {
	t.Parallel()
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for n, want := range map[int]int64{240: 0, 260: 1} {
		c, p := script(t, "hirag:hiindex=off,unit=5000,chunks=cl100k/5000/0/window",
			"E Karrow | town | One "+words(n), "E Karrow | town | Two "+words(n))
		if got := p.merged.Load(); got != want {
			t.Errorf("two descriptions of %d words: %d calls, want %d", n, got, want)
		}
		_ = c
	}
}

// TestGlean says how often a text is read again: until nothing is found, at
// most as often as asked for.
func TestGlean(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		spec           string
		gleaned, found int
	}{{"hirag", 0, 1}, {"hirag:glean=1", 1, 2}, {"hirag:glean=2", 2, 3}, {"hirag:glean=9", 3, 3}} {
		c, p := script(t, x.spec, "E First | thing | read\nG E Second | thing | gleaned\nG G E Third | thing | gleaned")
		if n := int(p.gleaned.Load()); n != x.gleaned {
			t.Errorf("%s: gleaned %d times, want %d", x.spec, n, x.gleaned)
		}
		c.View(t, x.spec, func(v *engine.View) error {
			if n := len(nodes(t, v, "entity")); n != x.found {
				t.Errorf("%s: %d entities, want %d", x.spec, n, x.found)
			}
			return nil
		})
	}
}

// section returns the items of a part of the evidence.
func section(ev *rag.Evidence, name string) []rag.Cited {
	for _, s := range ev.Sections {
		if s.Name == name {
			return s.Items
		}
	}
	return nil
}

// pairs returns the ends of relations.
func pairs(items []rag.Cited) []string {
	var out []string
	for _, it := range items {
		keys := slices.Sorted(slices.Values(it.Keys))
		out = append(out, strings.Join(keys, "-"))
	}
	slices.Sort(out)
	return out
}

// TestBridge says which relations are the paper's bridge: all those among the nodes on
// the shortest paths from key entity to key entity. Of one key the path is
// that node alone; of two, both ends count.
func TestBridge(t *testing.T) {
	t.Parallel()
	// A line a-b-c-d-e with a shortcut b-d by x, and f apart. Only the named
	// entities are near to a question; the others have descriptions of their
	// own words.
	const text = `E alpha | t | alpha
E beta | t | qq1 qq2 qq3 qq4 qq5 qq6 qq7 qq8 qq9
E gamma | t | rr1 rr2 rr3 rr4 rr5 rr6 rr7 rr8 rr9
E delta | t | ss1 ss2 ss3 ss4 ss5 ss6 ss7 ss8 ss9
E epsilon | t | epsilon
E zeta | t | zeta
R alpha | beta | ab | 1
R beta | gamma | bc | 1
R gamma | delta | cd | 1
R delta | epsilon | de | 1
R alpha | gamma | ac | 2`
	c, _ := script(t, "hirag:hiindex=off", text)
	for _, x := range []struct {
		name, question string
		want           []string
	}{
		{"one key", "alpha", nil},
		{"two keys", "alpha epsilon", []string{"alpha-gamma", "delta-epsilon", "delta-gamma"}},
		{"no path", "alpha zeta", nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			_, ev := evidence(t, c, "hirag:hiindex=off,mode=bridge,bridge=degree,n=2", x.question, 6000)
			if got := pairs(section(ev, "bridge")); !slices.Equal(got, x.want) {
				t.Errorf("bridge %v, want %v", got, x.want)
			}
			for _, it := range section(ev, "bridge") {
				if len(it.Why) < 2 || len(it.Chunks) != 1 || it.Chunks[0] != "d0.txt#0" {
					t.Errorf("%v: why %v, chunks %v", it.Keys, it.Why, it.Chunks)
				}
			}
		})
	}
}

// TestModes says what each mode's context is made of, and in which order.
func TestModes(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.Index(t, "hirag", ragtest.Docs(68, 12)...)
	for mode, want := range map[string]string{
		"mode=hi":             "sources reports bridge entities",
		"mode=hi,order=paper": "reports bridge entities sources",
		"mode=nobridge":       "sources reports entities relations",
		"mode=local":          "sources entities relations",
		"mode=global":         "sources reports",
		"mode=bridge":         "sources bridge",
	} {
		_, ev := evidence(t, c, "hirag:"+mode, "Who was at Karrow?", 12000)
		var got []string
		for _, s := range ev.Sections {
			got = append(got, s.Name)
			if len(s.Items) == 0 {
				t.Errorf("%s: nothing in %s", mode, s.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", mode, got, want)
		}
	}
	if _, err := hirag.Open(t.Context(), c.Corpus.Docs(), map[string]string{"mode": "both"}); err == nil {
		t.Error("there is a mode both")
	}
}

// TestBudget says that no context has more tokens than its budget, nor a part
// of it more than its share, and that nothing is there twice.
func TestBudget(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.Index(t, "hirag", ragtest.Docs(69, 20)...)
	shares := map[string]int{"reports": 12500, "bridge": 12500, "entities": 5000, "relations": 20000, "sources": 20000}
	for _, mode := range []string{"hi", "nobridge", "local", "global", "bridge"} {
		for _, budget := range []int{1, 60, 700, 4000, 12000, 50000, 200000} {
			_, ev := evidence(t, c, "hirag:keys=all,mode="+mode, "Who was at Karrow with Ada Fenn?", budget)
			if ev.Tokens > budget {
				t.Errorf("%s: %d tokens of %d", mode, ev.Tokens, budget)
			}
			seen := map[query.Ref]bool{}
			all := 0
			for _, s := range ev.Sections {
				used := 0
				for _, it := range s.Items {
					used += c.Tokens().Count(it.Text)
					if s.Name == "sources" && seen[it.Ref()] {
						t.Errorf("%s: %v is there twice", mode, it.Keys)
					}
					seen[it.Ref()] = true
				}
				all += used
				share := shares[s.Name] * min(budget, 50000) / 50000
				if s.Name == "sources" && budget < 50000 {
					share = budget
				}
				if used > share {
					t.Errorf("%s: %d tokens of %s, at most %d of %d", mode, used, s.Name, share, budget)
				}
			}
			if budget >= 4000 && all < budget/20 && budget < 50000 {
				t.Errorf("%s: only %d tokens of %d", mode, all, budget)
			}
		}
	}
}

// TestLocal says that the entities are the nearest to the question, in order,
// at a cosine of 0.2 or more.
func TestLocal(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.Index(t, "hirag", ragtest.Docs(70, 14)...)
	_, ev := evidence(t, c, "hirag:n=7", "Who was at Karrow?", 50000)
	items := section(ev, "entities")
	if len(items) == 0 || len(items) > 7 {
		t.Fatalf("%d entities", len(items))
	}
	m := c.OpenModels(t)
	q, err := m.EmbedQuestion(t.Context(), "Who was at Karrow?")
	if err != nil {
		t.Fatal(err)
	}
	var scores []float64
	c.View(t, "hirag", func(v *engine.View) error {
		vecs, err := v.Vectors("entity@hashes")
		if err != nil {
			return err
		}
		for e, err := range vecs.All(t.Context()) {
			if err != nil {
				return err
			}
			dot := 0.0
			for i, x := range e.Vector {
				dot += float64(x) * float64(q[i])
			}
			scores = append(scores, dot)
		}
		return nil
	})
	slices.Sort(scores)
	slices.Reverse(scores)
	for i, it := range items {
		if d := it.Score - scores[i]; d > 1e-5 || d < -1e-5 || it.Score < 0.2 {
			t.Errorf("entity %d scores %g, want %g", i, it.Score, scores[i])
		}
	}
}

// TestExplain says that the plan prints on a page, with the numbers that the paper's
// equations have: 12 the entities, 13 their communities, 14 the key entities of
// these, 15 the paths between them, 16 the relations among the nodes of the paths.
func TestExplain(t *testing.T) {
	t.Parallel()
	c := open(t)
	plan, err := c.System(t, "hirag").Plan(t.Context(), c.OpenModels(t), method.Question{Text: "Q?"})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := query.Explain(&b, plan.Op()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Pack(section=entities|Eq. 12", "Neighbors(|Eq. 13", "TopPerGroup(|Eq. 14", "PathChain(|Eq. 15", "Incident(|Eq. 16"} {
		op, eq, _ := strings.Cut(want, "|")
		found := false
		for line := range strings.Lines(b.String()) {
			found = found || strings.Contains(line, op) && strings.Contains(line, eq)
		}
		if !found {
			t.Errorf("no %s of %s in\n%s", op, eq, b.String())
		}
	}
	if strings.Contains(b.String(), "Eq. 10") || strings.Contains(b.String(), "Eq. 11") {
		t.Errorf("the paper has Eq. 10 and 11 elsewhere:\n%s", b.String())
	}
	if n := strings.Count(b.String(), "\n"); n > 60 {
		t.Errorf("%d lines", n)
	}
}

// TestFilter says that a condition on documents keeps the others out of every
// part of a context.
func TestFilter(t *testing.T) {
	t.Parallel()
	c := open(t)
	docs := ragtest.Docs(71, 14)
	c.Index(t, "hirag", docs...)
	where, err := cypher.ParseWhere(fmt.Sprintf("team = %q", docs[2].Team))
	if err != nil {
		t.Fatal(err)
	}
	ev, err := c.Retrieve(t.Context(), c.System(t, "hirag"), c.OpenModels(t), method.Question{Text: "What did " + docs[2].Hero + " do?", Where: where})
	if err != nil {
		t.Fatal(err)
	}
	if len(ev.Items()) == 0 {
		t.Error("nothing of the document itself")
	}
	for _, it := range ev.Items() {
		for _, d := range docs {
			if d.Key != docs[2].Key && strings.Contains(strings.ToLower(it.Text), d.Code) {
				t.Errorf("%s %v tells of %s", it.Kind, it.Keys, d.Key)
			}
		}
		for _, ch := range it.Chunks {
			if method.DocOf(ch) != docs[2].Key {
				t.Errorf("%s %v rests on %s", it.Kind, it.Keys, ch)
			}
		}
	}
}
