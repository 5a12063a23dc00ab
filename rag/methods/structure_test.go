package methods_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestStructure: what says how a graph is built, and not how often something was said,
// counts once for each of its sources and weighs 1.
func TestStructure(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(76, 9)
	for _, x := range []struct {
		spec, nodes string // types whose nodes count once a source
		edges       string // types whose edges weigh 1
		counted     string // types whose edges count once a source
	}{
		{"noderag:sr=on", "attribute element overview relationship unit", "covers describes mentions relates source states titles", "mentions source states titles"},
		{"ketrag", "skeleton", "contains", ""},
		{"archrag:cap=6,min_clusters=2", "", "", "part"},
		{"erarag:min=2,max=3,split=5,stop=3,layers=4,tokens=30", "summary", "", ""},
		{"hirag", "summary", "inside:0 inside:1 member part", "inside:0 inside:1 member"},
		{"linearrag", "sentence", "mentions", ""},
	} {
		t.Run(x.spec, func(t *testing.T) {
			t.Parallel()
			c := ragtest.Open(t, methods.All(), methods.Encodings()...)
			c.Use(ragtest.Fixed)
			c.Index(t, x.spec, docs...)
			seen := map[string]bool{}
			c.View(t, x.spec, func(v *engine.View) error {
				once := func(what string, target engine.Target) error {
					total, err := v.Total(target)
					if err == nil && total.Count != uint64(total.Sources) {
						t.Errorf("%s: counts %d for %d sources", what, total.Count, total.Sources)
					}
					return err
				}
				for _, name := range strings.Fields(x.nodes) {
					typ, ok := v.NodeType(name)
					if !ok {
						continue
					}
					set, err := v.Nodes(typ)
					if err != nil {
						return err
					}
					for it := set.Iterator(); it.HasNext(); {
						seen[name] = true
						if err := once(name, engine.NodeTarget(engine.NodeID(it.Next()))); err != nil {
							return err
						}
					}
				}
				for e, err := range v.Edges(engine.EdgeFilter{}) {
					if err != nil {
						return err
					}
					name := v.EdgeTypeName(e.Type)
					if slices.Contains(strings.Fields(x.edges), name) && e.Weight != 1 {
						t.Errorf("%s: weighs %g", name, e.Weight)
					}
					if slices.Contains(strings.Fields(x.counted), name) {
						if err := once(name, engine.EdgeTarget(e.From, e.To, e.Type)); err != nil {
							return err
						}
					}
					seen[name] = true
				}
				return nil
			})
			for _, name := range strings.Fields(x.nodes + " " + x.edges + " " + x.counted) {
				if !seen[name] {
					t.Errorf("the graph has no %s", name)
				}
			}
		})
	}
}
