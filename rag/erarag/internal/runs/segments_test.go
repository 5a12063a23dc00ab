package runs_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/erarag/internal/runs"
)

func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// grayRank returns the place of a code among those that follow one another in
// the Gray code, by taking its bits one after the other.
func grayRank(code uint64) (rank uint64) {
	bit := uint64(0)
	for i := 63; i >= 0; i-- {
		bit ^= code >> i & 1
		rank = rank<<1 | bit
	}
	return rank
}

// checkSegments checks what the documentation of Segments promises of a state
// that has the given items.
func checkSegments(t *testing.T, s *runs.Segments, o runs.Options, items map[uint64]uint64) {
	t.Helper()
	st := s.State()
	seen := map[uint64]bool{}
	var all []runs.Item
	for _, g := range st.Segments {
		if seen[g.ID] || g.ID >= st.Next {
			t.Fatalf("segment %d, the next being %d", g.ID, st.Next)
		}
		seen[g.ID] = true
		if n := len(g.Items); n == 0 || n >= o.SplitSize || n < o.MinSize && len(st.Segments) > 1 {
			t.Fatalf("segment %d of %d has %d items", g.ID, len(st.Segments), n)
		}
		for _, it := range g.Items {
			if in, ok := s.Of(it.ID); !ok || in != g.ID {
				t.Fatalf("item %d is in %d, not %d", it.ID, in, g.ID)
			}
			if code, ok := items[it.ID]; !ok || code != it.Code {
				t.Fatalf("item %d has code %x, want %x", it.ID, it.Code, code)
			}
		}
		if own, ok := s.Segment(g.ID); !ok || own.ID != g.ID || !slices.Equal(own.Items, g.Items) {
			t.Fatalf("segment %d is %v and %v", g.ID, own, g)
		}
		all = append(all, g.Items...)
	}
	if len(all) != len(items) || s.Items() != len(items) || s.Len() != len(st.Segments) || s.Next() != st.Next {
		t.Fatalf("%d items of %d", len(all), len(items))
	}
	rank := func(c uint64) uint64 { return c }
	if o.Gray {
		rank = grayRank
	}
	if !slices.IsSortedFunc(all, func(a, b runs.Item) int {
		return cmp.Or(cmp.Compare(rank(a.Code), rank(b.Code)), cmp.Compare(a.ID, b.ID))
	}) {
		t.Fatal("items are out of order")
	}
}

// checkChanges checks that exactly the named segments differ between two
// states, those that were replaced by the same aside.
func checkChanges(t *testing.T, old, now runs.State, c runs.Changes, same map[uint64]bool) {
	t.Helper()
	index := func(st runs.State) map[uint64][]runs.Item {
		m := map[uint64][]runs.Item{}
		for _, g := range st.Segments {
			m[g.ID] = g.Items
		}
		return m
	}
	a, b := index(old), index(now)
	for _, list := range [][]uint64{c.Created, c.Changed, c.Removed} {
		if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Fatalf("%+v", c)
		}
	}
	for id, items := range b {
		before, was := a[id]
		_, created := slices.BinarySearch(c.Created, id)
		_, changed := slices.BinarySearch(c.Changed, id)
		if created == was {
			t.Fatalf("segment %d: created %v, there before %v", id, created, was)
		}
		touched := was && !slices.Equal(before, items)
		for _, it := range items {
			touched = touched || was && same[it.ID]
		}
		if touched && !changed {
			t.Fatalf("segment %d has changed and is not named", id)
		}
	}
	for id := range a {
		_, removed := slices.BinarySearch(c.Removed, id)
		if _, is := b[id]; is == removed {
			t.Fatalf("segment %d: removed %v, there %v", id, removed, is)
		}
	}
	if n := len(c.Created); n > 0 && c.Created[0] < old.Next {
		t.Fatalf("number %d is used again", c.Created[0])
	}
	for _, id := range c.Changed {
		if a[id] == nil || b[id] == nil {
			t.Fatalf("segment %d is not one that changed", id)
		}
	}
}

// changeStream is a random sequence of changes.
type changeStream struct {
	r     *rand.Rand
	bits  int // of the codes: few bits give many equal codes
	items map[uint64]uint64
	next  uint64
}

