package extractive_test

import (
	"context"
	"strings"
	"testing"
	"unicode"

	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/llm/local/internal/extractive"
)

// hostile makes texts of about n bytes that a rule with a second loop would be
// slow on.
var hostile = map[string]func(n int) []selection.Passage{
	"one sentence": func(n int) []selection.Passage {
		return one("The pump of model B costs " + strings.Repeat("much more ", n/10))
	},
	"pronouns": func(n int) []selection.Passage { return one(strings.Repeat("Ada built the pump. He sold it. ", n/32)) },
	"headings": func(n int) []selection.Passage {
		return one(strings.Repeat("## The pump of Ada\n\nIt costs 4.\n\n", n/33))
	},
	"questions": func(n int) []selection.Passage { return one(strings.Repeat("Who made the pump?\nAda did.\n", n/28)) },
	"names": func(n int) []selection.Passage {
		return one(strings.Repeat("Ada Kestrel met Olaf Brandt in Port Amber. ", n/43))
	},
	"brackets": func(n int) []selection.Passage { return one("The pump " + strings.Repeat("(a, [1 ", n/7)) },
	"code":     func(n int) []selection.Passage { return one(strings.Repeat("```\npump\n", n/9)) },
	"long title": func(n int) []selection.Passage {
		return []selection.Passage{{Title: strings.Repeat("pump ", n/10), Text: strings.Repeat("## A\n\nIt costs 4.\n\n", n/40)}}
	},
	"characters": func(n int) []selection.Passage { return one(strings.Repeat("水泵的价格是四百元。", n/30)) },
	"passages": func(n int) []selection.Passage {
		var out []selection.Passage
		for range n / 50 {
			out = append(out, selection.Passage{Title: "pump", Text: "The pump was made by Ada. She sold it."})
		}
		return out
	},
}

func one(s string) []selection.Passage { return []selection.Passage{{Text: s}} }

// TestHostileSizes: a sentence of a megabyte and ten thousand passages are
// answered, and a long question is read for its beginning.
func TestHostileSizes(t *testing.T) {
	long := "The price of the pump is 420 crowns " + strings.Repeat("and more ", 1<<17)
	if _, sel := answer(t, "What is the price of the pump?", one(long)); sel.Refusal == "" {
		checkProof(t, "price", one(long), sel)
	}
	many := hostile["passages"](50 * 10000)
	if got, sel := answer(t, "Who made the pump?", many); got != "The pump was made by Ada." || sel.Sentences[0].Passage != 0 {
		t.Errorf("%q %+v", got, sel.Sentences)
	}
	if _, sel := answer(t, strings.Repeat("Who made the pump and the valve? ", 1<<15), library); len(sel.Nearest) != 3 {
		t.Errorf("%+v", sel)
	}
}

// TestEveryRune asks with every code point alone and in a word, and of a text
// with it.
func TestEveryRune(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0x3400 && r%61 != 0 {
			continue // ideographs and private use are alike
		}
		s := string(r)
		p := one("The pump" + s + " of " + s + " was made by Ada" + s + ". " + s)
		sel, err := extractive.Select(context.Background(), selection.Input{Question: "Who made " + s + " the pump" + s, Passages: p})
		if err != nil {
			t.Fatalf("%U: %v", r, err)
		}
		checkProof(t, s, p, sel)
	}
}

// TestSelectEnds: a context that is over ends the work.
func TestSelectEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := extractive.Select(ctx, selection.Input{Question: "Who?", Passages: library}); err == nil {
		t.Error("no error")
	}
}
