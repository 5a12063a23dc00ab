package engine_test

import (
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// goldenColumns loads edges whose properties become blocks, and then changes some of
// them, so that records stand beside the blocks.
func goldenColumns(t *testing.T, g *engine.Graph) {
	t.Helper()
	const nodes = 24
	var ids []engine.NodeID
	var likes engine.EdgeType
	err := g.DB().Load(t.Context(), g, func(l *engine.Loader) error {
		n, err := l.MakeNodeType("n")
		if err != nil {
			return err
		}
		if likes, err = l.MakeEdgeType("likes", true); err != nil {
			return err
		}
		for i := range nodes {
			id, err := l.Node(n, fmt.Sprint(i), nil)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		for i := range nodes * nodes {
			props := engine.Props{"year": engine.Int(int64(1990 + i%30)), "how": engine.String(fmt.Sprint("way ", i%7)), "x": engine.Float(float64(i) / 4)}
			switch i % 5 {
			case 0:
				props["how"] = engine.Strings("a", "", "b")
			case 1:
				delete(props, "x")
			case 2:
				props["sure"] = engine.Bool(i%2 == 0)
			}
			if err := l.EdgeWith(ids[i/nodes], ids[i%nodes], likes, 1, props); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = g.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		for i := range nodes {
			e := engine.Edge{From: ids[i], To: ids[(i*7)%nodes], Type: likes}
			var err error
			switch i % 4 {
			case 0:
				err = v.SetEdgeProps(e, nil)
			case 1:
				err = v.RemoveEdge(e)
			case 2:
				err = v.SetEdgeProps(e, engine.Props{"year": engine.Int(2030)})
			case 3:
				if e, err = v.AddParallel(e.From, e.To, likes, 2); err == nil {
					err = v.SetEdgeProps(e, engine.Props{"how": engine.String("twice")})
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
