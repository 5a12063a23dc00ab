package corpus

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// RenderChunk is the text of a chunk of the base graph behind its opening, and its tokens.
func (c *Corpus) RenderChunk(ctx context.Context, e *query.Env, it query.Item) (string, int, error) {
	if err := c.Ready(); err != nil {
		return "", 0, err
	}
	if e == nil || e.Snap == nil {
		return "", 0, phase.Errorf("%w: no snapshot to read", ErrArgument)
	}
	n, err := e.Node(ctx, c.base, it.ID)
	if err != nil {
		return "", 0, err
	}
	ch, err := ChunkWithText(e.Snap.Graph(c.base).WithContext(ctx), n)
	return c.shown(ch, err)
}

// shown returns the text of a chunk behind its opening, and its tokens.
func (c *Corpus) shown(ch Chunk, err error) (string, int, error) {
	if err != nil || ch.Opening == "" {
		return ch.Text, ch.Tokens, err
	}
	return ch.Opening + ch.Text, c.tokens.Count(ch.Opening) + ch.Tokens, nil
}

// TextOf returns the text of a chunk by its key, behind its opening, and its tokens.
func (c *Corpus) TextOf(ctx context.Context, s *engine.Snapshot, set text.ChunkSet, key string) (string, int, error) {
	if err := c.Ready(); err != nil {
		return "", 0, err
	}
	if s == nil {
		return "", 0, phase.Errorf("%w: no snapshot to read", ErrArgument)
	}
	return c.shown(c.ChunkByKey(s.Graph(c.base).WithContext(ctx), set, key))
}

// CutText returns the whole sentences of s that fit a number of tokens, or ""
// if not even the first does.
func (c *Corpus) CutText(s string, tokens int) string {
	if c == nil || c.tokens == nil {
		return ""
	}
	end := 0
	for _, sp := range text.Sentences(s) {
		if c.tokens.Count(s[:sp.End]) > tokens {
			break
		}
		end = sp.End
	}
	return s[:end]
}
