package engine_test

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// writes are the operations that write, with how often they are chosen.
var writes = []struct {
	weight int
	make   func(g *graphOps) step
}{
	{12, (*graphOps).putNode},
	{6, (*graphOps).derive},
	{6, (*graphOps).setProps},
	{6, (*graphOps).setLabels},
	{3, (*graphOps).deleteNode},
	{12, (*graphOps).addEdge},
	{6, (*graphOps).fan},
	{7, (*graphOps).addParallel},
	{3, (*graphOps).putEdge},
	{5, (*graphOps).removeEdge},
	{2, (*graphOps).unfan},
	{4, (*graphOps).setEdgeProps},
	{5, (*graphOps).contributeToNode},
	{8, (*graphOps).contributeToEdge},
	{2, (*graphOps).withdraw},
	{2, (*graphOps).makeType},
	{2, (*graphOps).makeField},
	{8, (*graphOps).putTerms},
	{2, (*graphOps).makeSpace},
	{1, (*graphOps).dropSpace},
	{9, (*graphOps).putVector},
	{2, (*graphOps).deleteVector},
	{2, (*graphOps).makeIndex},
	{1, (*graphOps).dropIndex},
	{5, (*graphOps).setEntry},
	{2, (*graphOps).deleteEntry},
	{1, (*graphOps).deleteEntries},
	{2, (*graphOps).expectNode},
	{1, (*graphOps).expectVersion},
	{3, (*graphOps).refused},
}

// write returns a random operation that writes, done to the model.
func (g *graphOps) write() step {
	total := 0
	for _, w := range writes {
		total += w.weight
	}
	n := g.rnd.IntN(total)
	for _, w := range writes {
		if n -= w.weight; n < 0 {
			return w.make(g)
		}
	}
	return step{}
}

func (g *graphOps) putNode() step {
	name, key, p := pick(g.rnd, nodeTypeNames), fmt.Sprintf("k%d\x00", g.rnd.IntN(80)), g.props()
	id, created := g.m.putNode(g.m.makeNodeType(name), key, p)
	return g.writeStep(fmt.Sprintf("put node %s %q %s", name, key, showProps(p)), fmt.Sprint(id, created), func(w *engine.TxView) string {
		t, err := w.MakeNodeType(name)
		if err != nil {
			return fault(err)
		}
		id, created, err := w.PutNode(t, key, p)
		return outcome(err, "%d %t", id, created)
	})
}

// derive makes a derived node, or takes one that is there, and supports it.
func (g *graphOps) derive() step {
	source := g.id()
	if g.m.nodes[source] == nil {
		return g.putNode()
	}
	name, key, c := pick(g.rnd, nodeTypeNames[1:]), fmt.Sprintf("k%d\x00", g.rnd.IntN(40)), g.contribution()
	id, created := g.m.deriveNode(g.m.makeNodeType(name), key)
	ok := g.m.contributeToNode(source, id, c)
	return g.writeStep(fmt.Sprintf("derive %s %q by %d %v", name, key, source, c), fmt.Sprint(id, created, found(ok)), func(w *engine.TxView) string {
		t, err := w.MakeNodeType(name)
		if err != nil {
			return fault(err)
		}
		id, created, err := w.DeriveNode(t, key)
		if err != nil {
			return fault(err)
		}
		err = w.Contribute(source, engine.NodeTarget(id), c)
		return fmt.Sprint(id, created, fault(err))
	})
}

func (g *graphOps) setProps() step {
	id, p := g.id(), g.props()
	ok := g.m.setProps(id, p)
	return g.writeStep(fmt.Sprintf("set props %d %s", id, showProps(p)), found(ok), func(w *engine.TxView) string {
		return fault(w.SetProps(id, p))
	})
}

func (g *graphOps) setLabels() step {
	id, names := g.id(), g.list(nodeTypeNames, 3)
	var types []engine.TypeID
	for _, name := range names {
		types = append(types, g.m.makeNodeType(name))
	}
	want := fault(g.m.setLabels(id, types))
	return g.writeStep(fmt.Sprintf("set labels %d %q", id, names), want, func(w *engine.TxView) string {
		var types []engine.TypeID
		for _, name := range names {
			t, err := w.MakeNodeType(name)
			if err != nil {
				return fault(err)
			}
			types = append(types, t)
		}
		return fault(w.SetLabels(id, types))
	})
}

func (g *graphOps) deleteNode() step {
	id := g.id()
	r, ok := g.m.deleteNode(id)
	want := found(ok)
	if ok {
		want = showRemoved(r)
	}
	return g.writeStep(fmt.Sprintf("delete node %d", id), want, func(w *engine.TxView) string {
		r, err := w.DeleteNode(id)
		return outcome(err, "%s", showRemoved(r))
	})
}

func (g *graphOps) withdraw() step {
	id := g.id()
	want := showRemoved(g.m.withdraw(id))
	return g.writeStep(fmt.Sprintf("withdraw %d", id), want, func(w *engine.TxView) string {
		r, err := w.Withdraw(id)
		return outcome(err, "%s", showRemoved(r))
	})
}

