// Package mention tells which parts of a text that was read as one say what was
// found in it: those in which its names stand, as whole words and in any case.
package mention

import (
	"slices"
	"strings"

	etext "github.com/ragdb/ragdb/engine/text"
)

// Finder finds names by their keys (rag/text.Key). It is not safe for
// concurrent use.
type Finder struct {
	texts []string // " word word ... "
	where map[string][]int
}

// New returns a finder in the parts of a text.
func New(parts []string) *Finder {
	f := &Finder{where: map[string][]int{}}
	for _, p := range parts {
		f.texts = append(f.texts, spelled(p))
	}
	return f
}

// spelled returns the folded words of a text, each between blanks.
func spelled(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for w := range etext.Words(s) {
		b.WriteString(w.Text)
		b.WriteByte(' ')
	}
	return b.String()
}

// Parts returns the parts that hold a key, ascending; the first one where none
// does. The slice is the finder's.
func (f *Finder) Parts(key string) []int {
	if p, ok := f.where[key]; ok {
		return p
	}
	var out []int
	for i, t := range f.texts {
		if strings.Contains(t, " "+key+" ") {
			out = append(out, i)
		}
	}
	if out == nil {
		out = []int{0}
	}
	f.where[key] = out
	return out
}

// Shared returns the first part that holds both keys, else the first that holds
// a.
func (f *Finder) Shared(a, b string) int {
	for _, i := range f.Parts(a) {
		if slices.Contains(f.Parts(b), i) {
			return i
		}
	}
	return f.Parts(a)[0]
}

// Count counts where a key stands in a part. Two that follow each other share
// the blank between them.
func (f *Finder) Count(part int, key string) (n int) {
	for text := f.texts[part]; ; {
		i := strings.Index(text, " "+key+" ")
		if i < 0 {
			return n
		}
		n++
		text = text[i+len(key)+1:]
	}
}
