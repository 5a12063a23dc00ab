package changes

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/ragdb/ragdb/rag/load"
)

// listing has the files of a folder that a walk reads, by slash path.
type listing map[string]stamp

// stamp is what changes when a file does.
type stamp struct {
	size, time int64
	mode       fs.FileMode
}

// changed is the stamp of a file that was written to after it was listed: no file has it.
var changed = stamp{size: -1}

func (l listing) equal(other listing) bool { return maps.Equal(l, other) }

// errGone says that a folder is not there, or that another, empty one is in its place.
var errGone = errors.New("the folder is not there")

// list lists the folder dir but for the folder skip, "" for none. enter is called with
// the path of each folder before it is read, also with those of package load's Options
// that give no document, and reports whether to enter it.
func list(ctx context.Context, dir string, o *load.Options, enter func(path, rel string, d fs.DirEntry) bool) (listing, error) {
	out := listing{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if e := ctx.Err(); e != nil {
			return e
		}
		rel, rerr := filepath.Rel(dir, path)
		if rerr != nil {
			return rerr
		}
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil && rel == ".":
			return err
		case err != nil: // a walk names it, so it counts as a file until it can be read
			out[rel] = stamp{mode: fs.ModeIrregular}
			return nil
		case rel != "." && o.Skips(rel, d.Type()) != "":
			return skipDir(d)
		case d.IsDir():
			if !enter(path, rel, d) {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed since its folder was read
		}
		if err != nil {
			out[rel] = stamp{mode: fs.ModeIrregular}
			return nil
		}
		out[rel] = stamp{info.Size(), info.ModTime().UnixNano(), info.Mode()}
		return nil
	})
	return out, err
}

func skipDir(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// ErrNoFolder says that something else than a folder is at a path.
var ErrNoFolder = errors.New("not a folder")

// identity returns what tells a folder from another one at the same path.
func identity(dir string) (fs.FileInfo, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = ErrNoFolder
	}
	return info, err
}
