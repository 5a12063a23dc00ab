package extractive

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm/local/internal/oneline"
)

// A role is what a sentence of a passage is.
type role uint8

const (
	prose role = iota
	headline
	code
	setting // a row of a table, or a key with its value
	asking  // a question
)

// A sentence is a sentence of a passage.
type sentence struct {
	start, end int // bytes of the passage
	text       string
	words      []word
	role       role
	section    *section
	para       int       // number of its paragraph, list item or row
	pronoun    bool      // its subject is one
	first      bool      // of the prose of its section
	own        []float64 // levels of the terms of the question
}

// A section is a part of a passage under the same headings.
type section struct {
	headings []*heading // from the outermost
	levels   []float64  // best of its sentences
	names    []bool     // of the question that are in one of its sentences
}

// A heading is a heading or a title.
type heading struct {
	text   string
	words  []word
	levels []float64
	asks   *agreement // with the question, once it was asked for
}

// A passage is a passage that was read.
type passage struct {
	n         int // index among the passages
	sentences []sentence
	sections  []*section
	levels    []float64   // best of its sentences and headings
	paras     [][]float64 // best of the sentences of each paragraph
	together  []bool      // names of the question that stand together in it
}

// maxHeadings bounds the headings above a sentence.
const maxHeadings = 8

// shortHeading is the number of words of the longest line that can be a
// heading without a mark.
const shortHeading = 10

// read reads a passage: its sentences, and the headings above each.
func read(p *selection.Passage) *passage {
	r := reader{p: p, out: &passage{}}
	if p.Title != "" {
		r.title = newHeading(p.Title)
	}
	r.enter(0)
	spans := text.Sentences(p.Text)
	for i, sp := range spans {
		next := len(p.Text)
		if i+1 < len(spans) {
			next = spans[i+1].Start
		}
		r.take(sp, p.Text[sp.End:next], i+1 < len(spans))
	}
	return r.out
}

// reader is the state of reading a passage.
type reader struct {
	p     *selection.Passage
	out   *passage
	title *heading
	given []*heading // of the passage's headings in force
	next  int        // of the passage's headings
	block int        // of the passage's blocks, the next one
	found []*heading // in the text, by depth
	depth []int
	fence bool
	open  bool // no prose of the section was read yet
	para  int
}

// Depths of headings that are not marked with signs.
const (
	depthShort    = 7
	depthQuestion = 8
)

// enter begins a section.
func (r *reader) enter(at int) {
	moved := false
	for r.next < len(r.p.Headings) && r.p.Headings[r.next].At <= at {
		r.next++
		moved = true
	}
	if moved {
		r.given, r.found, r.depth = nil, nil, nil
		for _, h := range r.p.Headings[r.next-1].Path {
			r.given = append(r.given, newHeading(h))
		}
	}
	s := &section{}
	if r.title != nil {
		s.headings = append(s.headings, r.title)
	}
	s.headings = append(s.headings, r.given...)
	s.headings = append(s.headings, r.found...)
	if n := len(s.headings); n > maxHeadings {
		s.headings = s.headings[n-maxHeadings:]
	}
	r.out.sections = append(r.out.sections, s)
	r.open = true
}

func newHeading(s string) *heading {
	s = text.HeadingText(oneline.Clean(s))
	return &heading{text: s, words: wordsOf(s)}
}

// under opens a heading in the text and closes those that it ends.
func (r *reader) under(depth int, s string, at int) {
	for n := len(r.depth); n > 0 && r.depth[n-1] >= depth; n = len(r.depth) {
		r.depth, r.found = r.depth[:n-1], r.found[:n-1]
	}
	r.depth = append(r.depth, depth)
	r.found = append(r.found[:len(r.found):len(r.found)], newHeading(s))
	r.enter(at)
}

