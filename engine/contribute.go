package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
)

// Target is what a source contributes to: a node, or an edge.
type Target struct {
	Node     NodeID   // of a node
	From, To NodeID   // of an edge
	Type     EdgeType // of an edge; 0 for a node
}

// NodeTarget returns the node as a target.
func NodeTarget(id NodeID) Target { return Target{Node: id} }

// EdgeTarget returns the edge as a target.
func EdgeTarget(from, to NodeID, t EdgeType) Target { return Target{From: from, To: to, Type: t} }

// key returns the target as keys hold it, undirected edges from the smaller
// end.
func (t Target) key() layout.Target {
	if t.Type == 0 {
		return layout.Target{Kind: layout.OfNode, A: uint64(t.Node)}
	}
	return edgeTarget(t.From, t.To, t.Type)
}

func edgeTarget(from, to NodeID, t EdgeType) layout.Target {
	if !t.Directed() && from > to {
		from, to = to, from
	}
	return layout.Target{Kind: layout.OfEdge, A: uint64(from), Type: uint32(t), B: uint64(to)}
}

func targetOf(k layout.Target) Target {
	if k.Kind == layout.OfNode {
		return NodeTarget(NodeID(k.A))
	}
	return EdgeTarget(NodeID(k.A), NodeID(k.B), EdgeType(k.Type))
}

// Contribution is what one source states about a node or edge.
type Contribution struct {
	// Weight adds to the weight of an edge. Sums are taken in fixed point
	// (2^-30), so they are exact in any order; |Weight| is at most 2^31.
	Weight float32
	// Count says how often the source supports the target.
	Count uint32
	// Label is the source's vote for what the target is called.
	Label string
	// Texts are the source's descriptions of the target.
	Texts []string
	// Source is the node that made the contribution. [TxView.Contribute] takes
	// it as an argument and does not read this field.
	Source NodeID
}

// weightScale is the fixed point of summed weights.
const weightScale = 1 << 30

// weightSum sums weights exactly: 128 bits hold as many of the greatest as
// there are sources.
type weightSum struct {
	hi int64
	lo uint64
}

func (s *weightSum) add(w float32) {
	v := int64(math.RoundToEven(float64(w) * weightScale))
	lo, carry := bits.Add64(s.lo, uint64(v), 0)
	s.lo = lo
	s.hi += v>>63 + int64(carry)
}

// weight returns the sum as edges carry it.
func (s weightSum) weight() float32 {
	if s.hi == int64(s.lo)>>63 {
		return float32(float64(int64(s.lo)) / weightScale)
	}
	return float32((float64(s.hi)*(1<<64) + float64(s.lo)) / weightScale)
}

// contributionBatch is how many contributions are read at once.
const contributionBatch = 1024

// edgeKey names an edge whose weight is to be summed again.
type edgeKey struct {
	a, b  uint64
	etype uint32
}

// Contribute writes what source states about a node or edge and replaces its
// earlier statement. If no source has stated the edge yet, the edge is created;
// its weight is the sum over its sources. A source of an edge is also a source of
// the edge's derived ends, except of itself, since it could then never be removed.
// Source and ends must exist.
func (v *TxView) Contribute(source NodeID, t Target, c Contribution) error {
	return v.wrap(fmt.Sprintf("contribute of %d", source), v.contribute(source, t, c))
}

func (v *TxView) contribute(source NodeID, t Target, c Contribution) error {
	if err := v.check(); err != nil {
		return err
	}
	if w := float64(c.Weight); math.IsNaN(w) || math.Abs(w) > 1<<31 {
		return phase.Mark(ErrInvalid, "weight %v", c.Weight)
	}
	need := []NodeID{source, t.Node}
	if t.Type != 0 {
		if err := v.checkEdge(t.From, t.To, t.Type); err != nil {
			return err
		}
		need = need[:1]
		if _, _, some, err := v.span(Edge{From: t.From, To: t.To, Type: t.Type}.stored()); err != nil {
			return err
		} else if some > 0 {
			return phase.Mark(ErrInvalid, "a contribution to parallel edges")
		}
	}
	for _, id := range need {
		if ok, err := v.exists(id); err != nil {
			return err
		} else if !ok {
			return fmt.Errorf("node %d: %w", id, ErrNotFound)
		}
	}
	key := t.key()
	v.support(source, key, &c)
	if t.Type == 0 {
		return nil
	}
	v.refold[edgeKey{key.A, key.B, key.Type}] = struct{}{}
	if v.hasRules() {
		rules, err := v.edgeRules(key.Type)
		if err != nil {
			return err
		}
		v.oweEdge(Edge{From: t.From, To: t.To, Type: t.Type}, rules, nil)
	}
	for _, end := range [2]NodeID{t.From, t.To} {
		if end == source {
			continue
		}
		if err := v.supportEnd(source, end); err != nil {
			return err
		}
	}
	return nil
}

