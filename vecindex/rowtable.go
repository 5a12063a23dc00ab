package vecindex

import (
	"math/bits"
	"sync/atomic"
)

// rowTable leads from a node id to the mirror's newest row of it. It is a hash
// table with open addressing for one writer and any number of readers at the
// same time: a key, once in, stays, and its row is replaced atomically. A
// reader may find a row that is newer than its View; the row tells its commit.
type rowTable struct {
	keys  []uint64
	rows  []atomic.Uint64 // row + 1; 0 if the place is empty
	shift uint
	used  int
}

const (
	rowTableMin   = 16
	rowTableEntry = 16 // bytes a place
)

// newRowTable returns an empty table for n ids and some more.
func newRowTable(n int) *rowTable {
	size := max(rowTableMin, 1<<bits.Len(uint(n+n/2)))
	return &rowTable{
		keys:  make([]uint64, size),
		rows:  make([]atomic.Uint64, size),
		shift: uint(64 - bits.TrailingZeros(uint(size))),
	}
}

// place returns where the search for id begins (Fibonacci hashing).
func (t *rowTable) place(id uint64) int {
	return int(id * 0x9E3779B97F4A7C15 >> t.shift)
}

// find returns the row of id.
func (t *rowTable) find(id uint64) (row uint64, ok bool) {
	for i := t.place(id); ; i = (i + 1) & (len(t.keys) - 1) {
		r := t.rows[i].Load()
		if r == 0 {
			return 0, false
		}
		// The key was written before the row that was just loaded.
		if t.keys[i] == id {
			return r - 1, true
		}
	}
}

// full reports whether a further id would make searches long.
func (t *rowTable) full() bool { return 4*(t.used+1) > 3*len(t.keys) }

// put sets the row of id. The table must not be full.
func (t *rowTable) put(id, row uint64) {
	for i := t.place(id); ; i = (i + 1) & (len(t.keys) - 1) {
		switch {
		case t.rows[i].Load() == 0:
			t.keys[i] = id
			t.used++
		case t.keys[i] != id:
			continue
		}
		t.rows[i].Store(row + 1)
		return
	}
}

func (t *rowTable) bytes() int64 { return int64(len(t.keys)) * rowTableEntry }