// take reads a sentence; gap is what stands behind it, and more says that
// another follows.
func (r *reader) take(sp text.Span, gap string, more bool) {
	raw := r.p.Text[sp.Start:sp.End]
	s := sentence{start: sp.Start, end: sp.End, text: oneline.Clean(oneline.WithoutMarkers(withoutQuoteMarks(raw))), para: r.para}
	if strings.Contains(gap, "\n\n") || strings.Contains(gap, "\n") && opensItem(r.p.Text[sp.End+len(gap):]) {
		r.para++
	}
	if s.text == "" {
		return
	}
	if r.next < len(r.p.Headings) && r.p.Headings[r.next].At <= sp.Start {
		r.enter(sp.Start)
	}
	fenced := strings.HasPrefix(raw, "```") || strings.HasPrefix(raw, "~~~")
	kind, depth := r.kind(sp.Start), signs(raw)
	endsLine := strings.Contains(gap, "\n")
	switch {
	case (isSetting(s.text) || kind == text.Table) && !fenced:
		s.role = setting
	case fenced || r.fence || kind == text.Code || looksLikeCode(s.text):
		s.role = code
		if fences := strings.Count(raw, "```") + strings.Count(raw, "~~~"); fences%2 == 1 {
			r.fence = !r.fence
		}
	case depth > 0:
		s.role = headline
		s.text = text.HeadingText(strings.TrimSpace(strings.TrimLeft(s.text, "#")))
		r.under(depth, s.text, sp.Start)
	case r.isGiven(s.text):
		s.role = headline
	case r.isQuoted(sp):
		s.role = asking
	case isQuestion(s.text):
		s.role = asking
		if more && endsLine {
			s.role = headline
			r.under(depthQuestion, s.text, sp.Start)
		}
	case more && (strings.Contains(gap, "\n\n") || r.isTitle(sp.Start, gap)) && !terminated(s.text) && s.text[0] != '|' && len(strings.Fields(s.text)) <= shortHeading:
		s.role = headline
		r.under(depthShort, s.text, sp.Start)
	}
	s.section = r.out.sections[len(r.out.sections)-1]
	s.words = wordsOf(s.text)
	if s.role == prose || s.role == setting {
		before := len(r.out.sentences) - 1
		s.first, r.open = r.open && before >= 0 && r.out.sentences[before].role == headline, false
		s.pronoun = opensWithPronoun(s.words)
	}
	r.out.sentences = append(r.out.sentences, s)
}

// kind returns what the passage says that the text at a byte is. It is asked for bytes in
// their order.
func (r *reader) kind(at int) text.PartKind {
	for r.block < len(r.p.Blocks) && r.p.Blocks[r.block].At <= at {
		r.block++
	}
	if r.block == 0 {
		return text.Prose
	}
	return r.p.Blocks[r.block-1].Kind
}

// isTitle reports whether a line may be the title of a text that has no
// headings.
func (r *reader) isTitle(start int, gap string) bool {
	if len(r.p.Headings) > 0 || strings.TrimSpace(r.p.Text[:start]) != "" || !strings.HasPrefix(strings.TrimLeft(gap, " \t\r"), "\n") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(r.p.Text[start:])
	return unicode.IsLetter(first)
}

// withoutQuoteMarks returns a text without the signs at the beginning of its lines by
// which mail quotes what it replies to.
func withoutQuoteMarks(s string) string {
	if !strings.ContainsAny(s, ">|") {
		return s
	}
	return quoteMarks.ReplaceAllString(s, "")
}

var quoteMarks = regexp.MustCompile(`(?m)^[ \t]*(?:>[> |]*|\|(?: \|)* )`)

// isQuoted reports whether a sentence begins on a line that mail quotes.
func (r *reader) isQuoted(sp text.Span) bool {
	const most = 200 // bytes of a line
	before := r.p.Text[max(0, sp.Start-most):sp.Start]
	line := before[strings.LastIndexByte(before, '\n')+1:] + r.p.Text[sp.Start:min(sp.End, sp.Start+most)]
	return strings.HasPrefix(strings.TrimLeft(line, " \t"), ">")
}

// opensItem reports whether a line begins an item of a list or a row of a table.
func opensItem(rest string) bool {
	line, _, _ := strings.Cut(rest[:min(len(rest), 200)], "\n")
	return strings.Contains(line, " | ") || listItem.MatchString(line)
}

var listItem = regexp.MustCompile(`^(?:[-*+•·|]|\d{1,3}[.)]|\([a-z0-9]\)) `)

// isGiven reports whether a sentence is the heading under which the passage
// says that it stands.
func (r *reader) isGiven(s string) bool {
	if len(r.given) == 0 {
		return false
	}
	h := r.given[len(r.given)-1].text
	return h != "" && (s == h || text.HeadingText(s) == h || len(h) > 100 && strings.HasPrefix(s, strings.TrimRight(h, "… ")))
}

// signs returns the number of # before a heading, 0 if it is none.
func signs(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "#"))
	if n > 6 || n == len(s) || s[n] != ' ' {
		return 0
	}
	return n
}

// isQuestion reports whether a sentence ends with a question mark.
func isQuestion(s string) bool {
	s = strings.TrimRight(s, `*_"'”’»)`)
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？")
}

// terminated reports whether s ends like a sentence.
func terminated(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(`"'…”’)]:;`, r) || unicode.Is(unicode.STerm, r)
}
