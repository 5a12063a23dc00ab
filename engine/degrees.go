package engine

import (
	"errors"
	"fmt"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// Degrees returns how many edges every node has that f lets pass: parallel edges
// one by one, and a loop once. The place in the result is the node's id; nodes
// beyond its end have no edge. If others is not nil, edges count whose other end is
// in it. It reads all lists once in their order, and decodes them only for others
// and for loops that both lists of a node have.
func (v *View) Degrees(f EdgeFilter, others *roaring.Bitmap) ([]uint32, error) {
	d := degrees{r: &v.reader, f: &f, others: others}
	err := d.count()
	return d.of, v.wrap("degrees", err)
}

// degrees are the numbers of edges by node, as they are counted.
type degrees struct {
	r      *reader
	f      *EdgeFilter
	others *roaring.Bitmap
	set    layout.Set
	of     []uint32
}

func (d *degrees) count() error {
	nodes, err := d.r.Nodes(AnyType)
	if err != nil || nodes.IsEmpty() {
		return err
	}
	d.of = make([]uint32, int(nodes.Maximum())+1)
	for _, dir := range []layout.Direction{layout.Out, layout.In} {
		if !d.r.follows(dir, d.f) {
			continue
		}
		if err := d.lists(dir); err != nil {
			return err
		}
		if err := d.parallel(dir); err != nil {
			return err
		}
	}
	return nil
}

// met reports whether a loop in the lists of a direction was met in those of the other
// one.
func (d *degrees) met(dir layout.Direction, t EdgeType) bool {
	return dir == layout.In && d.f.reads(layout.Out, t)
}

func (d *degrees) add(node uint64, n int) error {
	if node >= uint64(len(d.of)) {
		if n == 0 {
			return nil
		}
		return fmt.Errorf("edges of node %d, which is not there", node)
	}
	d.of[node] += uint32(n)
	return nil
}

// lists counts the neighbours that the lists of a direction have.
func (d *degrees) lists(dir layout.Direction) error {
	from := layout.AppendAdjacencyPrefix(nil, dir, d.r.g, 0)
	for p, err := range scanRange(d.r.ctx, d.r.kv, from, layout.Next(from[:5])) {
		if err != nil {
			return err
		}
		key, ok := layout.ReadAdjacency(p.key)
		if !ok {
			return corrupt(p.key, errors.New("not an adjacency key"))
		}
		if !d.f.reads(dir, EdgeType(key.Type)) {
			continue
		}
		n, err := d.listed(dir, key, p.value)
		if err == nil {
			err = d.add(key.Node, n)
		}
		if err != nil {
			return corrupt(p.key, err)
		}
	}
	return nil
}

// listed returns how many neighbours a list counts for.
func (d *degrees) listed(dir layout.Direction, key layout.AdjacencyKey, value []byte) (n int, err error) {
	met, base := d.met(dir, EdgeType(key.Type)), key.Container<<16
	if d.others == nil {
		if n, err = layout.SetLen(value); err != nil || !met || key.Node < base {
			return n, err
		}
		_, loop, err := layout.SetHas(value, key.Node-base)
		if loop {
			n--
		}
		return n, err
	}
	d.set.Reset()
	if err := layout.ReadSet(value, &d.set); err != nil {
		return 0, err
	}
	for _, id := range d.set.IDs {
		if id += base; d.counts(id) && !(met && id == key.Node) {
			n++
		}
	}
	return n, nil
}

func (d *degrees) counts(other uint64) bool {
	return d.others == nil || other <= math.MaxUint32 && d.others.Contains(uint32(other))
}

// parallel counts the parallel edges of a direction which the lists do not have: all
// but one of each pair.
func (d *degrees) parallel(dir layout.Direction) error {
	if !d.r.graph.st.parallel.Load() {
		return nil
	}
	var last layout.ParallelKey
	for p, err := range scan(d.r.ctx, d.r.kv, layout.ParallelPrefix(dir, d.r.g, 0, 0, 0)[:6]) {
		if err != nil {
			return err
		}
		k := layout.ParallelOf(p.key)
		k.N = 0
		t := EdgeType(k.Type)
		if k != last || !d.f.reads(dir, t) || !d.counts(k.Other) || k.Other == k.Node && d.met(dir, t) {
			last = k
			continue
		}
		if err := d.add(k.Node, 1); err != nil {
			return corrupt(p.key, err)
		}
	}
	return nil
}
