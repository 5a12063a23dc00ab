package interchange

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/fault"
)

// Loaded counts what was read into a graph.
type Loaded struct {
	Nodes int `json:"nodes"`
	Edges int `json:"edges"`
}

// batch is how many bytes a transaction of a load holds.
const batch = 4 << 20

// Load reads a file into a graph. read is called twice: first to see that the
// file is whole, so that a wrong one changes nothing, then to write. What is in
// the graph under the same name is replaced. It commits every few megabytes; a
// load that is interrupted is completed by the same load.
func Load(ctx context.Context, db *engine.DB, g *engine.Graph, read func(to Reader) error) (*Loaded, error) {
	types, err := check(ctx, read)
	if err != nil {
		return nil, err
	}
	l := &loader{ctx: ctx, db: db, g: g, ids: map[string]engine.NodeID{}, directed: types, numbers: map[engine.Edge]uint32{}}
	if err := read(Reader{Node: l.node, Edge: l.edge}); err != nil {
		return &l.out, err
	}
	return &l.out, l.flush()
}

// check reads a file without writing. It returns which edge types have a
// direction.
func check(ctx context.Context, read func(to Reader) error) (map[string]bool, error) {
	known, directed := map[string]bool{}, map[string]bool{}
	count := 0
	step := func() error {
		if count++; count&1023 == 0 {
			return ctx.Err()
		}
		return nil
	}
	err := read(Reader{
		Node: func(n Node) error {
			if known[n.ID] {
				return fault.Import.Mark(engine.ErrInvalid, "two nodes have the id %.100q", n.ID)
			}
			known[n.ID] = true
			return step()
		},
		Edge: func(e Edge) error {
			for _, end := range []string{e.From, e.To} {
				if !known[end] {
					return fault.Import.Mark(engine.ErrInvalid, "an edge names the node %.100q, which does not come before it", end)
				}
			}
			if d, ok := directed[e.Type]; ok && d != e.Directed {
				return fault.Import.Mark(engine.ErrInvalid, "some edges of type %.100q have a direction and some have none: give those with a direction another type", e.Type)
			}
			directed[e.Type] = e.Directed
			return step()
		},
	})
	return directed, err
}

// loader gathers nodes and edges into transactions.
type loader struct {
	ctx      context.Context
	db       *engine.DB
	g        *engine.Graph
	ids      map[string]engine.NodeID
	directed map[string]bool
	// numbers are how many edges of a pair of nodes the file had so far: the next is a
	// parallel one of that number.
	numbers map[engine.Edge]uint32
	nodes   []Node
	edges   []Edge
	bytes   int
	out     Loaded
}

func (l *loader) node(n Node) error {
	l.nodes = append(l.nodes, n)
	return l.grew(len(n.ID)+len(n.Key), n.Props)
}

func (l *loader) edge(e Edge) error {
	l.edges = append(l.edges, e)
	return l.grew(64, e.Props)
}

func (l *loader) grew(n int, props []Prop) error {
	l.bytes += 64 + n
	for _, p := range props {
		l.bytes += len(p.Name) + p.Value.Size()
	}
	if l.bytes < batch {
		return nil
	}
	return l.flush()
}

// flush writes what is gathered in one transaction.
func (l *loader) flush() error {
	made := map[string]engine.NodeID{}
	err := l.db.Update(l.ctx, func(tx *engine.Tx) error {
		v := tx.Graph(l.g)
		for _, n := range l.nodes {
			types := []engine.TypeID{}
			if n.Type != "" {
				for _, l := range append([]string{n.Type}, n.Labels...) {
					t, err := v.MakeNodeType(l)
					if err != nil {
						return err
					}
					types = append(types, t)
				}
			}
			id, _, err := v.PutNode(append(types, engine.NoType)[0], n.Key, propsOf(n.Props))
			if err == nil && len(types) > 0 {
				err = v.SetLabels(id, types)
			}
			if err != nil {
				return fmt.Errorf("node %.100q: %w", n.ID, err)
			}
			made[n.ID] = id
		}
		for _, e := range l.edges {
			t, err := v.MakeEdgeType(e.Type, l.directed[e.Type])
			if err != nil {
				return err
			}
			from, to := l.find(made, e.From), l.find(made, e.To)
			edge := engine.Edge{From: from, To: to, Type: t}
			if !e.Directed && from > to {
				edge.From, edge.To = to, from
			}
			pair := edge
			edge.N, edge.Weight = l.numbers[pair], e.Weight
			l.numbers[pair]++
			if err := v.PutEdge(edge); err != nil {
				return fmt.Errorf("edge from %.100q to %.100q: %w", e.From, e.To, err)
			}
			if err := v.SetEdgeProps(edge, propsOf(e.Props)); err != nil {
				return fmt.Errorf("edge from %.100q to %.100q: %w", e.From, e.To, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id, n := range made {
		l.ids[id] = n
	}
	l.out.Nodes, l.out.Edges = l.out.Nodes+len(l.nodes), l.out.Edges+len(l.edges)
	l.nodes, l.edges, l.bytes = l.nodes[:0], l.edges[:0], 0
	return nil
}

func (l *loader) find(made map[string]engine.NodeID, id string) engine.NodeID {
	if n, ok := made[id]; ok {
		return n
	}
	return l.ids[id]
}

func propsOf(props []Prop) engine.Props {
	if len(props) == 0 {
		return nil
	}
	out := make(engine.Props, len(props))
	for _, p := range props {
		out[p.Name] = p.Value
	}
	return out
}
