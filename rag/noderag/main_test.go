package noderag_test

import (
	"flag"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/noderag"
)

var long = flag.Bool("long", false, "run the long versions of the tests")

func open(t testing.TB) *ragtest.Corpus {
	t.Helper()
	c := ragtest.Open(t, method.Methods{noderag.Name: noderag.Open}, append(rag.Encodings(), noderag.Encodings()...)...)
	c.Use(ragtest.Fixed)
	return c
}

// nodes returns the number of nodes of a type.
func nodes(t testing.TB, c *ragtest.Corpus, spec, nodeType string) int {
	t.Helper()
	n := 0
	c.View(t, spec, func(v *engine.View) error {
		typ, ok := v.NodeType(nodeType)
		if !ok {
			return nil
		}
		set, err := v.Nodes(typ)
		n = int(set.GetCardinality())
		return err
	})
	return n
}

// edges counts the edges of a type and adds up their weights.
func edges(t testing.TB, c *ragtest.Corpus, spec, edgeType string) (n int, weight float64) {
	t.Helper()
	c.View(t, spec, func(v *engine.View) error {
		typ, ok := v.EdgeType(edgeType)
		if !ok {
			return nil
		}
		for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{typ}}) {
			if err != nil {
				return err
			}
			n++
			weight += float64(e.Weight)
		}
		return nil
	})
	return n, weight
}
