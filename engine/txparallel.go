package engine

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
)

// AddParallel adds an edge of a type from one node to another, beside those that there
// are, and returns it with its number, which no edge of the pair had in the transaction. Lists of neighbours hold all of them once, with
// the sum of their weights. An edge that sources contribute has no parallel ones:
// [ErrInvalid].
func (v *TxView) AddParallel(from, to NodeID, t EdgeType, weight float32) (Edge, error) {
	e, err := v.addParallel(Edge{From: from, To: to, Type: t, Weight: weight})
	return e, v.wrap(fmt.Sprintf("add edge %d-%d %q", from, to, v.EdgeTypeName(t)), err)
}

func (v *TxView) addParallel(e Edge) (Edge, error) {
	if err := v.checkEdge(e.From, e.To, e.Type); err != nil {
		return e, err
	}
	_, most, some, err := v.span(e.stored())
	if err != nil {
		return e, err
	}
	if some == 0 {
		_, ok, err := v.HasEdge(e.From, e.To, e.Type)
		if err != nil {
			return e, err
		}
		if ok {
			e.N = 1
		}
	} else if e.N = most + 1; e.N == 0 {
		return e, phase.Mark(ErrInvalid, "out of numbers of parallel edges")
	}
	e.N = max(e.N, v.removed[e.pair()])
	return e, v.putNumbered(e)
}

// putNumbered writes the weight of an edge, and makes the edge if it is not there.
func (v *TxView) putNumbered(e Edge) error {
	if !finite(e.Weight) {
		return phase.Mark(ErrInvalid, "weight %v", e.Weight)
	}
	if v.hasRules() {
		rules, err := v.edgeRules(uint32(e.Type))
		if err != nil {
			return err
		}
		v.oweEdge(e, rules, nil)
	}
	s := e.stored()
	_, _, some, err := v.span(s)
	if err != nil {
		return err
	}
	if some == 0 {
		if e.N == 0 {
			v.bufferEdge(e.From, e.To, e.Type, e.Weight, false)
			return nil
		}
		sources, err := v.sources(edgeTarget(e.From, e.To, e.Type))
		if err != nil {
			return err
		}
		if !sources.IsEmpty() {
			return phase.Mark(ErrInvalid, "an edge that sources contribute has no parallel edges")
		}
		w, ok, err := v.HasEdge(e.From, e.To, e.Type)
		if err != nil {
			return err
		}
		if ok {
			v.setNumbered(s, 0, w)
		}
	}
	// Before the commit, so that it holds for every snapshot. It stays if the
	// transaction fails, which costs reads and no more.
	v.st.parallel.Store(true)
	v.setNumbered(s, e.N, e.Weight)
	v.resumLater(e)
	return nil
}

// resumLater notes that the weights of parallel edges are to be summed before the lists
// of neighbours are read or committed: at once would cost as much as there are.
func (v *TxView) resumLater(e Edge) {
	if v.resum == nil {
		v.resum = map[Edge]struct{}{}
	}
	v.resum[e.pair()] = struct{}{}
	v.noteTarget(edgeTarget(e.From, e.To, e.Type))
}

// resumEdges sums the weights of parallel edges that changed.
func (v *TxView) resumEdges() error {
	if len(v.resum) == 0 {
		return nil
	}
	pairs := slices.SortedFunc(maps.Keys(v.resum), compareEdges)
	clear(v.resum)
	for _, e := range pairs {
		list, err := v.several(e)
		if err != nil {
			return err
		}
		v.bufferEdge(e.From, e.To, e.Type, sumOf(list), false)
	}
	return nil
}

// setNumbered writes the keys of a parallel edge, which is in its stored form.
func (v *TxView) setNumbered(e Edge, n uint32, w float32) {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], math.Float32bits(w))
	for _, key := range v.numberedKeys(e, n) {
		v.transact.overlay.Set(key, b[:])
	}
}

func (v *TxView) dropNumbered(e Edge, n uint32) {
	for _, key := range v.numberedKeys(e, n) {
		v.transact.overlay.Delete(key)
	}
}

// numberedKeys returns the keys of a parallel edge at either end.
func (v *TxView) numberedKeys(e Edge, n uint32) [2][]byte {
	return [2][]byte{
		layout.Parallel(layout.Out, v.g, uint64(e.From), uint32(e.Type), uint64(e.To), n),
		layout.Parallel(layout.In, v.g, uint64(e.To), uint32(e.Type), uint64(e.From), n),
	}
}

// PutEdge makes the edge with the number of e, beside others if there are any, or
// changes its weight if it exists. AddEdge does so for the number 0.
func (v *TxView) PutEdge(e Edge) error {
	err := v.checkEdge(e.From, e.To, e.Type)
	if err == nil {
		err = v.putNumbered(e)
	}
	return v.wrap(fmt.Sprintf("put edge %d-%d", e.From, e.To), err)
}

// RemoveEdge removes an edge with its properties and contributions, and of parallel
// edges the one with the number of e. An edge that is not there is not an error.
func (v *TxView) RemoveEdge(e Edge) error {
	err := v.check()
	if err == nil {
		err = v.removeEdge(e)
	}
	return v.wrap(fmt.Sprintf("remove edge %d-%d", e.From, e.To), err)
}

func (v *TxView) removeEdge(e Edge) error {
	s := e.stored()
	if v.removed == nil {
		v.removed = map[Edge]uint32{}
	}
	v.removed[e.pair()] = max(v.removed[e.pair()], e.N+1)
	_, _, some, err := v.span(s)
	if err != nil {
		return err
	}
	if some == 0 {
		if e.N > 0 {
			return nil
		}
		_, err := v.dropEdge(e.From, e.To, e.Type)
		return err
	}
	if _, ok, err := v.edge(e); err != nil || !ok {
		return err
	}
	v.dropNumbered(s, e.N)
	if err := v.dropRecord(e); err != nil {
		return err
	}
	least, _, some, err := v.span(s)
	switch {
	case err != nil:
		return err
	case some == 0:
		_, err := v.dropEdge(e.From, e.To, e.Type)
		return err
	case some == 1 && least == 0: // alone again
		first := e.pair()
		if first.Weight, _, err = v.edge(first); err != nil {
			return err
		}
		v.dropNumbered(s, 0)
		delete(v.resum, e.pair())
		v.bufferEdge(e.From, e.To, e.Type, first.Weight, false)
	default:
		v.resumLater(e)
	}
	return nil
}

// dropEdge removes all edges of a type between two nodes, and returns how many there
// were, 1 if it did not have to look.
func (v *TxView) dropEdge(from, to NodeID, t EdgeType) (int, error) {
	e := Edge{From: from, To: to, Type: t}.stored()
	list, err := v.several(e)
	if err != nil {
		return 0, err
	}
	for _, x := range list {
		v.dropNumbered(e, x.n)
		if e.N = x.n; e.N == 0 {
			continue
		}
		if err := v.dropRecord(e); err != nil {
			return 0, err
		}
	}
	e.N = 0
	delete(v.resum, e)
	if err := v.dropRecord(e); err != nil {
		return 0, err
	}
	v.bufferEdge(e.From, e.To, t, 1, true)
	return max(1, len(list)), v.dropContributions(edgeTarget(e.From, e.To, t))
}

// dropRecord removes the properties of an edge that goes.
func (v *TxView) dropRecord(e Edge) error {
	if v.hasRules() {
		old, err := v.edgeRecord(e)
		if err == nil {
			err = v.reindexEdge(e, old, nil, true)
		}
		if err != nil {
			return err
		}
	}
	return v.deleteRecord(e)
}
