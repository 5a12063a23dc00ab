package main

import (
	"io"
	"os"
)

// files are the files of COPY, by their paths.
type files struct{ a *app }

// Open implements [cypher.Files].
func (f files) Open(name string) (io.ReadCloser, error) { return f.a.dir.open(name) }

// Create implements [cypher.Files]. A file that exists is replaced only with
// --yes, and only by one that is whole.
func (f files) Create(name string) (io.WriteCloser, error) {
	info, err := f.a.dir.stat(name)
	if err == nil && !f.a.global.yes {
		return nil, &failure{exit: exitFailed, code: "exists", message: name + " exists already", hint: "give another name, or --yes to replace it"}
	}
	if err == nil && !info.Mode().IsRegular() {
		return f.a.dir.openFile(name, os.O_WRONLY, 0) // a device or a pipe
	}
	w, err := f.a.dir.create(name, 0o644)
	if err != nil {
		return nil, err
	}
	return wholeFile{w}, nil
}
