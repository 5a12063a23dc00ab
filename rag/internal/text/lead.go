package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of a line that leads in what follows.
const (
	maxLead  = 90 // columns of a heading without a mark
	maxLeads = 3  // such paragraphs in a row that belong with what follows
)

// leadIn is why a paragraph belongs with the one below it.
type leadIn uint8

const (
	noLead   leadIn = iota
	heading         // a heading, or a line that stands alone like one
	question        // a line that ends with a question mark
	announce        // a line that ends with a colon, or that what is below hangs from
)

// markLeads marks the paragraphs that belong with the one below them: headings,
// questions with their answers, and lines that announce something. Of a run of
// them only the last three do, and of questions in a row only the last, as the
// others have no answer below them.
func markLeads(s string, paras []paragraph) {
	next, run := noLead, 0 // of the paragraph below
	for i := len(paras) - 2; i >= 0; i-- {
		kind := leadOf(s, paras[i], paras[i+1])
		run++
		switch {
		case kind == noLead:
			run = 0
		case kind == question && next == question, run > maxLeads:
		default:
			paras[i].leads = true
		}
		next = kind
	}
}

// leadOf tells whether and why p belongs with the paragraph below it.
func leadOf(s string, p, below paragraph) leadIn {
	if p.heading {
		return heading
	}
	line := s[p.Start:p.End]
	if p.part > 0 {
		return noLead
	}
	if len(line) > maxTitle || strings.ContainsAny(line, "\r\n") || line[0] == '|' ||
		strings.IndexFunc(line, unicode.IsLetter) < 0 {
		return noLead
	}
	last := lastMark(line)
	switch first, _ := utf8.DecodeRuneInString(line); {
	case last == '?' || last == '？' || last == '؟':
		return question
	case last == ':' || last == '：', indent(s, below.Start) > indent(s, p.Start):
		return announce
	case !p.apart || !below.apart || unicode.IsLower(first) || columns(line) > maxLead:
		return noLead
	case endsSentence(line) || strings.HasSuffix(line, ",") || isListItem(line) || IsKeyValue(line) ||
		isCodeLine(line) || hasColumns(line):
		return noLead
	}
	return heading
}

// lastMark returns the last character of a line that closes no quotation or
// bracket.
func lastMark(line string) rune {
	for line != "" {
		r, n := utf8.DecodeLastRuneInString(line)
		if !isCloser(r) && !unicode.Is(unicode.Pi, r) {
			return r
		}
		line = line[:len(line)-n]
	}
	return 0
}

// leadEnds returns the ends of the paragraphs that belong with the next one.
func leadEnds(paras []paragraph) map[int]bool {
	ends := map[int]bool{}
	for _, p := range paras {
		if p.leads {
			ends[p.End] = true
		}
	}
	return ends
}

// leadSpans returns the runs of paragraphs that belong with the next one, each
// to the start of that one.
func leadSpans(paras []paragraph) []Span {
	var out []Span
	for i := 0; i < len(paras); i++ {
		if !paras[i].leads {
			continue
		}
		start := paras[i].Start
		for i+1 < len(paras) && paras[i].leads {
			i++
		}
		out = append(out, Span{start, paras[i].Start})
	}
	return out
}

// maxIndent bounds the blanks that count before a line.
const maxIndent = 64

// indent returns the blanks before the line that begins at a byte.
func indent(s string, at int) int {
	from := at
	for from > 0 && at-from < maxIndent && (s[from-1] == ' ' || s[from-1] == '\t') {
		from--
	}
	return at - from
}
