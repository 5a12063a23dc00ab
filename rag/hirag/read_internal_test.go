package hirag

import (
	"errors"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// reportedOn returns the communities that have a report, by key.
func reportedOn(v engine.Reader) (keys []string, err error) {
	all, err := nodesOf(v, typeCommunity)
	if err != nil {
		return nil, err
	}
	for _, n := range all {
		node, err := v.Node(n.id)
		if err != nil {
			return nil, err
		}
		if !node.Prop(propReport).IsNull() {
			keys = append(keys, n.key)
		}
	}
	return keys, nil
}

// TestTold removes members of a cluster. A report that was made of the cluster's summary
// goes with them, even if the summary has left the report's community. So does
// what was made of the summaries of a cluster above.
func TestTold(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	c.Use(ragtest.Fixed)
	const spec = "hirag:members=6"
	c.Index(t, spec, ragtest.Docs(61, 10)...)
	s, err := open(t.Context(), c.Docs(), map[string]string{"members": "6"})
	if err != nil {
		t.Fatal(err)
	}
	undone := errors.New("undone")
	// try returns the reports that are left after fn, which is undone.
	try := func(fn func(v *engine.TxView) error) (left []string) {
		err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			v := tx.Graph(s.g)
			err := fn(v)
			if err == nil {
				left, err = reportedOn(v)
			}
			return errors.Join(err, undone)
		})
		if !errors.Is(err, undone) || errors.Is(err, engine.ErrNotFound) {
			t.Fatal(err)
		}
		return left
	}
	// A cluster of entities, its first summary, and a chunk that names a member; the
	// cluster that the summary is in, and a summary of this.
	var first, second, chunk engine.NodeID
	var below, above string
	all := try(func(v *engine.TxView) error {
		summaries, err := nodesOf(v, typeSummary)
		if err != nil {
			return err
		}
		for _, n := range summaries {
			in, err := graph.Neighbors(v, n.id, edgeMember, engine.Out)
			if err != nil || n.layer != 1 || len(in) == 0 || below != "" {
				continue
			}
			up, err := v.Node(in[0])
			if err != nil {
				return err
			}
			of, err := graph.Contributed(v, up.ID)
			if err != nil {
				return err
			}
			for _, x := range of {
				if x.Type == 0 {
					first, below, second, above = n.id, clusterOf(n.key), x.Node, up.Key
				}
			}
		}
		typ, _ := v.NodeType(typeCluster)
		id, err := v.Lookup(typ, below)
		if err != nil {
			return err
		}
		members, err := graph.Neighbors(v, id, edgeMember, engine.In)
		if err != nil {
			return err
		}
		sources, err := v.Sources(engine.NodeTarget(members[0]))
		chunk = engine.NodeID(sources.Minimum())
		return err
	})
	gone := func(v *engine.TxView) error { return forget(v, []engine.NodeID{chunk}) }
	read := func(report string, summary engine.NodeID) func(v *engine.TxView) error {
		return func(v *engine.TxView) error {
			return setRead(v, communityItem(report), material{Nodes: []uint64{uint64(summary)}, Said: []uint64{1}, Firm: []uint64{uint64(summary)}})
		}
	}
	both := func(a, b func(v *engine.TxView) error) func(v *engine.TxView) error {
		return func(v *engine.TxView) error { return errors.Join(a(v), b(v)) }
	}
	for _, x := range []struct {
		name string
		do   func(v *engine.TxView) error
		of   engine.NodeID
	}{
		{"a chunk leaves", gone, first},
		{"a member leaves the cluster", func(v *engine.TxView) error { return leave(v, below) }, first},
		{"a chunk leaves, two layers below", gone, second},
		{"a member leaves the cluster above", func(v *engine.TxView) error { return leave(v, above) }, second},
	} {
		left := try(x.do)
		if len(left) == 0 {
			t.Fatalf("%s: no report of %d is left", x.name, len(all))
		}
		report := left[0]
		if now := try(both(read(report, x.of), x.do)); slices.Contains(now, report) {
			t.Errorf("%s: a report that was made of a summary is left", x.name)
		}
		if now := try(both(read(report, x.of), func(v *engine.TxView) error {
			return errors.Join(forgetRead(v, communityItem(report)), x.do(v))
		})); !slices.Contains(now, report) {
			t.Errorf("%s: a report goes that was made of nothing", x.name)
		}
	}
}
