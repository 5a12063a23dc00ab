package engine

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/ragdb/ragdb/internal/layout"
)

// regularCounts are numbers of elements at which encodings change.
var regularCounts = []int{0, 1, 2, 127, 128, 129, 511, 512, 513, 1023, 1024, 1025, 16384}

// regularValues are the least, the greatest and the emptiest values of each kind, and
// lists of equal ones.
func regularValues(t *testing.T) []Value {
	one := []Value{
		Bool(false), Bool(true), Int(0), Int(math.MinInt64), Int(math.MaxInt64),
		Float(0), Float(math.Copysign(0, -1)), Float(math.MaxFloat64), Float(math.SmallestNonzeroFloat64),
		String(""), String("a"), String(strings.Repeat("a", blockText)), String(strings.Repeat("a", blockText+1)),
		Time(time.Unix(0, 0)), Time(time.Unix(-1<<33, 999_999_999)), Point{SRID: 7203}.Value(), Point{SRID: 9157, X: 1, Y: 1, Z: 1}.Value(),
	}
	out := slices.Clone(one)
	out = append(out, Bytes(nil), Bytes([]byte{0}), Bytes(make([]byte, 1025)), Strings())
	for _, n := range []int{1, 2, 129} {
		for _, v := range one {
			list, err := ListOf(slices.Repeat([]Value{v}, n))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, list)
		}
	}
	return out
}

// TestRegularValues builds records, lists and blocks of equal, empty, consecutive and
// greatest values: what reads them takes them, and says what was written.
func TestRegularValues(t *testing.T) {
	fb := flatbuffers.NewBuilder(64)
	t.Run("records", func(t *testing.T) {
		values := regularValues(t)
		all := make([]prop, 0, len(values))
		for i, v := range values {
			all = append(all, prop{uint32(i + 1), v})
			regularRecord(t, fb, &record{ntype: 1, key: "k", props: []prop{{1, v}}})
		}
		regularRecord(t, fb, &record{key: "k"})
		regularRecord(t, fb, &record{ntype: math.MaxUint32 - 2, epoch: 1, flags: math.MaxUint32, key: strings.Repeat("k", maxKeyBytes), props: all})
		for _, n := range regularCounts {
			labels, props := make([]uint32, n), make([]prop, n)
			for i := range n {
				labels[i], props[i] = uint32(i+2), prop{uint32(i + 1), Bool(true)}
			}
			regularRecord(t, fb, &record{ntype: 1, key: "k", labels: labels, props: props})
		}
	})
	t.Run("contributions", func(t *testing.T) {
		for _, n := range regularCounts {
			for _, s := range []string{"", "a", strings.Repeat("a", 129)} {
				c := Contribution{Weight: -1, Count: math.MaxUint32, Label: s}
				if n > 0 {
					c.Texts = slices.Repeat([]string{s}, n)
				}
				if got, err := decodeContribution(encodeContribution(fb, &c)); err != nil || !reflect.DeepEqual(got, c) {
					t.Errorf("%d texts %.3q: %v", n, s, err)
				}
			}
		}
	})
	t.Run("terms", func(t *testing.T) {
		for _, n := range regularCounts {
			for _, freq := range []uint32{1, 127, 128, 65536} {
				terms := make([]TermFreq, n)
				for i := range terms { // all share what they begin with
					terms[i] = TermFreq{strings.Repeat("x", maxTermBytes-8) + fmt.Sprintf("%08d", i), freq}
				}
				if uint64(n)*uint64(freq) > math.MaxUint32 {
					continue
				}
				got, words, err := decodeForward(appendForward(nil, terms))
				if err != nil || words != uint32(n)*freq || !slices.Equal(got, terms) {
					t.Errorf("%d terms of frequency %d: %d words, %v", n, freq, words, err)
				}
			}
		}
		for _, sum := range [][2]int64{{0, 0}, {1, 1}, {64, 64}, {math.MaxInt64, math.MaxInt64}} {
			if got, err := decodeLexSum(nil, layout.AppendSum(nil, sum[0], sum[1])); err != nil || int64(got[1]) != sum[1] {
				t.Errorf("sums %d: %d, %v", sum, got, err)
			}
		}
	})
	t.Run("changes", func(t *testing.T) {
		for _, n := range regularCounts {
			for _, first := range []uint64{1, uint64(math.MaxUint32 - max(n, 1) + 1)} {
				notes := changeNotes{nodes: roaring.New(), edges: map[edgeKey]struct{}{}}
				for i := range uint64(n) {
					notes.nodes.Add(uint32(first + i))
					notes.edges[edgeKey{first, first + i, 1}] = struct{}{}
				}
				var nodes roaring.Bitmap
				edges, err := decodeChanges(notes.encode(), &nodes)
				if err != nil || len(edges) != n || !nodes.Equals(notes.nodes) {
					t.Errorf("%d nodes from %d: %d and %d edges, %v", n, first, nodes.GetCardinality(), len(edges), err)
				}
			}
		}
	})
	t.Run("blocks", func(t *testing.T) {
		for _, v := range regularValues(t) {
			regularNodeBlock(t, v)
			for _, n := range []int{1, 128, 129, 512} {
				regularEdgeBlock(t, n, v)
			}
		}
	})
}