func (g *graphOps) weight() float32 {
	return pick(g.rnd, []float32{1, 1, 1, 0.5, -2, 0, 0.1, 1e-7, 3})
}

// owned returns the name of an edge type of the caller's own and its id.
func (g *graphOps) owned() (name string, t engine.EdgeType) {
	name = edgeTypeNames[g.rnd.IntN(2)]
	t, _ = g.m.makeEdgeType(name, isDirected(name))
	return name, t
}

func (g *graphOps) addEdge() step {
	name, t := g.owned()
	from, to, weight := g.id(), g.id(), g.weight()
	ok := g.m.addEdge(edgeName(from, to, t), weight)
	return g.writeStep(fmt.Sprintf("add edge %d %d %s %v", from, to, name, weight), found(ok), func(w *engine.TxView) string {
		t, err := w.MakeEdgeType(name, isDirected(name))
		if err != nil {
			return fault(err)
		}
		return fault(w.AddEdge(from, to, t, weight))
	})
}

// addParallel adds an edge, mostly beside one that is there.
func (g *graphOps) addParallel() step {
	name, t := g.owned()
	e := modelEdge{from: g.id(), to: g.id(), typ: t}
	if again := g.edge([]string{name}); again.typ != 0 && g.rnd.IntN(4) > 0 {
		e = again.pair()
	}
	weight := g.weight()
	made, ok := g.m.addParallel(e.stored(), weight)
	want := found(ok)
	if ok {
		want = fmt.Sprint(made.n)
	}
	return g.writeStep(fmt.Sprintf("add parallel edge %v %v", e, weight), want, func(w *engine.TxView) string {
		t, err := w.MakeEdgeType(name, isDirected(name))
		if err != nil {
			return fault(err)
		}
		made, err := w.AddParallel(e.from, e.to, t, weight)
		if err == nil && (made.From != e.from || made.To != e.to || made.Weight != weight) {
			return fmt.Sprintf("made %v", made)
		}
		return outcome(err, "%d", made.N)
	})
}

// putEdge changes the weight of an edge, or makes one with some number.
func (g *graphOps) putEdge() step {
	e, weight := g.edge(edgeTypeNames[:2]), g.weight()
	if e.typ == 0 {
		return g.addEdge()
	}
	if g.rnd.IntN(4) == 0 {
		e.n = uint32(g.rnd.IntN(4))
	}
	ok := g.m.addEdge(e.stored(), weight)
	return g.writeStep(fmt.Sprintf("put edge %v %v", e, weight), found(ok), func(w *engine.TxView) string {
		changed := e.edge()
		changed.Weight = weight
		return fault(w.PutEdge(changed))
	})
}

// fan adds many edges to one node, or from it, until one is refused.
func (g *graphOps) fan() step {
	name, t := g.owned()
	hub, weight, inward := g.id(), g.weight(), g.rnd.IntN(2) == 0
	var pairs [][2]engine.NodeID
	want := "ok"
	for range g.rnd.IntN(40) {
		from, to := hub, g.id()
		if inward {
			from, to = to, from
		}
		pairs = append(pairs, [2]engine.NodeID{from, to})
		if want = found(g.m.addEdge(edgeName(from, to, t), weight)); want != "ok" {
			break
		}
	}
	return g.writeStep(fmt.Sprintf("fan %s %v %v", name, weight, pairs), want, func(w *engine.TxView) string {
		t, err := w.MakeEdgeType(name, isDirected(name))
		for i := 0; i < len(pairs) && err == nil; i++ {
			err = w.AddEdge(pairs[i][0], pairs[i][1], t, weight)
		}
		return fault(err)
	})
}

func (g *graphOps) removeEdge() step {
	e := g.edge(edgeTypeNames)
	if e.typ == 0 {
		return g.addEdge()
	}
	g.m.noteRemoved(e.stored())
	g.m.removeEdge(e.stored())
	return g.writeStep(fmt.Sprintf("remove edge %v", e), "ok", func(w *engine.TxView) string {
		return fault(w.RemoveEdge(e.edge()))
	})
}

// unfan removes half of the edges of a node.
func (g *graphOps) unfan() step {
	id := g.id()
	var gone []engine.Edge
	for i, e := range g.m.neighbors(id, engine.EdgeFilter{Direction: engine.Both}) {
		if i%2 == 0 {
			gone = append(gone, e)
			g.m.noteRemoved(edgeName(e.From, e.To, e.Type))
			g.m.removeEdge(edgeName(e.From, e.To, e.Type))
		}
	}
	return g.writeStep(fmt.Sprintf("unfan %d", id), fault(nil), func(w *engine.TxView) string {
		for _, e := range gone {
			if err := w.RemoveEdge(engine.Edge{From: e.From, To: e.To, Type: e.Type}); err != nil {
				return fault(err)
			}
		}
		return fault(nil)
	})
}

func (g *graphOps) setEdgeProps() step {
	e, p := g.edge(edgeTypeNames), g.props()
	if e.typ == 0 {
		return g.addEdge()
	}
	ok := g.m.setEdgeProps(e.stored(), p)
	return g.writeStep(fmt.Sprintf("set edge props %v %s", e, showProps(p)), found(ok), func(w *engine.TxView) string {
		return fault(w.SetEdgeProps(e.edge(), p))
	})
}

