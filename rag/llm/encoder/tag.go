package encoder

import (
	"context"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/rag/llm/encoder/internal/kernel"
)

// Span is a part of a text that is of a type.
type Span struct {
	Start, End int    // bytes of the text
	Type       string // one of [Model.Types]
	// Score is the mean of its words' probabilities to be of the type, above 0 and at most 1.
	Score float32
}

// Tagger finds the parts of a text that are of a type, such as names of persons. A
// [Model] for token classification is one. It gives equal texts equal spans and is
// safe for concurrent use.
type Tagger interface {
	// Name tells models apart: documents are read again by one of another name.
	Name() string
	// Tag returns the spans of a text in their order. They do not overlap.
	Tag(ctx context.Context, text string) ([]Span, error)
}

var _ Tagger = (*Model)(nil)

// Types are the types of the spans that [Model.Tag] finds, sorted, without the
// letters for parts of a span (B-, I-): PER and not B-PER. It is nil if the model is
// none for token classification.
func (m *Model) Types() []string {
	if m.network == nil || m.network.tagger == nil {
		return nil
	}
	return m.network.tagger.types
}

// Tag finds the spans of a text that are of a type, in their order; they do not
// overlap. They consist of whole words: runs of letters and digits, Chinese
// characters, signs. Each word gets the type with the highest probability at its first
// token, and the labels' parts (B-, I-, E-, S-, or L- and U-) tell which words are one
// span. No span reaches over a blank line. A text of more than [Model.MaxTokens] is read
// in parts that overlap by a quarter. Only a model for token classification
// tags; for any other the error is an [ErrTask].
func (m *Model) Tag(ctx context.Context, text string) ([]Span, error) {
	if len(m.Types()) == 0 {
		return nil, fmt.Errorf("encoder: %w: %s tags no words", ErrTask, m.name)
	}
	h := m.network.tagger
	before, after := m.tokens.Around()
	room := m.maxTokens - len(before) - len(after)
	if room < 2 {
		return nil, fmt.Errorf("encoder: %w: its special tokens leave no room for a text", ErrModel)
	}
	var words []taggedWord
	var tags []tagged
	err := m.reading(func() error {
		var ids []int32
		ids, words = m.words(text, room/2)
		parts := windows(words, room)
		all := make([]sequence, len(parts))
		for i, p := range parts {
			all[i].ids = append(append(append(all[i].ids, before...), ids[words[p.from].from:words[p.to-1].to]...), after...)
		}
		tags = make([]tagged, len(words))
		return m.run(ctx, all, func(first int, batch []sequence, x []float32) error {
			sums := make([]float64, len(h.types)+1)
			row := len(before)
			for i, s := range batch {
				p := parts[first+i]
				for w := p.keepFrom; w < p.keepTo; w++ {
					at := row + words[w].from - words[p.from].from
					var err error
					if tags[w], err = h.choose(m.network.logits(x[at*m.network.stride:]), sums); err != nil {
						return err
					}
				}
				row += len(s.ids)
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return h.spans(text, words, tags), nil
}

// logits are what the head makes of a token's vector.
func (n *network) logits(x []float32) []float32 {
	labels := len(n.tagger.labels)
	y := make([]float32, kernel.Padded(labels))
	n.set.Mul(y, len(y), x, n.stride, 1, n.tagger.out.f32)
	return y[:labels]
}

// spans joins words to spans.
func (h *tagger) spans(text string, words []taggedWord, tags []tagged) (out []Span) {
	var sum float64
	var n, kind int
	open := false
	end := func() {
		if open {
			out[len(out)-1].Score = float32(sum / float64(n))
		}
		open = false
	}
	for i, t := range tags {
		if t.kind < 0 {
			end()
			continue
		}
		goesOn := open && t.kind == kind && (t.part == inside || t.part == ends) &&
			!blankLine(text[words[i-1].end:words[i].start])
		if goesOn {
			out[len(out)-1].End = words[i].end
		} else {
			end()
			out = append(out, Span{Start: words[i].start, End: words[i].end, Type: h.types[t.kind]})
			sum, n, kind, open = 0, 0, t.kind, true
		}
		sum, n = sum+t.score, n+1
		if t.part == single || t.part == ends {
			end()
		}
	}
	end()
	return out
}

// blankLine reports whether white space has two line ends.
func blankLine(s string) bool { return strings.Count(s, "\n") > 1 }
