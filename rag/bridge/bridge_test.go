package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/baseline"
	"github.com/ragdb/ragdb/rag/bridge"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

func systems() method.Methods {
	return method.Methods{bridge.Name: bridge.Open, "naive": baseline.Open("naive"), "bm25": baseline.Open("bm25"), "dense": baseline.Open("dense")}
}

func open(t testing.TB) *ragtest.Corpus {
	t.Helper()
	c := ragtest.Open(t, systems())
	c.Use(ragtest.Fixed)
	return c
}

// openWords opens a corpus with ragdb's own vectors, of words.
func openWords(t testing.TB) *ragtest.Corpus {
	t.Helper()
	c := ragtest.Open(t, systems())
	c.Use(func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		return c.OpenLocal(ctx, true, rag.Parts{})
	})
	return c
}

// docs returns the documents of the evidence, in order.
func docs(ev *rag.Evidence) []string {
	var out []string
	for _, it := range ev.Items() {
		out = append(out, method.DocOf(it.Keys[0]))
	}
	return out
}

// found counts the questions that have the answer among the first n.
func found(t testing.TB, c *ragtest.Corpus, spec string, questions []hop, n int) (k int) {
	for _, q := range questions {
		have := docs(c.Evidence(t, spec, method.Question{Text: q.question}))
		if slices.Contains(have[:min(n, len(have))], q.person) {
			k++
		}
	}
	return k
}

// TestTwoHops asks for what a document says that shares no rare word with the
// question. Ordinary search finds its answer by luck, bridge each time.
func TestTwoHops(t *testing.T) {
	t.Parallel()
	c := open(t)
	all, questions := hops(1, 60)
	c.Index(t, "bridge", all...)
	if n := found(t, c, "bm25", questions, 5); n > 6 {
		t.Errorf("bm25 answers %d of 60: the corpus is too easy", n)
	}
	if n := found(t, c, "naive", questions, 5); n > 6 {
		t.Errorf("naive answers %d of 60: the corpus is too easy", n)
	}
	if n := found(t, c, "bridge", questions, 2); n != 60 {
		t.Errorf("bridge answers %d of 60", n)
	}
	if n := found(t, c, "bridge:lambda=0", questions, 5); n > 6 {
		t.Errorf("without a weight bridge answers %d of 60", n)
	}
}

// TestWalk finds the second hop by a walk too, and what the walk does not reach
// behind it.
func TestWalk(t *testing.T) {
	t.Parallel()
	c := open(t)
	all, questions := hops(9, 30)
	c.Index(t, "bridge", all...)
	if n := found(t, c, "bridge:ppr=on", questions, 5); n != 30 {
		t.Errorf("the walk answers %d of 30", n)
	}
	ev := c.Evidence(t, "bridge:ppr=on", method.Question{Text: questions[0].question, Budget: 12_000})
	if n := len(ev.Items()); n != 90 {
		t.Errorf("%d items of 90 chunks", n)
	}
}

