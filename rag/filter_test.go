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
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestWhere asks with random conditions on the metadata and looks for what
// refused documents say: no item rests on one, and no text of one is in the
// context.
func TestWhere(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
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
	used, mixed := map[string]int{}, map[string]int{}
	for range 20 {
		where, passes := condition(t, r, docs)
		d := docs[r.IntN(len(docs))]
		question := []string{
			"What did " + d.Hero + " do?", "Who knew the keepers of the lighthouse at Karrow?", "Which town had boats?",
		}[r.IntN(3)]
		for _, spec := range specs {
			sys := c.System(t, spec)
			what := fmt.Sprintf("seed %d: %s where %v: %q", seed, spec, where, question)
			q := method.Question{Text: question, Where: where, Budget: []int{300, 2000, 12000}[r.IntN(3)]}
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
					if !passes(byKey[method.DocOf(ch)]) {
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
					return slices.ContainsFunc(it.Chunks, func(ch string) bool { return passes(byKey[method.DocOf(ch)]) == ok })
				}
				if !of(true) {
					t.Errorf("%s: any: %s rests on refused documents alone: %v", what, it.Kind, it.Chunks)
				}
				if of(false) {
					mixed[it.Kind]++
				}
			}
		}
	}
	for _, spec := range specs {
		if used[spec] == 0 {
			t.Errorf("%s: no item was ever used", spec)
		}
	}
	if mixed["entity"] == 0 {
		t.Errorf("WhereAny never let in an entity of both sorts of documents: %v", mixed)
	}
	// Without a condition what was refused is there.
	ev, err := c.Retrieve(t.Context(), c.System(t, "ketrag"), m, method.Question{Text: "What did " + docs[0].Hero + " do?"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(ev.Items(), func(it rag.Cited) bool { return strings.Contains(it.Text, docs[0].Hero) }) {
		t.Error("without a condition nothing tells of the one who is asked about")
	}
}

// TestWhereRelations asks about relations that a passing document tells of, a
// refused one, or both.
func TestWhereRelations(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Models = ragtest.Fixed
	c.Index(t, "ketrag:beta=1",
		ragtest.Doc{Key: "in.md", Text: "---\nteam: in\n---\n\nIt was Ada Fenn who met Brom Vane. Then Celia Ebb met Ada Fenn. Then Falk Moss met Edda Kerr."},
		ragtest.Doc{Key: "out.md", Text: "---\nteam: out\n---\n\nIt was Ada Fenn who met Brom Vane. Then Brom Vane met Celia Ebb."})
	m, err := ragtest.Fixed(t.Context(), c.Corpus)
	if err != nil {
		t.Fatal(err)
	}
	const (
		both = "ada fenn, brom vane: in.md#0 out.md#0"
		in   = "ada fenn, celia ebb: in.md#0"
		out  = "brom vane, celia ebb: out.md#0"
		own  = "edda kerr, falk moss: in.md#0"
	)
	for _, tt := range []struct {
		name, where string
		any         bool
		want        []string
	}{
		{"no filter", "", false, []string{both, in, out, own}},
		{"all sources", "team = 'in'", false, []string{own}},
		{"any source", "team = 'in'", true, []string{both, in, own}},
		{"any source of either", "team != 'none'", true, []string{both, in, out, own}},
		{"none passes", "team = 'none'", true, nil},
	} {
		q := method.Question{Text: "Ada Fenn, Brom Vane, Celia Ebb, Edda Kerr, Falk Moss", WhereAny: tt.any}
		if tt.where != "" {
			if q.Where, err = engine.ParsePredicate(tt.where); err != nil {
				t.Fatal(err)
			}
		}
		ev, err := c.Retrieve(t.Context(), c.System(t, "ketrag:beta=1"), m, q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, it := range ev.Items() {
			if it.Kind == "relation" {
				ends := strings.Split(strings.ToLower(it.Text), "|")[1:3]
				slices.Sort(ends)
				chunks := slices.Sorted(slices.Values(it.Chunks))
				got = append(got, strings.Join(ends, ", ")+": "+strings.Join(chunks, " "))
			}
		}
		slices.Sort(got)
		slices.Sort(tt.want)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: relations %q, want %q", tt.name, got, tt.want)
		}
	}
}

// condition returns a random condition on team or year.
func condition(t *testing.T, r *rand.Rand, docs []ragtest.Doc) (engine.Predicate, func(ragtest.Doc) bool) {
	t.Helper()
	var s string
	var passes func(d ragtest.Doc) bool
	switch r.IntN(6) {
	case 0:
		year := 1800 + r.IntN(100)
		s, passes = fmt.Sprintf("year < %d", year), func(d ragtest.Doc) bool { return d.Year < year }
	case 1:
		one, two := docs[r.IntN(len(docs))], docs[r.IntN(len(docs))]
		s = fmt.Sprintf("team = '%s' OR team = '%s'", one.Team, two.Team)
		passes = func(d ragtest.Doc) bool { return d.Team == one.Team || d.Team == two.Team }
	case 2: // what a NOT takes away is of the documents alone
		out := docs[r.IntN(len(docs))]
		s, passes = fmt.Sprintf("NOT team = '%s'", out.Team), func(d ragtest.Doc) bool { return d.Team != out.Team }
	case 3:
		in := docs[r.IntN(len(docs))]
		s, passes = fmt.Sprintf("format = 'md' AND (NOT EXISTS(team) OR NOT key = '%s')", in.Key), func(d ragtest.Doc) bool { return d.Key != in.Key }
	case 4:
		in := docs[r.IntN(len(docs))]
		start := in.Key[:len(in.Key)-4]
		s, passes = fmt.Sprintf("key STARTS WITH '%s'", start), func(d ragtest.Doc) bool { return strings.HasPrefix(d.Key, start) }
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
