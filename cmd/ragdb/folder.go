package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ragdb/ragdb/internal/unfinished"
)

// folder is a working directory, which relative names of files are of. All files that
// users name are opened through it: a command that runs in the process that holds its
// database has the working directory of the process that was started, and errors have
// the names as they were written.
type folder string

// here is the working directory of this process.
const here folder = ""

// path returns a name as this process can use it.
func (d folder) path(name string) string {
	if d == here || name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(string(d), name)
}

// abs returns the absolute path of a name.
func (d folder) abs(name string) (string, error) { return filepath.Abs(d.path(name)) }

// as gives an error about a file the name that the user wrote.
func (d folder) as(name string, err error) error {
	var p *fs.PathError
	if d == here || filepath.IsAbs(name) || !errors.As(err, &p) {
		return err
	}
	if p.Path == d.path(name) {
		return &fs.PathError{Op: p.Op, Path: name, Err: p.Err}
	}
	if rest, ok := strings.CutPrefix(p.Path, string(d)+string(filepath.Separator)); ok {
		return &fs.PathError{Op: p.Op, Path: rest, Err: p.Err} // the folder that it is in
	}
	return err
}

func (d folder) stat(name string) (os.FileInfo, error) {
	info, err := os.Stat(d.path(name))
	return info, d.as(name, err)
}

func (d folder) lstat(name string) (os.FileInfo, error) {
	info, err := os.Lstat(d.path(name))
	return info, d.as(name, err)
}

func (d folder) open(name string) (*os.File, error) {
	f, err := os.Open(d.path(name))
	return f, d.as(name, err)
}

func (d folder) openFile(name string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(d.path(name), flag, mode)
	return f, d.as(name, err)
}

func (d folder) readFile(name string) ([]byte, error) {
	b, err := os.ReadFile(d.path(name))
	return b, d.as(name, err)
}

func (d folder) readDir(name string) ([]os.DirEntry, error) {
	entries, err := os.ReadDir(d.path(name))
	return entries, d.as(name, err)
}

func (d folder) mkdirAll(name string, mode os.FileMode) error {
	return d.as(name, os.MkdirAll(d.path(name), mode))
}

func (d folder) openRoot(name string) (*os.Root, error) {
	root, err := os.OpenRoot(d.path(name))
	return root, d.as(name, err)
}

// fs returns the files below a folder.
func (d folder) fs(name string) fs.FS { return os.DirFS(d.path(name)) }

// create begins a file that is there whole or not at all.
func (d folder) create(name string, mode os.FileMode) (*unfinished.File, error) {
	f, err := unfinished.Create(d.path(name), mode)
	return f, d.as(name, err)
}

// sweep removes what a killed process left of a file or folder.
func (d folder) sweep(name string) error { return d.as(name, unfinished.Sweep(d.path(name))) }

// writeWhole writes a file that is there whole or not at all.
func (d folder) writeWhole(name string, b []byte) error {
	f, err := d.create(name, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}

// tempFolder makes a folder for what is not to stay, beside a file or else in the
// system's folder for it.
func tempFolder(beside, name string) (*unfinished.Folder, error) {
	f, err := unfinished.TempFolder(filepath.Dir(beside), name)
	if err != nil {
		return unfinished.TempFolder(os.TempDir(), name)
	}
	return f, nil
}

// userConfigDir is the system's folder for the settings of programs, "" if it has none.
func userConfigDir() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return dir
}