// change returns up to k puts, replacements and removals.
func (s *changeStream) change(k int, grow float64) (put []runs.Item, remove []uint64, same map[uint64]bool) {
	same = map[uint64]bool{}
	ids := make([]uint64, 0, len(s.items))
	for id := range s.items {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	s.r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for range 1 + s.r.IntN(k) {
		code := s.r.Uint64() >> (64 - s.bits) << (64 - s.bits)
		switch x := s.r.Float64(); {
		case x < grow || len(ids) == 0:
			// Ids in an order that is not that of insertion.
			put = append(put, runs.Item{ID: bits.Reverse64(s.next), Code: code})
			s.next++
		case x < grow+(1-grow)/2:
			remove = append(remove, ids[0])
			delete(s.items, ids[0])
			ids = ids[1:]
		default:
			if s.r.IntN(4) == 0 {
				code = s.items[ids[0]]
			}
			same[ids[0]] = code == s.items[ids[0]]
			put = append(put, runs.Item{ID: ids[0], Code: code})
			ids = ids[1:]
		}
	}
	for _, it := range put {
		s.items[it.ID] = it.Code
	}
	return put, remove, same
}

func TestSegmentsOfRandomChanges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 11))
			o := runs.Options{MinSize: 8, MaxSize: 12, SplitSize: 16, Gray: seed%2 == 1}
			if seed%4 >= 2 {
				o.MinSize = 1 + r.IntN(6)
				o.MaxSize = o.MinSize + r.IntN(6)
				o.SplitSize = max(o.MaxSize+1, 2*o.MinSize) + r.IntN(4)
			}
			s := must(runs.New(o))(t)
			in := changeStream{r: r, bits: []int{1, 3, 8, 20, 64}[seed%5], items: map[uint64]uint64{}}
			k := []int{1, 5, 60}[seed%3]
			for step := range 160 {
				grow := []float64{0.9, 0.5, 0.1, 0.6}[step/20%4]
				old := s.State()
				put, remove, same := in.change(k, grow)

				// The order within a change does not matter, and a state that
				// was restored continues in the same way.
				twin := must(runs.Restore(o, old))(t)
				backwards := slices.Clone(put)
				slices.Reverse(backwards)
				other := slices.Clone(remove)
				slices.Reverse(other)

				c := must(s.Apply(put, remove))(t)
				checkSegments(t, s, o, in.items)
				now := s.State()
				checkChanges(t, old, now, c, same)
				d := must(twin.Apply(backwards, other))(t)
				if fmt.Sprint(c, now) != fmt.Sprint(d, twin.State()) {
					t.Fatalf("step %d: %v, restored and backwards %v", step, c, d)
				}
				// A replacement touches the segments that the item leaves and
				// enters, and each of them one neighbour or new one.
				if n := len(c.Created) + len(c.Changed) + len(c.Removed); len(old.Segments) > 0 &&
					o.SplitSize <= 2*o.MaxSize && len(put)+len(remove) == 1 && n > 4 {
					t.Fatalf("step %d: one item touched %d segments", step, n)
				}
			}
		})
	}
}

// An insertion or a removal among many items touches at most two segments.
func TestSegmentsTouchFew(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(21, 1))
	s := must(runs.New(runs.Options{}))(t)
	items := make([]runs.Item, 50_000)
	for i := range items {
		items[i] = runs.Item{ID: uint64(i), Code: r.Uint64()}
	}
	must(s.Apply(items, nil))(t)
	for i := range 3000 {
		c := must(s.Apply([]runs.Item{{ID: uint64(len(items) + i), Code: r.Uint64()}}, nil))(t)
		if len(c.Changed) != 1 || len(c.Created) > 1 || len(c.Removed) > 0 {
			t.Fatalf("an insertion: %+v", c)
		}
		c = must(s.Apply(nil, []uint64{uint64(i * 7)}))(t)
		if n := len(c.Changed) + len(c.Created) + len(c.Removed); n > 2 || len(c.Created) > 0 {
			t.Fatalf("a removal: %+v", c)
		}
	}
}

// sizes returns the ids of the segments and their sizes.
func sizes(s *runs.Segments) (out [][2]int) {
	for _, g := range s.State().Segments {
		out = append(out, [2]int{int(g.ID), len(g.Items)})
	}
	return out
}

// numbered returns items whose ids are their codes.
func numbered(codes ...uint64) (out []runs.Item) {
	for _, c := range codes {
		out = append(out, runs.Item{ID: c, Code: c})
	}
	return out
}

// span returns the numbers from lo on, n of them.
func span(lo uint64, n int) (out []uint64) {
	for i := range n {
		out = append(out, lo+uint64(i))
	}
	return out
}

// equalCodes returns n items of one code.
func equalCodes(id uint64, n int, code uint64) (out []runs.Item) {
	for i := range n {
		out = append(out, runs.Item{ID: id + uint64(i), Code: code})
	}
	return out
}

