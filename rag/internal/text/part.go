package text

import "strings"

// A Part is where a part of a text begins that the document's format tells.
type Part struct {
	Start int
	Kind  PartKind
}

// PartKind is what a part of a text is. Its numbers are stored.
type PartKind uint8

const (
	Prose PartKind = iota
	// Code is program text, configuration or what a terminal shows: no sentences.
	Code
	// Table is the header of a table "a | b", perhaps with the rows below it.
	Table
	// Row is a row below that header: its cells stand under the names there, one for one.
	Row
	// Heading begins with a line that is a heading.
	Heading
)

// inParts returns paragraphs as the parts tell: headings of their own, and the lines of
// tables and code with the number of their part.
func inParts(s string, paras []paragraph, parts []Part) []paragraph {
	if len(parts) == 0 {
		return paras
	}
	out := make([]paragraph, 0, len(paras))
	next, at := 0, Part{Kind: Prose}
	for _, p := range paras {
		for next < len(parts) && parts[next].Start <= p.Start {
			at = parts[next]
			next++
		}
		if at.Kind == Prose || at.Kind == Heading {
			p.heading = p.heading || at.Kind == Heading && at.Start == p.Start
			out = append(out, p)
			continue
		}
		for start := p.Start; start < p.End; {
			end := p.End
			if i := strings.IndexByte(s[start:p.End], '\n'); i >= 0 {
				end = start + i
			}
			if sp := trim(s, Span{start, end}); sp.Start < sp.End {
				out = append(out, paragraph{Span: sp, part: next})
			}
			start = end + 1
		}
	}
	return out
}
