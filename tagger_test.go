package ragdb_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm/encoder"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// breads is a tagger that takes Bread for a person.
type breads struct{ read *int }

func (breads) Name() string { return "breads" }

func (b breads) Tag(_ context.Context, s string) (out []encoder.Span, _ error) {
	*b.read++
	if at := strings.Index(s, "Bread"); at >= 0 {
		out = append(out, encoder.Span{Start: at, End: at + len("Bread"), Type: "PER", Score: 1})
	}
	return out, nil
}

// A tagger reads documents once, and no question; it is refused beside a chat model.
func TestOwnTagger(t *testing.T) {
	t.Parallel()
	read := 0
	db := open(t, ragdb.Memory, &ragdb.Options{Methods: []string{"archrag"}, Tagger: breads{&read}})
	doc := ragdb.Document{ID: "a", Text: "Bread met Ines Tolland and Jonas Brandt in Karrow."}
	add(t, db, doc)
	add(t, db, doc)
	if read != 1 {
		t.Errorf("one text is read %d times", read)
	}
	if a, err := db.Ask(t.Context(), "Who met Ines Tolland?"); err != nil || !a.Answered || strings.Contains(a.Text, "breads") || read != 1 {
		t.Errorf("%+v, %v, %d texts are read", a, err, read)
	}
	_, err := ragdb.Open(t.Context(), ragdb.Memory, &ragdb.Options{Chat: local.New(local.Options{}), Tagger: breads{&read}})
	if !errors.Is(err, rag.ErrArgument) || !strings.Contains(err.Error(), "reads documents itself") {
		t.Errorf("a tagger beside a chat model: %v", err)
	}
}
