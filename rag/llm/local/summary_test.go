package local_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// TestSummaryWithoutWords: a text that no word fits of, or of a title and marks
// that are dropped, has a summary too.
func TestSummaryWithoutWords(t *testing.T) {
	t.Parallel()
	p := local.New(local.Options{Tokens: func(s string) int { return (len(s) + 1) / 2 }})
	for _, s := range []string{strings.Repeat("\U00011c60", 5000), strings.Repeat("ab", 5000), "Title\n\n\u202e\u202c", strings.Repeat("-", 5000) + "."} {
		reply, _, err := p.Do(t.Context(), llm.Task{Kind: llm.Summarise, Input: llm.SummariseInput{Texts: []string{s}, MaxTokens: 40}})
		if err != nil || reply.Text == "" || len(reply.Text) > 80 || !utf8.ValidString(reply.Text) {
			t.Errorf("%.20q: %d bytes %.100q: %v", s, len(reply.Text), reply.Text, err)
		}
	}
}
