package text

// A Term is an entry of the inverted index: a text to look up and the place
// where it stands.
type Term struct {
	Text string
	Pos  uint32 // number of words before it in the text, stop words included
}

// An Analyzer turns text into terms. Equal names give equal terms for equal
// text, in every build.
type Analyzer interface {
	// Name returns the name with its version, such as "standard.v1".
	Name() string
	// Terms returns the terms of s by ascending position. The slice belongs
	// to the caller; its strings may share memory with s.
	Terms(s string) []Term
}

// Standard is the analyzer for ranked search and for the local embedder. It
// drops stop words ([IsStop]) and stems ASCII words with Porter's algorithm
// (Porter 1980, in the Snowball form). In unspaced scripts (see [Words]) each
// character is a term, and so is each pair of neighbours with nothing between
// them; the pair has the position of its first character and follows it.
//
// The zero value is ready for use, and safe for concurrent use.
type Standard struct{}

// Name returns "standard.v1".
func (Standard) Name() string { return "standard.v1" }

// Terms implements [Analyzer]. Linear time.
func (Standard) Terms(s string) []Term {
	terms := make([]Term, 0, len(s)/8+2)
	var p porter
	pos := uint32(0)
	var prev Word // the word before, if it is of an unspaced script
	for w := range Words(s) {
		switch {
		case w.Text[0] >= 0x80 && isUnspaced(firstRune(w.Text)):
			if prev.Text != "" && prev.End == w.Start {
				terms = append(terms, Term{prev.Text + w.Text, pos - 1})
			}
			terms = append(terms, Term{w.Text, pos})
			prev = w
		case IsStop(w.Text):
			prev = Word{}
		default:
			terms = append(terms, Term{p.stem(w.Text), pos})
			prev = Word{}
		}
		pos++
	}
	return terms
}

// Exact is the analyzer for phrases and whole names: every word, folded, in
// its place; nothing is dropped or stemmed. A phrase is found where its words
// stand at consecutive positions.
//
// The zero value is ready for use, and safe for concurrent use.
type Exact struct{}

// Name returns "exact.v1".
func (Exact) Name() string { return "exact.v1" }

// Terms implements [Analyzer]. Linear time.
func (Exact) Terms(s string) []Term {
	terms := make([]Term, 0, len(s)/6+1)
	pos := uint32(0)
	for w := range Words(s) {
		terms = append(terms, Term{w.Text, pos})
		pos++
	}
	return terms
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}
