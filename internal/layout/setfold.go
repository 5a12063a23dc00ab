package layout

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// setFold folds set values: operands add and remove ids, the newer one winning
// for each id; a whole set replaces all that is older. If it cannot read one of
// them, it keeps all as a damaged value. It does the work once, in Finish: that is
// twice as fast as folding each into a bitmap as it comes.
type setFold struct{ operands }

func newSetFold(first []byte) *setFold {
	return &setFold{newOperands(first, wholeSet)}
}

// wholeSet reports whether a value replaces what is older than it.
func wholeSet(v []byte) bool {
	return len(v) > 0 && (v[0]&^weighted == setList || v[0]&^weighted == setRoar)
}

// change is one id of an operand; later operands have a higher order.
type change struct {
	id     uint64
	order  int
	weight float32
	remove bool
}

func (f *setFold) Finish(hasBase bool) []byte {
	all := f.all()
	ops := all
	var base []byte
	if wholeSet(ops[0]) {
		base, ops = ops[0], ops[1:]
	}
	if base != nil && len(ops) == 0 {
		return base
	}
	changes, ok := collectChanges(ops)
	if !ok {
		return keepDamaged(all)
	}
	if base == nil && !hasBase {
		return deltaOf(changes)
	}
	if len(base) > 0 && base[0] == setRoar && len(changes) > 0 {
		if v, ok := foldRoaring(base, changes); ok {
			return v
		}
	}
	var old, out Set
	if base != nil {
		if ReadSet(base, &old) != nil {
			return keepDamaged(all)
		}
	}
	out.IDs = make([]uint64, 0, len(old.IDs)+len(changes))
	i := 0
	for _, c := range changes {
		for i < len(old.IDs) && old.IDs[i] < c.id {
			out.Push(old.IDs[i], old.Weight(i))
			i++
		}
		if i < len(old.IDs) && old.IDs[i] == c.id {
			i++
		}
		if !c.remove {
			out.Push(c.id, c.weight)
		}
	}
	for ; i < len(old.IDs); i++ {
		out.Push(old.IDs[i], old.Weight(i))
	}
	return AppendSet(nil, out.IDs, out.Weights)
}

// collectChanges returns the newest change of each id, ids ascending; ok is
// false if an operand cannot be read.
func collectChanges(ops [][]byte) (changes []change, ok bool) {
	var s Set
	var removed []uint64
	for order, op := range ops {
		if len(op) == 0 || op[0]&^weighted != setDelta {
			return nil, false
		}
		s.Reset()
		removed = removed[:0]
		tail, err := readSet(op, &s)
		if err != nil {
			return nil, false
		}
		if _, err := readList(tail, &removed); err != nil {
			return nil, false
		}
		for i, id := range s.IDs {
			changes = append(changes, change{id, order, s.Weight(i), false})
		}
		for _, id := range removed {
			changes = append(changes, change{id, order, 1, true})
		}
	}
	slices.SortFunc(changes, func(a, b change) int {
		if c := cmp.Compare(a.id, b.id); c != 0 {
			return c
		}
		if c := cmp.Compare(a.order, b.order); c != 0 || a.remove == b.remove {
			return c
		}
		if a.remove {
			return 1
		}
		return -1
	})
	n := 0
	for i, c := range changes {
		if i+1 < len(changes) && changes[i+1].id == c.id {
			continue
		}
		changes[n] = c
		n++
	}
	return changes[:n], true
}

// deltaOf returns the operand with the effect of changes.
func deltaOf(changes []change) []byte {
	var add Set
	var remove []uint64
	for _, c := range changes {
		if c.remove {
			remove = append(remove, c.id)
		} else {
			add.Push(c.id, c.weight)
		}
	}
	return AppendDelta(nil, add.IDs, add.Weights, remove)
}

// foldRoaring applies unweighted changes to an unweighted bitmap in place of
// decoding it; ok is false if weights or sizes ask for the general way.
func foldRoaring(base []byte, changes []change) (v []byte, ok bool) {
	for _, c := range changes {
		if c.weight != 1 || c.id >= 1<<32 {
			return nil, false
		}
	}
	_, err := readRoaring(base[1:], func(view *roaring.Bitmap) error {
		rb := view.Clone()
		for _, c := range changes {
			if c.remove {
				rb.Remove(uint32(c.id))
			} else {
				rb.Add(uint32(c.id))
			}
		}
		if n := rb.GetCardinality(); n <= listMax || asList(int(n), int(rb.Stats().Containers)) {
			var ids []uint64
			if err := appendIDs(&ids, rb); err != nil {
				return err
			}
			v = appendList([]byte{setList}, ids)
			return nil
		}
		if err := ascend(rb); err != nil {
			return err
		}
		rb.RunOptimize()
		b, err := rb.ToBytes()
		v = append([]byte{setRoar}, b...)
		return err
	})
	return v, err == nil
}