func regularRecord(t *testing.T, fb *flatbuffers.Builder, r *record) {
	t.Helper()
	b := r.encode(fb)
	got, err := decodeRecord(b, true)
	if err == nil {
		_, err = decodeNodeFully(b)
	}
	if err != nil || got.key != r.key || !slices.Equal(got.labels, r.labels) || !sameProps(got.props, r.props) {
		t.Fatalf("a record with %d properties and %d labels: %v", len(r.props), len(r.labels), err)
	}
	ids, values := []uint32{}, make([]Value, len(r.props))
	for _, p := range r.props {
		ids = append(ids, p.id)
	}
	if len(ids) > 2000 {
		ids, values = ids[:2000], values[:2000]
	}
	if _, err := decodeValues(b, ids, values); err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		if !sameValue(v, r.props[i].value) {
			t.Fatalf("property %d is %v", ids[i], v)
		}
	}
	edge, err := decodeEdge(encodeEdge(fb, r.epoch, r.props))
	if err != nil || !sameProps(edge, r.props) {
		t.Fatalf("an edge with %d properties: %v", len(r.props), err)
	}
	spilled, err := readProps(appendProps(nil, r.props))
	if err != nil || !sameProps(spilled, r.props) {
		t.Fatalf("%d properties in a temporary file: %v", len(r.props), err)
	}
}

func sameProps(a, b []prop) bool {
	return slices.EqualFunc(a, b, func(x, y prop) bool { return x.id == y.id && sameValue(x.value, y.value) })
}

// sameValue compares what is stored of values: -0 is stored as 0.
func sameValue(a, b Value) bool {
	return a.kind == b.kind && a.num == b.num && a.str == b.str && slices.Equal(a.list, b.list) && a.flt == b.flt
}

// regularNodeBlock fills a block with one value: each row, each second one, one row.
func regularNodeBlock(t *testing.T, v Value) {
	t.Helper()
	for _, step := range []int{1, 2, blockIDs} {
		var m nodeBlockMaker
		for row := 0; row < blockIDs; row += step {
			m.set(row, []prop{{1, v}})
		}
		value := m.finish(nil)
		if err := verifyNodeBlock(layout.NodeBlock(1, 0), value); err != nil {
			t.Fatalf("%v in each %d. row: %v", v, step, err)
		}
		b := nodeBlock{value: value, stale: map[int]struct{}{}}
		var out Vector
		if err := b.decode(); err != nil {
			t.Fatal(err)
		}
		if err := b.column(1, &out); err != nil {
			t.Fatal(err)
		}
		for row := range blockIDs {
			_, stale := b.stale[row]
			has := row%step == 0
			if has != (out.Has(row) || stale) || out.Has(row) && !sameValue(out.At(row), v) {
				t.Fatalf("%v in each %d. row: row %d has %v", v, step, row, out.At(row))
			}
		}
	}
	if err := verifyNodeBlock(layout.NodeBlock(1, 0), new(nodeBlockMaker).finish(nil)); err != nil {
		t.Fatalf("a block of nodes without properties: %v", err)
	}
}

// regularEdgeBlock makes blocks of n edges with one value: from one node to consecutive
// ones, all between the same two, and of the greatest ids.
func regularEdgeBlock(t *testing.T, n int, v Value) {
	t.Helper()
	for name, at := range map[string]func(i uint64) Edge{
		"star":     func(i uint64) Edge { return Edge{From: 1, To: NodeID(1 + i), Type: 3} },
		"parallel": func(i uint64) Edge { return Edge{From: 1, To: 1, Type: 3, N: uint32(i)} },
		"last ones": func(i uint64) Edge {
			return Edge{From: math.MaxUint32, To: NodeID(math.MaxUint32 - uint64(n) + 1 + i), Type: 3}
		},
		"last numbers": func(i uint64) Edge {
			return Edge{From: 1, To: 1, Type: 3, N: uint32(math.MaxUint32 - uint64(n) + 1 + i)}
		},
	} {
		var blocks, rows int
		w := newEdgeBlockWriter(1, 3, defaultBlockEdges, func(k, value []byte) error {
			blocks++
			if err := decodeEdgeBlock(k, value); err != nil {
				return err
			}
			var b edgeBlock
			if err := b.read(3, value); err != nil {
				return err
			}
			if err := b.decode(); err != nil {
				return err
			}
			for row := range b.rows() {
				if e := at(uint64(rows)); b.edge(row) != e || !sameProps(b.props(row), []prop{{1, v}}) {
					t.Fatalf("%s: edge %d is %+v, want %+v", name, rows, b.edge(row), e)
				}
				rows++
			}
			return nil
		})
		for i := range uint64(n) {
			if err := w.add(at(i), []prop{{1, v}}); err != nil {
				t.Fatalf("%s of %d edges with %v: %v", name, n, v, err)
			}
		}
		if err := w.flush(); err != nil || rows != n || blocks == 0 {
			t.Fatalf("%s of %d edges with %v: %d in %d blocks, %v", name, n, v, rows, blocks, err)
		}
	}
}
