package main

import (
	"bytes"
	"io"
	"io/fs"
	slashpath "path"
	"strings"
	"time"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
)

// isStdin reports whether a path stands for standard input.
func isStdin(p string) bool { return p == "-" }

// readInput reads standard input whole, as a file whose key is given. Without a
// format it is that of the key's extension, or else plain text. Whole documents
// are bounded by MaxDocBytes; records, each of which is, in their number only by
// memory.
func readInput(in io.Reader, key string, o load.Options) (rag.Input, error) {
	if in == nil {
		in = strings.NewReader("")
	}
	dir, name := slashpath.Split(key)
	if name == "" {
		return rag.Input{}, usage("write it like --key notes/today", "--key %q names no document", key)
	}
	if o.Format == "auto" && slashpath.Ext(name) == "" {
		o.Format = "txt"
	}
	if o.Format != "jsonl" && o.Format != "csv" {
		// One byte more tells the loader that it is too much.
		in = io.LimitReader(in, o.MaxDocBytes+1)
	}
	b, err := io.ReadAll(in)
	if err != nil {
		return rag.Input{}, err
	}
	o.KeyPrefix += dir
	return rag.Input{FS: oneFile{name, b}, Root: name, Load: o}, nil
}

// oneFile is a file system of one file.
type oneFile struct {
	name    string
	content []byte
}

// Open implements [fs.FS].
func (f oneFile) Open(name string) (fs.File, error) {
	if name != f.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &openFile{oneFileInfo{f}, bytes.NewReader(f.content)}, nil
}

// openFile is the file of a oneFile, opened.
type openFile struct {
	oneFileInfo
	*bytes.Reader
}

// Stat and Close implement [fs.File], Size says which of two is meant.
func (f *openFile) Stat() (fs.FileInfo, error) { return f.oneFileInfo, nil }
func (f *openFile) Close() error               { return nil }
func (f *openFile) Size() int64                { return f.oneFileInfo.Size() }

// oneFileInfo implements [fs.FileInfo].
type oneFileInfo struct{ f oneFile }

func (i oneFileInfo) Name() string       { return i.f.name }
func (i oneFileInfo) Size() int64        { return int64(len(i.f.content)) }
func (i oneFileInfo) Mode() fs.FileMode  { return 0o444 }
func (i oneFileInfo) ModTime() time.Time { return time.Time{} }
func (i oneFileInfo) IsDir() bool        { return false }
func (i oneFileInfo) Sys() any           { return nil }
