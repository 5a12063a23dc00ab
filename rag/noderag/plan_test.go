package noderag_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/noderag"
)

// kinds returns how many items of each section there are.
func kinds(ev *rag.Evidence) map[string]int {
	out := map[string]int{}
	for _, s := range ev.Sections {
		out[s.Name] = len(s.Items)
	}
	return out
}

// TestPlan asks for what one document says, with and without each part of the
// retrieval.
func TestPlan(t *testing.T) {
	t.Parallel()
	c := open(t)
	docs := ragtest.Docs(71, 24)
	index(t, c, rag.IndexOptions{}, docs...)
	q := method.Question{Text: fmt.Sprintf("What did %s do in %s?", docs[7].Hero, docs[7].Place), Budget: 12_000}

	all := c.Evidence(t, "noderag:order=paper", q)
	n := kinds(all)
	if n["chunk"] == 0 || n["unit"] == 0 || n["relationship"] == 0 || n["relationship"] > 30 {
		t.Errorf("sections %v", n)
	}
	var order []string
	for _, s := range all.Sections {
		order = append(order, s.Name)
	}
	if want := []string{"element", "attribute", "unit", "relationship", "chunk"}; !slices.Equal(order, want) {
		t.Errorf("sections are %v, want %v", order, want)
	}
	first := all.Items()
	found := false
	for _, it := range first {
		if slices.Contains(it.Chunks, docs[7].Key+"#0") && strings.Contains(it.Text, docs[7].Hero) {
			found = true
		}
		if len(it.Chunks) == 0 || len(it.Spans) == 0 {
			t.Errorf("%s %v cites nothing", it.Kind, it.Keys)
		}
		if len(it.Why) == 0 {
			t.Errorf("%s %v has no reason", it.Kind, it.Keys)
		}
		if it.Kind == "entity" || it.Kind == "overview" {
			t.Errorf("%s %v is in the context", it.Kind, it.Keys)
		}
	}
	if !found {
		t.Errorf("nothing tells of %s", docs[7].Hero)
	}

	vec := c.Evidence(t, "noderag:cross=off,k=20,order=paper", q)
	if got := len(vec.Items()); got != 20 {
		t.Errorf("cross=off,k=20 has %d items", got)
	}
	for _, it := range vec.Items() {
		if it.Why[0].Op != "vector" {
			t.Errorf("cross=off has %s by %s", it.Kind, it.Why[0].Op)
		}
	}
	if n := kinds(c.Evidence(t, "noderag:rnode=3,cnode=0,enode=0,onode=0,order=paper", q)); n["relationship"] != 3 || n["chunk"]+n["unit"]+n["element"]+n["attribute"] != 10 {
		t.Errorf("quotas of 3 and 0: %v", n)
	}
	dual, without := c.Evidence(t, "noderag", q), c.Evidence(t, "noderag:dual=off", q)
	named := func(ev *rag.Evidence) bool {
		return slices.ContainsFunc(ev.Trace.Ops, func(o query.OpTrace) bool { return strings.Contains(o.Op, "Named") || strings.Contains(o.Op, "Phrase") })
	}
	if !named(dual) || named(without) {
		t.Error("dual=off searches names, or dual=on does not")
	}
	fill := c.Evidence(t, "noderag:fill=on,order=paper", q)
	if fill.Tokens <= all.Tokens || len(fill.Items()) <= len(first) {
		t.Errorf("fill=on uses %d tokens, %d without", fill.Tokens, all.Tokens)
	}
}

