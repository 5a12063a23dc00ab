package rag_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
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
	m, err := c.Corpus.OpenLocal(t.Context(), false, rag.Parts{})
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
	c.Use(ragtest.Fixed)
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
		{"any source of either", "team <> 'none'", true, []string{both, in, out, own}},
		{"none passes", "team = 'none'", true, nil},
	} {
		q := method.Question{Text: "Ada Fenn, Brom Vane, Celia Ebb, Edda Kerr, Falk Moss", WhereAny: tt.any}
		if tt.where != "" {
			if q.Where, err = cypher.ParseWhere(tt.where); err != nil {
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

// TestWhereNull asks with conditions that are neither true nor false of documents
// without the metadata, and compares lists, dates and texts.
func TestWhereNull(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Index(t, "bm25",
		ragtest.Doc{Key: "a.md", Text: "---\nteam: sales\ndate: 2025-03-01\ntags: [x, y]\n---\n\nThe pump."},
		ragtest.Doc{Key: "b.md", Text: "---\nteam: legal\ndate: 2024-03-01\ntags: x\n---\n\nThe pump."},
		ragtest.Doc{Key: "c.md", Text: "The pump."})
	m, err := c.Corpus.OpenLocal(t.Context(), false, rag.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ where, want, fails string }{
		{where: "team = 'sales'", want: "a"},
		{where: "NOT team = 'sales'", want: "b"},
		{where: "team <> 'sales' OR team IS NULL", want: "bc"},
		{where: "coalesce(team, 'none') <> 'sales'", want: "bc"},
		{where: "'x' IN tags", want: "ab"},
		{where: "tags = 'x'", want: "b"},
		{where: "tags = ['x', 'y']", want: "a"},
		{where: "NOT 'y' IN tags", want: "b"},
		{where: "date >= datetime('2025-01-01')", want: "a"},
		{where: "date.year = 2024 AND team ENDS WITH 'l'", want: "b"},
		{where: "key > 'a.md'", want: "bc"},
		{where: "NOT key IN ['a.md', 'b.md']", want: "c"},
		{where: "`key` = 'c.md' AND true", want: "c"},
		{where: "true", want: "abc"},
		{where: "team = null", want: ""},
		{where: "date >= '2025-01-01'", fails: "date holds points in time: write datetime('2025-01-01')"},
		{where: "colour = 'red'", fails: "no index"},
		{where: "toUpper(colour) = 'RED'", fails: "no index"},
		{where: "key = 5", fails: "key is text"},
		{where: "size(team) / 0 > 1 AND team = 'sales'", fails: "has no value for a document or node: an integer is divided by zero"},
	} {
		p, err := cypher.ParseWhere(tt.where)
		if err != nil {
			t.Fatalf("%s: %v", tt.where, err)
		}
		ev, err := c.Retrieve(t.Context(), c.System(t, "bm25"), m, method.Question{Text: "pump", Where: p})
		if err != nil || tt.fails != "" {
			if tt.fails == "" || !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%s: %v, want %q", tt.where, err, tt.fails)
			}
			continue
		}
		var got []string
		for _, it := range ev.Items() {
			got = append(got, it.Chunks[0][:1])
		}
		slices.Sort(got)
		if strings.Join(got, "") != tt.want {
			t.Errorf("%s finds %q, want %q", tt.where, got, tt.want)
		}
	}
}

// condition returns a random condition on team or year.
func condition(t *testing.T, r *rand.Rand, docs []ragtest.Doc) (engine.Predicate, func(ragtest.Doc) bool) {
	t.Helper()
	var s string
	var passes func(d ragtest.Doc) bool
	switch r.IntN(8) {
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
		s, passes = fmt.Sprintf("format = 'md' AND (team IS NULL OR NOT key = '%s')", in.Key), func(d ragtest.Doc) bool { return d.Key != in.Key }
	case 5: // a condition that no index answers: documents are read
		start := docs[r.IntN(len(docs))].Key[:3]
		s, passes = fmt.Sprintf("NOT toUpper(key) STARTS WITH '%s' AND toUpper(format) = 'MD'", strings.ToUpper(start)), func(d ragtest.Doc) bool { return !strings.HasPrefix(d.Key, start) }
	case 6:
		year := 1800 + r.IntN(100)
		s, passes = fmt.Sprintf("year %% 2 = 0 OR size(key) < 0 OR year < %d", year), func(d ragtest.Doc) bool { return d.Year%2 == 0 || d.Year < year }
	case 4:
		in := docs[r.IntN(len(docs))]
		start := in.Key[:len(in.Key)-4]
		s, passes = fmt.Sprintf("key STARTS WITH '%s'", start), func(d ragtest.Doc) bool { return strings.HasPrefix(d.Key, start) }
	default:
		out := docs[r.IntN(len(docs))]
		s, passes = fmt.Sprintf("team <> '%s'", out.Team), func(d ragtest.Doc) bool { return d.Team != out.Team }
	}
	p, err := cypher.ParseWhere(s)
	if err != nil {
		t.Fatal(err)
	}
	return p, passes
}
