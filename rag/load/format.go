package load

import (
	"path"
	"strings"
)

// The names of the formats.
const (
	formatText     = "txt"
	formatMarkdown = "md"
	formatHTML     = "html"
	formatJSONL    = "jsonl"
	formatCSV      = "csv"
	formatPDF      = "pdf"
)

// formatOf returns the format that a file's name tells, "" for none, and
// whether the file is gzip-compressed.
func formatOf(name string) (format string, gzipped bool) {
	name, gzipped = strings.CutSuffix(strings.ToLower(name), ".gz")
	switch path.Ext(name) {
	case ".txt", ".text":
		format = formatText
	case ".md", ".markdown":
		format = formatMarkdown
	case ".html", ".htm":
		format = formatHTML
	case ".jsonl", ".ndjson":
		format = formatJSONL
	case ".csv", ".tsv":
		format = formatCSV
	case ".pdf":
		format = formatPDF
	}
	return format, gzipped
}

// isTSV reports whether the columns of a CSV file are separated by tabs.
func isTSV(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return path.Ext(name) == ".tsv"
}