// TestTextPlan says that the default context begins with texts, holds no unit of a text
// that it shows, has more of all that the quotas are for if the budget is larger, and
// is filled.
func TestTextPlan(t *testing.T) {
	t.Parallel()
	c := open(t)
	docs := ragtest.Docs(76, 60)
	index(t, c, rag.IndexOptions{}, docs...)
	text := fmt.Sprintf("What did %s do in %s?", docs[7].Hero, docs[7].Place)
	units := map[int]int{}
	for _, budget := range []int{600, 1200, 2400} {
		q := method.Question{Text: text, Budget: budget}
		ev := c.Evidence(t, "noderag:texts=0.5,rnode=5", q)
		var order []string
		for _, s := range ev.Sections {
			order = append(order, s.Name)
		}
		if want := []string{"chunk", "unit", "attribute", "element", "relationship"}; !slices.Equal(order, want) {
			t.Errorf("%d tokens: sections are %v, want %v", budget, order, want)
		}
		n := kinds(ev)
		if units[budget] = n["unit"]; n["chunk"] == 0 || n["unit"] == 0 || n["unit"] > 10+10*max(1, budget/1000) || n["relationship"] > 5*max(1, budget/1000) {
			t.Errorf("%d tokens: %v", budget, n)
		}
		shown := ""
		used := 0
		for _, it := range ev.Sections[0].Items {
			shown += it.Text
			used += it.Tokens
		}
		if used < budget/3 {
			t.Errorf("texts have %d tokens of %d", used, budget)
		}
		for _, it := range ev.Sections[1].Items {
			// Texts that came to fill what was left may hold it; those of the first half not.
			if strings.Contains(ev.Sections[0].Items[0].Text, it.Text) {
				t.Errorf("%d tokens: the unit %q stands in the first text", budget, it.Text)
			}
		}
		if ev.Tokens < budget*9/10 {
			t.Errorf("%d tokens of %d", ev.Tokens, budget)
		}
		if alone := kinds(c.Evidence(t, "noderag:texts=0,k=1,cnode=0,rnode=0,onode=0,enode=0", q)); alone["chunk"] == 0 || alone["unit"] > 1 {
			t.Errorf("without quotas %v", alone)
		}
	}
	if units[2400] <= units[600] {
		t.Errorf("units by budget: %v", units)
	}
	// A walk that counts changes the order of the texts.
	walk, alike := c.Evidence(t, "noderag:walk=100", method.Question{Text: text}), c.Evidence(t, "noderag:walk=0", method.Question{Text: text})
	same := slices.EqualFunc(walk.Sections[0].Items, alike.Sections[0].Items, func(a, b rag.Cited) bool { return a.Ref() == b.Ref() })
	if same {
		t.Error("walk=100 ranks the texts as walk=0")
	}
}

// TestBudget says that no context is larger than its budget, headers included,
// and that an item is in it once.
func TestBudget(t *testing.T) {
	t.Parallel()
	c := open(t)
	docs := ragtest.Docs(72, 16)
	index(t, c, rag.IndexOptions{}, docs...)
	for _, spec := range []string{"noderag", "noderag:order=paper,fill=on", "noderag:texts=0,dual=off", "noderag:cross=off,k=30", "noderag:texts=1,near=off", "noderag:order=paper,quotas=shared"} {
		for _, budget := range []int{1, 40, 90, 150, 400, 1000, 3000, 12000} {
			q := method.Question{Text: "Who was at " + docs[3].Place + "?", Budget: budget}
			ev := c.Evidence(t, spec, q)
			if ev.Tokens > budget {
				t.Errorf("%s: %d tokens of %d", spec, ev.Tokens, budget)
			}
			// What a model sees: headers and texts.
			var text strings.Builder
			seen := map[query.Ref]bool{}
			for _, s := range ev.Sections {
				if len(s.Items) > 0 && s.Name != "more texts" {
					fmt.Fprintf(&text, "------------%s-------------\n", s.Name)
				}
				for _, it := range s.Items {
					text.WriteString(it.Text + "\n")
					if seen[it.Ref()] {
						t.Errorf("%s, %d tokens: %v is there twice", spec, budget, it.Keys)
					}
					seen[it.Ref()] = true
				}
			}
			if n := c.Tokens().Count(text.String()); n > budget {
				t.Errorf("%s: the context has %d tokens of %d", spec, n, budget)
			}
			if budget == 12000 && len(seen) == 0 {
				t.Errorf("%s: nothing found", spec)
			}
		}
	}
}