// support writes a contribution and its way back.
func (v *TxView) support(source NodeID, t layout.Target, c *Contribution) {
	o := v.transact.overlay
	o.Set(layout.Contribution(v.g, uint64(source), t), encodeContribution(v.transact.fb, c))
	o.Merge(layout.Sources(v.g, t, layout.Container(uint64(source))), layout.AppendAdd(nil, uint64(source)&0xFFFF, 1))
	v.noteTarget(t)
}

// supportEnd makes source a source of a derived end of an edge.
func (v *TxView) supportEnd(source, end NodeID) error {
	t := layout.Target{Kind: layout.OfNode, A: uint64(end)}
	_, err := v.kv.Get(v.ctx, layout.Contribution(v.g, uint64(source), t), nil)
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	rec, err := v.record(end, false)
	if err == nil && rec.flags&flagDerived != 0 {
		v.support(source, t, &Contribution{})
	}
	return err
}

// Withdraw removes all contributions of source. Edges and derived nodes that no
// other source supports are removed, and weights are summed again. The source
// itself stays.
func (v *TxView) Withdraw(source NodeID) (Removed, error) {
	r, err := v.deleteNodes(nil, []NodeID{source})
	return r, v.wrap(fmt.Sprintf("withdraw %d", source), err)
}

// withdrawFrom takes back what source contributed and adds to r what that
// concerns.
func (v *TxView) withdrawFrom(source NodeID, r *removal) error {
	var targets []layout.Target
	for p, err := range scan(v.ctx, v.kv, layout.ContributionPrefix(v.g, uint64(source))) {
		if err != nil {
			return err
		}
		_, t := layout.ContributionOf(p.key)
		targets = append(targets, t)
	}
	o := v.transact.overlay
	for _, t := range targets {
		o.Delete(layout.Contribution(v.g, uint64(source), t))
		key := layout.Sources(v.g, t, layout.Container(uint64(source)))
		o.Merge(key, layout.AppendRemove(nil, uint64(source)&0xFFFF))
		v.shrunk[string(key)] = struct{}{}
		v.noteTarget(t)
	}
	for _, t := range targets {
		left, err := v.sources(t)
		if err != nil {
			return err
		}
		if t.Kind == layout.OfNode {
			if err := v.unsupported(NodeID(t.A), left.IsEmpty(), r); err != nil {
				return err
			}
			continue
		}
		r.dirty.Add(uint32(t.A))
		r.dirty.Add(uint32(t.B))
		if !left.IsEmpty() {
			v.refold[edgeKey{t.A, t.B, t.Type}] = struct{}{}
			continue
		}
		n, err := v.dropEdge(NodeID(t.A), NodeID(t.B), EdgeType(t.Type))
		if err != nil {
			return err
		}
		r.edges += n
	}
	return nil
}

// unsupported notes that a node lost a source: the node goes if it was derived
// and has none left.
func (v *TxView) unsupported(id NodeID, last bool, r *removal) error {
	r.dirty.Add(uint32(id))
	if !last {
		return nil
	}
	rec, err := v.record(id, false)
	if errors.Is(err, ErrNotFound) {
		return nil // removed by the same cascade
	}
	if err == nil && rec.flags&flagDerived != 0 {
		r.add(id)
	}
	return err
}

// dropContributions removes all contributions to a target that goes.
func (v *TxView) dropContributions(t layout.Target) error {
	delete(v.refold, edgeKey{t.A, t.B, t.Type})
	set, err := v.sources(t)
	if err != nil || set.IsEmpty() {
		return err
	}
	o := v.transact.overlay
	container := uint64(math.MaxUint64)
	for it := set.Iterator(); it.HasNext(); {
		src := uint64(it.Next())
		o.Delete(layout.Contribution(v.g, src, t))
		if c := layout.Container(src); c != container {
			container = c
			o.Delete(layout.Sources(v.g, t, c))
		}
	}
	v.noteTarget(t)
	return nil
}

// refoldEdges sums the weights of the edges whose contributions changed.
func (v *TxView) refoldEdges() error {
	if err := v.resumEdges(); err != nil || len(v.refold) == 0 {
		return err
	}
	keys := slices.SortedFunc(maps.Keys(v.refold), func(x, y edgeKey) int {
		return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.etype, y.etype), cmp.Compare(x.b, y.b))
	})
	clear(v.refold)
	for _, k := range keys {
		t := layout.Target{Kind: layout.OfEdge, A: k.a, Type: k.etype, B: k.b}
		set, err := v.sources(t)
		if err != nil {
			return err
		}
		var sum weightSum
		for c, err := range v.contributions(set, t) {
			if err != nil {
				return err
			}
			sum.add(c.Weight)
		}
		v.bufferEdge(NodeID(k.a), NodeID(k.b), EdgeType(k.etype), sum.weight(), false)
	}
	return nil
}
