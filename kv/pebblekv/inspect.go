package pebblekv

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
)

// inspect tells whether dir holds a store, and refuses one of another kind. It
// only reads the names of files.
func inspect(fsys vfs.FS, dir string) (exists bool, err error) {
	info, err := fsys.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.IsDir():
		return false, fmt.Errorf("%w: it is a file", kv.ErrForeign)
	}
	names, err := fsys.List(dir)
	if err != nil {
		return false, err
	}
	alien := ""
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, manifestMarker), name == witnessName:
			return true, nil // a witness is there from the end of the first open on
		case !interim(name):
			alien = name
		}
	}
	if alien != "" {
		return false, fmt.Errorf("%w: the folder holds %q and no files of a database", kv.ErrForeign, alien)
	}
	return false, nil
}

// The start of the names of the files that say which manifest is current and
// which format the store has.
const (
	manifestMarker = "marker.manifest."
	formatMarker   = "marker.format-version."
)

// verifyStore refuses a store of another schema, and one that is not what its witness
// says. The store must be locked.
func verifyStore(fsys vfs.FS, dir string, s *kv.Schema) (state, error) {
	witness, err := readWitness(fsys, dir)
	if err != nil {
		return witness, err
	}
	names, err := fsys.List(dir)
	if err != nil {
		return witness, err
	}
	var marker, format bool
	options := ""
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, manifestMarker):
			marker = true
		case strings.HasPrefix(name, formatMarker):
			format = true
		case strings.HasPrefix(name, "OPTIONS-"):
			if len(name) > len(options) || len(name) == len(options) && name > options {
				options = name
			}
		}
	}
	switch {
	case !marker:
		return witness, &kv.CorruptError{File: manifestMarker + "*", Why: "the file is missing"}
	case !format && len(witness.facts) > 0:
		return witness, &kv.CorruptError{File: formatMarker + "*", Why: "the file is missing"}
	}
	manifest := currentManifest(names)
	if err := witness.testify(fsys, dir, manifest); err != nil {
		return witness, err
	}
	if options != "" {
		if err := compatible(fsys, fsys.PathJoin(dir, options), s); err != nil {
			return witness, err
		}
	}
	return witness, verifyManifest(fsys, dir, manifest)
}

// interim reports whether name is a file that an interrupted first open can
// leave, before the store holds anything.
func interim(name string) bool {
	return name == "LOCK" ||
		strings.HasPrefix(name, "MANIFEST-") ||
		strings.HasPrefix(name, "marker.") ||
		strings.HasPrefix(name, "temporary.") && strings.HasSuffix(name, ".dbtmp")
}

// compatible compares the names in an OPTIONS file with the schema's.
func compatible(fsys vfs.FS, file string, s *kv.Schema) error {
	f, err := fsys.Open(file)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	want := map[string]string{"comparer": s.ComparerName, "merger": s.MergerName}
	sc := bufio.NewScanner(bytes.NewReader(text))
	for sc.Scan() && !strings.HasPrefix(sc.Text(), "[Level") {
		name, value, _ := strings.Cut(strings.TrimSpace(sc.Text()), "=")
		if w, ok := want[name]; ok && value != w {
			return fmt.Errorf("%w: %s %q, want %q", kv.ErrIncompatible, name, value, w)
		}
	}
	return nil
}
