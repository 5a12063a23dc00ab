package layout_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv/kvtest"
)

// randomBytes returns up to n bytes in which 00, 01 and FF are frequent.
func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, r.IntN(n+1))
	for i := range b {
		b[i] = []byte{0, 0, 1, 0xFF, 'a', byte(r.Uint32())}[r.IntN(6)]
	}
	return b
}

// randomKey returns a key of a random family, its fields from a small range so
// that keys share prefixes.
func randomKey(r *rand.Rand) []byte {
	g, id, typ := uint32(r.IntN(3)), uint64(r.IntN(4))<<15, uint32(r.IntN(3))
	b, c := randomBytes(r, 4), uint64(r.IntN(3))
	name := "n" + string(bytes.ReplaceAll(b, []byte{0}, nil))
	target := layout.Target{Kind: layout.OfEdge, A: id, Type: typ, B: c}
	table := layout.Table{Graph: g, Space: typ, Generation: uint16(c)}
	keys := [][]byte{
		layout.Meta(name), layout.Directory(name, name), layout.Directory(name, ""),
		layout.Catalog(g, layout.KindProperty, typ), layout.Name(g, layout.KindField, name),
		layout.GraphMeta(g, name), layout.Node(g, id),
		layout.ExternalKey(g, typ, string(b)), layout.NodesOfType(g, typ, c),
		layout.NodeBlock(g, c), layout.StaleNode(g, id|1),
		layout.Text(g, id, typ, uint16(c)),
		layout.Adjacency(layout.Out, g, id, typ), layout.Adjacency(layout.In, g, id, typ),
		layout.AdjacencyContainer(layout.Out, g, id, typ, c), layout.AdjacencyContainer(layout.In, g, id, typ, c),
		layout.Promoted(g, layout.In, typ, c), layout.Edge(g, id, typ, c, 0), layout.Edge(g, id, typ, c, 7), layout.Parallel(layout.In, g, id, typ, c, 3),
		layout.Contribution(g, id, target), layout.Sources(g, target, c),
		layout.SetIndex(g, typ, b, c),
		layout.Space(g, typ), table.Slot(layout.TagVector, 7), table.SlotOf(id), table.Links(0, 1, 7),
		table.Pending(true, 9), table.Code(1, 9), table.Meta(name),
		layout.Postings(g, typ, string(b), c), layout.LexSum(g, typ, string(b)), layout.TermsOf(g, typ, id),
		layout.Bucket(g, typ, b), layout.Change(g, c),
	}
	return keys[r.IntN(len(keys))]
}

