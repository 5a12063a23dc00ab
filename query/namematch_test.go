package query_test

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/vecindex"
)

// TestNameMatchFields compares with a scan of all names.
func TestNameMatchFields(t *testing.T) {
	t.Parallel()
	texts := append([]string{"in", "NEW", "york!", "(of)", "Times,", "newyork", "a"}, nameWords...)
	found := 0
	for seed := range seeds(120) {
		r := rand.New(rand.NewPCG(seed, 41))
		w := makeWorld(t, seed, r.IntN(25))
		var parts []string
		for range r.IntN(14) {
			parts = append(parts, texts[r.IntN(len(texts))])
		}
		allow := w.someNodes(r)
		e := w.env()
		if allow != nil {
			allowing(e, allow)
		}
		o := &query.NameMatch{Graph: w.g, Field: "name", Text: strings.Join(parts, " ")}
		if r.IntN(2) == 0 {
			o.Types = []string{"place", "unknown"}
		}
		var words []string
		for _, p := range parts {
			words = append(words, strings.ToLower(strings.Trim(p, "!(),")))
		}
		want := []row{}
		for i := 0; i < len(words); {
			longest := 0
			var ids []engine.NodeID
			for _, id := range w.nodes {
				name := w.names[id]
				if len(name) == 0 || len(name) < longest || i+len(name) > len(words) || allow != nil && !allow[id] ||
					o.Types != nil && w.kind[id] != "place" || !strings.EqualFold(strings.Join(name, " "), strings.Join(words[i:i+len(name)], " ")) {
					continue
				}
				if len(name) > longest {
					longest, ids = len(name), nil
				}
				ids = append(ids, id)
			}
			for _, id := range ids {
				if x := (row{graph: w.g.ID(), id: id, score: 1}); !slices.Contains(want, x) {
					want = append(want, x)
				}
			}
			i += max(1, longest)
		}
		got := run(t, e, o)
		same(t, seed, got, want)
		for _, it := range got.Items {
			found++
			note := strings.Trim(strings.ToLower(it.Why[0].Note), `"`)
			note = strings.NewReplacer("!", "", "(", "", ")", "", ",", "").Replace(note)
			if name := strings.ToLower(strings.Join(w.names[it.ID], " ")); it.Why[0].Op != "name" || note != name {
				t.Fatalf("seed %d: %q was found by %q", seed, name, note)
			}
		}
	}
	if found == 0 {
		t.Error("no name was found")
	}
}

func TestNameMatchTypes(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 12) // n6 and n9 are places
	at := func(i int) row { return row{graph: w.g.ID(), id: w.nodes[i], score: 1} }
	for _, tt := range []struct {
		name  string
		types []string
		want  []row
	}{
		{"all", nil, []row{at(9), at(2), at(6)}},
		{"one", []string{"place"}, []row{at(9), at(6)}},
		{"two", []string{"place", "thing", "unknown"}, []row{at(9), at(2), at(6)}},
		{"none", []string{}, []row{}},
	} {
		same(t, 1, run(t, w.env(), &query.NameMatch{Graph: w.g, Types: tt.types, Text: "n9 n2 n6"}), tt.want)
	}
	// A name of a node that may not be seen hides no shorter one.
	e := allowing(w.env(), map[engine.NodeID]bool{w.nodes[1]: true})
	e.Names = func(_ string, has func(string) bool) []string {
		if has("n2") {
			return []string{"n2"}
		}
		if has("n1") {
			return []string{"n1"}
		}
		return nil
	}
	same(t, 1, run(t, e, &query.NameMatch{Graph: w.g, Text: "n2"}), []row{at(1)})
}

