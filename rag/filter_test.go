package rag_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestWhere asks with random conditions on the metadata and looks for what
// refused documents say: no item rests on one, and no text of one is in the
// context.
func TestWhere(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All())
	docs := ragtest.Docs(31, 30)
	byKey := map[string]ragtest.Doc{}
	for _, d := range docs {
		byKey[d.Key] = d
	}
	specs := []string{"ketrag", "ketrag:theta=1", "ketrag:compat=true", "ketrag:channel=text", "bm25", "dense", "naive"}
	for _, spec := range specs {
		c.Index(t, spec, docs...)
	}
	m, err := rag.OpenLocal(t.Context(), c.Corpus, false)
	if err != nil {
		t.Fatal(err)
	}
	const seed = 31
	r := rand.New(rand.NewPCG(seed, 0))
	used, mixed := map[string]int{}, 0
	for range 20 {
		where, passes := condition(t, r, docs)
		d := docs[r.IntN(len(docs))]
		question := []string{
			"What did " + d.Hero + " do?", "Who knew the keepers of the lighthouse at Karrow?", "Which town had boats?",
		}[r.IntN(3)]
		for _, spec := range specs {
			sys := c.System(t, spec)
			what := fmt.Sprintf("seed %d: %s where %v: %q", seed, spec, where, question)
			q := rag.Question{Text: question, Where: where, Budget: []int{300, 2000, 12000}[r.IntN(3)]}
			ev, err := c.Retrieve(t.Context(), sys, m, q)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			for _, it := range ev.Items() {
				used[spec]++
				if len(it.Chunks) == 0 {
					t.Errorf("%s: %s %q rests on nothing", what, it.Kind, it.Text)
				}
				for _, ch := range it.Chunks {
					if !passes(byKey[rag.DocOf(ch)]) {
						t.Errorf("%s: %s rests on %s", what, it.Kind, ch)
					}
				}
				low := strings.ToLower(it.Text)
				for _, refused := range docs {
					if !passes(refused) && strings.Contains(low, refused.Code) {
						t.Errorf("%s: the context says %q of %s", what, it.Text, refused.Key)
					}
				}
			}
			q.WhereAny = true
			any, err := c.Retrieve(t.Context(), sys, m, q)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			for _, it := range any.Items() {
				of := func(ok bool) bool {
					return slices.ContainsFunc(it.Chunks, func(ch string) bool { return passes(byKey[rag.DocOf(ch)]) == ok })
				}
				// An edge is seen with both its ends, which may rest on others.
				if it.ID != 0 && !of(true) {
					t.Errorf("%s: any: %s rests on refused documents alone: %v", what, it.Kind, it.Chunks)
				}
				if of(true) && of(false) {
					mixed++
				}
			}
		}
	}
	for _, spec := range specs {
		if used[spec] == 0 {
			t.Errorf("%s: no item was ever used", spec)
		}
	}
	if mixed == 0 {
		t.Error("WhereAny never let in an item of both sorts of documents")
	}
	// Without a condition what was refused is there.
	ev, err := c.Retrieve(t.Context(), c.System(t, "ketrag"), m, rag.Question{Text: "What did " + docs[0].Hero + " do?"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(ev.Items(), func(it rag.Cited) bool { return strings.Contains(it.Text, docs[0].Hero) }) {
		t.Error("without a condition nothing tells of the one who is asked about")
	}
}

// condition returns a random condition on team or year.
func condition(t *testing.T, r *rand.Rand, docs []ragtest.Doc) (engine.Predicate, func(ragtest.Doc) bool) {
	t.Helper()
	var s string
	var passes func(d ragtest.Doc) bool
	switch r.IntN(3) {
	case 0:
		year := 1800 + r.IntN(100)
		s, passes = fmt.Sprintf("year < %d", year), func(d ragtest.Doc) bool { return d.Year < year }
	case 1:
		one, two := docs[r.IntN(len(docs))], docs[r.IntN(len(docs))]
		s = fmt.Sprintf("team = '%s' OR team = '%s'", one.Team, two.Team)
		passes = func(d ragtest.Doc) bool { return d.Team == one.Team || d.Team == two.Team }
	default:
		out := docs[r.IntN(len(docs))]
		s, passes = fmt.Sprintf("team != '%s'", out.Team), func(d ragtest.Doc) bool { return d.Team != out.Team }
	}
	p, err := engine.ParsePredicate(s)
	if err != nil {
		t.Fatal(err)
	}
	return p, passes
}
