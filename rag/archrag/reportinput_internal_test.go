package archrag

import (
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// TestReportInput: a report of level 2 is made of those of level 1, the best rated first,
// and of the entities below them if 200 tokens are left; one of level 1 is made of its
// entities alone. A community without a report tells nothing.
func TestReportInput(t *testing.T) {
	t.Parallel()
	like := map[string]float32{"a": .1, "b": .2, "c": .3, "d": .4}
	parent := map[string]string{"a": "1/a", "b": "1/a", "c": "1/c", "d": "1/d", "1/a": "2/x", "1/c": "2/x", "1/d": "2/x"}
	s, c := toldBy(t, nil, like, parent)
	type report struct {
		words  int // of the summary; the title and the colon are two tokens
		rating float64
	}
	for _, x := range []struct {
		name              string
		level             int
		of                string
		a, c, d           report
		reports, entities string
	}{
		{"level 1", 1, "1/a", report{9, 1}, report{9, 2}, report{9, 3}, "", "a b"},
		{"the best first", 2, "2/x", report{9, 1}, report{9, 3}, report{9, 2}, "c d a", "a b c d"},
		{"equals by their text", 2, "2/x", report{9, 2}, report{9, 2}, report{9, 2}, "a c d", "a b c d"},
		{"one without", 2, "2/x", report{9, 1}, report{}, report{9, 2}, "d a", "a b c d"},
		{"none", 2, "2/x", report{}, report{}, report{}, "", "a b c d"},
		{"199 left", 2, "2/x", report{reportTokens - 2 - 199, 1}, report{}, report{}, "a", ""},
		{"200 left", 2, "2/x", report{reportTokens - 2 - 200, 1}, report{}, report{}, "a", "a b c d"},
		{"nothing left", 2, "2/x", report{reportTokens - 2, 1}, report{}, report{}, "a", ""},
		{"one that does not fit", 2, "2/x", report{reportTokens - 2, 2}, report{9, 3}, report{9, 1}, "c", ""},
	} {
		in := struct{ reports, entities []string }{}
		err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			v := tx.Graph(s.g)
			typ, err := v.MakeNodeType(typeCommunity)
			if err != nil {
				return err
			}
			for key, r := range map[string]report{"1/a": x.a, "1/c": x.c, "1/d": x.d} {
				id, err := v.Lookup(typ, key)
				if err != nil {
					return err
				}
				p := engine.Props{propTitle: {}, propReport: {}, propRating: {}}
				if r.words > 0 {
					title, summary := key[2:], "word"+strings.Repeat(" word", r.words-1)
					if n := s.c.Tokens().Count(title + ": " + summary); n != r.words+2 {
						t.Fatalf("%d tokens, want %d", n, r.words+2)
					}
					p = engine.Props{propTitle: engine.String(title), propReport: engine.String(summary), propRating: engine.Float(r.rating)}
				}
				if err := v.SetProps(id, p); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		c.View(t, Name, func(v *engine.View) error {
			typ, _ := v.NodeType(typeCommunity)
			id, err := v.Lookup(typ, x.of)
			if err != nil {
				return err
			}
			got, err := s.reportInput(v, id, x.level, newMemo())
			for _, text := range got.Reports {
				title, _, _ := strings.Cut(text, ":")
				in.reports = append(in.reports, title)
			}
			for _, e := range got.Entities {
				in.entities = append(in.entities, e.Name)
			}
			return err
		})
		slices.Sort(in.entities)
		if r, e := strings.Join(in.reports, " "), strings.Join(in.entities, " "); r != x.reports || e != x.entities {
			t.Errorf("%s: reports %q, entities %q, want %q, %q", x.name, r, e, x.reports, x.entities)
		}
	}
}