// randomIDs returns ascending ids below limit.
func randomIDs(r *rand.Rand, n, limit int) []uint64 {
	seen := map[uint64]bool{}
	for range r.IntN(n + 1) {
		seen[uint64(r.IntN(limit))] = true
	}
	out := make([]uint64, 0, len(seen))
	for id := range seen {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

func randomWeights(r *rand.Rand, n int) []float32 {
	switch r.IntN(3) {
	case 0:
		return nil
	case 1:
		w := make([]float32, n)
		for i := range w {
			w[i] = 2.5
		}
		return w
	}
	w := make([]float32, n)
	for i := range w {
		w[i] = float32(r.IntN(3))
	}
	return w
}

func randomPostings(r *rand.Rand, ids []uint64) []layout.Posting {
	ps := make([]layout.Posting, len(ids))
	for i, id := range ids {
		var pos []uint32
		for range 1 + r.IntN(3) {
			pos = append(pos, uint32(10*len(pos)+r.IntN(10)))
		}
		ps[i] = layout.Posting{Node: id, Freq: uint32(len(pos)), Words: 30, Positions: layout.AppendPositions(nil, pos)}
	}
	return ps
}

// without returns the ids of b that a does not have.
func without(b, a []uint64) []uint64 {
	return slices.DeleteFunc(b, func(id uint64) bool { return slices.Contains(a, id) })
}

func randomOperand(r *rand.Rand, key []byte) []byte {
	n, limit := 6, 12
	if r.IntN(8) == 0 {
		n, limit = 400, 600 // past the border between list and bitmap
	}
	ids := randomIDs(r, n, limit)
	whole := r.IntN(5) == 0
	switch layout.Tag(key[0]) {
	case layout.TagLexSum:
		return layout.AppendSum(nil, int64(r.IntN(9)-4), int64(r.IntN(9)-4))
	case layout.TagPostings:
		if whole {
			return layout.AppendPostings(nil, randomPostings(r, ids))
		}
		return layout.AppendPostingsDelta(nil, randomPostings(r, ids), without(randomIDs(r, n, limit), ids))
	case layout.TagNodesOfType, layout.TagOut, layout.TagIn, layout.TagPromoted, layout.TagSources, layout.TagSetIndex:
		if whole {
			return layout.AppendSet(nil, ids, randomWeights(r, len(ids)))
		}
		return layout.AppendDelta(nil, ids, randomWeights(r, len(ids)), without(randomIDs(r, n, limit), ids))
	}
	return nil
}

func TestSchema(t *testing.T) {
	kvtest.CheckSchema(t, layout.Schema(), randomKey, randomOperand)
}

func TestKeysAreValidAndFormat(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		k := randomKey(r)
		if err := layout.Validate(k); err != nil {
			t.Fatal(err)
		}
		if f := layout.Format(k); !bytes.Contains([]byte(f), []byte("(")) {
			t.Fatalf("%x formats as %q", k, f)
		}
	}
	want := map[string][]byte{
		"out(g1,17,e3)":             layout.Adjacency(layout.Out, 1, 17, 3),
		"in(g1,17,e3,c2)":           layout.AdjacencyContainer(layout.In, 1, 17, 3, 2),
		`key(g1,t2,"a/b.txt")`:      layout.ExternalKey(1, 2, "a/b.txt"),
		`postings(g1,f2,"wort",c0)`: layout.Postings(1, 2, "wort", 0),
		"sources(g1,k2,5,e4,6,c0)":  layout.Sources(1, layout.Target{Kind: layout.OfEdge, A: 5, Type: 4, B: 6}, 0),
	}
	for s, k := range want {
		if got := layout.Format(k); got != s {
			t.Errorf("%x formats as %s, want %s", k, got, s)
		}
	}
}

func TestKeyFieldsReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		g, typ, id, b := r.Uint32(), r.Uint32(), r.Uint64(), randomBytes(r, 6)
		c := r.Uint64() >> 16
		if f, term, got := layout.PostingsOf(layout.Postings(g, typ, string(b), c)); f != typ || term != string(b) || got != c {
			t.Fatalf("postings: %d %q %d", f, term, got)
		}
		target := layout.Target{Kind: layout.OfEdge, A: id, Type: typ, B: c}
		if s, got := layout.ContributionOf(layout.Contribution(g, id, target)); s != id || got != target {
			t.Fatalf("contribution: %d %+v", s, got)
		}
		if got, n := layout.SourcesOf(layout.Sources(g, target, c)); got != target || n != c {
			t.Fatalf("sources: %+v %d", got, n)
		}
		a, ok := layout.ReadAdjacency(layout.AdjacencyContainer(layout.In, g, id, typ, c))
		if !ok || a != (layout.AdjacencyKey{Dir: layout.In, Graph: g, Node: id, Type: typ, Container: c}) {
			t.Fatalf("adjacency: %+v", a)
		}
		if tag, got, err := layout.KeyTag(layout.Node(g, id)); tag != layout.TagNode || got != g || err != nil {
			t.Fatalf("tag: %v %d %v", tag, got, err)
		}
	}
}

func TestOrderOfValues(t *testing.T) {
	floats := []float64{math.Inf(-1), -1e300, -2, -1, -1e-300, 0, 1e-300, 1, 2, 1e300, math.Inf(1)}
	var prev []byte
	for _, f := range floats {
		b, err := layout.AppendFloat(nil, f)
		if err != nil || prev != nil && bytes.Compare(prev, b) >= 0 {
			t.Errorf("%v does not follow: %v", f, err)
		}
		prev = b
	}
	if _, err := layout.AppendFloat(nil, math.NaN()); err == nil {
		t.Error("NaN was taken")
	}
	neg, _ := layout.AppendFloat(nil, math.Copysign(0, -1))
	zero, _ := layout.AppendFloat(nil, 0)
	if !bytes.Equal(neg, zero) {
		t.Error("-0 and 0 differ")
	}
	prev = nil
	for _, i := range []int64{math.MinInt64, -1, 0, 1, math.MaxInt64} {
		b := layout.AppendInt(nil, i)
		if prev != nil && bytes.Compare(prev, b) >= 0 {
			t.Errorf("%d does not follow", i)
		}
		prev = b
	}
}

func TestSetsReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		ids := randomIDs(r, 1+r.IntN(400), 1000)
		w := randomWeights(r, len(ids))
		v := layout.AppendSet(nil, ids, w)
		var s layout.Set
		if err := layout.ReadSet(v, &s); err != nil || !slices.Equal(s.IDs, ids) {
			t.Fatalf("%v: %v", err, s.IDs)
		}
		if n, err := layout.SetLen(v); n != len(ids) || err != nil {
			t.Fatalf("length %d of %d, %v", n, len(ids), err)
		}
		for i, id := range ids {
			want := float32(1)
			if w != nil {
				want = w[i]
			}
			if got, ok, err := layout.SetHas(v, id); got != want || !ok || err != nil {
				t.Fatalf("weight of %d: %v %v %v, want %v", id, got, ok, err, want)
			}
		}
		if _, ok, _ := layout.SetHas(v, 1001); ok {
			t.Fatal("has what it has not")
		}
	}
}

func FuzzReadSet(f *testing.F) {
	f.Add(layout.AppendSet(nil, []uint64{1, 2, 300}, nil))
	f.Add(layout.AppendDelta(nil, []uint64{1}, []float32{2}, []uint64{7}))
	many := make([]uint64, 500)
	for i := range many {
		many[i] = uint64(3 * i)
	}
	f.Add(layout.AppendSet(nil, many, nil))
	f.Fuzz(func(t *testing.T, v []byte) {
		var s layout.Set
		good := layout.ReadSet(v, &s) == nil
		if good {
			if !slices.IsSorted(s.IDs) || s.Weights != nil && len(s.Weights) != len(s.IDs) {
				t.Fatalf("%x reads as %+v", v, s)
			}
		}
		if n, err := layout.SetLen(v); good && (n != len(s.IDs) || err != nil) {
			t.Fatalf("%x has %d ids, %v, and reads as %d", v, n, err, len(s.IDs))
		}
		_, _, _ = layout.SetHas(v, 3)
		key := layout.Adjacency(layout.Out, 1, 1, 1)
		var alone layout.Set // of an operand, what it removes is read too
		good = good && layout.ReadSet(layout.NewFold(key, v).Finish(true), &alone) == nil
		fold := layout.NewFold(key, v)
		fold.Newer(layout.AppendAdd(nil, 9, 1))
		fold.Older(v)
		var after layout.Set
		if err := layout.ReadSet(fold.Finish(true), &after); good && err != nil {
			t.Fatalf("the fold of %x is malformed: %v", v, err)
		}
	})
}

func FuzzReadPostings(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	f.Add(layout.AppendPostings(nil, randomPostings(r, []uint64{1, 5, 900})))
	f.Add(layout.AppendPostingsDelta(nil, randomPostings(r, []uint64{4}), []uint64{2}))
	f.Fuzz(func(t *testing.T, v []byte) {
		ps, err := layout.ReadPostings(v, nil, true)
		if err == nil {
			for _, p := range ps {
				if n := len(p.ReadPositions(nil)); n != 0 && n != int(p.Freq) {
					t.Fatalf("%d positions of %d", n, p.Freq)
				}
			}
		}
		if n, lenErr := layout.PostingsLen(v); err == nil && (n != len(ps) || lenErr != nil) {
			t.Fatalf("%x has %d postings, %v, and reads as %d", v, n, lenErr, len(ps))
		}
		key := layout.Postings(1, 1, "t", 0)
		_, alone := layout.ReadPostings(layout.NewFold(key, v).Finish(true), nil, true) // what it removes is read too
		fold := layout.NewFold(key, v)
		fold.Older(v)
		if _, e := layout.ReadPostings(fold.Finish(true), nil, true); err == nil && alone == nil && e != nil {
			t.Fatalf("the fold of %x is malformed: %v", v, e)
		}
	})
}

func FuzzKey(f *testing.F) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 40 {
		f.Add(randomKey(r))
	}
	f.Fuzz(func(t *testing.T, k []byte) {
		_ = layout.Format(k)
		if n := layout.Split(k); n < 0 || n > len(k) || len(k) > 0 && n == 0 {
			t.Fatalf("Split(%x) = %d", k, n)
		}
		_ = layout.Validate(k)
	})
}

