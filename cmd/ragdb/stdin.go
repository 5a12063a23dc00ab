package main

import (
	"io"
	"strings"

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
	if key == "" || strings.HasSuffix(key, "/") {
		return rag.Input{}, usage("write it like --key notes/today", "--key %q names no document", key)
	}
	if o.Format != "jsonl" && o.Format != "csv" {
		// One byte more tells the loader that it is too much.
		in = io.LimitReader(in, o.MaxDocBytes+1)
	}
	b, err := io.ReadAll(in)
	if err != nil {
		return rag.Input{}, err
	}
	return rag.Input{Source: &load.Source{Key: key, Content: b}, Load: o}, nil
}
