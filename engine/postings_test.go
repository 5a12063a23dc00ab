package engine_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/layout"
)

// termsModel is a field as a map, searched node by node.
type termsModel map[engine.NodeID][]text.Term

// freq counts a term in a node.
func (m termsModel) freq(id engine.NodeID, term string) (n int) {
	for _, x := range m[id] {
		if x.Text == term {
			n++
		}
	}
	return n
}

// score is BM25 by its formula, term by term.
func (m termsModel) score(id engine.NodeID, q []string, k1, b float64) (score float64) {
	words := 0
	for _, terms := range m {
		words += len(terms)
	}
	n, avg := float64(len(m)), float64(words)/float64(len(m))
	for _, term := range q {
		df := 0.0
		for other := range m {
			if m.freq(other, term) > 0 {
				df++
			}
		}
		f := float64(m.freq(id, term))
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		score += idf * f * (k1 + 1) / (f + k1*(1-b+b*float64(len(m[id]))/avg))
	}
	return score
}

// hasPhrase scans a node for words at consecutive positions.
func (m termsModel) hasPhrase(id engine.NodeID, words []string) bool {
	at := func(pos uint32, word string) bool {
		return slices.Contains(m[id], text.Term{Text: word, Pos: pos})
	}
	for _, start := range m[id] {
		all := len(words) > 0
		for i, word := range words {
			all = all && at(start.Pos+uint32(i), word)
		}
		if all {
			return true
		}
	}
	return false
}

func (m termsModel) ids() []engine.NodeID { return slices.Sorted(maps.Keys(m)) }

const modelWords = 12

func randomWord(r *rand.Rand) string {
	// Low numbers are frequent; the words share beginnings and hold NUL.
	return strings.Repeat("w\x00", 1) + string(rune('a'+min(r.IntN(modelWords), r.IntN(modelWords))))
}

