package encoder_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/rag/llm/encoder"
)

// TestEmbedderAndReranker holds what a database is given to the model's own calls.
func TestEmbedderAndReranker(t *testing.T) {
	small := newMade(func(m *made) { m.prompts = map[string]string{"query": word(3) + " ", "document": ""} })
	m := openModel(t, small.write(t), nil)
	text := []string{word(1) + " " + word(2)}
	passages, queries := m.Embedder(encoder.Passage), m.Embedder(encoder.Query)
	if passages.Space() != queries.Space() || passages.Space().Model != "file/"+m.Name() || passages.Space().Dim != m.Dim() || passages.Space().Recomputable {
		t.Errorf("%+v, %+v", passages.Space(), queries.Space())
	}
	p, u, err := passages.Embed(t.Context(), text)
	if err != nil || u.Calls != 1 || !slices.Equal(p[0], embed(t, m, text, encoder.Passage)[0]) {
		t.Errorf("passage: %v, %+v", err, u)
	}
	q, _, err := queries.Embed(t.Context(), text)
	if err != nil || !slices.Equal(q[0], embed(t, m, text, encoder.Query)[0]) || slices.Equal(p[0], q[0]) {
		t.Errorf("query: %v", err)
	}
	if _, _, err := m.Reranker().Rerank(t.Context(), "a", text); !errors.Is(err, encoder.ErrTask) {
		t.Errorf("an encoder that scores: %v", err)
	}

	head := newMade(func(m *made) { m.labels = 1 })
	m = openModel(t, head.write(t), nil)
	texts := []string{word(1), word(2) + " " + word(5)}
	got, u, err := m.Reranker().Rerank(t.Context(), word(2), texts)
	want, err2 := m.Score(t.Context(), word(2), texts)
	if err := errors.Join(err, err2); err != nil || u.Calls != 1 || len(got) != 2 || float32(got[0]) != want[0] || float32(got[1]) != want[1] {
		t.Errorf("%v, %v, %v", got, want, err)
	}
	if m.Reranker().Name() != "file/"+m.Name() {
		t.Error(m.Reranker().Name())
	}
	if _, _, err := m.Embedder(encoder.Query).Embed(t.Context(), texts); !errors.Is(err, encoder.ErrTask) {
		t.Errorf("a cross-encoder that embeds: %v", err)
	}
}