// TestNoNames asks what names nothing. If one hit has all of the words, the order of
// the scores is that of the ordinary search.
func TestNoNames(t *testing.T) {
	t.Parallel()
	c := open(t)
	all, _ := hops(2, 40)
	c.Index(t, "bridge", all...)
	q := method.Question{Text: "who learned to draw above a bakery?", Budget: 12_000}
	want := docs(c.Evidence(t, "naive", q))
	if got := docs(c.Evidence(t, "bridge", q)); !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if got := docs(c.Evidence(t, "bridge:gate=0,terse=0", q)); slices.Equal(got, want) {
		t.Error("an open gate changes nothing")
	}
	// Here no hit has them all.
	q.Text = "who learned to draw bees?"
	if slices.Equal(docs(c.Evidence(t, "bridge:cover=0,terse=0", q)), docs(c.Evidence(t, "naive", q))) {
		t.Error("what no hit has does not open the bridge")
	}
	// The question says too little for a second step.
	if got, want := docs(c.Evidence(t, "bridge", q)), docs(c.Evidence(t, "naive", q)); !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// TestModelOfMeaning: with a model's vectors a question without names has the
// nearest passages among the first, n of them among the first 2n, however few
// words they share with it. A question whose names open the bridge keeps the sum,
// and so does each question with ragdb's own vectors, of words.
func TestModelOfMeaning(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(3, 40)
	all, questions := hops(5, 40)
	plain := method.Question{Text: "the old harbour, its bridges and who built the tower " + strings.ToLower(docs[7].Text[:60])}
	named := method.Question{Text: questions[0].question}
	kept := func(c *ragtest.Corpus, q method.Question) bool {
		dense, have := c.Evidence(t, "dense", q).Items(), c.Evidence(t, "bridge", q).Items()
		if len(dense) < 10 || len(have) < 20 {
			t.Fatalf("%d and %d passages are too few to compare", len(dense), len(have))
		}
		for n := 1; n <= 10; n++ {
			for _, it := range dense[:n] {
				if !slices.ContainsFunc(have[:2*n], func(x rag.Cited) bool { return x.Keys[0] == it.Keys[0] }) {
					return false
				}
			}
		}
		return true
	}
	model := open(t)
	model.Index(t, "bridge", append(docs, all...)...)
	if !kept(model, plain) {
		t.Error("the model's nearest passages are not among the first")
	}
	if kept(model, named) {
		t.Error("the model's nearest passages have places beside a bridge")
	}
	words := openWords(t)
	words.Index(t, "bridge", append(docs, all...)...)
	if kept(words, plain) {
		t.Error("ragdb's own vectors got places, which changes the order of bridge without a model")
	}
}

// TestFirstStays keeps naive's first hit first.
func TestFirstStays(t *testing.T) {
	t.Parallel()
	c := open(t)
	all, questions := hops(3, 40)
	c.Index(t, "bridge", all...)
	for _, q := range questions {
		q := method.Question{Text: q.question}
		first := docs(c.Evidence(t, "naive", q))[0]
		for _, spec := range []string{"bridge:gate=0", "bridge:ppr=on"} {
			if got := docs(c.Evidence(t, spec, q))[0]; got != first {
				t.Errorf("%s: %s: %s is first, not %s", spec, q.Text, got, first)
			}
		}
	}
}

// TestFormula computes a ranking by hand from naive's scores and the names.
func TestFormula(t *testing.T) {
	t.Parallel()
	c := openWords(t)
	c.Index(t, "bridge",
		ragtest.Doc{Key: "film.md", Text: "# Vexo Runa\n\nVexo Runa is a drama by Tilo Barat.\n"},
		ragtest.Doc{Key: "person.md", Text: "# Tilo Barat\n\nTilo Barat was born in Moxu.\n"},
		ragtest.Doc{Key: "guest.md", Text: "# Guests\n\nIn summer the guests were born elsewhere, said Tilo Barat.\n"},
		ragtest.Doc{Key: "rest.md", Text: "# The rest\n\nThere is nothing else.\n"},
	)
	q := method.Question{Text: "Where was the maker of Vexo Runa born?"}
	score := func(spec string) map[string]float64 {
		out := map[string]float64{}
		for _, it := range c.Evidence(t, spec, q).Items() {
			out[method.DocOf(it.Keys[0])] = it.Score
		}
		return out
	}
	// s0 is naive's score from 0 to 1; the documents' words in the question are
	// vexo, runa (1 of 4 each) and born (2 of 4): maker is nobody's. The film is the
	// hit about Vexo Runa: it gets 1.
	s0 := score("naive")
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range s0 {
		low, high = min(low, s), max(high, s)
	}
	for doc := range s0 {
		s0[doc] = (s0[doc] - low) / (high - low)
	}
	s0["film.md"] = 1
	idf1, idf2 := math.Log(1+3.5/1.5), math.Log(2)
	mass := 2*idf1 + idf2
	// From each hit by the name Tilo Barat, which three have: wholly about it
	// is person.md, where it opens a line; a quarter film.md and guest.md. The film
	// lacks born, which both others have; these lack the film's name.
	best := map[string]float64{}
	for _, way := range []struct {
		from, to    string
		about, gain float64
	}{
		{"film.md", "person.md", 1, 1}, {"film.md", "guest.md", 0.25, 1},
		{"person.md", "film.md", 0.25, 1}, {"person.md", "guest.md", 0.25, 0},
		{"guest.md", "film.md", 0.25, 1}, {"guest.md", "person.md", 1, 0},
	} {
		a := s0[way.from]
		if way.from != "film.md" {
			a *= 0.3 // they do not name Vexo Runa
		}
		best[way.to] = max(best[way.to], a*way.about/math.Sqrt(3)*(1+0.1*s0[way.to])*(0.3+way.gain))
	}
	most := slices.Max(slices.Collect(maps.Values(best)))
	for doc := range best {
		best[doc] /= most
	}
	// Second ways add no word: from person.md, of 1, by a quarter to the others, from
	// these by all of it to person.md. The greatest has the half that hop2 is.
	second := map[string]float64{
		"person.md": max(best["film.md"], best["guest.md"]) * (1 + 0.1*s0["person.md"]),
		"film.md":   0.25 * (1 + 0.1*s0["film.md"]),
		"guest.md":  0.25 * (1 + 0.1*s0["guest.md"]),
	}
	most = slices.Max(slices.Collect(maps.Values(second)))
	for doc, v := range second {
		best[doc] = max(best[doc], 0.5*v/most)
	}
	best["film.md"] = max(best["film.md"], 0.5) // back from person.md
	// The film has its name, 2 * idf1, and named is the same.
	held := 2 * idf1 / mass
	for spec, gate := range map[string]float64{"bridge": 1, "bridge:gate=0.5": 1 - held + 0.5*held} {
		got := score(spec)
		for doc, s := range s0 {
			want := s + (1-s)*best[doc]*gate
			if math.Abs(got[doc]-want) > 1e-6 {
				t.Errorf("%s: %s scores %.6f, want %.6f", spec, doc, got[doc], want)
			}
		}
	}
}

// TestHistory compares a corpus that documents came to and left with one that
// was indexed at once. Scores are equal; where they are, places may differ, as
// ids do.
func TestHistory(t *testing.T) {
	t.Parallel()
	all, questions := hops(4, 40)
	others, _ := hops(5, 20)
	for i := range others {
		others[i].Key = "gone/" + others[i].Key
	}
	fresh, grown := open(t), open(t)
	fresh.Index(t, "bridge", all...)
	changed := slices.Clone(all[:50])
	for i := range 10 {
		changed[i].Text = strings.ToUpper(changed[i].Text)
	}
	grown.Index(t, "bridge", append(changed, others...)...)
	for _, d := range others[:30] {
		grown.Remove(t, d.Key)
	}
	grown.Index(t, "bridge", all...)
	for _, d := range others[30:] {
		grown.Remove(t, d.Key)
	}
	scores := func(c *ragtest.Corpus, q method.Question) []string {
		var out []string
		for _, it := range c.Evidence(t, "bridge", q).Items() {
			out = append(out, fmt.Sprintf("%.9f %s", it.Score, it.Keys[0]))
		}
		slices.Sort(out)
		return out
	}
	for _, q := range questions {
		q := method.Question{Text: q.question}
		if want, got := scores(fresh, q), scores(grown, q); !slices.Equal(got, want) {
			t.Fatalf("%s\n got %v\nwant %v", q.Text, got, want)
		}
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	c := open(t)
	all, questions := hops(6, 30)
	c.Index(t, "bridge", all...)
	for _, budget := range []int{1, 20, 60, 200, 1000, 100_000} {
		q := method.Question{Text: questions[0].question, Budget: budget}
		ev := c.Evidence(t, "bridge", q)
		used := 0
		for _, it := range ev.Items() {
			used += c.Tokens().Count(it.Text + "\n")
		}
		if ev.Tokens > budget || used > budget {
			t.Errorf("a budget of %d: %d tokens used, %d counted", budget, ev.Tokens, used)
		}
		if budget == 100_000 && len(ev.Items()) != 90 {
			t.Errorf("%d items of 90 chunks", len(ev.Items()))
		}
	}
}

// TestFilter refuses the documents that a bridge would lead to, then those that
// it would start from.
func TestFilter(t *testing.T) {
	t.Parallel()
	c := open(t)
	all, questions := hops(7, 30)
	c.Index(t, "bridge", all...)
	for _, refused := range []string{"person", "film"} {
		where, err := cypher.ParseWhere(fmt.Sprintf("kind <> %q", refused))
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range questions[:10] {
			ev := c.Evidence(t, "bridge", method.Question{Text: q.question, Where: where, Budget: 12_000})
			if len(ev.Items()) != 60 {
				t.Errorf("%d items, want 60", len(ev.Items()))
			}
			for _, doc := range docs(ev) {
				if strings.HasPrefix(doc, refused) {
					t.Fatalf("%s is in the evidence", doc)
				}
			}
		}
	}
}

// TestProof looks at what tells how a chunk was found.
func TestProof(t *testing.T) {
	t.Parallel()
	c := open(t)
	all, questions := hops(8, 30)
	c.Index(t, "bridge", all...)
	q := questions[0]
	ev := c.Evidence(t, "bridge", method.Question{Text: q.question})
	second := ev.Items()[1]
	if method.DocOf(second.Keys[0]) != q.person || !slices.Equal(second.Chunks, second.Keys) || len(second.Spans) != 1 || second.Spans[0].Doc != q.person {
		t.Errorf("%s is second, rests on %v, stands in %v", second.Keys, second.Chunks, second.Spans)
	}
	film := ev.Items()[0]
	i := slices.IndexFunc(second.Why, func(s query.Step) bool { return s.Op == "bridge" })
	if i < 0 || second.Why[i].From != film.Ref() || !strings.Contains(strings.ToLower(second.Text), strings.Trim(second.Why[i].Note, `"`)) {
		t.Errorf("why: %v", second.Why)
	}
	var lost []string
	for _, f := range ev.Trace.Why(second.Ref()) {
		if f.Lost {
			lost = append(lost, f.Op)
		}
	}
	if len(lost) != 0 {
		t.Errorf("lost at %v", lost)
	}
	var plan strings.Builder
	m := c.OpenModels(t)
	p, err := c.System(t, "bridge").Plan(t.Context(), m, method.Question{Text: "Who?"})
	if err != nil {
		t.Fatal(err)
	}
	if err := query.Explain(&plan, p.Op()); err != nil {
		t.Fatal(err)
	}
	const set = "cl100k/300/0/paragraph"
	want := `1 Sections
  2 Pack(section=text, budget=4000, overflow=stop)
    3 Bridge(graph=base, names=names:` + set + `, starts=10, lambda=1, floor=0.3, own=0.1, anchor=0.3, title=1, hop2=0.5, back=0.5, gate=1.5, terse=3, cover=0.5)   -- names that the question lacks
      4 Rescale   -- first hits, as naive's
        5 Union(combine=z-sum)
          6 VectorSearch(graph=base, space=chunk:` + set + `@hashes, k=400)
          7 TextSearch(graph=base, field=text:` + set + `, beside=[path:` + set + `:0.4], k=400)
      (6 again)
`
	if plan.String() != want {
		t.Errorf("the plan is\n%s\nwant\n%s", plan.String(), want)
	}
}

func TestParams(t *testing.T) {
	t.Parallel()
	c := open(t)
	for spec, want := range map[string]string{
		"bridge:colour=red":  `no parameter "colour"; there are anchor, back, chunks, cover, delta, gate, hop2, k, lambda, own, ppr, style, terse, title`,
		"bridge:k=0":         "k=0: a number from 1 to 400",
		"bridge:lambda=-1":   "lambda=-1: a number from 0 to 1",
		"bridge:delta=1.5":   "delta=1.5: a number from 0 to 1",
		"bridge:own=2":       "own=2: a number from 0 to 1",
		"bridge:anchor=NaN":  "anchor=NaN: a number from 0 to 1",
		"bridge:gate=x":      "gate=x: a number from 0 to 100",
		"bridge:title=2":     "title=2: a number from 0 to 1",
		"bridge:hop2=3":      "hop2=3: a number from 0 to 1",
		"bridge:back=-1":     "back=-1: a number from 0 to 1",
		"bridge:cover=11":    "cover=11: a number from 0 to 10",
		"bridge:ppr=maybe":   "ppr=maybe: one of off, on",
		"bridge:chunks=word": "chunks=word: ",
	} {
		s, err := method.ParseSpec(spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = c.Methods.Open(t.Context(), c.Corpus.Docs(), s); !errors.Is(err, method.ErrMethod) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
	sys := c.System(t, "bridge:k=010,ppr=on,chunks=cl100k/600/0/paragraph")
	if got := sys.Instance(); got != "bridge#chunks=cl100k/600/0/paragraph" {
		t.Errorf("the instance is %s", got)
	}
	if p := sys.Params(); p["k"] != "10" || p["ppr"] != "on" || p["lambda"] != "1" {
		t.Errorf("the parameters are %v", p)
	}
}
