package hirag

import (
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// rays are directions, some vectors of each: a group of 30, one of 24, one of 4 that
// is near to the second, and one of 12.
func rays() (m graphops.Matrix, group []int) {
	m.Dim = 3
	for g, r := range []struct {
		n int
		x []float32
	}{{30, []float32{1, 0, 0}}, {24, []float32{0, 1, 0}}, {4, []float32{0, .9, .5}}, {12, []float32{0, -.3, 1}}} {
		for i := range r.n {
			far := float32(1 + i) // length does not count
			m.Data = append(m.Data, r.x[0]*far, r.x[1]*far, r.x[2]*far+float32(i%3)*.001*far)
			group = append(group, g)
		}
	}
	return m, group
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestSplit: no cluster has more members than there may be, each node is in one, and
// what points elsewhere is elsewhere. Vectors that are all alike are cut in order.
func TestSplit(t *testing.T) {
	m, group := rays()
	clusters, err := split(t.Context(), m, upTo(m.Len()), 30)
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for _, c := range clusters {
		if len(c) > 30 || !slices.IsSorted(c) {
			t.Errorf("a cluster of %d: %v", len(c), c)
		}
		for _, n := range c {
			a, b := group[n], group[c[0]]
			if a != b && !(a+b == 3 && a*b == 2) { // groups 1 and 2 are near
				t.Errorf("nodes of the groups %d and %d are together", a, b)
			}
		}
		all = append(all, c...)
	}
	if slices.Sort(all); !slices.Equal(all, upTo(m.Len())) {
		t.Errorf("the nodes of all clusters: %v", all)
	}
	alike := graphops.Matrix{Dim: 2, Data: slices.Repeat([]float32{1, 0}, 12)}
	if clusters, err = split(t.Context(), alike, upTo(12), 5); err != nil || len(clusters) != 3 || len(clusters[2]) != 2 {
		t.Errorf("twelve alike: %v, %v", clusters, err)
	}
	turns := graphops.Matrix{Dim: 2, Data: slices.Repeat([]float32{1, 0, 0, 1}, 12)} // two parts, no more
	if clusters, err = split(t.Context(), turns, upTo(24), 20); err != nil || len(clusters) != 2 || clusters[0][1] != clusters[0][0]+2 {
		t.Errorf("two directions in turn: %v, %v", clusters, err)
	}
	// A few more than a cluster may have make two, also if they point three ways.
	three := graphops.Matrix{Dim: 3, Data: slices.Repeat([]float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, 20)}
	if clusters, err = split(t.Context(), three, upTo(60), 50); err != nil || len(clusters) != 2 || len(clusters[0])%20 != 0 {
		t.Errorf("three directions of 20 each: %v, %v", clusters, err)
	}
}

// TestJoinSmall: the smallest part of fewer than ten joins the nearest that has room.
func TestJoinSmall(t *testing.T) {
	m, _ := rays()
	n := upTo(m.Len())
	parts := func() [][]int {
		return [][]int{slices.Clone(n[:30]), slices.Clone(n[30:54]), slices.Clone(n[54:58]), slices.Clone(n[58:70])}
	}
	for most, want := range map[int][]int{28: {30, 28, 12}, 27: {30, 24, 16}, 15: {30, 24, 4, 12}} {
		var got []int
		for _, p := range joinSmall(m, parts(), most) {
			got = append(got, len(p))
		}
		if !slices.Equal(got, want) {
			t.Errorf("parts of at most %d: %v, want %v", most, got, want)
		}
	}
}

// TestPlace: a node stays in the cluster that it was found in, a new one joins the
// nearest, and a cluster of over twice as many as there may be is divided.
func TestPlace(t *testing.T) {
	m, group := rays()
	hashes := make([]uint64, m.Len())
	for i := range hashes {
		hashes[i] = uint64(1000 - i)
	}
	s := &system{p: Params{Cluster: "split", Members: 30}}
	f, err := s.findSplit(t.Context(), "m", m, hashes, firstSparsity)
	if err != nil || f.Stopped {
		t.Fatal(f, err)
	}
	before, err := f.place(t.Context(), m, hashes, 30)
	if err != nil {
		t.Fatal(err)
	}
	of := func(parts [][][]int, i int) int {
		return slices.IndexFunc(parts, func(p [][]int) bool {
			return slices.ContainsFunc(p, func(c []int) bool { return slices.Contains(c, i) })
		})
	}
	// Node 0 turns to where group 3 is, and 70 new ones come to where it was.
	now := graphops.Matrix{Dim: 3, Data: slices.Clone(m.Data)}
	copy(now.Row(0), m.Row(69))
	for i := range 70 {
		now.Data = append(now.Data, 1, 0, float32(i%7)*.01)
		hashes = append(hashes, uint64(2000+i))
	}
	after, err := f.place(t.Context(), now, hashes, 30)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range group {
		if of(after, i) != of(before, i) {
			t.Errorf("node %d of group %d went from cluster %d to %d", i, g, of(before, i), of(after, i))
		}
	}
	divided := 0
	for c, parts := range after {
		if len(parts) > 1 {
			divided++
		}
		for _, p := range parts {
			if len(p) > 60 || len(parts) > 1 && len(p) > 30 {
				t.Errorf("cluster %d has a part of %d", c, len(p))
			}
		}
	}
	for i := 70; i < 140; i++ {
		if of(after, i) != of(before, 1) && group[before[of(after, i)][0][0]] != 0 {
			t.Errorf("new node %d is in cluster %d", i, of(after, i))
		}
	}
	if divided != 1 {
		t.Errorf("%d clusters are divided", divided)
	}
}

// TestChanged: the part of what was read that came, went or is told of in other words.
func TestChanged(t *testing.T) {
	of := func(nodes ...uint64) (m material) {
		for _, n := range nodes {
			m.add(n/10, [32]byte{7: byte(n % 10)}, false)
		}
		return m
	}
	was := of(21, 11, 41, 31) // nodes 1 to 4, each said in words 1
	for _, x := range []struct {
		name string
		now  material
		want float64
	}{
		{"the same", of(11, 21, 31, 41), 0},
		{"one in other words", of(11, 22, 31, 41), .25},
		{"one went", of(11, 31, 41), .25},
		{"two came", of(11, 21, 31, 41, 51, 61), .5},
		{"one of each, of which one for another", of(12, 21, 31, 51), .5},
		{"nothing", material{}, 1},
	} {
		if got := was.changed(x.now); got != x.want {
			t.Errorf("%s: %g, want %g", x.name, got, x.want)
		}
		if same := was.digest() == x.now.digest(); same != (x.want == 0) {
			t.Errorf("%s: equal digests %v", x.name, same)
		}
	}
	if got := (&material{}).changed(was); got != everything {
		t.Errorf("from nothing: %g", got)
	}
	// Of summaries nothing may change if it is not known which clusters they are of,
	// though others may come.
	firm := of(11, 21, 31)
	firm.add(9, [32]byte{}, true)
	more, other := of(11, 21, 31, 41), of(11, 21, 31)
	more.add(9, [32]byte{}, true)
	other.add(9, [32]byte{1}, true)
	for now, want := range map[*material]float64{&more: .25, &other: everything, &was: everything} {
		if got := firm.changed(*now); got != want {
			t.Errorf("%v to %v: %g, want %g", firm, now, got, want)
		}
	}
	firm.Clusters = []string{"0/1.0"}
	for now, want := range map[*material]float64{&more: .25, &other: .25, &was: .25} {
		if got := firm.changed(*now); got != want {
			t.Errorf("with its clusters, %v to %v: %g, want %g", firm, now, got, want)
		}
	}
}

// TestChangedEdges: nodes and edges count alike, and a node does not change by its edges.
func TestChangedEdges(t *testing.T) {
	of := func(nodes, edges string) material {
		m := material{}
		for i := range len(nodes) {
			m.Nodes = append(m.Nodes, uint64(i+1))
			m.Said = append(m.Said, uint64(len(edges))) // differs with edges
			m.Own = append(m.Own, nodes[i], 0, 0, 0)
		}
		for i := range len(edges) {
			m.Edges = append(m.Edges, edges[i], 0, 0, 0)
		}
		return m
	}
	was := of("aaaa", "befghk")
	for _, x := range []struct {
		now  material
		want float64
	}{
		{of("aaaa", "befghk"), 0},
		{of("aaba", "befghk"), .1},
		{of("aaaa", "befghkl"), .1},
		{of("aaaa", "fghk"), .2},
		{of("aaaa", "cefghk"), .1}, // in other words
		{of("abaaa", "abefgh"), .3},
		{of("aaaa", ""), .6},
	} {
		if got := was.changed(x.now); math.Abs(got-x.want) > 1e-12 {
			t.Errorf("%v: %g, want %g", x.now, got, x.want)
		}
	}
	before := of("aaaa", "befghk") // as an earlier version has read it
	before.Own, before.Edges = nil, nil
	if now := of("aaaa", "befghkl"); before.changed(now) != 1 {
		t.Errorf("before edges were read: %g, want all", before.changed(now))
	}
}
