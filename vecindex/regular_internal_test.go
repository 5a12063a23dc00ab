package vecindex

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
	"github.com/ragdb/ragdb/vecindex/internal/ivf"
)

// TestRegularHeads reads the records of an index with the least and the greatest numbers
// that are written.
func TestRegularHeads(t *testing.T) {
	for _, m := range []meta{
		{stamp: stamp{Model: "m", Dim: 1}, seq: 1},
		{stamp: stamp{Model: strings.Repeat("m", maxModelBytes), Dim: maxDim, Metric: L2, Kind: IVF, Normalised: true, Element: F16}, next: maxSlots, live: maxSlots, seq: maxSeq},
	} {
		if got, err := readMeta(nil, appendMeta(nil, &m)); err != nil || got != m {
			t.Errorf("%+v reads as %+v, %v", m, got, err)
		}
	}
	for _, s := range []slotRecord{{}, {id: math.MaxUint64, layer: 255, born: maxSeq}} {
		if got, err := readSlot(nil, appendSlot(nil, s)); err != nil || got != s {
			t.Errorf("%+v reads as %+v, %v", s, got, err)
		}
	}
	last := hnsw.Layer{Top: hnsw.MaxLevel, Entry: maxSlots - 1, Root: maxSlots - 1, Linked: maxSlots}
	for _, g := range []graphRecord{
		{m: minM, layers: []hnsw.Layer{{}}},
		{edition: 1, flags: graphImpure | graphPartial | graphTorn, lastID: math.MaxUint64, m: maxM, layers: slices.Repeat([]hnsw.Layer{last}, 256)},
	} {
		if got, err := readGraph(nil, appendGraph(nil, &g), maxSlots); err != nil || !reflect.DeepEqual(got, g) {
			t.Errorf("a graph of %d layers: %v", len(g.layers), err)
		}
	}
	for _, r := range []listsRecord{{}, {1, listsImpure, math.MaxUint32, math.MaxUint32, math.MaxUint64, math.MaxUint64, maxSlots, maxSlots}} {
		if got, err := readLists(nil, appendLists(nil, &r)); err != nil || got != r {
			t.Errorf("%+v reads as %+v, %v", r, got, err)
		}
	}
	for _, dim := range []int{1, 2, 128, maxDim} {
		for _, x := range []float32{0, 1, -1, math.SmallestNonzeroFloat32, 1e14} {
			row := ivf.Row{Q: make([]int8, dim)}
			row.Set(slices.Repeat([]float32{x}, dim))
			l := ivf.List{ID: 1, Layer: 255, Group: math.MaxUint32, Row: row}
			b := appendList(nil, &l)
			if got, err := readList(nil, b, 1, dim); err != nil || !bytes.Equal(appendList(nil, &got), b) {
				t.Errorf("a list around %g of %d elements: %v", x, dim, err)
			}
		}
	}
	for _, p := range []placed{{n: 1}, {[2]uint32{math.MaxUint32, 0}, 1}, {[2]uint32{0, math.MaxUint32}, 2}} {
		if got, err := readPlaced(nil, appendPlaced(nil, p)); err != nil || got != p {
			t.Errorf("%+v reads as %+v, %v", p, got, err)
		}
	}
}