// TestPhraseSearch compares with the regular expressions of NodeRAG's code.
func TestPhraseSearch(t *testing.T) {
	t.Parallel()
	for seed := range seeds(80) {
		r := rand.New(rand.NewPCG(seed, 42))
		w := makeWorld(t, seed, r.IntN(30))
		o := &query.PhraseSearch{Graph: w.g, Field: "name"}
		for range r.IntN(4) {
			words := []string{}
			for range r.IntN(4) {
				words = append(words, []string{"NEW", "york", "of", "times", "time"}[r.IntN(5)])
			}
			o.Phrases = append(o.Phrases, strings.Join(words, "  "))
		}
		if r.IntN(2) == 0 {
			o.Types = []string{"thing"}
		}
		allow := w.someNodes(r)
		e := w.env()
		if allow != nil {
			allowing(e, allow)
		}
		want, steps := []row{}, []int{}
		for _, id := range w.nodes {
			n := 0
			for _, p := range o.Phrases {
				if strings.TrimSpace(p) == "" {
					continue
				}
				var quoted []string
				for _, f := range strings.Fields(strings.ToLower(p)) {
					quoted = append(quoted, regexp.QuoteMeta(f))
				}
				re := regexp.MustCompile(`\b` + strings.Join(quoted, `\s+`) + `\b`)
				if re.MatchString(strings.ToLower(strings.Join(w.names[id], " "))) {
					n++
				}
			}
			if n > 0 && (allow == nil || allow[id]) && (o.Types == nil || w.kind[id] == "thing") {
				want, steps = append(want, row{graph: w.g.ID(), id: id, score: 1}), append(steps, n)
			}
		}
		got := run(t, e, o)
		same(t, seed, got, want)
		for i, it := range got.Items {
			if len(it.Why) != steps[i] {
				t.Fatalf("seed %d: node %d was found by %+v, want %d", seed, it.ID, it.Why, steps[i])
			}
		}
	}
}

func TestNamesRefuse(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 5)
	for _, op := range []query.Op{
		&query.NameMatch{Graph: w.g, Field: field, Text: "ash"},
		&query.PhraseSearch{Graph: w.g, Field: field, Phrases: []string{"ash"}},
	} {
		if _, err := query.Run(t.Context(), w.env(), op); !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), "standard.v1") {
			t.Errorf("%s: %v", op.Explain().Op, err)
		}
	}
	same(t, 1, run(t, w.env(), &query.Sections{In: []query.Op{
		&query.NameMatch{Graph: w.g, Field: "other", Text: "ash"},
		&query.PhraseSearch{Graph: w.g, Field: "other", Phrases: []string{"ash"}},
		&query.LayerSearch{Graph: w.g, Space: "other", Text: "1 1 1", Layers: []vecindex.LayerK{{K: 1}}},
		&query.LayerSearch{Graph: w.g, Space: flatLayers, Text: "1 1 1"},
	}}), []row{})
}

func TestLayerSearch(t *testing.T) {
	t.Parallel()
	for seed := range seeds(40) {
		r := rand.New(rand.NewPCG(seed, 43))
		w := makeWorld(t, seed, r.IntN(40))
		allow := w.someNodes(r)
		e := w.env()
		if allow != nil {
			allowing(e, allow)
		}
		q := "1 2 1"
		var layers []vecindex.LayerK
		for _, l := range r.Perm(4)[:1+r.IntN(4)] {
			layers = append(layers, vecindex.LayerK{Layer: uint8(l), K: r.IntN(6)})
		}
		want := []row{}
		for _, l := range layers {
			var found []row
			for id, layer := range w.layers {
				if s, _ := w.dot(vectorOf(q), id); layer == l.Layer && (allow == nil || allow[id]) {
					found = append(found, row{graph: w.g.ID(), id: id, score: s})
				}
			}
			slices.SortFunc(found, byScore)
			want = append(want, found[:min(l.K, len(found))]...)
		}
		for _, space := range []string{flatLayers, deepLayers} {
			got := run(t, e, &query.LayerSearch{Graph: w.g, Space: space, Text: q, Layers: layers})
			same(t, seed, got, want)
			for _, it := range got.Items {
				if it.Layer != w.layers[it.ID] || !strings.HasPrefix(it.Why[0].Note, space+", layer ") {
					t.Fatalf("seed %d: node %d of layer %d: %+v", seed, it.ID, w.layers[it.ID], it)
				}
			}
		}
	}
}
