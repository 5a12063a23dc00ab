package pebblekv_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// age is a store at some point of its life: its files and its content.
type age struct {
	name    string
	files   files
	content string
}

// TestDamageOracle damages one file of a store at a time, of every kind and at
// several ages. Opening and reading it all gives an error that marks damage, or
// the very content it had.
func TestDamageOracle(t *testing.T) {
	t.Parallel()
	faults := 600
	if *long {
		faults = 24_000
	}
	ages := storeAges(t)
	rnd := rand.New(rand.NewPCG(15, 2))
	table := damageTable{}
	for i := range faults {
		a := ages[i%len(ages)]
		f := randomFault(rnd, a.files)
		result, err := f.outcome(t.Context(), a, i/len(ages)%2 == 0)
		table.count(a.name, f.kind, result)
		switch result {
		case silent:
			t.Errorf("%s, %s: %v", a.name, f, err)
		case detected:
			if problem := badMessage(err); problem != "" {
				t.Errorf("%s, %s: %s: %v", a.name, f, problem, err)
			}
		}
		if t.Failed() && i > 1000 {
			break
		}
	}
	t.Logf("%d faults\n%s", faults, table.format(ages))
}

// badMessage returns what is wrong with the error of a damaged store.
func badMessage(err error) string {
	var ce *kv.CorruptError
	switch {
	case !errors.As(err, &ce):
		return "not marked"
	case ce.File == "":
		return "names no file"
	case strings.ContainsAny(ce.Error(), "<>\n"):
		return "internal text"
	}
	return ""
}

// The outcomes of a fault.
const (
	detected = iota
	harmless
	silent
)

// fault is a changed file.
type fault struct {
	kind  string
	what  string
	files files
}

func (f fault) String() string { return f.what }

// outcome opens a store with the fault and reads all of it.
func (f fault) outcome(ctx context.Context, a age, readOnly bool) (result int, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = silent, fmt.Errorf("panic: %v", r)
		}
	}()
	o := small(f.files.fs())
	o.ReadOnly = readOnly
	st, err := pebblekv.Open(ctx, "db", kvtest.Schema(), o)
	if err != nil {
		return detected, err
	}
	got, err := content(ctx, st)
	if cerr := st.Close(); err == nil && cerr != nil {
		err = cerr
	}
	switch {
	case err != nil:
		return detected, err
	case got != a.content:
		return silent, errors.New("other content")
	}
	return harmless, nil
}

// content returns a hash of all keys and values of a store.
func content(ctx context.Context, r kv.Reader) (string, error) {
	it, err := r.Iter(ctx, nil, nil)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for ok := it.First(); ok; ok = it.Next() {
		for _, b := range [][]byte{it.Key(), it.Value()} {
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
			h.Write(b)
		}
	}
	return string(h.Sum(nil)), errors.Join(it.Err(), it.Close())
}

// fs makes a directory db of the files.
func (fs files) fs() *vfs.MemFS {
	mem := vfs.NewMem()
	err := mem.MkdirAll("db", 0o755)
	for name, b := range fs {
		f, ferr := mem.Create("db/"+name, vfs.WriteCategoryUnspecified)
		if ferr == nil {
			_, ferr = f.Write(slices.Clone(b))
			ferr = errors.Join(ferr, f.Close())
		}
		err = errors.Join(err, ferr)
	}
	if err != nil {
		panic(err)
	}
	return mem
}

// kindOf returns the kind of a file by its name.
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

// randomFault damages one file of a random kind, or swaps two.
func randomFault(rnd *rand.Rand, all files) fault {
	kinds := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		kinds[kindOf(name)] = append(kinds[kindOf(name)], name)
	}
	var draw []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		weight := 2
		switch kind {
		case "log", "MANIFEST":
			weight = 8
		case "table":
			// Pebble looks for the bit that would make a block right, which takes
			// a tenth of a second; TestFlippedBitInTable has more of them.
			if weight = 1; *long {
				weight = 4
			}
		case "LOCK":
			weight = 1
		}
		draw = append(draw, slices.Repeat([]string{kind}, weight)...)
	}
	kind := draw[rnd.IntN(len(draw))]
	names := kinds[kind]
	at := rnd.IntN(len(names))
	name := names[at]
	changed := maps.Clone(all)
	f := fault{kind: kind, files: changed}
	if len(names) > 1 && rnd.IntN(6) == 0 {
		other := names[(at+1+rnd.IntN(len(names)-1))%len(names)]
		changed[name], changed[other] = all[other], all[name]
		f.what = fmt.Sprintf("%s and %s swapped", name, other)
		return f
	}
	b, what := damageBytes(rnd, slices.Clone(all[name]))
	f.what = name + " " + what
	if changed[name] = b; b == nil {
		delete(changed, name)
	}
	return f
}

