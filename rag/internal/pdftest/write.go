// Package pdftest writes small PDF files for tests, valid and invalid ones.
package pdftest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// A Writer collects the objects of a file. The zero value is empty.
type Writer struct {
	objects []string
}

// Add adds an object and returns its number. The first has the number 1.
func (w *Writer) Add(body string) int {
	w.objects = append(w.objects, body)
	return len(w.objects)
}

// Set replaces an object, for those that refer to each other.
func (w *Writer) Set(n int, body string) { w.objects[n-1] = body }

// Stream returns an object with data. entries stand in its dictionary beside
// the length.
func Stream(entries, data string) string {
	return fmt.Sprintf("<< /Length %d %s >>\nstream\n%s\nendstream", len(data), entries, data)
}

// Flate is a compressed Stream.
func Flate(entries, data string) string {
	return Stream(entries+" /Filter /FlateDecode", Deflate(data))
}

// Deflate compresses data as the filter FlateDecode undoes it.
func Deflate(data string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write([]byte(data))
	z.Close()
	return b.String()
}

// Bytes returns the file, with a cross-reference table and the entries of its
// trailer, such as "/Root 1 0 R".
func (w *Writer) Bytes(trailer string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	var at []int
	for i, o := range w.objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, trailer, xref)
	return b.Bytes()
}

// Document returns a file with a page for each content stream, whose font F1
// is the object font. Its title is in Info where it is not empty.
func Document(title, font string, contents ...string) []byte {
	var w Writer
	root, pages, f, info := w.Add(""), w.Add(""), w.Add(font), w.Add("<< /Title "+Hex(title)+" >>")
	var kids []string
	for _, c := range contents {
		content := w.Add(Flate("", c))
		kid := w.Add(fmt.Sprintf("<< /Type /Page /Parent %d 0 R /Contents %d 0 R >>", pages, content))
		kids = append(kids, fmt.Sprintf("%d 0 R", kid))
	}
	w.Set(root, fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R /Lang (en-GB) >>", pages))
	w.Set(pages, fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] /Resources << /Font << /F1 %d 0 R >> >> >>",
		len(kids), strings.Join(kids, " "), f))
	trailer := fmt.Sprintf("/Root %d 0 R", root)
	if title != "" {
		trailer += fmt.Sprintf(" /Info %d 0 R", info)
	}
	return w.Bytes(trailer)
}

// Helvetica is a font that needs nothing but its name.
const Helvetica = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"

// Lines is a content stream of lines of 12 points from the top of a page, 14
// apart. An empty line leaves room.
func Lines(lines ...string) string {
	var b strings.Builder
	b.WriteString("BT /F1 12 Tf 14 TL 1 0 0 1 72 760 Tm\n")
	for _, l := range lines {
		if l != "" {
			b.WriteString(Literal(l) + " Tj ")
		}
		b.WriteString("T*\n")
	}
	b.WriteString("ET\n")
	return b.String()
}

// Literal is s, in Latin-1, as a string of a content stream.
func Literal(s string) string {
	var b strings.Builder
	b.WriteByte('(')
	for _, r := range s {
		switch {
		case strings.ContainsRune(`()\`, r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteByte(byte(r))
		}
	}
	return b.String() + ")"
}

// Hex is s in UTF-16 with a byte order mark.
func Hex(s string) string { return "<FEFF" + Codes(s) + ">" }

// Codes are the UTF-16 codes of s, which has no characters beyond the basic
// plane, in hexadecimal digits.
func Codes(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, "%04X", r)
	}
	return b.String()
}
