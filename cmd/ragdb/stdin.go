package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
)

// isStdin reports whether a path stands for standard input.
func isStdin(p string) bool { return p == "-" }

// input opens a file, or standard input for -.
func (a *app) input(path string) (io.ReadCloser, error) {
	if isStdin(path) {
		return io.NopCloser(a.stdin), nil
	}
	return a.dir.open(path)
}

// readInput reads standard input whole, as a file whose key is given. Without a
// format it is that of the key's extension, or else plain text.
func readInput(in io.Reader, key string, o load.Options) (rag.Input, error) {
	if in == nil {
		in = strings.NewReader("")
	}
	if key == "" || strings.HasSuffix(key, "/") {
		return rag.Input{}, usage("write it like --key notes/today", "--key %q names no document", key)
	}
	src, err := load.ReadSource(in, key, &o)
	if err == nil && len(bytes.TrimSpace(src.Content)) == 0 {
		err = &failure{exit: exitNotFound, code: "no_documents", message: "standard input has no text", hint: "give it a text, as in: ragdb index DB - < FILE"}
	}
	return rag.Input{Source: &src, Load: o}, err
}
