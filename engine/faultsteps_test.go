package engine_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// faultStep is a part of the life of a small database that uses all there is.
// It makes one commit or none, the same whenever it is done at one epoch.
type faultStep struct {
	name    string
	durable bool // what has been committed so far survives a crash
	do      func(d *faultDB) error
}

// faultSteps returns the life, from a namespace on.
func faultSteps() []faultStep {
	return []faultStep{
		{"namespace", true, func(d *faultDB) error { _, err := d.db.Namespace(background, "main"); return err }},
		{"graph", true, func(d *faultDB) error { _, err := d.graph("g"); return err }},
		{"nodes", true, synced(writeFaultNodes)},
		{"hub", false, unsynced(writeFaultHub)},
		{"contributions", true, synced(writeFaultContributions)},
		{"terms", false, unsynced(writeFaultTerms)},
		{"vectors", true, synced(writeFaultVectors)},
		{"link vectors", false, func(d *faultDB) error {
			g, err := d.graph("g")
			for _, s := range faultSpaces() {
				if err == nil {
					err = d.db.SettleSpace(background, g, s.name)
				}
			}
			return err
		}},
		{"flush", true, func(d *faultDB) error { return d.store.(kv.Maintainer).Flush(background) }},
		{"load", true, loadFaultGraph},
		{"edges of blocks", false, unsynced(writeFaultEdges)},
		{"checkpoint", false, (*faultDB).checkpoint},
		{"bulk", true, synced(writeFaultBulk)},
		{"withdraw", false, unsynced(func(v *engine.TxView) error {
			source, err := faultNode(v, 3)
			if err == nil {
				_, err = v.Withdraw(source)
			}
			return err
		})},
		{"delete", true, synced(func(v *engine.TxView) error {
			id, err := faultNode(v, 5)
			if err == nil {
				_, err = v.DeleteNode(id)
			}
			return err
		})},
		{"many terms", true, synced(writeFaultManyTerms)},
		{"drop index", false, unsynced(func(v *engine.TxView) error { return v.DropIndex("n") })},
		{"compact", true, func(d *faultDB) error { return d.db.Compact(background) }},
		{"make index", true, synced(func(v *engine.TxView) error { return v.MakeIndex("s") })},
		{"another graph", true, func(d *faultDB) error { _, err := d.graph("h"); return err }},
		{"its nodes", false, func(d *faultDB) error { return d.update("h", kv.NoSync, writeFaultNodes) }},
		{"swap", true, func(d *faultDB) error {
			h, err := d.graph("h")
			if err == nil {
				err = h.Namespace().Swap(background, "g2", h)
			}
			return err
		}},
		{"drop", true, func(d *faultDB) error {
			ns, err := d.db.Namespace(background, "main")
			if err == nil {
				err = ns.Drop(background, "g2")
			}
			return err
		}},
		{"again a hub", true, synced(writeFaultHub)},
	}
}

// synced and unsynced return a step of one transaction of the graph g, durable and not.
func synced(fn func(v *engine.TxView) error) func(d *faultDB) error {
	return func(d *faultDB) error { return d.update("g", kv.Sync, fn) }
}

func unsynced(fn func(v *engine.TxView) error) func(d *faultDB) error {
	return func(d *faultDB) error { return d.update("g", kv.NoSync, fn) }
}

func (d *faultDB) update(graph string, durability kv.Durability, fn func(v *engine.TxView) error) error {
	g, err := d.graph(graph)
	if err != nil {
		return err
	}
	return d.db.UpdateWith(background, durability, func(tx *engine.Tx) error { return fn(tx.Graph(g)) })
}

func (d *faultDB) graph(name string) (*engine.Graph, error) {
	ns, err := d.db.Namespace(background, "main")
	if err != nil {
		return nil, err
	}
	return ns.Graph(background, name)
}

func faultNode(v *engine.TxView, n int) (engine.NodeID, error) {
	t, err := v.MakeNodeType("t")
	if err != nil {
		return 0, err
	}
	return v.Lookup(t, fmt.Sprint(n))
}

const faultNodes = 24

func writeFaultNodes(v *engine.TxView) error {
	t, err := v.MakeNodeType("t")
	if err != nil {
		return err
	}
	if err := v.MakeIndex("n"); err != nil {
		return err
	}
	for i := range faultNodes {
		p := engine.Props{"n": engine.Int(int64(i % 7)), "s": engine.String(strings.Repeat("x", i*i*10))}
		if _, _, err := v.PutNode(t, fmt.Sprint(i), p); err != nil {
			return err
		}
	}
	return nil
}

