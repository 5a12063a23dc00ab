package layout_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// borders are numbers of elements at which encodings change, and those beside them.
func borders() []int {
	out := []int{0, 1, 2}
	for _, n := range []int{16, 128, 256, 512, 1024, 4096, 65535} {
		out = append(out, n-1, n, n+1)
	}
	return out
}

// everyNth returns n ids, each gap after the one before; ok is false if they do not
// fit below limit.
func everyNth(n int, first, gap, limit uint64) (ids []uint64, ok bool) {
	for i := range uint64(n) {
		ids = append(ids, first+i*gap)
	}
	return ids, n == 0 || ids[n-1] < limit
}

// TestRegularPostings builds postings of equal numbers and equally far nodes, which
// take the fewest bytes, and holds every reader and fold against what was built.
func TestRegularPostings(t *testing.T) {
	type numbers struct {
		freq, words uint32
		positions   []uint32
	}
	kinds := []numbers{
		{1, 0, nil}, {1, 1, nil}, {2, 16, nil}, {255, 256, nil}, {65536, 65535, nil},
		{math.MaxUint32, math.MaxUint32, nil}, {1, 9, []uint32{0}}, {3, 9, []uint32{7, 7 + 128, 1 << 30}},
	}
	for _, n := range borders() {
		for _, gap := range []uint64{1, 2, 3, 31, 33, 127, 129} {
			nodes, ok := everyNth(n, 0, gap, 1<<16)
			for _, k := range kinds {
				if !ok || n > 5000 && k.positions != nil {
					continue
				}
				ps := make([]layout.Posting, n)
				for i, node := range nodes {
					ps[i] = layout.Posting{Node: node, Freq: k.freq, Words: k.words}
					if k.positions != nil {
						ps[i].Positions = layout.AppendPositions(nil, k.positions)
					}
				}
				t.Run(fmt.Sprintf("%d every %d, %d of %d", n, gap, k.freq, k.words), func(t *testing.T) { checkRegularPostings(t, ps) })
			}
		}
	}
}

func checkRegularPostings(t *testing.T, ps []layout.Posting) {
	t.Helper()
	base, delta := layout.AppendPostings(nil, ps), layout.AppendPostingsDelta(nil, ps, nil)
	absent := []uint64{65535} // removed, though it is not there
	if len(ps) > 0 && ps[len(ps)-1].Node == 65535 {
		absent = nil
	}
	removes := layout.AppendPostingsDelta(nil, ps, absent)
	for _, v := range [][]byte{base, delta, removes} {
		readsAs(t, v, ps)
	}
	if whole, ok := layout.WholePostings(slices.Clone(delta)); !ok || !bytes.Equal(whole, base) {
		t.Errorf("an operand that only adds is not made a whole value: %t", ok)
	}
	if _, ok := layout.WholePostings(slices.Clone(removes)); ok && absent != nil {
		t.Error("an operand that removes is made a whole value")
	}
	key := layout.Postings(1, 1, "t", 0)
	for _, v := range [][]byte{base, delta, removes} {
		if got := layout.NewFold(key, slices.Clone(v)).Finish(true); !bytes.Equal(got, base) {
			t.Errorf("kind %d alone folds into other bytes", v[0])
		}
	}
	if len(ps) == 0 {
		return
	}
	// One posting goes and comes again.
	last := ps[len(ps)-1]
	rest := layout.AppendPostings(nil, ps[:len(ps)-1])
	f := layout.NewFold(key, layout.AppendPostingsDelta(nil, nil, []uint64{last.Node}))
	f.Older(base)
	if got := f.Finish(true); !bytes.Equal(got, rest) {
		t.Error("without the last posting other bytes than those of the builder")
	}
	add := layout.AppendPostingsDelta(nil, ps[len(ps)-1:], nil)
	f = layout.NewFold(key, add)
	f.Older(rest)
	if got := f.Finish(true); !bytes.Equal(got, base) {
		t.Error("with the last posting again other bytes than those of the builder")
	}
	if len(ps) > 128+1 && !layout.FewChanges([][]byte{rest, add}) {
		t.Error("one posting more makes the fold read all blocks")
	}
}

