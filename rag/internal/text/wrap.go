package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/functionword"
)

// The width in columns of text that is hard-wrapped.
const (
	minWrap = 40
	maxWrap = 120
)

// A wrap judges the line breaks between lines that stand together: whether a
// break only wraps the text (it is soft) or the writer meant it (it is hard).
//
// A break is open if nothing around it says that a line ends there: the line
// before it does not end a sentence, and neither side is program text, a
// "Key: value" line or a row of columns. The lines are hard-wrapped prose if
//
//   - the longest has 40 to 120 columns;
//   - at least one open break shows that the text goes on: a small letter
//     follows, or a function word or a title such as Mr. stands before it;
//   - of three open breaks two show that, or come before a digit, or end a
//     line that is three quarters full.
//
// In prose an open break is soft unless it ends a short line that starts like a
// heading and a capital follows. Behind a sentence a break is soft if the line is
// three quarters full. Scripts without case are prose if every line but the
// last is nearly full.
type wrap struct {
	s     string
	lines []Span
	cols  []int // columns of each line
	width int   // of the widest line
}

// softBreaks reports for each line break between the lines whether it is soft.
func softBreaks(s string, lines []Span) []bool {
	soft := make([]bool, len(lines)-1)
	if len(soft) == 0 {
		return soft
	}
	w := wrap{s: s, lines: lines, cols: make([]int, len(lines))}
	for k := range lines {
		w.cols[k] = columns(w.line(k))
		w.width = max(w.width, w.cols[k])
	}
	if w.width < minWrap || w.width > maxWrap {
		return soft
	}
	open, inside, shown := 0, 0, 0
	for k := range soft {
		kind := w.kindOf(k)
		soft[k] = kind != hardBreak
		switch kind {
		case closedBreak:
			soft[k] = w.full(k, 3, 4)
		case openBreak:
			open++
			if w.full(k, 3, 4) {
				inside++
			}
		case goesOn:
			open++
			inside++
			shown++
		case digitFollows:
			open++
			inside++
		case shortLine:
			soft[k] = false
		}
	}
	if shown == 0 || 3*inside < 2*open {
		clear(soft)
	}
	return soft
}

func (w *wrap) line(k int) string { return w.s[w.lines[k].Start:w.lines[k].End] }

// full reports whether line k has at least a/b of the width.
func (w *wrap) full(k, a, b int) bool { return b*w.cols[k] >= a*w.width }

// breakKind is what the text around a line break says of it.
type breakKind uint8

const (
	hardBreak    breakKind = iota // program text, columns, a "Key: value" line
	closedBreak                   // a sentence ends before it
	abbreviated                   // a full stop before it, a small letter behind it
	openBreak                     // nothing tells
	goesOn                        // the text goes on behind it
	digitFollows                  // nothing tells, and a digit follows
	shortLine                     // a short line like a heading, and a capital follows
)

// kindOf returns the kind of the break behind line k.
func (w *wrap) kindOf(k int) breakKind {
	line, next := w.line(k), w.line(k+1)
	first, _ := utf8.DecodeRuneInString(next)
	last, _ := utf8.DecodeLastRuneInString(line)
	switch {
	case isCodeLine(line) || isCodeLine(next) || hasColumns(line) || hasColumns(next):
		return hardBreak
	case IsKeyValue(next), IsKeyValue(line) && !(unicode.IsLower(first) && w.full(k, 3, 4)):
		return hardBreak
	case endsWithTitle(line):
		return goesOn
	case endsSentence(line):
		if unicode.IsLower(first) && last == '.' {
			return abbreviated
		}
		return closedBreak
	case unicode.IsLower(first), endsWithFunctionWord(line), last == ',' && !isCaseless(first):
		return goesOn
	case isCaseless(first):
		if w.full(k, 9, 10) {
			return goesOn
		}
		return hardBreak
	case unicode.IsDigit(first):
		return digitFollows
	case !w.full(k, 1, 2) && w.opens(k):
		return shortLine
	}
	return openBreak
}

// opens reports whether line k can be a heading: it has a capital and no open
// sentence before it.
func (w *wrap) opens(k int) bool {
	r, _ := utf8.DecodeRuneInString(w.line(k))
	return !unicode.IsLower(r) && (k == 0 || endsSentence(w.line(k-1)))
}

