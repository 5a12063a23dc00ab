package load

import (
	"context"
	"path"
	"slices"
	"strings"
)

// format is a kind of file that documents are read from. To add one, add its entry
// to [formats] and its line to the package comment.
type format struct {
	name string
	// endings of file names, without .gz.
	endings []string
	// one reads a file that is one document, many reads a file of records and
	// yields each; one of the two is nil.
	one  func(w *walker, in *input) (*draft, error)
	many func(w *walker, in *input, name, key string) error
}

// formats returns all formats, plain text first.
func formats() []*format {
	return []*format{
		{name: "txt", endings: []string{".txt", ".text"}, one: decoded(readText)},
		{name: "md", endings: []string{".md", ".markdown"}, one: decoded(readMarkdown)},
		{name: "html", endings: []string{".html", ".htm"}, one: (*walker).html},
		{name: "jsonl", endings: []string{".jsonl", ".ndjson"}, many: (*walker).jsonl},
		{name: "csv", endings: []string{".csv", ".tsv"}, many: (*walker).csv},
		{name: "pdf", endings: []string{".pdf"}, one: (*walker).pdf},
	}
}

// Formats returns the names of the formats that [Options.Format] may have beside
// auto.
func Formats() []string {
	var out []string
	for _, f := range formats() {
		out = append(out, f.name)
	}
	return out
}

// formatNamed returns the format of a name, nil if there is none.
func formatNamed(name string) *format {
	all := formats()
	if i := slices.IndexFunc(all, func(f *format) bool { return f.name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// formatOf returns the format that a file's name tells, nil for none, and whether
// the file is gzip-compressed.
func formatOf(name string) (f *format, gzipped bool) {
	name, gzipped = strings.CutSuffix(strings.ToLower(name), ".gz")
	all, ending := formats(), path.Ext(name)
	if i := slices.IndexFunc(all, func(f *format) bool { return slices.Contains(f.endings, ending) }); i >= 0 {
		return all[i], gzipped
	}
	return nil, gzipped
}

// decoded returns what reads a file of text as read does.
func decoded(read func(ctx context.Context, o *origin) (*draft, error)) func(w *walker, in *input) (*draft, error) {
	return func(w *walker, in *input) (*draft, error) {
		b, err := in.all(w.opt.MaxDocBytes)
		if err != nil {
			return nil, err
		}
		if err := checkText(b, 1); err != nil {
			return nil, err
		}
		return read(w.ctx, normalise(b, in))
	}
}

// isTSV reports whether the columns of a CSV file are separated by tabs.
func isTSV(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return path.Ext(name) == ".tsv"
}