// damageBytes changes the content of a file; nil removes it.
func damageBytes(rnd *rand.Rand, b []byte) ([]byte, string) {
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

// place returns a random place in a file of size bytes, often one where
// something begins or ends.
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

// storeAges makes stores in which every commit was synced. Killed ones are as a
// process leaves them that ends without a close.
func storeAges(t *testing.T) []age {
	t.Helper()
	var ages []age
	rnd := rand.New(rand.NewPCG(3, 3))
	mem := vfs.NewCrashableMem()
	o := small(mem)
	o.MemtableBytes = 64 << 10
	st := open(t, "db", o)
	keep := func(name string, dir ...string) {
		t.Helper()
		fs := readFiles(t, killed(t, mem), append(dir, "db")[0])
		a := age{name: name, files: fs}
		x := open(t, "db", &pebblekv.Options{FS: fs.fs(), ReadOnly: true})
		var err error
		if a.content, err = content(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		closeStore(t, x)
		ages = append(ages, a)
	}
	reopen := func() {
		closeStore(t, st)
		st = open(t, "db", o)
	}
	fill(t, rnd, st, 30)
	keep("new, killed")
	closeStore(t, st)
	keep("first close")
	st = open(t, "db", o)
	fill(t, rnd, st, 30)
	keep("reopened, killed")
	closeStore(t, st)
	keep("second close")
	st = open(t, "db", o)
	ingestRandom(t, rnd, st)
	fill(t, rnd, st, 400)
	reopen()
	fill(t, rnd, st, 90)
	keep("large, killed")
	reopen()
	if err := st.Checkpoint(t.Context(), "copy"); err != nil {
		t.Fatal(err)
	}
	keep("large, open")
	keep("its checkpoint", "copy")
	closeStore(t, st)
	keep("large, closed")
	st = open(t, "db", o)
	if err := st.Compact(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	closeStore(t, st)
	keep("compacted, closed")
	return ages
}

// fill makes n synced commits of values that hardly compress.
func fill(t *testing.T, rnd *rand.Rand, st *pebblekv.Store, n int) {
	t.Helper()
	for i := range n {
		b := st.NewBatch()
		kvtest.Mutate(rnd, 2, b)
		v := make([]byte, 100+rnd.IntN(900))
		for j := range v {
			v[j] = byte(rnd.Uint32())
		}
		b.Set(fmt.Appendf(nil, "v/%04d", rnd.IntN(500)), v)
		b.Set([]byte("n"), fmt.Append(nil, i))
		if err := st.Apply(t.Context(), b, kv.Sync); err != nil {
			t.Fatal(err)
		}
	}
}

func ingestRandom(t *testing.T, rnd *rand.Rand, st *pebblekv.Store) {
	t.Helper()
	st.SetLimits(1<<30, 20<<10)
	err := st.Ingest(t.Context(), func(w kv.SortedWriter) error {
		for i := range 1000 {
			if err := w.Set(fmt.Appendf(nil, "x/%04d", i), fmt.Appendf(nil, "%x%x", rnd.Uint64(), rnd.Uint64())); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// damageTable counts outcomes by age and kind of file.
type damageTable map[[2]string]*[3]int

func (d damageTable) count(age, kind string, result int) {
	c := d[[2]string{age, kind}]
	if c == nil {
		c = new([3]int)
		d[[2]string{age, kind}] = c
	}
	c[result]++
}

// format returns the table: detected / harmless / silent.
func (d damageTable) format(ages []age) string {
	kinds := map[string]bool{}
	for k := range d {
		kinds[k[1]] = true
	}
	heads := slices.Sorted(maps.Keys(kinds))
	var b strings.Builder
	var sum [3]int
	fmt.Fprintf(&b, "| age | %s |\n|---|%s\n", strings.Join(heads, " | "), strings.Repeat("---|", len(heads)))
	for _, a := range ages {
		fmt.Fprintf(&b, "| %s ", a.name)
		for _, kind := range heads {
			c := d[[2]string{a.name, kind}]
			if c == nil {
				b.WriteString("| ")
				continue
			}
			fmt.Fprintf(&b, "| %d / %d / %d ", c[detected], c[harmless], c[silent])
			for i := range sum {
				sum[i] += c[i]
			}
		}
		b.WriteString("|\n")
	}
	fmt.Fprintf(&b, "detected %d, harmless %d, silent %d\n", sum[detected], sum[harmless], sum[silent])
	return b.String()
}
