package layout_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
)

// foldedFamily is a family of keys whose values are folded.
type foldedFamily struct {
	name       string
	key        []byte
	base       []byte
	operands   [][]byte
	unreadable func(v []byte) bool
}

func foldedFamilies() []foldedFamily {
	ids := make([]uint64, 300)
	for i := range ids {
		ids[i] = uint64(7 * i)
	}
	set := func(v []byte) bool {
		var s layout.Set
		_, lengthErr := layout.SetLen(v)
		_, _, hasErr := layout.SetHas(v, 3)
		return layout.ReadSet(v, &s) != nil && lengthErr != nil && hasErr != nil
	}
	setOps := [][]byte{layout.AppendAdd(nil, 9, 1), layout.AppendDelta(nil, []uint64{4, 77}, []float32{2, 3}, []uint64{9})}
	postings := []layout.Posting{{Node: 3, Freq: 1, Words: 4, Positions: []byte{2}}, {Node: 8, Freq: 1, Words: 9, Positions: []byte{1}}}
	return []foldedFamily{
		{"list", layout.Adjacency(layout.Out, 1, 1, 1), layout.AppendSet(nil, []uint64{2, 5, 90}, []float32{1, 2, 3}), setOps, set},
		{"bitmap", layout.NodesOfType(1, 1, 0), layout.AppendSet(nil, ids, nil), setOps, set},
		{"postings", layout.Postings(1, 1, "t", 0), layout.AppendPostings(nil, postings),
			[][]byte{layout.AppendPostingsDelta(nil, postings[:1], nil), layout.AppendPostingsDelta(nil, nil, []uint64{8})},
			func(v []byte) bool {
				_, err := layout.ReadPostings(v, nil, true)
				_, lengthErr := layout.PostingsLen(v)
				return err != nil && lengthErr != nil
			}},
		{"sum", layout.LexSum(1, 1, "t"), layout.AppendSum(nil, 3, 900), [][]byte{layout.AppendSum(nil, 1, 5), layout.AppendSum(nil, 1)},
			func(v []byte) bool { return !layout.ReadSum(v, make([]int64, 2)) }},
	}
}

// TestFoldKeepsDamage folds operands over a base that cannot be read, or with an
// operand that cannot, in all groupings that a compaction may choose. The result
// cannot be read, and holds the bytes of each part: folds once took a damaged base
// for an empty one, so that a compaction lost what was left of it.
func TestFoldKeepsDamage(t *testing.T) {
	for _, f := range foldedFamilies() {
		damages := map[string][]byte{"another kind": append([]byte{0xF9, 0x80}, f.base[1:]...)}
		for _, n := range []int{1, 2, len(f.base) / 2, len(f.base) - 1} {
			cut := append(slices.Clone(f.base[:n]), 0xFF)
			if f.unreadable(cut) {
				damages[fmt.Sprintf("cut to %d bytes", n)] = cut
			}
		}
		for what, damaged := range damages {
			if f.name == "sum" {
				damaged = []byte{0xFF, 0xEE}
			}
			if !f.unreadable(damaged) {
				t.Fatalf("%s, %s: %x is sound", f.name, what, damaged)
			}
			for _, ops := range [][][]byte{
				{damaged, f.operands[0], f.operands[1]}, // a damaged base
				{f.base, damaged, f.operands[1]},        // a damaged operand
			} {
				for name, v := range groupings(f.key, ops) {
					if !f.unreadable(v) || layout.IsEmpty(layout.Tag(f.key[0]), v) {
						t.Errorf("%s, %s, %s: reads as sound: %x", f.name, what, name, v)
					}
					if !bytes.Contains(v, damaged) {
						t.Errorf("%s, %s, %s: %x is lost in %x", f.name, what, name, damaged, v)
					}
					again := layout.NewFold(f.key, f.operands[0])
					again.Older(v)
					if w := again.Finish(true); !f.unreadable(w) || !bytes.Contains(w, damaged) {
						t.Errorf("%s, %s, %s, folded again: %x", f.name, what, name, w)
					}
				}
			}
			whole := layout.NewFold(f.key, f.base)
			whole.Older(damaged)
			if v := whole.Finish(true); f.name != "sum" && !bytes.Equal(v, f.base) {
				t.Errorf("%s, %s: a whole value over it reads as %x", f.name, what, v)
			}
		}
	}
}

// groupings folds operands, the oldest first, at once and in two steps.
func groupings(key []byte, ops [][]byte) map[string][]byte {
	fold := func(hasBase bool, ops ...[]byte) []byte {
		f := layout.NewFold(key, ops[len(ops)-1])
		for _, op := range slices.Backward(ops[:len(ops)-1]) {
			f.Older(op)
		}
		return f.Finish(hasBase)
	}
	newer := layout.NewFold(key, ops[0])
	for _, op := range ops[1:] {
		newer.Newer(op)
	}
	return map[string][]byte{
		"at once":           fold(true, ops...),
		"from the oldest":   newer.Finish(true),
		"operands first":    fold(true, ops[0], fold(false, ops[1:]...)),
		"the oldest first":  fold(true, fold(true, ops[0], ops[1]), ops[2]),
		"without the base":  fold(false, ops...),
		"one, then the two": fold(true, fold(false, ops[0], ops[1]), ops[2]),
	}
}

// TestAddedAndRemoved folds an operand that both adds and removes an id, which no builder
// makes: the removal counts, in any grouping and over any base.
func TestAddedAndRemoved(t *testing.T) {
	key := layout.Adjacency(layout.Out, 1, 1, 1)
	both := layout.AppendDelta(nil, []uint64{5, 9}, nil, []uint64{5})
	many := make([]uint64, 300)
	for i := range many {
		many[i] = uint64(i)
	}
	for _, base := range [][]uint64{nil, {5}, {1, 5, 7}, many} {
		v := layout.AppendSet(nil, base, nil)
		want := slices.DeleteFunc(slices.Clone(base), func(id uint64) bool { return id == 5 || id == 9 })
		i, _ := slices.BinarySearch(want, 9)
		want = slices.Insert(want, i, 9)
		for _, op := range [][]byte{both, layout.NewFold(key, both).Finish(false)} {
			f := layout.NewFold(key, op)
			f.Older(v)
			if got := f.Finish(true); !bytes.Equal(got, layout.AppendSet(nil, want, nil)) {
				t.Errorf("over %d ids: %x", len(base), got)
			}
		}
	}
}
