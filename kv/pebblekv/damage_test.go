package pebblekv_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/internal/damagetest"
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
// several ages. Opening and reading it all gives an error that marks damage and
// names a file, or the very content it had.
func TestDamageOracle(t *testing.T) {
	t.Parallel()
	// Pebble looks for the bit that would make a block of a table right, which
	// takes a tenth of a second; TestFlippedBitInTable has more of them.
	faults, weights := 600, damagetest.Weights{"log": 8, "MANIFEST": 8, "table": 1, "LOCK": 1}
	if *long {
		faults, weights["table"] = 21_600, 2
	}
	ages := storeAges(t)
	rnd := rand.New(rand.NewPCG(15, 2))
	var table damagetest.Table
	for i := range faults {
		a := ages[i%len(ages)]
		f := damagetest.Random(rnd, damagetest.Files(a.files), weights)
		result, err := outcome(t.Context(), a, f, i/len(ages)%2 == 0)
		table.Count(a.name, f.Kind, result)
		switch result {
		case damagetest.Silent:
			t.Errorf("%s, %s: %v", a.name, f.What, err)
		case damagetest.Detected:
			if problem := badMessage(err); problem != "" {
				t.Errorf("%s, %s: %s: %v", a.name, f.What, problem, err)
			}
		}
	}
	t.Logf("%d faults\n%s", faults, &table)
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

// outcome opens a store with the fault and reads all of it.
func outcome(ctx context.Context, a age, f damagetest.Fault, readOnly bool) (result damagetest.Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = damagetest.Silent, fmt.Errorf("panic: %v", r)
		}
	}()
	o := small(files(f.Files).fs())
	o.ReadOnly = readOnly
	st, err := pebblekv.Open(ctx, "db", kvtest.Schema(), o)
	if err != nil {
		return damagetest.Detected, err
	}
	got, err := content(ctx, st)
	if cerr := st.Close(); err == nil && cerr != nil {
		err = cerr
	}
	switch {
	case err != nil:
		return damagetest.Detected, err
	case got != a.content:
		return damagetest.Silent, errors.New("other content")
	}
	return damagetest.Harmless, nil
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
