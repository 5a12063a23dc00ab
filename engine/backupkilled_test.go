package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// TestBackupOverLeft backs up to a folder in which a backup that was killed left
// something, at each of its steps, and to folders that hold anything else.
func TestBackupOverLeft(t *testing.T) {
	needsDirectory(t)
	db := open(t, &engine.Options{})
	library(t, db)
	want := export(t, db, "main", canonical)
	whole := filepath.Join(t.TempDir(), "whole")
	if _, err := db.Backup(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	const part = engine.ManifestName + ".part"
	for name, c := range map[string]struct {
		put   []string // a folder ends with /
		taken bool
	}{
		"the manifest to be":                    {[]string{part}, true},
		"and data":                              {[]string{part, "data/"}, true},
		"and files":                             {[]string{part, "data/", "data/000001.sst", "data/MANIFEST-000002"}, true},
		"data alone":                            {[]string{"data/"}, false},
		"a letter":                              {[]string{"letter"}, false},
		"a letter beside":                       {[]string{part, "data/", "letter"}, false},
		"a folder for the manifest to be":       {[]string{part + "/"}, false},
		"a manifest, and another one to be":     {[]string{part, engine.ManifestName, "data/"}, false},
		"a file in place of the folder of data": {[]string{part, "data"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range c.put {
				at := filepath.Join(dir, name)
				var err error
				if name[len(name)-1] == '/' {
					err = os.Mkdir(at, 0o755)
				} else {
					err = os.WriteFile(at, []byte(name), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			before := files(t, dir)
			_, err := db.Backup(t.Context(), dir)
			if !c.taken {
				if !errors.Is(err, engine.ErrExists) {
					t.Errorf("%v, want ErrExists", err)
				}
				if after := files(t, dir); after != before {
					t.Errorf("there was\n%s\nnow\n%s", before, after)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "restored")
			if err := engine.Restore(t.Context(), dir, path); err != nil {
				t.Fatal(err)
			}
			got, err := engine.Open(t.Context(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Close()
			sameText(t, "restored", export(t, got, "main", canonical), want)
			if _, err := db.Backup(t.Context(), dir); err != nil {
				t.Errorf("over a whole backup of the same: %v", err)
			}
		})
	}
}
