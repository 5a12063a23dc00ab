package unfinished

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Folder is a folder that is being made: Dir is where to put what it is to hold.
// It ends with Commit, Discard or Leave.
type Folder struct {
	// Dir is an empty folder of the permissions 0700.
	Dir string

	path   string
	marker *os.File
}

// The names in .NAME.ragdb-part: the file that is locked and says what the folder
// is, and what is being made.
const (
	markerName = "unfinished"
	dataName   = "data"
)

const markerText = "ragdb was making what is beside this file. Nobody needs it if no ragdb is running.\n"

// MakeFolder begins the folder that is to be at path.
func MakeFolder(path string) (*Folder, error) {
	f, err := claimFolder(path)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(f.Dir), os.Mkdir(f.Dir, 0o700)); err != nil {
		return nil, errors.Join(err, f.Discard())
	}
	return f, nil
}

// ContinueFolder is [MakeFolder] but for what an earlier process put into the folder before
// it was killed or left it: that is still there, as far as it reached the disk.
func ContinueFolder(path string) (*Folder, error) {
	f, err := claimFolder(path)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(f.Dir, 0o700); ignore(err, fs.ErrExist) != nil {
		return nil, errors.Join(err, f.Discard())
	}
	return f, nil
}

// Begun reports whether something that is to be at path is being made, or was left unfinished.
func Begun(path string) bool {
	_, err := os.Lstat(partOf(path))
	return err == nil
}

// Leave ends the work on the folder and keeps what it holds for [ContinueFolder].
func (f *Folder) Leave() error { return f.marker.Close() }

// claimFolder makes or takes over the folder in which what is for path is made.
func claimFolder(path string) (*Folder, error) {
	part := partOf(path)
	if err := os.Mkdir(part, 0o700); ignore(err, fs.ErrExist) != nil {
		return nil, err
	}
	info, err := os.Lstat(part)
	if err != nil {
		return nil, err
	}
	// If everybody may make folders, one that is not the user's alone may be
	// a trap.
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("%s is in the way, and not ragdb's: %w", part, fs.ErrExist)
	}
	entries, err := os.ReadDir(part)
	if err != nil {
		return nil, err
	}
	marked := false
	for _, e := range entries {
		marked = marked || e.Name() == markerName && e.Type().IsRegular()
	}
	for _, e := range entries {
		if !marked || e.Name() != markerName && (e.Name() != dataName || !e.IsDir()) {
			return nil, fmt.Errorf("%s is in the way, and not ragdb's: %w", part, fs.ErrExist)
		}
	}
	f := &Folder{Dir: filepath.Join(part, dataName), path: filepath.Clean(path)}
	if f.marker, err = Lock(filepath.Join(part, markerName)); err != nil {
		return nil, err
	}
	_, err = f.marker.WriteAt([]byte(markerText), 0)
	if err != nil {
		return nil, errors.Join(err, f.Discard())
	}
	return f, nil
}

// Commit puts the folder in its place, which must be free.
func (f *Folder) Commit() error {
	if err := os.Rename(f.Dir, f.path); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Discard()
}

// Discard removes what was made. Its place is as it was.
func (f *Folder) Discard() error {
	part := partOf(f.path)
	// The marker goes after what it marks.
	return errors.Join(os.RemoveAll(f.Dir), remove(f.marker, filepath.Join(part, markerName)), os.Remove(part))
}
