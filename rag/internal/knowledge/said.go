package knowledge

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/method"
)

// Said is what the sources of a graph say of an entity or relation.
type Said struct {
	// Name is what most sources call it, each as often as it names it, the first in
	// order among equals. It is empty for relations.
	Name string
	// Texts are the descriptions, in their own order, each once: so it does not
	// matter which source came first.
	Texts []string
	// Known says that a text lists it; otherwise relations alone name it, and Texts
	// are what they say.
	Known bool
}

// Read returns what the sources say of a target. What relations say of their ends
// counts only if no text lists the entity.
func Read(v engine.Reader, t engine.Target) (Said, error) {
	var listed, named voices
	for c, err := range v.Contributions(t) {
		if err != nil {
			return Said{}, err
		}
		if c.Count > 0 {
			listed.add(c)
		} else {
			named.add(c)
		}
	}
	if listed.sources > 0 {
		return listed.said(true), nil
	}
	return named.said(false), nil
}

// voices gathers what sources say.
type voices struct {
	sources int
	votes   map[string]int
	texts   []string
}

func (x *voices) add(c engine.Contribution) {
	if x.votes == nil {
		x.votes = map[string]int{}
	}
	x.sources++
	if c.Label != "" {
		x.votes[c.Label] += max(1, int(c.Count))
	}
	x.texts = append(x.texts, c.Texts...)
}

func (x *voices) said(known bool) Said {
	out := Said{Known: known}
	for label, n := range x.votes {
		if m := x.votes[out.Name]; out.Name == "" || n > m || n == m && label < out.Name {
			out.Name = label
		}
	}
	slices.Sort(x.texts)
	out.Texts = slices.Compact(x.texts)
	return out
}

// Digest identifies what is said.
func (x Said) Digest() [32]byte {
	return method.Digest(append([]string{"described", x.Name}, x.Texts...)...)
}

// sums returns a sum of each description, 8 bytes, in order.
func (x Said) sums() []byte {
	var out []byte
	for _, text := range x.Texts {
		sum := sha256.Sum256([]byte(text))
		out = append(out, sum[:sumSize]...)
	}
	return out
}

const sumSize = 8

// since returns the descriptions that came after they were united. ok is false if they
// were not united with Lag, or if one that was is said no more.
func (x Said) since(props engine.Props) (texts []string, ok bool) {
	of := props[PropTexts]
	if of.Kind() != engine.KindBytes || len(of.AsBytes())%sumSize != 0 {
		return nil, false
	}
	united := map[string]bool{}
	for sum := range slices.Chunk(of.AsBytes(), sumSize) {
		united[string(sum)] = true
	}
	now := x.sums()
	for i, text := range x.Texts {
		sum := string(now[i*sumSize : (i+1)*sumSize])
		if united[sum] {
			delete(united, sum)
		} else {
			texts = append(texts, text)
		}
	}
	return texts, len(united) == 0
}

// Text returns the descriptions, one a line.
func (x Said) Text() string { return strings.Join(x.Texts, "\n") }