func TestSegmentsArePacked(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		items []runs.Item
		want  []int
	}{
		{"nothing", nil, nil},
		{"fewer than a segment", numbered(span(1, 7)...), []int{7}},
		{"a segment", numbered(span(1, 8)...), []int{8}},
		{"the rest joins the last", numbered(span(1, 15)...), []int{15}},
		{"two", numbered(span(1, 16)...), []int{8, 8}},
		{"three", numbered(span(1, 25)...), []int{8, 8, 9}},
		{"equal codes stay together up to 12", slices.Concat(numbered(span(1, 6)...), equalCodes(100, 5, 50), numbered(span(60, 8)...)), []int{11, 8}},
		{"and not beyond", equalCodes(1, 25, 3), []int{12, 13}},
		{"a large rest is split", equalCodes(1, 19, 3), []int{9, 10}},
	} {
		s := must(runs.New(runs.Options{}))(t)
		c := must(s.Apply(test.items, nil))(t)
		var got []int
		for i, g := range sizes(s) {
			got = append(got, g[1])
			if g[0] != i+1 {
				t.Errorf("%s: segment %d is number %d", test.name, i, g[0])
			}
		}
		if !slices.Equal(got, test.want) || len(c.Created) != len(got) || len(c.Changed)+len(c.Removed) > 0 {
			t.Errorf("%s: sizes %v, want %v; %+v", test.name, got, test.want, c)
		}
	}
}

// What one change does to two segments of 8, of the codes 0x10... and 0x40...
func TestSegmentsChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		put     []runs.Item
		remove  []uint64
		sizes   [][2]int
		changes runs.Changes
	}{
		{"into the first", numbered(5), nil, [][2]int{{1, 9}, {2, 8}}, runs.Changes{Changed: []uint64{1}}},
		{"between them", numbered(0x3f), nil, [][2]int{{1, 9}, {2, 8}}, runs.Changes{Changed: []uint64{1}}},
		{"into the second", numbered(0x100), nil, [][2]int{{1, 8}, {2, 9}}, runs.Changes{Changed: []uint64{2}}},
		{"15 are not split", numbered(span(0x80, 7)...), nil, [][2]int{{1, 8}, {2, 15}}, runs.Changes{Changed: []uint64{2}}},
		{"16 are", numbered(span(0x20, 8)...), nil, [][2]int{{1, 8}, {3, 8}, {2, 8}},
			runs.Changes{Created: []uint64{3}, Changed: []uint64{1}}},
		{"in three from 25 on", numbered(span(0x20, 17)...), nil, [][2]int{{1, 8}, {3, 8}, {4, 9}, {2, 8}},
			runs.Changes{Created: []uint64{3, 4}, Changed: []uint64{1}}},
		{"a removal merges, the larger keeps its number", nil, []uint64{0x10}, [][2]int{{2, 15}},
			runs.Changes{Changed: []uint64{2}, Removed: []uint64{1}}},
		{"the first where both are small", nil, []uint64{0x10, 0x40}, [][2]int{{1, 14}},
			runs.Changes{Changed: []uint64{1}, Removed: []uint64{2}}},
		{"all of one", nil, span(0x10, 8), [][2]int{{2, 8}}, runs.Changes{Removed: []uint64{1}}},
		{"all", nil, append(span(0x10, 8), span(0x40, 8)...), nil, runs.Changes{Removed: []uint64{1, 2}}},
		{"the same again", numbered(0x41), nil, [][2]int{{1, 8}, {2, 8}}, runs.Changes{Changed: []uint64{2}}},
		{"moved within", []runs.Item{{ID: 0x10, Code: 0x20}}, nil, [][2]int{{1, 8}, {2, 8}},
			runs.Changes{Changed: []uint64{1}}},
		{"all replaced, and further on", []runs.Item{{0x10, 0x30}, {0x11, 0x31}, {0x12, 0x32}, {0x13, 0x33},
			{0x14, 0x34}, {0x15, 0x35}, {0x16, 0x36}, {0x17, 0x37}}, nil, [][2]int{{1, 8}, {2, 8}},
			runs.Changes{Changed: []uint64{1}}},
		{"nothing", nil, nil, [][2]int{{1, 8}, {2, 8}}, runs.Changes{}},
	} {
		s := must(runs.New(runs.Options{}))(t)
		must(s.Apply(append(numbered(span(0x10, 8)...), numbered(span(0x40, 8)...)...), nil))(t)
		c := must(s.Apply(test.put, test.remove))(t)
		if got := sizes(s); !slices.Equal(got, test.sizes) || fmt.Sprint(c) != fmt.Sprint(test.changes) {
			t.Errorf("%s: %v, want %v; %+v, want %+v", test.name, got, test.sizes, c, test.changes)
		}
	}
}

