package tokenizer

import "unicode/utf8"

// words is a text and the parts of it that become words.
type words struct {
	text  []byte
	spans []span
	other []span    // the memory of the list before
	room  [2][]byte // memory for changed texts, used in turn
	turn  int
	cuts  []cut
}

type span struct {
	start, end int
	first      bool // it stands at the beginning of the whole input
}

// cut is a part of a span: what a pattern matched, or what stands between.
type cut struct {
	start, end int
	match      bool
}

func (w *words) set(text []byte, first bool) {
	w.text = text
	w.spans = append(w.spans[:0], span{0, len(text), first})
}

// change sets a changed text, which was written to room[turn].
func (w *words) change(text []byte) {
	w.text, w.room[w.turn] = text, text
	w.turn = 1 - w.turn
}

// begin starts a new list of spans and returns the old one.
func (w *words) begin() []span {
	old := w.spans
	w.spans, w.other = w.other[:0], old
	return old
}

// add appends a part of a span, unless it is empty.
func (w *words) add(of span, start, end int) {
	if start < end {
		w.spans = append(w.spans, span{start, end, of.first && start == of.start})
	}
}

// behavior says what becomes of the parts that a pattern matched.
type behavior uint8

const (
	removed behavior = iota
	isolated
	mergedWithPrevious
	mergedWithNext
	contiguous
)

// divide replaces each span by its parts. find appends the parts of a text;
// together they cover it.
func (w *words) divide(b behavior, find func(cuts []cut, text []byte) []cut) {
	for _, s := range w.begin() {
		w.cuts = find(w.cuts[:0], w.text[s.start:s.end])
		w.merge(s, b, w.cuts)
	}
}

func (w *words) merge(s span, b behavior, cuts []cut) {
	switch b {
	case removed:
		for _, c := range cuts {
			if !c.match {
				w.add(s, s.start+c.start, s.start+c.end)
			}
		}
	case isolated:
		for _, c := range cuts {
			w.add(s, s.start+c.start, s.start+c.end)
		}
	default:
		// A part joins the one before it by the rule of the behavior.
		start := 0
		for i, c := range cuts {
			joined := false
			switch {
			case i == 0:
			case b == contiguous:
				joined = cuts[i-1].match == c.match
			case b == mergedWithPrevious:
				joined = c.match && !cuts[i-1].match
			case b == mergedWithNext:
				joined = !c.match && cuts[i-1].match
			}
			if !joined {
				w.add(s, s.start+start, s.start+c.start)
				start = c.start
			}
		}
		if len(cuts) > 0 {
			w.add(s, s.start+start, s.start+cuts[len(cuts)-1].end)
		}
	}
}

// byClass appends the parts of a text, each character of the class one match.
func byClass(cuts []cut, text []byte, of class) []cut {
	done := 0
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		if classOf(r)&of != 0 {
			if done < i {
				cuts = append(cuts, cut{done, i, false})
			}
			cuts = append(cuts, cut{i, i + size, true})
			done = i + size
		}
		i += size
	}
	if done < len(text) {
		cuts = append(cuts, cut{done, len(text), false})
	}
	return cuts
}

// appendValid appends a text; each byte that is not UTF-8 becomes U+FFFD.
func appendValid(dst []byte, text string) []byte {
	if utf8.ValidString(text) {
		return append(dst, text...)
	}
	for _, r := range text {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}