// columns returns the width of a line: Han, kana and Hangul take two columns.
func columns(line string) int {
	n := 0
	for _, r := range line {
		n++
		if r >= 0x1100 && (isIdeograph(r) || unicode.Is(unicode.Hangul, r) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFF60) {
			n++
		}
	}
	return n
}

// isCaseless reports whether r is a letter of a script without case.
func isCaseless(r rune) bool {
	return r >= utf8.RuneSelf && unicode.IsLetter(r) && !unicode.IsLower(r) && !unicode.IsUpper(r) && !unicode.IsTitle(r)
}

// endsWithTitle reports whether a line ends with a title such as Mr., behind
// which a name follows.
func endsWithTitle(line string) bool {
	word, ok := strings.CutSuffix(line, ".")
	word = word[strings.LastIndexAny(word, " \t([\"“„«")+1:]
	return ok && word != "" && len(word) <= maxAbbreviation && abbreviationOf(word) == announcesName
}

// endsWithFunctionWord reports whether the last word of a line is a function
// word in small letters, which does not end a heading or an entry of a list.
func endsWithFunctionWord(line string) bool {
	word := line[strings.LastIndexByte(line, ' ')+1:]
	if len(word) > 12 || len(word) == len(line) {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(word); !unicode.IsLower(r) {
		return false
	}
	if lex.IsStop(word) {
		return true
	}
	folded := lex.Fold(word)
	for _, lang := range [...]string{"de", "fr", "es", "it", "pt", "nl"} {
		if functionword.Is(lang, folded) {
			return true
		}
	}
	return false
}

// IsKeyValue reports whether a line is of the form "Key: value": up to three
// words, the first with a capital, and a colon, which may be full-width. Such a
// line is a paragraph of its own.
func IsKeyValue(line string) bool {
	const maxKey = 32 // bytes
	key, _, ok := strings.Cut(line[:min(len(line), maxKey)], ": ")
	if !ok {
		if key, _, ok = strings.Cut(line[:min(len(line), maxKey)], "："); !ok {
			return false
		}
	}
	r, _ := utf8.DecodeRuneInString(key)
	return (unicode.IsUpper(r) || isCaseless(r)) && strings.Count(key, " ") <= 2
}

// hasColumns reports whether a line is a row of columns: a tab or three blanks
// stand inside it.
func hasColumns(line string) bool {
	return strings.IndexByte(line, '\t') >= 0 || strings.Contains(line, "   ")
}

// isCodeLine reports whether a line looks like program text or a command.
func isCodeLine(line string) bool {
	for _, opening := range [...]string{"$ ", ">>> ", "//", "/*", "#include", "#!", "</", "@", "import ", "func ", "def ", "public ", "const "} {
		if rest, ok := strings.CutPrefix(line, opening); ok {
			switch opening {
			case "import ", "func ", "def ", "public ", "const ":
				// Words of English, too: program text has marks behind them.
				if !strings.ContainsAny(rest, "(){}=;_\"'") && strings.Count(rest, " ") > 0 {
					continue
				}
			}
			return true
		}
	}
	for _, ending := range [...]string{"{", "}", "};", ");", "):", "\\", "();", " = (", " = [", "()"} {
		if strings.HasSuffix(line, ending) {
			return true
		}
	}
	for _, inside := range [...]string{"==", "=>", "!=", ":=", "+=", "&&", "||", "();", "()."} {
		if strings.Contains(line, inside) {
			return true
		}
	}
	if name, _, ok := strings.Cut(line, " = "); ok && len(name) > 0 && !strings.Contains(strings.TrimPrefix(name, "var "), " ") {
		return true
	}
	if i := strings.Index(line, " --"); i >= 0 && i+3 < len(line) {
		return line[i+3] >= 'a' && line[i+3] <= 'z'
	}
	return false
}

// IsWrapped reports whether most line breaks of a text only wrap its prose.
func IsWrapped(s string) bool {
	soft, all := 0, strings.Count(s, "\n")
	for _, p := range paragraphs(s) {
		soft += strings.Count(s[p.Start:p.End], "\n")
	}
	return all > 2 && 2*soft > all
}
