package pebblekv

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/internal/layout"
)

// TestWitnessIsSynced crashes after each call that makes facts durable, where nothing that
// was not synced is kept and the first slot, which is written behind the sync, is torn:
// the facts are what the witness was told, so a file whose fact is retired may go.
func TestWitnessIsSynced(t *testing.T) {
	mem := vfs.NewCrashableMem()
	if err := mem.MkdirAll("db", 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := mem.OpenDir("")
	if err != nil {
		t.Fatal(err)
	}
	if err := root.Sync(); err != nil {
		t.Fatal(err)
	}
	a, b, c := fact{kind: logFile, number: 1}, fact{kind: logFile, number: 2}, fact{kind: manifestFile, number: 3}
	w := &witness{fs: mem, dir: "db"}
	for _, f := range []fact{a, b, c} {
		w.keep(f)
	}
	d := fact{kind: logFile, number: 4}
	for _, step := range []struct {
		name string
		do   func() error
		want []fact
	}{
		{"start", w.start, []fact{a, b, c}},
		{"retire", func() error { return w.retire(a) }, []fact{b, c}},
		{"sync", func() error { w.keep(d); return w.sync() }, []fact{b, c, d}},
		{"finish", w.finish, []fact{c}},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		crashed := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 0, RNG: rand.New(rand.NewPCG(1, 1))})
		f, err := crashed.OpenReadWrite(crashed.PathJoin("db", witnessName), vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt(make([]byte, recordHeader), 0); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if s, err := readWitness(crashed, "db"); err != nil || !slices.Equal(s.facts, step.want) {
			t.Errorf("after %s and a crash: %v, %v; want %v", step.name, s.facts, err, step.want)
		}
	}
	w.abandon()
}

// markers is a file system that calls marked before a marker is made that names a manifest.
type markers struct {
	vfs.FS
	marked func(manifest string)
}

func (m *markers) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if rest, ok := strings.CutPrefix(m.PathBase(name), manifestMarker); ok {
		_, manifest, _ := strings.Cut(rest, ".")
		m.marked(manifest)
	}
	return m.FS.Create(name, category)
}

// TestWitnessKnowsManifest crashes where a marker is about to name a manifest: what the
// witness has on stable storage knows that manifest, or all its facts would be of no use.
func TestWitnessKnowsManifest(t *testing.T) {
	mem := vfs.NewCrashableMem()
	made := 0
	m := &markers{FS: mem, marked: func(manifest string) {
		made++
		if made == 1 {
			return // of a store that has no witness yet
		}
		s, err := readWitness(mem.CrashClone(vfs.CrashCloneCfg{}), "db")
		if err != nil || !slices.ContainsFunc(s.facts, func(f fact) bool { return f.name() == manifest }) {
			t.Errorf("%s is not among %v, %v", manifest, s.facts, err)
		}
	}}
	for range 3 {
		s, err := Open(t.Context(), "db", layout.Schema(), &Options{FS: m})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if made < 3 {
		t.Errorf("only %d manifests were made", made)
	}
}

// TestRegularState reads back records of a witness with no fact, with as many as a slot
// takes and with more, of which the newest stay.
func TestRegularState(t *testing.T) {
	for _, n := range []int{0, 1, 2, maxFacts - 1, maxFacts, maxFacts + 1} {
		s := state{generation: ^uint64(0)}
		for i := range n {
			s.facts = append(s.facts, fact{kind: logFile, number: uint64(i), length: ^uint64(0), sum: ^uint32(0)})
		}
		var b [slotBytes]byte
		size := encodeState(b[:], s)
		got, ok := decodeState(b[:size])
		if want := s.facts[max(0, n-maxFacts):]; !ok || got.generation != s.generation || !slices.Equal(got.facts, want) {
			t.Errorf("%d facts: %d are read, %t", n, len(got.facts), ok)
		}
	}
}

// TestWitnessKeepsNewestOptions notes the options of two sessions: each session has a file
// of its own, and the facts do not grow with them.
func TestWitnessKeepsNewestOptions(t *testing.T) {
	w := &witness{}
	log, next := fact{kind: logFile, number: 1}, fact{kind: optionsFile, number: 3}
	for _, f := range []fact{log, {kind: optionsFile, number: 2}, next} {
		w.keep(f)
	}
	if want := []fact{log, next}; !slices.Equal(w.facts, want) {
		t.Errorf("the facts are %v, not %v", w.facts, want)
	}
}
