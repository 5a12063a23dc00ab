package vecindex

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// TestWhatFits holds the table of docs/benchmarks.md: how many vectors of one space fit
// into memory with a budget, of which vectors may take half, and a space that is read
// three quarters of that.
func TestWhatFits(t *testing.T) {
	most := func(mib int64, bytes func(n uint32) int64) uint32 {
		limit := mib << 20 / 2 / 4 * 3
		return uint32(sort.Search(1<<28, func(n int) bool { return bytes(uint32(n)) > limit })) - 1
	}
	var got strings.Builder
	r := rand.New(rand.NewPCG(1, 1))
	for _, dim := range []int{128, 512, 768, 1536, 3072} {
		sample := make([][]float32, 64)
		for i := range sample {
			for range dim {
				sample[i] = append(sample[i], float32(r.NormFloat64()))
			}
		}
		g := hnsw.New(quant.Train(dim, true, sample, 1), hnsw.Params{M: defaultM, EfConstruction: DefaultEfConstruction})
		for _, mib := range []int64{64, 512, 4096} {
			fmt.Fprintf(&got, "%d %d:", dim, mib)
			for _, rows := range []tier{wholeRows, codedRows, packedRows} {
				fmt.Fprintf(&got, " %d", most(mib, func(n uint32) int64 { return tierBytes(n, dim, true, rows) })/1000)
			}
			fmt.Fprintf(&got, " %d\n", most(mib, func(n uint32) int64 { return g.BytesFor(int(n)) })/1000)
		}
	}
	if got.String() != whatFits {
		t.Errorf("in thousands, dimension, MiB: vectors, codes, packed codes, graph\n%s", got.String())
	}
}

// whatFits is in thousands of vectors: of each dimension and budget in MiB, whole, as
// codes, as packed codes, and in a graph.
const whatFits = `128 64: 30 102 143 79
128 512: 266 845 1161 633
128 4096: 2146 6793 9306 5069
512 64: 8 39 68 35
512 512: 74 323 550 286
512 4096: 602 2592 4411 2295
768 64: 5 28 50 26
768 512: 50 229 408 210
768 4096: 407 1836 3266 1681
1536 64: 3 15 28 14
1536 512: 25 122 229 116
1536 4096: 206 978 1836 933
3072 64: 1 7 15 7
3072 512: 12 63 122 61
3072 4096: 104 506 979 493
`
