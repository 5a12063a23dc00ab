package pebblekv

import (
	"errors"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
)

func writeFile(t testing.TB, fs vfs.FS, name string, b []byte) {
	t.Helper()
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(append([]byte{}, b...)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// manifest returns a log of records of the given sizes, as Pebble writes it,
// and where each record begins.
func manifest(t testing.TB, sizes ...int) (b []byte, starts []int) {
	t.Helper()
	var out strings.Builder
	w := record.NewWriter(&out)
	for i, n := range sizes {
		starts = append(starts, int(w.Size()))
		rec, err := w.Next()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rec.Write([]byte(strings.Repeat(string('a'+rune(i%26)), n))); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return []byte(out.String()), starts
}

func verify(t testing.TB, b []byte) error {
	t.Helper()
	fs := vfs.NewMem()
	writeFile(t, fs, "MANIFEST-000001", b)
	return verifyManifest(fs, "", "MANIFEST-000001")
}

func TestVerifyManifest(t *testing.T) {
	t.Parallel()
	for name, sizes := range map[string][]int{
		"empty":      {},
		"one":        {100},
		"small":      {100, 0, 1, 2000, 30, 5},
		"block ends": {32<<10 - 7, 32<<10 - 14, 100, 32<<10 - 7 - 107 - 3, 50},
		"long":       {100, 100_000, 20, 70_000, 3},
		"long last":  {100, 100_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, starts := manifest(t, sizes...)
			if err := verify(t, b); err != nil {
				t.Fatalf("whole: %v", err)
			}
			if len(sizes) == 0 {
				return
			}
			// A crash tears the last record anywhere.
			last := starts[len(starts)-1]
			for _, end := range []int{last, last + 1, (last + len(b)) / 2, len(b) - 1} {
				if err := verify(t, b[:min(max(end, last), len(b))]); err != nil {
					t.Errorf("torn at %d of %d: %v", end, len(b), err)
				}
				zeros := append(append([]byte{}, b[:end]...), make([]byte, len(b)-end+5000)...)
				if err := verify(t, zeros); err != nil {
					t.Errorf("zero from %d of %d: %v", end, len(b), err)
				}
			}
			// Damage before it is found.
			for at := 0; at < last; at += 1 + last/100 {
				damaged := append([]byte{}, b...)
				damaged[at] ^= 4
				err := verify(t, damaged)
				if !errors.Is(err, kv.ErrCorrupt) && !inPadding(b, at) {
					t.Errorf("damage at %d of %d (%v): %v", at, len(b), starts, err)
				}
			}
		})
	}
}

// inPadding reports whether byte at is in the zero end of a block.
func inPadding(b []byte, at int) bool {
	end := (at/manifestBlock + 1) * manifestBlock
	return end-at < chunkHeader && strings.Trim(string(b[at:min(end, len(b))]), "\x00") == ""
}

func FuzzVerifyManifest(f *testing.F) {
	b, _ := manifest(f, 10, 300, 3)
	f.Add(b)
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := verify(t, b); err != nil && !errors.Is(err, kv.ErrCorrupt) {
			t.Error(err)
		}
	})
}

func FuzzCompatible(f *testing.F) {
	f.Add("[Version]\n  pebble_version=0.1\n\n[Options]\n  comparer=c\n  merger=m\n")
	f.Add("[Options]\n  comparer=other\n")
	f.Add("=\n[Level \"0\"]\ncomparer=x")
	s := &kv.Schema{ComparerName: "c", MergerName: "m"}
	f.Fuzz(func(t *testing.T, text string) {
		fs := vfs.NewMem()
		writeFile(t, fs, "OPTIONS-000001", []byte(text))
		if err := compatible(fs, "OPTIONS-000001", s); err != nil && !errors.Is(err, kv.ErrIncompatible) {
			t.Error(err)
		}
	})
}

func FuzzInspectNames(f *testing.F) {
	f.Add("marker.manifest.000001.MANIFEST-000001", "MANIFEST-000001")
	f.Add("marker.manifest.", "OPTIONS-")
	f.Fuzz(func(t *testing.T, a, b string) {
		names := []string{a, b}
		interim(a)
		if m := currentManifest(names); m != "" && !strings.HasSuffix(a, m) && !strings.HasSuffix(b, m) {
			t.Errorf("%q of %q", m, names)
		}
	})
}

func TestSuccessor(t *testing.T) {
	t.Parallel()
	for prefix, want := range map[string]string{
		"a": "b", "a/": "a0", "a\xff": "b", "\x20\xff\xff": "\x21", "": string(aboveAll), "\xff": string(aboveAll),
	} {
		if got := string(successor([]byte("x"), []byte(prefix))); got != "x"+want {
			t.Errorf("successor of %q is %q", prefix, got[1:])
		}
	}
}