// TestWhere says that nothing of a refused document is in a context.
func TestWhere(t *testing.T) {
	t.Parallel()
	c := open(t)
	docs := ragtest.Docs(73, 14)
	index(t, c, rag.IndexOptions{}, docs...)
	where, err := cypher.ParseWhere(fmt.Sprintf("team = %q", docs[5].Team))
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"noderag", "noderag:order=paper,fill=on"} {
		ev := c.Evidence(t, spec, method.Question{Text: "What did " + docs[6].Hero + " and " + docs[5].Hero + " do?", Where: where})
		if len(ev.Items()) == 0 {
			t.Errorf("%s: nothing found", spec)
		}
		for _, it := range ev.Items() {
			for _, ch := range it.Chunks {
				if method.DocOf(ch) != docs[5].Key {
					t.Errorf("%s: %s %v rests on %s", spec, it.Kind, it.Keys, ch)
				}
			}
			if strings.Contains(strings.ToLower(it.Text), docs[6].Code) {
				t.Errorf("%s: a refused document is quoted: %s", spec, it.Text)
			}
		}
	}
}

// TestEmpty says that a corpus without documents, and a question without
// words, have no evidence and no error.
func TestEmpty(t *testing.T) {
	t.Parallel()
	c := open(t)
	index(t, c, rag.IndexOptions{})
	if ev := c.Evidence(t, "noderag", method.Question{Text: "Who is there?"}); len(ev.Items()) > 0 {
		t.Errorf("%d items of nothing", len(ev.Items()))
	}
	index(t, c, rag.IndexOptions{}, ragtest.Docs(74, 3)...)
	for _, q := range []string{"?!", "the"} {
		c.Evidence(t, "noderag", method.Question{Text: q})
	}
}

// TestParams says that parameters that make no sense are refused, with the
// list of what there is.
func TestParams(t *testing.T) {
	t.Parallel()
	c := open(t)
	for _, spec := range []string{
		"noderag:walk=on", "noderag:k=0", "noderag:k=x", "noderag:near=maybe", "noderag:steps=0", "noderag:alpha=0", "noderag:alpha=1.1",
		"noderag:alpha=NaN", "noderag:profile=x", "noderag:chunks=x", "noderag:ppr=eager", "noderag:enode=-1", "noderag:order=summary",
		"noderag:texts=1.1", "noderag:units=mine", "noderag:attribute=-1", "noderag:walk=-1", "noderag:quotas=all",
	} {
		s, err := method.ParseSpec(spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := noderag.Open(t.Context(), c.Corpus.Docs(), s.Params); !errors.Is(err, method.ErrMethod) {
			t.Errorf("%s: %v", spec, err)
		}
	}
	for spec, want := range map[string]string{
		"noderag": "noderag", "noderag:near=off,k=30": "noderag", "noderag:sr=on": "noderag#sr=on",
		"noderag:profile=paper": "noderag#attribute=2700,chunks=cl100k/1048/0/window,neighbours=0,units=own", "noderag:pivots=010": "noderag",
	} {
		if got := c.System(t, spec).Instance(); got != want {
			t.Errorf("%s is the instance %s, want %s", spec, got, want)
		}
	}
}

// TestOptions indexes with other parameters than the defaults.
func TestOptions(t *testing.T) {
	t.Parallel()
	c := open(t)
	docs := ragtest.Docs(75, 10)
	for _, x := range []struct {
		spec  string
		check func(spec string) bool
	}{
		{"noderag:sr=on", func(s string) bool { n, _ := edges(t, c, s, "states"); return n > 0 }},
		{"noderag", func(s string) bool { n, _ := edges(t, c, s, "states"); return n == 0 }},
		{"noderag:core=2", func(s string) bool { return nodes(t, c, s, "attribute") > nodes(t, c, "noderag", "attribute") }},
		{"noderag:scale=1000,core=1000", func(s string) bool { return nodes(t, c, s, "attribute") == 0 }},
		{"noderag:least=1000", func(s string) bool { return nodes(t, c, s, "element") == 0 }},
		{"noderag:per-element=1", func(s string) bool { return nodes(t, c, s, "element") > nodes(t, c, "noderag", "element") }},
		{"noderag:cluster=0", func(s string) bool {
			a, _ := edges(t, c, s, "covers")
			b, _ := edges(t, c, "noderag", "covers")
			return a > 0 && a < b
		}},
	} {
		c.Index(t, x.spec, docs...)
		if !x.check(x.spec) {
			t.Errorf("%s does not do what it says", x.spec)
		}
	}
}
