package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/damagetest"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// damageAge is a database at some point of its life: its files and what it holds.
type damageAge struct {
	name    string
	files   damagetest.Files
	content string
}

// TestDamageOracle damages one file of a database at a time, at several ages.
// Opening and exporting it gives an error that marks damage, or what it held.
func TestDamageOracle(t *testing.T) {
	t.Parallel()
	faults := 120
	if *long {
		faults = 5000
	}
	ages := damageAges(t)
	rnd := rand.New(rand.NewPCG(15, 3))
	weights := damagetest.Weights{"log": 8, "MANIFEST": 8, "table": 2, "LOCK": 1}
	var table damagetest.Table
	for i := range faults {
		a := ages[i%len(ages)]
		f := damagetest.Random(rnd, a.files, weights)
		got, err := openDamaged(f.Files, i/len(ages)%2 == 0)
		result := damagetest.Harmless
		var ce *kv.CorruptError
		switch {
		case err != nil:
			result = damagetest.Detected
			if !errors.Is(err, engine.ErrCorrupt) || !errors.As(err, &ce) {
				t.Errorf("%s, %s: not marked: %v", a.name, f.What, err)
			}
		case got != a.content:
			result = damagetest.Silent
			t.Errorf("%s, %s: it holds something else", a.name, f.What)
		}
		table.Count(a.name, f.Kind, result)
	}
	t.Logf("%d faults\n%s", faults, &table)
}

// openDamaged returns what a database of these files holds.
func openDamaged(files damagetest.Files, readOnly bool) (content string, err error) {
	db, err := openFiles(files, readOnly)
	if err != nil {
		return "", err
	}
	content, err = exportAll(db)
	if cerr := db.Close(); err == nil {
		err = cerr
	}
	return content, err
}

func openFiles(files damagetest.Files, readOnly bool) (*engine.DB, error) {
	mem := vfs.NewMem()
	err := mem.MkdirAll("db", 0o755)
	for name, b := range files {
		f, ferr := mem.Create("db/"+name, vfs.WriteCategoryUnspecified)
		if ferr == nil {
			_, ferr = f.Write(slices.Clone(b))
			ferr = errors.Join(ferr, f.Close())
		}
		err = errors.Join(err, ferr)
	}
	if err != nil {
		return nil, err
	}
	return engine.Open(background, "db", &engine.Options{
		MemoryBudget: 16 << 20, PromoteAt: 8, BlockEdges: 2, NoBackground: true, ReadOnly: readOnly, MustExist: true,
		OpenStore: func(ctx context.Context, path string, s *kv.Schema) (kv.Store, error) {
			return pebblekv.Open(ctx, path, s, &pebblekv.Options{
				FS: mem, MemtableBytes: 64 << 10, CacheBytes: 1 << 20, ReadOnly: readOnly, MustExist: true,
			})
		},
	})
}

// exportAll returns the export of all that a database holds, but for the first
// lines, which tell of the export itself.
func exportAll(db *engine.DB) (string, error) {
	var out strings.Builder
	names, err := db.Namespaces(background)
	if err != nil {
		return "", err
	}
	err = db.View(background, func(s *engine.Snapshot) error {
		for _, name := range names {
			var buf bytes.Buffer
			if err := s.Export(background, name, &buf, engine.ExportOptions{}); err != nil {
				return err
			}
			_, rest, _ := strings.Cut(buf.String(), "\n")
			out.WriteString(rest)
		}
		return nil
	})
	return fmt.Sprint(db.Epoch(), "\n", out.String()), err
}

// damageAges lives the life of a database that uses all there is, and keeps its
// files where all commits so far are synced.
func damageAges(t *testing.T) []damageAge {
	t.Helper()
	disk := vfs.NewCrashableMem()
	d := &faultDB{t: t, what: "no fault", path: "db", disk: disk, faulty: disk}
	if err := d.open(); err != nil {
		t.Fatal(err)
	}
	var ages []damageAge
	keep := func(name string) {
		t.Helper()
		a := damageAge{name: name, files: killedFiles(t, disk)}
		var err error
		if a.content, err = openDamaged(a.files, true); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ages = append(ages, a)
	}
	reopen := func(name string) {
		t.Helper()
		if err := d.db.Close(); err != nil {
			t.Fatal(err)
		}
		keep(name)
		if err := d.open(); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range faultSteps() {
		if step.name == "checkpoint" {
			continue
		}
		if err := step.do(d); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		switch step.name {
		case "contributions":
			keep("new, killed")
			reopen("first close")
		case "vectors":
			keep("reopened, killed")
		case "delete":
			keep("large, killed")
			reopen("large, closed")
		case "compact":
			reopen("compacted, closed")
		}
	}
	if err := d.db.Close(); err != nil {
		t.Fatal(err)
	}
	return ages
}

// killedFiles returns the files as a process leaves them that is killed now.
func killedFiles(t *testing.T, disk *vfs.MemFS) damagetest.Files {
	t.Helper()
	d, err := disk.OpenDir("db")
	if err == nil {
		err = errors.Join(d.Sync(), d.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	clone := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
	names, err := clone.List("db")
	files := damagetest.Files{}
	for _, name := range names {
		f, ferr := clone.Open("db/" + name)
		if ferr != nil {
			t.Fatal(ferr)
		}
		b, ferr := io.ReadAll(f)
		files[name] = b
		err = errors.Join(err, ferr, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return files
}
