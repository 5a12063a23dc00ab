package hirag_test

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/baseline"
	"github.com/ragdb/ragdb/rag/hirag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

func open(t testing.TB) *ragtest.Corpus {
	t.Helper()
	c := ragtest.Open(t, method.Methods{hirag.Name: hirag.Open}, append(rag.Encodings(), hirag.Encodings()...)...)
	c.Use(ragtest.Fixed)
	return c
}

// nodes returns the nodes of a type by key.
func nodes(t testing.TB, v *engine.View, typ string) map[string]engine.Node {
	t.Helper()
	out := map[string]engine.Node{}
	id, ok := v.NodeType(typ)
	if !ok {
		return out
	}
	set, err := v.Nodes(id)
	if err != nil {
		t.Fatal(err)
	}
	for it := set.Iterator(); it.HasNext(); {
		n, err := v.Node(engine.NodeID(it.Next()))
		if err != nil {
			t.Fatal(err)
		}
		out[n.Key] = n
	}
	return out
}

var bm25 = baseline.Open("bm25")
