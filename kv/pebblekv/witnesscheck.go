package pebblekv

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
)

// readWitness returns what the witness file of a directory says; nothing if
// there is none, or none of its records is sound: it is a second proof, and the
// store is what it is without it.
func readWitness(fsys vfs.FS, dir string) (state, error) {
	f, err := fsys.Open(fsys.PathJoin(dir, witnessName))
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, nil
	}
	if err != nil {
		return state{}, err
	}
	b, err := io.ReadAll(io.LimitReader(f, 2*slotBytes))
	if err = errors.Join(err, f.Close()); err != nil {
		return state{}, err
	}
	newest, _ := decodeState(b)
	if len(b) > slotBytes {
		if s, ok := decodeState(b[slotBytes:]); ok && s.generation > newest.generation {
			newest = s
		}
	}
	return newest, nil
}

// testify compares the files of a directory with the facts of a witness.
// manifest is the name of the current one. If the witness does not know it
// the facts are older than the store, which a ragdb without witnesses wrote
// since: then none of them is left in s.
func (s *state) testify(fsys vfs.FS, dir, manifest string) error {
	known := false
	for _, f := range s.facts {
		known = known || f.name() == manifest
	}
	if !known {
		s.facts = nil
		return nil
	}
	for _, f := range s.facts {
		if f.kind == manifestFile && f.name() != manifest {
			continue // it is on its way in or out
		}
		if err := f.verify(fsys, dir); err != nil {
			return err
		}
	}
	return nil
}

// verify compares the start of a file with a fact.
func (f fact) verify(fsys vfs.FS, dir string) error {
	file, err := fsys.Open(fsys.PathJoin(dir, f.name()))
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.kind == optionsFile:
		return nil // the next open for writing makes one
	case errors.Is(err, fs.ErrNotExist):
		return &kv.CorruptError{File: f.name(), Why: "the file is missing"}
	case err != nil:
		return err
	}
	most := int64(f.length)
	if f.kind == optionsFile {
		most++ // it is written once: nothing may follow
	}
	sum := crc32.New(castagnoli)
	n, err := io.Copy(sum, io.LimitReader(file, most))
	err = errors.Join(err, file.Close())
	switch {
	case err != nil:
		return err
	case uint64(n) < f.length:
		return &kv.CorruptError{File: f.name(), Why: fmt.Sprintf("it ends after %d bytes, but %d were on disk", n, f.length)}
	case sum.Sum32() != f.sum:
		return &kv.CorruptError{File: f.name(), Why: fmt.Sprintf("its first %d bytes are not those that were written", f.length)}
	}
	return nil
}
