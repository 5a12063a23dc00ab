package pebblekv

import "github.com/cockroachdb/pebble/v2/vfs"

// guardedFile is a file of the directory that is being written, or the
// directory itself.
type guardedFile struct {
	vfs.File
	g     *guard
	table bool

	// fact is about what was written, if the witness wants to know. Pebble
	// writes and syncs a log or manifest one call after another.
	fact      fact
	witnessed bool
}

// guarded does one writing operation, or reports it done if the directory
// is frozen or the operation freezes it.
func (f *guardedFile) guarded(do func() error) error {
	if !f.g.frozen.Load() {
		err := do()
		if err == nil {
			return nil
		}
		f.g.refuse(err)
	}
	if f.table {
		return f.g.failure()
	}
	return nil
}

func (f *guardedFile) Write(p []byte) (int, error) {
	n := len(p)
	if f.witnessed {
		f.fact.extend(p)
	}
	err := f.guarded(func() (err error) {
		_, err = f.File.Write(p)
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

func (f *guardedFile) WriteAt(p []byte, off int64) (int, error) {
	n := len(p)
	err := f.guarded(func() (err error) {
		_, err = f.File.WriteAt(p, off)
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

func (f *guardedFile) Sync() error     { return f.synced(f.File.Sync) }
func (f *guardedFile) SyncData() error { return f.synced(f.File.SyncData) }

// synced syncs the file and has the witness note it.
func (f *guardedFile) synced(sync func() error) error {
	if !f.witnessed {
		return f.guarded(sync)
	}
	return f.guarded(func() error {
		if err := sync(); err != nil {
			return err
		}
		if f.fact.length == 0 {
			return nil
		}
		return f.g.witness.note(f.fact)
	})
}

func (f *guardedFile) SyncTo(length int64) (full bool, err error) {
	err = f.guarded(func() (err error) {
		full, err = f.File.SyncTo(length)
		return err
	})
	return full && err == nil, err
}

func (f *guardedFile) Preallocate(offset, length int64) error {
	return f.guarded(func() error { return f.File.Preallocate(offset, length) })
}

// Close closes the real file even if the directory is frozen.
func (f *guardedFile) Close() error {
	err := f.File.Close()
	return f.guarded(func() error { return err })
}