func (g *graphOps) contribution() engine.Contribution {
	return engine.Contribution{
		Weight: pick(g.rnd, []float32{0, 1, 0.1, 0.2, 0.3, 1e-7, 1e6, -0.7}) + float32(g.rnd.IntN(3)),
		Count:  uint32(g.rnd.IntN(3)),
		Label:  pick(g.rnd, []string{"", "Ada", "ada", "ADA"}),
		Texts:  g.list([]string{"one", "two", "three"}, 2),
	}
}

func (g *graphOps) contributeToNode() step {
	source, id, c := g.id(), g.id(), g.contribution()
	ok := g.m.contributeToNode(source, id, c)
	return g.writeStep(fmt.Sprintf("contribute %d to node %d %v", source, id, c), found(ok), func(w *engine.TxView) string {
		return fault(w.Contribute(source, engine.NodeTarget(id), c))
	})
}

func (g *graphOps) contributeToEdge() step {
	name := edgeTypeNames[2+g.rnd.IntN(2)]
	t, _ := g.m.makeEdgeType(name, isDirected(name))
	e := modelEdge{from: g.id(), to: g.id(), typ: t}
	if g.rnd.IntN(2) == 0 {
		if again := g.edge([]string{name}); again.typ != 0 {
			e = again
		}
	}
	source, c := g.id(), g.contribution()
	ok := g.m.contributeToEdge(source, edgeName(e.from, e.to, t), c)
	return g.writeStep(fmt.Sprintf("contribute %d to edge %v %s %v", source, e, name, c), found(ok), func(w *engine.TxView) string {
		t, err := w.MakeEdgeType(name, isDirected(name))
		if err != nil {
			return fault(err)
		}
		return fault(w.Contribute(source, engine.EdgeTarget(e.from, e.to, t), c))
	})
}

func (g *graphOps) expectNode() step {
	id, epoch := g.id(), uint64(0)
	have := uint64(0)
	if n := g.m.nodes[id]; n != nil {
		have = n.epoch
	}
	if g.rnd.IntN(4) > 0 {
		epoch = have
	}
	want := "ok"
	if epoch != have {
		want = fmt.Sprintf("conflict: %d, not %d", have, epoch)
	}
	return g.writeStep(fmt.Sprintf("expect node %d at %d", id, epoch), want, func(w *engine.TxView) string {
		return fault(w.ExpectNode(id, epoch))
	})
}

func (g *graphOps) expectVersion() step {
	have := g.m.version
	version := have + uint64(g.rnd.IntN(2))
	want := "ok"
	if version != have {
		want = fmt.Sprintf("conflict: %d, not %d", have, version)
	}
	return g.writeStep(fmt.Sprintf("expect version %d", version), want, func(w *engine.TxView) string {
		return fault(w.ExpectVersion(version))
	})
}

// refused is a call that is refused and leaves the transaction as it was.
func (g *graphOps) refused() step {
	nan, id := math.NaN(), g.id()
	for g.m.nodes[id] == nil {
		if len(g.m.nodes) == 0 {
			return g.putNode()
		}
		id = g.id()
	}
	name := nodeTypeNames[0]
	t := g.m.makeNodeType(name)
	link, _ := g.m.makeEdgeType("links", true)
	g.m.makeEdgeType("causes", true)
	key := fmt.Sprintf("refused%d", g.rnd.IntN(100))
	c := g.rnd.IntN(9)
	want := fault(engine.ErrInvalid)
	if c == 8 {
		want = fault(engine.ErrNotFound)
	}
	return g.writeStep(fmt.Sprintf("refused %d %q %d", c, key, id), want, func(w *engine.TxView) string {
		_, err := w.MakeNodeType(name)
		if err == nil {
			_, err = w.MakeEdgeType("links", true)
		}
		causes, err2 := w.MakeEdgeType("causes", true)
		if err = errors.Join(err, err2); err != nil {
			return fault(err)
		}
		switch c {
		case 0:
			_, _, err = w.PutNode(t, key, engine.Props{"a": engine.Int(1), "b": engine.Float(nan)})
		case 1:
			_, _, err = w.PutNode(t, "", nil)
		case 2:
			_, _, err = w.PutNode(999, key, nil)
		case 3:
			_, _, err = w.DeriveNode(t, strings.Repeat(key, 1000))
		case 4:
			err = w.SetProps(id, engine.Props{"a": engine.String("\xff")})
		case 5:
			err = w.AddEdge(id, id, link, float32(math.Inf(1)))
		case 6:
			err = w.AddEdge(id, id, 998, 1)
		case 7:
			err = w.Contribute(id, engine.EdgeTarget(id, id, causes), engine.Contribution{Weight: float32(nan)})
		case 8:
			err = w.Contribute(id, engine.EdgeTarget(id, 1<<31, causes), engine.Contribution{Weight: 1})
		}
		return fault(err)
	})
}