// A segment that is too small joins the neighbour whose next code differs in
// fewer bits, and the lower one where both do in as many.
func TestSegmentsMergeByHammingDistance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name             string
		below, mid, over uint64 // last of the first, all of the second, first of the third
		want             [][2]int
	}{
		{"upwards", 0b0111, 0b1000, 0b1001, [][2]int{{1, 8}, {3, 15}}},
		{"downwards", 0b1000, 0b1001, 0b1110, [][2]int{{1, 15}, {3, 8}}},
		{"downwards where equal", 0b1000, 0b1001, 0b1011, [][2]int{{1, 15}, {3, 8}}},
	} {
		s := must(runs.Restore(runs.Options{}, runs.State{Next: 4, Segments: []runs.Segment{
			{ID: 1, Items: equalCodes(10, 8, test.below)},
			{ID: 2, Items: equalCodes(20, 8, test.mid)},
			{ID: 3, Items: equalCodes(30, 8, test.over)},
		}}))(t)
		must(s.Apply(nil, []uint64{23}))(t)
		if got := sizes(s); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// Merged with one of 15, a small segment is cut in two again and both keep
// their numbers.
func TestSegmentsBorrow(t *testing.T) {
	t.Parallel()
	s := must(runs.Restore(runs.Options{}, runs.State{Next: 9, Segments: []runs.Segment{
		{ID: 5, Items: equalCodes(10, 15, 1)}, {ID: 3, Items: equalCodes(50, 8, 4)},
	}}))(t)
	c := must(s.Apply(nil, []uint64{51}))(t)
	if got := sizes(s); !slices.Equal(got, [][2]int{{5, 11}, {3, 11}}) || !slices.Equal(c.Changed, []uint64{3, 5}) ||
		len(c.Created)+len(c.Removed) > 0 || s.Next() != 9 {
		t.Errorf("%v, %+v", got, c)
	}
}

func TestSegmentsRefuse(t *testing.T) {
	t.Parallel()
	for _, o := range []runs.Options{
		{MinSize: -1}, {MinSize: 13}, {SplitSize: 12}, {MinSize: 8, MaxSize: 9, SplitSize: 15}, {MaxSize: 16}, {MaxSize: -1},
	} {
		if _, err := runs.New(o); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	a, b := runs.Segment{ID: 1, Items: numbered(1, 2)}, runs.Segment{ID: 2, Items: numbered(3, 4)}
	for name, st := range map[string]runs.State{
		"the next is taken": {Next: 2, Segments: []runs.Segment{a, b}},
		"a number twice":    {Next: 9, Segments: []runs.Segment{a, {ID: 1, Items: b.Items}}},
		"no items":          {Next: 9, Segments: []runs.Segment{a, {ID: 3}}},
		"out of order":      {Next: 9, Segments: []runs.Segment{b, a}},
		"an item twice":     {Next: 9, Segments: []runs.Segment{a, {ID: 2, Items: []runs.Item{{ID: 1, Code: 7}}}}},
		"equal items":       {Next: 9, Segments: []runs.Segment{{ID: 1, Items: numbered(1, 1)}}},
	} {
		if _, err := runs.Restore(runs.Options{}, st); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := must(runs.New(runs.Options{}))(t)
	must(s.Apply(numbered(1, 2, 3), nil))(t)
	before := fmt.Sprint(s.State())
	for _, test := range []struct {
		put    []runs.Item
		remove []uint64
		want   error
	}{
		{numbered(7, 7), nil, engine.ErrInvalid},
		{numbered(7), []uint64{2, 2}, engine.ErrInvalid},
		{numbered(7, 2), []uint64{2}, engine.ErrInvalid},
		{numbered(7), []uint64{9}, engine.ErrNotFound},
	} {
		if _, err := s.Apply(test.put, test.remove); !errors.Is(err, test.want) {
			t.Errorf("%v, %v: %v", test.put, test.remove, err)
		}
		if got := fmt.Sprint(s.State()); got != before {
			t.Errorf("a refused change has changed %s to %s", before, got)
		}
	}
	if _, ok := s.Of(9); ok {
		t.Error("an item that is not there is in a segment")
	}
	if _, ok := s.Segment(9); ok {
		t.Error("there is a segment of no number")
	}
}

// BenchmarkSegments puts one item, and removes another, among 100,000.
func BenchmarkSegments(b *testing.B) {
	r := rand.New(rand.NewPCG(4, 4))
	s := must(runs.New(runs.Options{}))(b)
	items := make([]runs.Item, 100_000)
	for i := range items {
		items[i] = runs.Item{ID: uint64(i), Code: r.Uint64()}
	}
	must(s.Apply(items, nil))(b)
	next := len(items)
	for b.Loop() {
		must(s.Apply([]runs.Item{{ID: uint64(next), Code: r.Uint64()}}, []uint64{uint64(next - len(items))}))(b)
		next++
	}
}
