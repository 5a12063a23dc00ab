package distance_test

import (
	"testing"

	"github.com/ragdb/ragdb/internal/distance"
)

func TestDotI8RowsRefusesOtherLengths(t *testing.T) {
	q := []int8{1, 2, 3}
	for _, n := range [][2]int{{0, 1}, {1, 0}, {2, 3}, {3, 2}} {
		rows, out := make([]*int8, n[0], 8), make([]int32, n[1], 8)
		for i := range rows {
			rows[i] = &q[0]
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d rows, room for %d: no panic", n[0], n[1])
				}
			}()
			distance.DotI8Rows(q, rows, out)
		}()
	}
}
