package load

import "strings"

// Bounds of Markdown; see the package comment.
const (
	maxNesting = 32
	pieceBytes = 32 << 10
)

// piece is a part of a Markdown text that is parsed on its own.
type piece struct {
	start, end int
	kind       pieceKind
}

type pieceKind uint8

const (
	pieceMarkdown pieceKind = iota
	pieceCode               // the rest of a fenced block that was cut
	pieceComment            // the rest of a comment that was cut
)

// splitter walks over the lines of a Markdown text. It follows fences and
// comments roughly, as far as it takes to cut at a harmless place.
type splitter struct {
	text   string
	pieces []piece
	start  int // of the current piece
	kind   pieceKind
	// cut is the best place so far to end the current piece, rank how good.
	cut  int
	rank cutRank

	fence   string // the marks that opened the current fenced block
	comment bool
}

// cutRank orders the places to cut at: between two lines, before a line at the
// margin, at the margin after a blank line, before a heading.
type cutRank uint8

const (
	cutNone cutRank = iota
	cutMargin
	cutBlank
	cutHeading
)

// splitMarkdown cuts text[from:] into pieces of about pieceBytes and refuses
// what nests too deep. The parser's time is quadratic in some constructs and
// its stack grows with the nesting; pieces bound both. A file of one piece is
// parsed exactly as the standard says. O(n).
func splitMarkdown(text string, from int) ([]piece, error) {
	s := &splitter{text: text, start: from, cut: from}
	blank := true
	for pos, n := from, 1+strings.Count(text[:from], "\n"); pos < len(text); n++ {
		next := len(text)
		if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
			next = pos + i + 1
		}
		line := strings.TrimRight(text[pos:next], " \t\n")
		inner := strings.TrimLeft(line, " \t")
		free := s.fence == "" && !s.comment
		if free && line != "" {
			if len(inner) == len(line) {
				rank := cutMargin
				if blank {
					rank = cutBlank
				}
				if inner[0] == '#' {
					rank = cutHeading
				}
				if rank >= s.rank || s.cut == s.start {
					s.cut, s.rank = pos, rank
				}
			}
			if nesting(line) > maxNesting {
				return nil, refuse(n, ErrTooLarge, "nests lists and quotations more than %d levels deep", maxNesting)
			}
		}
		if next-s.start > pieceBytes && s.kind == pieceMarkdown {
			switch {
			case s.cut > s.start:
				s.end(s.cut, pieceMarkdown)
			case pos == s.start: // a line longer than a piece
			case free:
				s.end(pos, pieceMarkdown)
			case s.comment:
				s.end(pos, pieceComment)
			default:
				s.end(pos, pieceCode)
			}
		}
		blank = line == ""
		s.follow(line, inner)
		switch {
		case s.kind == pieceCode && s.fence == "":
			s.end(pos, pieceMarkdown)
			s.start, s.cut = next, next // the closing fence is not text
		case s.kind == pieceComment && !s.comment:
			s.end(next, pieceMarkdown)
		}
		pos = next
	}
	s.end(len(text), pieceMarkdown)
	return s.pieces, nil
}

// end closes the current piece and begins one of the given kind.
func (s *splitter) end(at int, next pieceKind) {
	if at > s.start {
		s.pieces = append(s.pieces, piece{s.start, at, s.kind})
	}
	s.start, s.kind, s.cut, s.rank = at, next, at, cutNone
}

// follow notes whether the line opens or closes a fenced block or a comment.
func (s *splitter) follow(line, inner string) {
	switch {
	case s.comment:
		s.comment = !strings.Contains(line, "-->")
	case s.fence != "":
		if strings.HasPrefix(inner, s.fence) && strings.Trim(inner, s.fence[:1]) == "" {
			s.fence = ""
		}
	case strings.HasPrefix(inner, "```") || strings.HasPrefix(inner, "~~~"):
		rest := strings.TrimLeft(inner, inner[:1])
		if inner[0] == '~' || !strings.Contains(rest, "`") {
			s.fence = inner[:len(inner)-len(rest)]
		}
	case strings.HasPrefix(inner, "<!--"):
		s.comment = !strings.Contains(inner[4:], "-->")
	}
}

// nesting estimates how many lists and quotations a line stands in: the marks
// it begins with, and two columns of indentation before a mark for each level
// that earlier lines opened.
func nesting(line string) int {
	marks, column, deepest := 0, 0, 0
	first, uniform := byte(0), true // "- - -" is a rule, not three lists
	for i := 0; i < len(line); {
		c := line[i]
		width := 0
		switch {
		case c == ' ':
			column++
			i++
			continue
		case c == '\t':
			column += 4 - column%4
			i++
			continue
		case c == '>':
			width = 1
		case c == '-' || c == '+' || c == '*':
			if i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t' {
				width = 1
			}
		case '0' <= c && c <= '9':
			d := i
			for d < len(line) && d < i+9 && '0' <= line[d] && line[d] <= '9' {
				d++
			}
			if d < len(line) && (line[d] == '.' || line[d] == ')') && (d+1 == len(line) || line[d+1] == ' ' || line[d+1] == '\t') {
				width = d + 1 - i
			}
		}
		if width == 0 {
			return deepest
		}
		if first == 0 {
			first = c
		}
		uniform = uniform && c == first
		marks++
		deepest = max(deepest, marks, column/2)
		column += width
		i += width
	}
	if uniform && (first == '-' || first == '*') {
		return 1
	}
	return deepest
}
