package engine_test

import (
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
)

// termsOfDocument gives the chunks of document d terms in a field with
// positions and one without; a term of each is the document's own.
func termsOfDocument(t testing.TB, v *engine.TxView, d int) {
	t.Helper()
	for _, o := range []engine.FieldOptions{{Positions: true}, {Analyzer: "own.v1"}} {
		field := fmt.Sprintf("field-%t", o.Positions)
		if err := v.MakeField(field, o); err != nil {
			t.Fatal(err)
		}
		chunk, _ := v.NodeType("chunk")
		for c := range 3 {
			id, err := v.Lookup(chunk, fmt.Sprintf("doc/%d.txt#%d\xff", d, c))
			if err != nil {
				t.Fatal(err)
			}
			terms := []text.Term{{Text: "the", Pos: 0}, {Text: fmt.Sprintf("only%d", d), Pos: 1}, {Text: "the", Pos: 300},
				{Text: "a\x00b", Pos: 301}, {Text: "a", Pos: 302}, {Text: "\xff", Pos: uint32(c)}}
			if err := v.PutTerms(field, id, terms); err != nil {
				t.Fatal(err)
			}
		}
	}
}
