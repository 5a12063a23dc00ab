package archrag_test

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/archrag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// small is a spec under which the few documents of a test make several levels.
const small = "archrag:cap=6,min_clusters=2,glean=0"

func open(t testing.TB) *ragtest.Corpus {
	t.Helper()
	c := ragtest.Open(t, method.Methods{archrag.Name: archrag.Open}, append(rag.Encodings(), archrag.Encodings()...)...)
	c.Use(ragtest.Fixed)
	return c
}

// hierarchy is what a corpus is clustered into, by keys.
type hierarchy struct {
	entities    []string
	communities []string
	parent      map[string]string   // of entities and communities
	members     map[string][]string // of communities
	reports     map[string]string   // of communities
}

func readHierarchy(t testing.TB, c *ragtest.Corpus, spec string) *hierarchy {
	t.Helper()
	h := &hierarchy{parent: map[string]string{}, members: map[string][]string{}, reports: map[string]string{}}
	c.View(t, spec, func(v *engine.View) error {
		key := func(id engine.NodeID) string {
			n, err := v.Node(id)
			if err != nil {
				t.Fatal(err)
			}
			return n.Key
		}
		for _, name := range []string{"entity", "community"} {
			typ, ok := v.NodeType(name)
			if !ok {
				continue
			}
			ids, err := v.Nodes(typ)
			if err != nil {
				return err
			}
			for it := ids.Iterator(); it.HasNext(); {
				id := engine.NodeID(it.Next())
				if name == "entity" {
					h.entities = append(h.entities, key(id))
					continue
				}
				h.communities = append(h.communities, key(id))
				if text, err := v.Text(id, "report"); err == nil {
					h.reports[key(id)] = text
				}
			}
		}
		part, ok := v.EdgeType("part")
		if !ok {
			return nil
		}
		for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{part}}) {
			if err != nil {
				return err
			}
			from, to := key(e.From), key(e.To)
			if h.parent[from] != "" {
				t.Errorf("%s is in %s and in %s", from, h.parent[from], to)
			}
			h.parent[from] = to
			h.members[to] = append(h.members[to], from)
		}
		return nil
	})
	return h
}
