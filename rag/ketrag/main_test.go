package ketrag_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/ketrag"
	"github.com/ragdb/ragdb/rag/method"
)

var long = flag.Bool("long", false, "run the long versions of the tests")

func open(t testing.TB) *ragtest.Corpus {
	t.Helper()
	c := ragtest.Open(t, method.Methods{ketrag.Name: ketrag.Open}, append(rag.Encodings(), ketrag.Encodings()...)...)
	c.Use(ragtest.Fixed)
	return c
}

// keys returns the keys of the nodes of a type, in order of id.
func keys(t testing.TB, c *ragtest.Corpus, spec, nodeType string) []string {
	t.Helper()
	var out []string
	c.View(t, spec, func(v *engine.View) error {
		typ, ok := v.NodeType(nodeType)
		if !ok {
			return nil
		}
		ids, err := v.Nodes(typ)
		if err != nil {
			return err
		}
		for it := ids.Iterator(); it.HasNext(); {
			n, err := v.Node(engine.NodeID(it.Next()))
			if err != nil {
				return err
			}
			out = append(out, n.Key)
		}
		return nil
	})
	return out
}

// edges returns the edges of a type as "from to" with their weights.
func edges(t testing.TB, c *ragtest.Corpus, spec, edgeType string) map[string]float32 {
	t.Helper()
	out := map[string]float32{}
	c.View(t, spec, func(v *engine.View) error {
		typ, ok := v.EdgeType(edgeType)
		if !ok {
			return fmt.Errorf("no edge type %s", edgeType)
		}
		for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{typ}}) {
			if err != nil {
				return err
			}
			from, err := v.Node(e.From)
			if err != nil {
				return err
			}
			to, err := v.Node(e.To)
			if err != nil {
				return err
			}
			out[from.Key+" "+to.Key] = e.Weight
		}
		return nil
	})
	return out
}