// writeFaultHub gives node 0 more neighbours than one key holds.
func writeFaultHub(v *engine.TxView) error {
	et, err := v.MakeEdgeType("e", true)
	if err != nil {
		return err
	}
	hub, err := faultNode(v, 0)
	if err != nil {
		return err
	}
	for i := range faultNodes {
		id, err := faultNode(v, i)
		if errors.Is(err, engine.ErrNotFound) {
			continue
		}
		if err == nil {
			err = v.AddEdge(hub, id, et, float32(i)/2)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func writeFaultContributions(v *engine.TxView) error {
	derived, err := v.MakeNodeType("derived")
	if err != nil {
		return err
	}
	et, err := v.MakeEdgeType("says", false)
	if err != nil {
		return err
	}
	for i := 1; i < 9; i++ {
		source, err := faultNode(v, i)
		if err != nil {
			return err
		}
		a, _, err := v.DeriveNode(derived, fmt.Sprint(i/2))
		if err != nil {
			return err
		}
		b, _, err := v.DeriveNode(derived, fmt.Sprint(i/3+1))
		if err != nil {
			return err
		}
		c := engine.Contribution{Weight: float32(i) * 0.1, Count: 1, Label: fmt.Sprint(i % 3)}
		err = errors.Join(
			v.Contribute(source, engine.NodeTarget(a), c),
			v.Contribute(source, engine.NodeTarget(b), c),
			v.Contribute(source, engine.EdgeTarget(a, b, et), c))
		if err != nil {
			return err
		}
	}
	return nil
}

func writeFaultTerms(v *engine.TxView) error {
	if err := v.MakeField("f", engine.FieldOptions{Analyzer: text.Standard{}.Name(), Positions: true}); err != nil {
		return err
	}
	for i := range faultNodes {
		id, err := faultNode(v, i)
		if err != nil {
			return err
		}
		var terms []text.Term
		for pos := range i % 5 {
			terms = append(terms, text.Term{Text: fmt.Sprintf("word%d", (i+pos*pos)%9), Pos: uint32(pos)})
		}
		if err := v.PutTerms("f", id, terms); err != nil {
			return err
		}
	}
	return nil
}

// writeFaultManyTerms writes more terms than a transaction keeps in memory, and
// takes away others.
func writeFaultManyTerms(v *engine.TxView) error {
	for i := range 12 {
		id, err := faultNode(v, i)
		if errors.Is(err, engine.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		var terms []text.Term
		for pos := range i * 10 {
			terms = append(terms, text.Term{Text: fmt.Sprintf("word%d", i*pos), Pos: uint32(pos)})
		}
		if err := v.PutTerms("f", id, terms); err != nil {
			return err
		}
	}
	return nil
}

// faultSpace is a vector space that a life makes.
type faultSpace struct {
	name string
	kind vecindex.Kind
}

func faultSpaces() []faultSpace {
	return []faultSpace{{"v", vecindex.HNSW}, {"lists", vecindex.IVF}}
}

func writeFaultVectors(v *engine.TxView) error {
	for _, s := range faultSpaces() {
		o := engine.SpaceOptions{Dim: 3, Model: "m", Kind: s.kind, Metric: vecindex.L2}
		if err := v.MakeSpace(s.name, o); err != nil {
			return err
		}
		for i := range faultNodes {
			id, err := faultNode(v, i)
			if err == nil {
				err = v.PutVector(s.name, id, []float32{float32(i), float32(i * i % 11), 1})
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// loadFaultGraph loads nodes with edges among themselves and to the hub, whose
// list is moved into containers before.
func loadFaultGraph(d *faultDB) error {
	g, err := d.graph("g")
	if err != nil {
		return err
	}
	var hub engine.NodeID
	err = d.db.View(background, func(s *engine.Snapshot) (err error) {
		v := s.Graph(g)
		t, _ := v.NodeType("t")
		hub, err = v.Lookup(t, "1")
		return err
	})
	if err != nil {
		return err
	}
	return d.db.Load(background, g, func(l *engine.Loader) error {
		t, err := l.MakeNodeType("loaded")
		if err != nil {
			return err
		}
		et, err := l.MakeEdgeType("e", true)
		if err != nil {
			return err
		}
		for i := range 40 {
			id, err := l.Node(t, fmt.Sprint(i), engine.Props{"n": engine.Int(int64(i))})
			if err == nil {
				err = l.EdgeWith(hub, id, et, 1, engine.Props{"since": engine.Int(int64(i % 7))})
			}
			if err == nil {
				err = l.Edge(id, id/2+1, et, 2)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// writeFaultEdges changes and removes edges whose properties the load wrote.
func writeFaultEdges(v *engine.TxView) error {
	t, _ := v.NodeType("t")
	hub, err := v.Lookup(t, "1")
	if err != nil {
		return err
	}
	et, _ := v.EdgeType("e")
	loaded, _ := v.NodeType("loaded")
	for i := range 12 {
		to, err := v.Lookup(loaded, fmt.Sprint(i*3))
		e := engine.Edge{From: hub, To: to, Type: et}
		switch {
		case err != nil:
		case i%3 == 0:
			err = v.SetEdgeProps(e, nil)
		case i%3 == 1:
			err = v.SetEdgeProps(e, engine.Props{"since": engine.String("changed")})
		default:
			err = v.RemoveEdge(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeFaultBulk writes more than the store collects in memory.
func writeFaultBulk(v *engine.TxView) error {
	b, err := v.MakeBucket("bulk")
	if err != nil {
		return err
	}
	value := make([]byte, 3000)
	for i := range 60 {
		for j := range value {
			value[j] = byte(i*j>>3) ^ byte(j*j>>7)
		}
		if err := b.Set(fmt.Append(nil, i), value); err != nil {
			return err
		}
	}
	return nil
}
