package replay

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"unicode"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// Shingle is how many words of a passage are enough to find it.
const Shingle = 8

// maxSame bounds the passages that are looked at for one run of words, and
// maxWork the words that are compared for one text: texts that repeat
// themselves end there.
const (
	maxSame = 64
	maxWork = 1 << 24
)

// Recordings are passages that are found by the texts that hold them.
type Recordings struct {
	passages []Passage
	words    [][]uint32        // of the passages' texts
	titles   [][]uint32        // and of their titles
	ids      map[string]uint32 // number of a word, from 1
	anchors  map[uint64][]anchor
	short    []int // lengths below Shingle that passages have, ascending
	digest   Digest
}

// anchor is a place in a passage that it is found by.
type anchor struct{ passage, at int32 }

// NewRecordings makes recordings of passages, which it keeps. Passages without
// words are found nowhere.
func NewRecordings(passages []Passage) (*Recordings, error) {
	r := &Recordings{passages: passages, ids: map[string]uint32{}, anchors: map[uint64][]anchor{}}
	all := sha256.New()
	for i := range passages {
		p := &passages[i]
		d, err := p.Digest()
		if err != nil {
			return nil, err
		}
		all.Write(d[:])
		r.titles = append(r.titles, r.learn(p.Title))
		words := r.learn(p.Text)
		if len(words) == 0 {
			words, r.titles[i] = r.titles[i], nil
		}
		r.words = append(r.words, words)
		r.anchor(int32(i), words)
	}
	slices.Sort(r.short)
	all.Sum(r.digest[:0])
	return r, nil
}

// anchor notes where a passage is found: at every Shingle-th word and at its
// last ones, so that any run of 2*Shingle-1 words holds such a place.
func (r *Recordings) anchor(i int32, words []uint32) {
	n := min(len(words), Shingle)
	if n == 0 {
		return
	}
	if n < Shingle && !slices.Contains(r.short, n) {
		r.short = append(r.short, n)
	}
	note := func(at int) {
		h := hash(words[at : at+n])
		if len(r.anchors[h]) < maxSame {
			r.anchors[h] = append(r.anchors[h], anchor{i, int32(at)})
		}
	}
	at := 0
	for ; at+n <= len(words); at += n {
		note(at)
	}
	if last := len(words) - n; last > at-n {
		note(last)
	}
}

// learn returns the numbers of a text's words, giving new words the next one.
func (r *Recordings) learn(s string) []uint32 {
	var out []uint32
	for _, w := range fields(s) {
		word := s[w.Start:w.End]
		id := r.ids[word]
		if id == 0 {
			id = uint32(len(r.ids) + 1)
			r.ids[strings.Clone(word)] = id
		}
		out = append(out, id)
	}
	return out
}

// fields returns the spans of a text between white space; a byte order mark is
// white space.
func fields(s string) []text.Span {
	var out []text.Span
	start := -1
	for i, c := range s {
		blank := unicode.IsSpace(c) || c == '\ufeff'
		if blank && start >= 0 {
			out = append(out, text.Span{Start: start, End: i})
			start = -1
		} else if !blank && start < 0 {
			start = i
		}
	}
	if start >= 0 {
		out = append(out, text.Span{Start: start, End: len(s)})
	}
	return out
}

func hash(words []uint32) uint64 {
	h := uint64(14695981039346656037) // FNV-1a
	for _, w := range words {
		h = (h ^ uint64(w)) * 1099511628211
	}
	return h
}

// Len returns how many passages there are.
func (r *Recordings) Len() int { return len(r.passages) }

// Passages returns the passages; the caller must not change them.
func (r *Recordings) Passages() []Passage { return r.passages }

// Digest identifies the passages with all that is recorded, in their order.
func (r *Recordings) Digest() Digest { return r.digest }

// run is a run of words that a text and a passage share.
type run struct {
	passage  int
	from, to int // words of the text
	at       int // word of the passage
	title    int // words of its title before it
}

func (x run) len() int { return x.to - x.from }

// find returns the runs of a text, which do not overlap, in their order: of
// runs that do the longest counts, then that of a passage with the title that
// the text has. They are empty if less than half of the text is recorded.
func (r *Recordings) find(words []uint32, title string) []run {
	var all []run
	if len(words) < 2*Shingle-1 {
		all = r.whole(words)
	}
	all = append(all, r.shared(words)...)
	prefer := func(x run) int {
		if title != "" && r.passages[x.passage].Title == title {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b run) int {
		return cmp.Or(cmp.Compare(b.len(), a.len()), cmp.Compare(prefer(a), prefer(b)),
			cmp.Compare(a.passage, b.passage), cmp.Compare(a.from, b.from))
	})
	taken := make([]bool, len(words))
	n := 0
	var out []run
	for _, x := range all {
		full := x.len() == len(r.words[x.passage])
		for x.from < x.to && taken[x.from] {
			x.from, x.at, full = x.from+1, x.at+1, false
		}
		to := x.from
		for to < x.to && !taken[to] {
			to++
		}
		if full = full && to == x.to; !full && to-x.from < Shingle && to-x.from < len(words) {
			continue
		}
		x.to = to
		if t := r.titles[x.passage]; x.at == 0 && len(t) <= x.from && slices.Equal(words[x.from-len(t):x.from], t) &&
			!slices.Contains(taken[x.from-len(t):x.from], true) {
			x.title = len(t)
		}
		for i := x.from - x.title; i < x.to; i++ {
			taken[i] = true
			n++
		}
		out = append(out, x)
	}
	if 2*n < len(words) || len(out) == 0 {
		return nil
	}
	slices.SortFunc(out, func(a, b run) int { return cmp.Compare(a.from, b.from) })
	return out
}

// whole returns the passages that hold all words of a short text.
func (r *Recordings) whole(words []uint32) []run {
	var out []run
	if len(words) == 0 || slices.Contains(words, 0) {
		return nil
	}
	for i, p := range r.words {
		for at := 0; at+len(words) <= len(p); at++ {
			if p[at] == words[0] && slices.Equal(p[at:at+len(words)], words) {
				out = append(out, run{passage: i, to: len(words), at: at})
				break
			}
		}
	}
	return out
}

// shared returns the runs that begin or end nowhere within a longer one of the
// same passage.
func (r *Recordings) shared(words []uint32) []run {
	type diagonal struct {
		passage int32
		shift   int
	}
	reached := map[diagonal]int{} // -> word of the text where its last run ends
	var out []run
	work := 0
	try := func(i, n int) {
		for _, a := range r.anchors[hash(words[i:i+n])] {
			d := diagonal{a.passage, i - int(a.at)}
			p := r.words[a.passage]
			if reached[d] > i || int(a.at)+n > len(p) || !slices.Equal(p[a.at:int(a.at)+n], words[i:i+n]) {
				continue
			}
			x := run{passage: int(a.passage), from: i, to: i + n, at: int(a.at)}
			for x.from > 0 && x.at > 0 && p[x.at-1] == words[x.from-1] {
				x.from, x.at = x.from-1, x.at-1
			}
			for x.to < len(words) && x.at+x.len() < len(p) && p[x.at+x.len()] == words[x.to] {
				x.to++
			}
			reached[d] = x.to
			work += x.len()
			out = append(out, x)
		}
	}
	for i := range words {
		if work > maxWork {
			break
		}
		if i+Shingle <= len(words) {
			try(i, Shingle)
		}
		for _, n := range r.short {
			if i+n <= len(words) {
				try(i, n)
			}
		}
	}
	return out
}