func BenchmarkSetFold(b *testing.B) {
	key := layout.Adjacency(layout.Out, 1, 1, 1)
	base := layout.AppendSet(nil, []uint64{1, 5, 9, 100, 200, 300}, nil)
	op := layout.AppendAdd(nil, 77, 1)
	for b.Loop() {
		f := layout.NewFold(key, op)
		for range 15 {
			f.Older(op)
		}
		f.Older(base)
		_ = f.Finish(true)
	}
	b.ReportMetric(float64(b.N*16)/b.Elapsed().Seconds(), "operands/s")
}

func BenchmarkReadSet(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		ids := make([]uint64, n)
		for i := range ids {
			ids[i] = uint64(i * 37)
		}
		v := layout.AppendSet(nil, ids, nil)
		b.Run(map[int]string{10: "list10", 100: "list100", 1000: "bitmap1000"}[n], func(b *testing.B) {
			var s layout.Set
			for b.Loop() {
				s.Reset()
				if err := layout.ReadSet(v, &s); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds()/1e6, "Mids/s")
		})
	}
}

// TestDense holds the ranges of Dense against the tag of each key.
func TestDense(t *testing.T) {
	for tag := range 256 {
		for _, key := range [][]byte{{byte(tag)}, {byte(tag), 0, 0, 1}, {byte(tag), 0xFF}} {
			dense, end := layout.Dense(key)
			if want := tag >= 0x31 && tag <= 0x37; dense != want {
				t.Errorf("%x is dense: %t", key, dense)
			}
			if end == nil {
				continue
			}
			if bytes.Compare(key, end) >= 0 {
				t.Errorf("%x ends at %x", key, end)
			}
			if next, _ := layout.Dense(end); next == dense {
				t.Errorf("%x and its end %x are alike", key, end)
			}
		}
	}
}

// TestWideSets writes sets on both sides of the bound between lists and bitmaps,
// reads them back, and adds and removes ids across it: a fold gives the bytes that
// the set has when it is written whole.
func TestWideSets(t *testing.T) {
	const list, bitmap = 1, 2
	sparse := func(n, each int) []uint64 { // so many in each container
		var ids []uint64
		for i := range n {
			ids = append(ids, uint64(i/each)<<16|uint64(i%each)*7+1)
		}
		return ids
	}
	for _, c := range []struct {
		n, each int
		kind    byte
	}{
		{128, 128, list}, {129, 129, bitmap}, {1000, 1, list}, {1000, 15, list}, {960, 16, bitmap}, {1000, 100, bitmap},
	} {
		ids := sparse(c.n, c.each)
		v := layout.AppendSet(nil, ids, nil)
		if v[0] != c.kind {
			t.Errorf("%d ids, %d in a container: kind %d, want %d", c.n, c.each, v[0], c.kind)
		}
		var s layout.Set
		if err := layout.ReadSet(v, &s); err != nil || !slices.Equal(s.IDs, ids) {
			t.Errorf("%d ids, %d in a container: read %d, %v", c.n, c.each, len(s.IDs), err)
		}
		for i, id := range ids {
			if w, has, err := layout.SetHas(v, id); w != 1 || !has || err != nil {
				t.Fatalf("id %d of %d: %v %v %v", i, c.n, w, has, err)
			}
			if _, has, err := layout.SetHas(v, id+1); has || err != nil {
				t.Fatalf("id %d of %d, which is not there: %v %v", i, c.n, has, err)
			}
		}
		key := layout.Adjacency(layout.Out, 1, 1, 1)
		for _, change := range []struct{ add, remove []uint64 }{{remove: ids[c.n-1:]}, {remove: ids[1:]}, {add: []uint64{1 << 31}}} {
			want := slices.Concat(ids, change.add)
			want = slices.DeleteFunc(want, func(id uint64) bool { return slices.Contains(change.remove, id) })
			f := layout.NewFold(key, layout.AppendDelta(nil, change.add, nil, change.remove))
			f.Older(v)
			if got := f.Finish(true); !bytes.Equal(got, layout.AppendSet(nil, want, nil)) {
				t.Errorf("%d ids, %d in a container, %d added and %d removed: other bytes than those of the set", c.n, c.each, len(change.add), len(change.remove))
			}
		}
	}
}
