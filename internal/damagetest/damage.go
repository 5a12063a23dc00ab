// Package damagetest damages the files of a database, for tests that look for the
// damage, and counts what became of it.
package damagetest

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Files are the files of a database by name.
type Files map[string][]byte

// Fault is a damaged copy of the files of a database.
type Fault struct {
	Kind  string // of the damaged file: log, table, marker, or the start of its name
	What  string // which file, and how
	Files Files
}

// Weights says how often [Random] takes a file of each kind; 0 is 2.
type Weights map[string]int

// Random damages one file: it flips a bit, changes a byte, cuts it, removes it,
// puts zeros in place of a block, adds to its end, or swaps it with another of
// its kind. It draws a kind of file first, then a file, then a place, which is
// often one where something begins or ends.
func Random(rnd *rand.Rand, all Files, w Weights) Fault {
	kinds := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		kinds[kindOf(name)] = append(kinds[kindOf(name)], name)
	}
	var draw []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		n := w[kind]
		n = cmp.Or(n, 2)
		draw = append(draw, slices.Repeat([]string{kind}, n)...)
	}
	kind := draw[rnd.IntN(len(draw))]
	names := kinds[kind]
	at := rnd.IntN(len(names))
	name := names[at]
	f := Fault{Kind: kind, Files: maps.Clone(all)}
	if len(names) > 1 && rnd.IntN(6) == 0 {
		other := names[(at+1+rnd.IntN(len(names)-1))%len(names)]
		f.Files[name], f.Files[other] = all[other], all[name]
		f.What = fmt.Sprintf("%s and %s swapped", name, other)
		return f
	}
	b, what := change(rnd, slices.Clone(all[name]))
	f.What = name + " " + what
	if f.Files[name] = b; b == nil {
		delete(f.Files, name)
	}
	return f
}

func kindOf(name string) string {
	switch {
	case strings.HasSuffix(name, ".sst"):
		return "table"
	case strings.HasSuffix(name, ".log"):
		return "log"
	case strings.HasPrefix(name, "marker."):
		return "marker"
	}
	kind, _, _ := strings.Cut(name, "-")
	return kind
}

// change damages the content of a file; nil removes it.
func change(rnd *rand.Rand, b []byte) ([]byte, string) {
	size := len(b)
	if size == 0 {
		if rnd.IntN(2) == 0 {
			return nil, "removed"
		}
		return []byte("garbage"), "with garbage at its end"
	}
	at := place(rnd, size)
	switch rnd.IntN(16) {
	case 0:
		return nil, "removed"
	case 1, 2:
		return b[:at], fmt.Sprintf("cut from %d to %d bytes", size, at)
	case 3, 4:
		from := at &^ (512<<rnd.IntN(4) - 1)
		to := min(size, from+512<<rnd.IntN(4))
		if len(bytes.Trim(b[from:to], "\x00")) > 0 {
			clear(b[from:to])
			return b, fmt.Sprintf("with zeros from %d to %d of %d", from, to, size)
		}
	case 5:
		return append(b, "garbage"...), "with garbage at its end"
	case 6, 7, 8:
		x := byte(1 + rnd.IntN(255))
		b[at] ^= x
		return b, fmt.Sprintf("with byte %d of %d xor %02x", at, size, x)
	}
	bit := rnd.IntN(8)
	b[at] ^= 1 << bit
	return b, fmt.Sprintf("with bit %d of byte %d of %d flipped", bit, at, size)
}

// place returns a random place in a file of size bytes.
func place(rnd *rand.Rand, size int) int {
	at := rnd.IntN(size)
	switch rnd.IntN(6) {
	case 0:
		at = rnd.IntN(32) // the first chunk or block
	case 1:
		at = size - 1 - rnd.IntN(64) // a footer, or the last chunk
	case 2:
		at = at>>15<<15 + rnd.IntN(32) - 16 // around a block of a log
	}
	return min(max(at, 0), size-1)
}