// readsAs compares what the readers of postings say of a value.
func readsAs(t *testing.T, v []byte, ps []layout.Posting) {
	t.Helper()
	if n, err := layout.PostingsLen(v); n != len(ps) || err != nil {
		t.Fatalf("kind %d: %d postings, %v, want %d", v[0], n, err, len(ps))
	}
	got, err := layout.ReadPostings(v, nil, true)
	if err != nil || !slices.EqualFunc(got, ps, func(a, b layout.Posting) bool {
		return a.Node == b.Node && a.Freq == b.Freq && a.Words == b.Words && bytes.Equal(a.Positions, b.Positions)
	}) {
		t.Fatalf("kind %d: other postings: %d, %v", v[0], len(got), err)
	}
	var c layout.Columns
	var s layout.Blocks
	if err := c.Read(v); err != nil {
		t.Fatal(err)
	}
	if err := s.Read(v); err != nil {
		t.Fatal(err)
	}
	var b layout.Block
	var set layout.NodeSet
	at := 0
	for i := range s.Len() {
		if err := s.Load(i, &b); err != nil {
			t.Fatal(err)
		}
		if err := s.AddTo(i, &set); err != nil {
			t.Fatal(err)
		}
		to := at + len(b.Nodes)
		if !slices.Equal(b.Nodes, c.Nodes[at:to]) || !slices.Equal(b.Freq, c.Freq[at:to]) || !slices.Equal(b.Words, c.Words[at:to]) {
			t.Fatalf("kind %d: block %d has other postings than the columns", v[0], i)
		}
		at = to
	}
	if at != len(ps) || s.Postings() != at {
		t.Fatalf("kind %d: %d postings in blocks, %d said, want %d", v[0], at, s.Postings(), len(ps))
	}
	for _, p := range ps {
		if set[p.Node>>6]>>(p.Node&63)&1 == 0 {
			t.Fatalf("kind %d: the set lacks node %d", v[0], p.Node)
		}
	}
}

// TestRegularSets does for sets what [TestRegularPostings] does for postings.
func TestRegularSets(t *testing.T) {
	for _, n := range borders() {
		for _, gap := range []uint64{1, 2, 64, 4096, 65535, 65536} {
			for _, first := range []uint64{0, 1, math.MaxUint32 - uint64(max(n-1, 0))*gap} {
				ids, ok := everyNth(n, first, gap, 1<<32)
				for _, w := range []float32{1, 2.5, 0, float32(math.Inf(1)), -1} {
					if !ok || n > 5000 && (w != 1 || first > 0) {
						continue
					}
					weights := slices.Repeat([]float32{w}, n)
					t.Run(fmt.Sprintf("%d every %d from %d, weight %v", n, gap, first, w), func(t *testing.T) { checkRegularSet(t, ids, weights) })
				}
			}
		}
	}
}

func checkRegularSet(t *testing.T, ids []uint64, weights []float32) {
	t.Helper()
	last := uint64(math.MaxUint32)
	gone := []uint64{last}
	if slices.Contains(ids, last) {
		gone = nil
	}
	whole, delta := layout.AppendSet(nil, ids, weights), layout.AppendDelta(nil, ids, weights, gone)
	for _, v := range [][]byte{whole, delta} {
		var s layout.Set
		if err := layout.ReadSet(v, &s); err != nil || !slices.Equal(s.IDs, ids) {
			t.Fatalf("kind %d: %d ids, %v", v[0], len(s.IDs), err)
		}
		if n, err := layout.SetLen(v); n != len(ids) || err != nil {
			t.Fatalf("kind %d: length %d, %v", v[0], n, err)
		}
		rb := roaring.New()
		if err := layout.AddSetTo(v, 0, rb); err != nil || rb.GetCardinality() != uint64(len(ids)) {
			t.Fatalf("kind %d: %d ids in a bitmap, %v", v[0], rb.GetCardinality(), err)
		}
		for i := 0; i < len(ids); i += 1 + len(ids)/16 {
			if w, has, err := layout.SetHas(v, ids[i]); w != weights[i] || s.Weight(i) != w || !has || err != nil {
				t.Fatalf("kind %d, id %d: %v %v %v", v[0], ids[i], w, has, err)
			}
			if i > 0 && ids[i]-1 > ids[i-1] {
				if _, has, err := layout.SetHas(v, ids[i]-1); has || err != nil {
					t.Fatalf("kind %d, id %d, which is not there: %v %v", v[0], ids[i]-1, has, err)
				}
			}
		}
	}
	key := layout.Adjacency(layout.Out, 1, 1, 1)
	for _, v := range [][]byte{whole, delta} {
		if got := layout.NewFold(key, slices.Clone(v)).Finish(true); !bytes.Equal(got, whole) {
			t.Errorf("kind %d alone folds into other bytes", v[0])
		}
	}
	if len(ids) == 0 {
		return
	}
	n := len(ids) - 1
	rest := layout.AppendSet(nil, ids[:n], weights[:n])
	f := layout.NewFold(key, layout.AppendRemove(nil, ids[n]))
	f.Older(whole)
	if got := f.Finish(true); !bytes.Equal(got, rest) {
		t.Error("without the last id other bytes than those of the builder")
	}
	f = layout.NewFold(key, layout.AppendAdd(nil, ids[n], weights[n]))
	f.Older(rest)
	if got := f.Finish(true); !bytes.Equal(got, whole) {
		t.Error("with the last id again other bytes than those of the builder")
	}
}

