package pdf

// Bounds of a map of characters.
const (
	maxChars = 1 << 17 // entries
	maxGlyph = 8       // characters of an entry
)

// cmap maps the codes of a font to characters (9.10.3), or only tells how long
// its codes are.
type cmap struct {
	space [4][][2]uint32 // ranges of codes of 1 to 4 bytes
	chars map[uint32]string
}

// cmap reads a map of characters.
func (f *File) cmap(s *stream) *cmap {
	data, err := f.decode(s)
	if err != nil {
		return nil
	}
	m := &cmap{chars: map[uint32]string{}}
	f.spend(len(data))
	l := newLexer(data, 0)
	for f.err == nil {
		switch l.token() {
		case end:
			return m
		case op("begincodespacerange"):
			m.readSpace(l)
		case op("beginbfchar"):
			f.readChars(m, l)
		case op("beginbfrange"):
			f.readRanges(m, l)
		}
	}
	return m
}

// code returns the number that a string of up to four bytes is.
func code(s string) uint32 {
	n := uint32(0)
	for i := range min(len(s), 4) {
		n = n<<8 | uint32(s[i])
	}
	return n
}

func (m *cmap) readSpace(l *lexer) {
	for {
		lo, ok1 := l.token().(string)
		hi, ok2 := l.token().(string)
		if !ok1 || !ok2 || len(m.space[0])+len(m.space[1])+len(m.space[2])+len(m.space[3]) > 100 {
			return
		}
		if n := len(lo); n == len(hi) && n >= 1 && n <= 4 {
			m.space[n-1] = append(m.space[n-1], [2]uint32{code(lo), code(hi)})
		}
	}
}

func (f *File) readChars(m *cmap, l *lexer) {
	for {
		from, ok := l.token().(string)
		if !ok {
			return
		}
		to, ok := l.token().(string)
		if !ok {
			return
		}
		f.setChar(m, code(from), to)
	}
}

func (f *File) readRanges(m *cmap, l *lexer) {
	for f.err == nil {
		first, ok := l.token().(string)
		if !ok {
			return
		}
		last, ok := l.token().(string)
		if !ok {
			return
		}
		lo, hi := code(first), code(last)
		l.elements = maxElements
		switch to := l.object(false).(type) {
		case string:
			for c := uint64(lo); c <= uint64(hi) && len(m.chars) < maxChars && f.err == nil; c++ {
				f.setChar(m, uint32(c), to)
				to = successor(to)
			}
		case array:
			for i, v := range to {
				if s, ok := v.(string); ok && uint64(lo)+uint64(i) <= uint64(hi) {
					f.setChar(m, lo+uint32(i), s)
				}
			}
		default:
			return
		}
	}
}

// setChar notes what a code stands for, in UTF-16.
func (f *File) setChar(m *cmap, c uint32, to string) {
	if len(m.chars) < maxChars && f.spend(64) {
		m.chars[c] = plain(utf16String(to[:min(len(to), 2*maxGlyph)]))
	}
}

// successor returns s with its last unit one higher.
func successor(s string) string {
	if s == "" {
		return s
	}
	b := []byte(s)
	for i := len(b) - 1; i >= max(0, len(b)-2); i-- {
		if b[i]++; b[i] != 0 {
			break
		}
	}
	return string(b)
}

// length returns the length of the code that s starts with: the shortest that
// is in the space of codes, whenNone if there is none.
func (m *cmap) length(s string, whenNone int) int {
	for n := 1; n <= min(4, len(s)); n++ {
		c := code(s[:n])
		for _, r := range m.space[n-1] {
			if r[0] <= c && c <= r[1] {
				return n
			}
		}
	}
	return min(whenNone, len(s))
}
