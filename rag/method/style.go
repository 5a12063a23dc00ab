package method

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/corpus"
)

// paramStyle is a parameter that every method has. The index does not depend on it.
const paramStyle = "style"

// The styles.
const (
	short      = "short"
	paragraphs = "paragraphs"
)

// Styles returns the forms of an answer that a question may ask for: short, which
// gives the answer in the first sentence and says no more than is needed to
// understand it, and paragraphs, which takes up the sides of a subject one after the
// other.
func Styles() []string { return []string{short, paragraphs} }

// InParagraphs reports whether the answer to a question is to have several
// paragraphs: if the question says so, or if it says nothing and the parameter style
// does. The error, which is that of an argument, says which styles there are.
func (id *Identity) InParagraphs(q Question) (bool, error) {
	style := cmp.Or(q.Style, id.params[paramStyle], short)
	if !slices.Contains(Styles(), style) {
		return false, phase.Errorf("%w: style %q: there are %s", corpus.ErrArgument, style, strings.Join(Styles(), " and "))
	}
	return style == paragraphs, nil
}