// TestRegularSums adds sums of every size, 0 and the greatest among them.
func TestRegularSums(t *testing.T) {
	key := layout.LexSum(1, 1, "t")
	for _, sum := range [][]int64{{}, {0}, {0, 0}, {1, 1}, {63, 64}, {-64, -65}, {math.MaxInt64, math.MinInt64}, make([]int64, 129)} {
		v := layout.AppendSum(nil, sum...)
		got := make([]int64, len(sum)+1)
		if !layout.ReadSum(v, got) || !slices.Equal(got[:len(sum)], sum) || got[len(sum)] != 0 {
			t.Errorf("%v reads as %v", sum, got)
		}
		f := layout.NewFold(key, v)
		f.Older(layout.AppendSum(nil))
		if again := f.Finish(true); !bytes.Equal(again, v) {
			t.Errorf("%v and nothing fold into %x, not %x", sum, again, v)
		}
	}
}

// TestCheckEnd lengthens sets and postings, which readers take, and checks refuse.
func TestCheckEnd(t *testing.T) {
	var ids []uint64
	var bare, placed []layout.Posting
	for id := range uint64(300) {
		ids = append(ids, id)
		bare = append(bare, layout.Posting{Node: id, Freq: 1, Words: 1})
		placed = append(placed, layout.Posting{Node: id, Freq: 1, Words: 1, Positions: []byte{0}})
	}
	for _, n := range []int{0, 1, 128, 129, 300} {
		for _, w := range []float32{1, 2} {
			weights := slices.Repeat([]float32{w}, n)
			for _, v := range [][]byte{layout.AppendSet(nil, ids[:n], weights), layout.AppendDelta(nil, ids[:n], weights, nil), layout.AppendDelta(nil, ids[:n], weights, []uint64{500})} {
				var s, long layout.Set
				if err := layout.CheckSet(v, &s); err != nil || len(s.IDs) != n {
					t.Errorf("a set of %d, kind %d: %v", n, v[0], err)
				}
				if layout.CheckSet(append(v, 0), &long) == nil {
					t.Errorf("a set of %d, kind %d, is lengthened", n, v[0])
				}
			}
		}
		for _, ps := range [][]layout.Posting{bare[:n], placed[:n]} {
			for _, v := range [][]byte{layout.AppendPostings(nil, ps), layout.AppendPostingsDelta(nil, ps, nil), layout.AppendPostingsDelta(nil, ps, []uint64{500})} {
				if got, err := layout.CheckPostings(v, nil); err != nil || len(got) != n {
					t.Errorf("%d postings, kind %d: %v", n, v[0], err)
				}
				if _, err := layout.CheckPostings(append(v, 0), nil); err == nil {
					t.Errorf("%d postings, kind %d, are lengthened", n, v[0])
				}
			}
		}
	}
	placed[299].Positions = []byte{0, 0} // more than the posting has
	if _, err := layout.CheckPostings(layout.AppendPostings(nil, placed[200:]), nil); err == nil {
		t.Error("a place too many is taken")
	}
}
