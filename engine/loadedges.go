package engine

import (
	"fmt"
	"math"

	"github.com/ragdb/ragdb/internal/layout"
)

// Edge adds the edge from -> to of a type, or changes its weight if it
// exists, of parallel edges the one with the number 0; of several weights for one
// edge the last wins. Both nodes must exist
// or be of the load.
func (l *Loader) Edge(from, to NodeID, t EdgeType, weight float32) error {
	if err := l.edge(from, to, t, weight); err != nil {
		return l.v.wrap(fmt.Sprintf("load edge %d-%d %q", from, to, l.v.EdgeTypeName(t)), err)
	}
	return nil
}

// EdgeWith is Edge with properties, which take the place of those that the edge has; none
// leave these as they are. Of several edges with the same ends, the last that has
// properties counts. If the graph has an index or a constraint over edges of the type, it
// is [ErrInvalid]: then [TxView.SetEdgeProps] writes them after the load.
func (l *Loader) EdgeWith(from, to NodeID, t EdgeType, weight float32, props Props) error {
	err := l.edge(from, to, t, weight)
	if err == nil && len(props) > 0 {
		err = l.edgeProps(Edge{From: from, To: to, Type: t}, props)
	}
	if err != nil {
		return l.v.wrap(fmt.Sprintf("load edge %d-%d %q", from, to, l.v.EdgeTypeName(t)), err)
	}
	return nil
}

func (l *Loader) edge(from, to NodeID, t EdgeType, weight float32) error {
	if l.added%checkEvery == 0 || t != l.known || !l.loaded(from) || !l.loaded(to) {
		l.noteNodes()
		if err := l.v.checkEdge(from, to, t); err != nil {
			return err
		}
		l.known = t
	}
	if t != l.free {
		if err := l.ruled(t); err != nil {
			return err
		}
		l.free = t
	}
	if w := float64(weight); math.IsNaN(w) || math.IsInf(w, 0) {
		return phase.Mark(ErrInvalid, "weight %v", weight)
	}
	if l.v.transact.done {
		return errTxDone
	}
	e := Edge{From: from, To: to, Type: t}.stored()
	a, b := uint64(e.From), uint64(e.To)
	if l.v.st.parallel.Load() {
		rest, ok := l.beside[e]
		if !ok {
			list, err := l.v.several(e)
			if err != nil {
				return err
			}
			if ok = len(list) > 0; ok {
				rest = restOf(list)
				l.beside[e] = rest
			}
		}
		if ok {
			l.firsts[e] = weight
			weight = weightOf(rest + float64(weight))
		}
	}
	if l.added == 0 {
		var err error
		if l.alone, err = l.isAlone(); err != nil {
			return err
		}
		l.edges[layout.In].byOther = l.alone
	}
	l.added++
	l.v.noteMissed()
	if err := l.edges[layout.Out].add(halfOf(a, b, t, weight)); err != nil || l.alone {
		return err
	}
	return l.edges[layout.In].add(halfOf(b, a, t, weight))
}

// ruled returns an error if edges of a type must have a property: those of a load
// have none.
func (l *Loader) ruled(t EdgeType) error {
	rules, err := l.v.edgeRules(uint32(t))
	for _, x := range rules {
		if x.required() {
			return &ViolationError{x.Rule, fmt.Sprintf("a load gives edges no properties, and each %s has %s", x.Types[0], x.Properties[0])}
		}
	}
	return err
}

// isAlone reports whether the graph had no edges before.
func (l *Loader) isAlone() (bool, error) {
	for _, dir := range []layout.Direction{layout.Out, layout.In} {
		old, err := l.inlineReader(l.ctx, dir)
		if err != nil {
			return false, err
		}
		if err := old.it.Close(); err != nil || old.ok {
			return false, err
		}
	}
	return true, nil
}