func randomTerms(r *rand.Rand) []text.Term {
	var out []text.Term
	pos := uint32(0)
	for range r.IntN(15) {
		out = append(out, text.Term{Text: randomWord(r), Pos: pos})
		if r.IntN(5) == 0 { // two terms in one place
			out = append(out, text.Term{Text: randomWord(r), Pos: pos})
		}
		pos += 1 + uint32(r.IntN(1<<r.IntN(3)))
	}
	if r.IntN(4) == 0 {
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

func randomQuery(r *rand.Rand, n int) []string {
	q := make([]string, r.IntN(n+1))
	for i := range q {
		if q[i] = randomWord(r); r.IntN(20) == 0 {
			q[i] = "unknown"
		}
	}
	return q
}

// checkTerms compares everything a field tells with the model.
func checkTerms(t *testing.T, r *rand.Rand, v *engine.View, field string, fields map[string]termsModel) {
	t.Helper()
	m := fields[field]
	checkLexicon(t, v, field, m)
	for range 6 {
		q := randomQuery(r, 6)
		o := engine.TermsOptions{K: r.IntN(6), K1: []float64{0, 1.2}[r.IntN(2)], B: []float64{0, 0.75}[r.IntN(2)]}
		if r.IntN(2) == 0 {
			o.Allow = roaring.New()
			for _, m := range fields {
				for id := range m {
					if r.IntN(3) > 0 {
						o.Allow.Add(uint32(id))
					}
				}
			}
		}
		for range r.IntN(4) {
			name := []string{"body", "title", "none"}[r.IntN(3)]
			o.Beside = append(o.Beside, engine.FieldWeight{Field: name, Weight: math.Exp(3 * r.NormFloat64()), B: []float64{0, 1, r.Float64()}[r.IntN(3)]})
		}
		checkRanked(t, v, field, fields, q, o)
	}
	if o, err := v.FieldInfo(field); err != nil || !o.Positions {
		return
	}
	for range 10 {
		words := randomQuery(r, 4)
		rb, err := v.Phrase(field, words)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []engine.NodeID
		for it := rb.Iterator(); it.HasNext(); {
			got = append(got, engine.NodeID(it.Next()))
		}
		for _, id := range m.ids() {
			if m.hasPhrase(id, words) {
				want = append(want, id)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("phrase %q is in %v, want %v", words, got, want)
		}
	}
}

// checkRanked compares a ranked search with scores by the formula.
func checkRanked(t *testing.T, v *engine.View, field string, fields map[string]termsModel, q []string, o engine.TermsOptions) {
	t.Helper()
	got, err := v.Terms(field, q, o)
	if err != nil {
		t.Fatal(err)
	}
	want := map[engine.NodeID]float64{}
	for _, f := range append([]engine.FieldWeight{{Field: field, Weight: 1, B: o.B}}, o.Beside...) {
		m := fields[f.Field]
		for id := range m {
			s := m.score(id, q, cmp.Or(o.K1, 0.9), cmp.Or(f.B, 0.4))
			if s > 0 && (o.Allow == nil || o.Allow.Contains(uint32(id))) {
				want[id] += f.Weight * s
			}
		}
	}
	n := len(want)
	if o.K > 0 {
		n = min(n, o.K)
	}
	if len(got) != n {
		t.Fatalf("%q: %d results, want %d", q, len(got), n)
	}
	for i, x := range got {
		if s, ok := want[x.ID]; !ok || math.Abs(s-x.Score) > 1e-9*max(1, s) {
			t.Fatalf("%q: node %d scores %v, want %v", q, x.ID, x.Score, s)
		}
		delete(want, x.ID)
		if i > 0 && (got[i-1].Score < x.Score || got[i-1].Score == x.Score && got[i-1].ID >= x.ID) {
			t.Fatalf("%q: %v is before %v", q, got[i-1], x)
		}
	}
	for id, s := range want {
		if s > got[n-1].Score*(1+1e-9)+1e-9 {
			t.Fatalf("%q: node %d scores %v and is not among %v", q, id, s, got)
		}
	}
	all := o
	all.K = 0
	if whole, err := v.Terms(field, q, all); err != nil || !slices.Equal(whole[:n], got) {
		t.Fatalf("%q: the first %d of all are %v, want %v (%v)", q, n, whole[:n], got, err)
	}
}

// checkLexicon compares the counts and lists of a field with the model.
func checkLexicon(t *testing.T, v *engine.View, field string, m termsModel) {
	t.Helper()
	type entry struct {
		engine.TermStats
		postings []engine.Posting
	}
	want := map[string]*entry{}
	total := engine.TermStats{Nodes: uint64(len(m))}
	for _, id := range m.ids() {
		total.Occurrences += uint64(len(m[id]))
		var list []engine.TermFreq
		seen := map[string]bool{}
		for _, x := range m[id] {
			seen[x.Text] = true
		}
		for _, term := range slices.Sorted(maps.Keys(seen)) {
			f := m.freq(id, term)
			if want[term] == nil {
				want[term] = &entry{}
			}
			e := want[term]
			e.Nodes++
			e.Occurrences += uint64(f)
			e.postings = append(e.postings, engine.Posting{ID: id, Freq: uint32(f), Words: uint32(len(m[id]))})
			list = append(list, engine.TermFreq{Term: term, Freq: uint32(f)})
		}
		if got, err := v.TermsOf(field, id); err != nil || !slices.Equal(got, list) {
			t.Fatalf("terms of %d are %v (%v), want %v", id, got, err, list)
		}
	}
	if got, err := v.FieldStats(field); err != nil || got != total {
		t.Fatalf("field has %+v (%v), want %+v", got, err, total)
	}
	var terms []string
	for e, err := range v.EachTerm(field) {
		if err != nil {
			t.Fatal(err)
		}
		terms = append(terms, e.Term)
		if w := want[e.Term]; w == nil || w.TermStats != e.TermStats {
			t.Fatalf("term %+v, want %+v", e, w)
		}
		if s, err := v.TermStats(field, e.Term); err != nil || s != e.TermStats {
			t.Fatalf("%q: %+v (%v), want %+v", e.Term, s, err, e.TermStats)
		}
		var postings []engine.Posting
		for p, err := range v.Postings(field, e.Term) {
			if err != nil {
				t.Fatal(err)
			}
			postings = append(postings, p)
		}
		if !slices.Equal(postings, want[e.Term].postings) {
			t.Fatalf("%q is in %v, want %v", e.Term, postings, want[e.Term].postings)
		}
	}
	if sorted := slices.Sorted(maps.Keys(want)); !slices.Equal(terms, sorted) {
		t.Fatalf("terms are %q, want %q", terms, sorted)
	}
}

// wantNoTerms fails the test unless nothing is left of any terms.
func wantNoTerms(t *testing.T, g *engine.Graph, eachKey func(tag layout.Tag, fn func(key, value []byte))) {
	t.Helper()
	eachKey(layout.TagPostings, func(key, value []byte) {
		if n, err := layout.PostingsLen(value); n != 0 || err != nil {
			t.Errorf("%s holds %d postings after the deletion of all (%v)", layout.Format(key), n, err)
		}
	})
	eachKey(layout.TagLexSum, func(key, value []byte) {
		var n [2]int64
		if ok := layout.ReadSum(value, n[:]); !ok || n != [2]int64{} {
			t.Errorf("%s is %d after the deletion of all", layout.Format(key), n)
		}
	})
	eachKey(layout.TagTermsOf, func(key, _ []byte) {
		t.Errorf("%s is there after the deletion of all", layout.Format(key))
	})
}

// TestRandomTerms holds postings and what is read from them against a model,
// over random transactions. The nodes lie on both sides of a container's
// border.
func TestRandomTerms(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		const seed, nodes, border = 21, 24, 1 << 16
		r := rand.New(rand.NewPCG(1, seed))
		t.Logf("seed %d", seed)
		o, store := captured(o)
		g := graph(t, open(t, o), engine.Base)
		rounds := 40
		if *long {
			rounds = 1000
		}
		fields := []string{"body", "title"}
		model := map[string]termsModel{"body": {}, "title": {}}
		var typ engine.TypeID
		ids := make([]engine.NodeID, nodes)
		add := func(v *engine.TxView, key int) {
			var err error
			if ids[key], _, err = v.PutNode(typ, fmt.Sprint(key), nil); err != nil {
				t.Fatal(err)
			}
		}
		update(t, g, func(v *engine.TxView) {
			var err error
			if typ, err = v.MakeNodeType("t"); err != nil {
				t.Fatal(err)
			}
			for _, field := range fields {
				if err := v.MakeField(field, engine.FieldOptions{Positions: field == "body"}); err != nil {
					t.Fatal(err)
				}
			}
			for key := range nodes / 2 {
				add(v, key)
			}
		})
		update(t, g, func(v *engine.TxView) {
			for i := range border - nodes/2 - 4 {
				if _, _, err := v.PutNode(typ, fmt.Sprint("filler", i), nil); err != nil {
					t.Fatal(err)
				}
			}
		})
		update(t, g, func(v *engine.TxView) {
			for key := nodes / 2; key < nodes; key++ {
				add(v, key)
			}
			if ids[nodes-1] <= border {
				t.Fatalf("node %d is not beyond the border", ids[nodes-1])
			}
		})
		failed := errors.New("the transaction fails")
		for round := range rounds {
			next := map[string]termsModel{"body": maps.Clone(model["body"]), "title": maps.Clone(model["title"])}
			fail := r.IntN(6) == 0
			before := slices.Clone(ids)
			err := g.DB().Update(t.Context(), func(tx *engine.Tx) error {
				v := tx.Graph(g)
				for range r.IntN(12) {
					key, field := r.IntN(nodes), fields[r.IntN(2)]
					switch r.IntN(8) {
					case 0:
						if err := v.DeleteTerms(field, ids[key]); err != nil {
							return err
						}
						delete(next[field], ids[key])
					case 1:
						if _, err := v.DeleteNode(ids[key]); err != nil {
							return err
						}
						for _, m := range next {
							delete(m, ids[key])
						}
						add(v, key) // under a new id
					default:
						terms := randomTerms(r)
						if err := v.PutTerms(field, ids[key], slices.Clone(terms)); err != nil {
							return err
						}
						if next[field][ids[key]] = terms; len(terms) == 0 {
							delete(next[field], ids[key])
						}
					}
				}
				if fail {
					return failed
				}
				return nil
			})
			switch {
			case fail && errors.Is(err, failed):
				ids = before
			case err != nil:
				t.Fatal(err)
			default:
				model = next
			}
			if round%4 == 0 {
				view(t, g, func(v *engine.View) {
					for _, field := range fields {
						checkTerms(t, r, v, field, model)
					}
				})
			}
		}
		update(t, g, func(v *engine.TxView) {
			for i, id := range ids {
				var err error
				if i%2 == 0 {
					_, err = v.DeleteNode(id)
				} else {
					err = errors.Join(v.PutTerms("body", id, nil), v.DeleteTerms("title", id))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		})
		wantNoTerms(t, g, func(tag layout.Tag, fn func(key, value []byte)) { eachKey(t, *store, g, tag, fn) })
		view(t, g, func(v *engine.View) {
			for _, field := range fields {
				checkTerms(t, r, v, field, nil)
			}
		})
	})
}

// TestTermsInTransaction says what a transaction's own terms do and show.
func TestTermsInTransaction(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		g := graph(t, open(t, o), engine.Base)
		var id engine.NodeID
		put := func(v *engine.TxView, words string) {
			t.Helper()
			if err := v.PutTerms("f", id, text.Exact{}.Terms(words)); err != nil {
				t.Fatal(err)
			}
		}
		hits := func(v engine.Reader, word string) int {
			t.Helper()
			found, err := v.Terms("f", []string{word}, engine.TermsOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return len(found)
		}
		err := g.DB().Update(t.Context(), func(tx *engine.Tx) error {
			v := tx.Graph(g)
			typ, err := v.MakeNodeType("t")
			if err != nil {
				t.Fatal(err)
			}
			if id, _, err = v.PutNode(typ, "k", nil); err != nil {
				t.Fatal(err)
			}
			if err := v.MakeField("f", engine.FieldOptions{Analyzer: "exact.v1", Positions: true}); err != nil {
				t.Fatal(err)
			}
			small := tx.Bytes()
			put(v, "one two two")
			if grown := tx.Bytes() - small; grown < 100 {
				t.Errorf("three words add %d bytes to the transaction", grown)
			}
			if n := hits(v, "one"); n != 0 {
				t.Errorf("a transaction finds %d of its own terms", n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		update(t, g, func(v *engine.TxView) {
			version, err := v.Version()
			if err != nil {
				t.Fatal(err)
			}
			put(v, "two three")
			put(v, "three four")
			if n := hits(v, "one"); n != 1 {
				t.Errorf("a transaction finds %d of what it replaces", n)
			}
			if list, err := v.TermsOf("f", id); err != nil || len(list) != 2 || list[1] != (engine.TermFreq{Term: "two", Freq: 2}) {
				t.Errorf("a transaction lists %v (%v)", list, err)
			}
			if now, err := v.Version(); err != nil || now != version {
				t.Errorf("terms move the version from %d to %d (%v)", version, now, err)
			}
		})
		view(t, g, func(v *engine.View) {
			for word, want := range map[string]int{"one": 0, "two": 0, "three": 1, "four": 1} {
				if n := hits(v, word); n != want {
					t.Errorf("%q is found %d times", word, n)
				}
				if s, err := v.TermStats("f", word); err != nil || s != (engine.TermStats{Nodes: uint64(want), Occurrences: uint64(want)}) {
					t.Errorf("%q has %+v (%v)", word, s, err)
				}
			}
			if s, err := v.FieldStats("f"); err != nil || s != (engine.TermStats{Nodes: 1, Occurrences: 2}) {
				t.Errorf("field has %+v (%v)", s, err)
			}
		})
	})
}

func TestFields(t *testing.T) {
	dir := t.TempDir()
	db, err := engine.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := graph(t, db, engine.Base)
	exact := engine.FieldOptions{Analyzer: "exact.v1", Positions: true}
	update(t, g, func(v *engine.TxView) {
		typ, err := v.MakeNodeType("t")
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := v.PutNode(typ, "k", nil); err != nil {
			t.Fatal(err)
		}
		for name, o := range map[string]engine.FieldOptions{"names": exact, "body": {}} {
			for range 2 { // the same again is not an error
				if err := v.MakeField(name, o); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := v.MakeIndex("lang"); err != nil {
			t.Fatal(err)
		}
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = engine.Open(t.Context(), dir, nil); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	g = graph(t, db, engine.Base)
	view(t, g, func(v *engine.View) {
		if got := v.Fields(); !slices.Equal(got, []string{"body", "names"}) {
			t.Errorf("fields %v", got)
		}
		if got := v.Indexes(); !slices.Equal(got, []string{"lang"}) {
			t.Errorf("indexes %v", got)
		}
		if o, err := v.FieldInfo("names"); err != nil || o != exact {
			t.Errorf("names is %+v, %v", o, err)
		}
		if o, err := v.FieldInfo("body"); err != nil || o != (engine.FieldOptions{Analyzer: "standard.v1"}) {
			t.Errorf("body is %+v, %v", o, err)
		}
		if _, err := v.Phrase("body", []string{"a", "b"}); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("a phrase without positions: %v", err)
		}
		for name, err := range map[string]error{
			"info":   second(v.FieldInfo("none")),
			"terms":  second(v.Terms("none", nil, engine.TermsOptions{})),
			"phrase": second(v.Phrase("none", nil)),
			"stats":  second(v.FieldStats("none")),
			"term":   second(v.TermStats("none", "x")),
			"of":     second(v.TermsOf("none", 1)),
		} {
			if !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("%s of an unknown field: %v", name, err)
			}
		}
		for name, o := range map[string]engine.TermsOptions{
			"K": {K: -1}, "K1": {K1: -1}, "K1 NaN": {K1: math.NaN()}, "K1 Inf": {K1: math.Inf(1)},
			"B": {B: 1.5}, "B below": {B: -0.1}, "B NaN": {B: math.NaN()},
			"no weight":       {Beside: []engine.FieldWeight{{Field: "names"}}},
			"weight below 0":  {Beside: []engine.FieldWeight{{Field: "names", Weight: -1}}},
			"weight NaN":      {Beside: []engine.FieldWeight{{Field: "names", Weight: math.NaN()}}},
			"weight Inf":      {Beside: []engine.FieldWeight{{Field: "names", Weight: math.Inf(1)}}},
			"tiny weight":     {Beside: []engine.FieldWeight{{Field: "names", Weight: 9e-7}}},
			"B beside":        {Beside: []engine.FieldWeight{{Field: "names", Weight: 1}, {Field: "names", Weight: 1, B: 2}}},
			"B beside NaN":    {Beside: []engine.FieldWeight{{Field: "none", Weight: 1, B: math.NaN()}}},
			"no field beside": {Beside: []engine.FieldWeight{{Weight: 1}}},
		} {
			if _, err := v.Terms("body", []string{"x"}, o); !errors.Is(err, engine.ErrInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	update(t, g, func(v *engine.TxView) {
		word := []text.Term{{Text: "x"}}
		for name, c := range map[string]struct{ err, want error }{
			"other options":  {v.MakeField("names", engine.FieldOptions{}), engine.ErrExists},
			"no name":        {v.MakeField("", exact), engine.ErrInvalid},
			"analyzer":       {v.MakeField("new", engine.FieldOptions{Analyzer: "a\x00"}), engine.ErrInvalid},
			"unknown field":  {v.PutTerms("none", 1, word), engine.ErrNotFound},
			"unknown node":   {v.PutTerms("body", 7, word), engine.ErrNotFound},
			"delete":         {v.DeleteTerms("none", 1), engine.ErrNotFound},
			"delete nothing": {v.DeleteTerms("body", 7), nil},
			"empty term":     {v.PutTerms("body", 1, []text.Term{{Text: ""}}), engine.ErrInvalid},
			"long term":      {v.PutTerms("body", 1, []text.Term{{Text: strings.Repeat("x", 2000)}}), engine.ErrInvalid},
		} {
			if !errors.Is(c.err, c.want) {
				t.Errorf("%s: %v, want %v", name, c.err, c.want)
			}
		}
		if got := v.Fields(); !slices.Equal(got, []string{"body", "names"}) {
			t.Errorf("refused calls made fields: %v", got)
		}
	})
}

// second returns the error of a call.
func second[T any](_ T, err error) error { return err }
