package importer

import (
	"context"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/method"
)

// place is a text unit in the corpus: the chunks that it overlaps.
type place struct{ chunks []piece }

// piece is a chunk with its words.
type piece struct {
	key     string
	spelled string
}

// places finds the text units in the chunks of a set. A text unit that is not
// found in its document's text may be anywhere in it.
func (g *GraphRAG) places(ctx context.Context, c *rag.Corpus, set text.ChunkSet, input rag.Input) ([]place, error) {
	texts := map[string]string{}
	for d, err := range load.Walk(ctx, input.FS, input.Root, &input.Load) {
		if err != nil {
			return nil, err
		}
		texts[d.Key] = d.Text
	}
	out := make([]place, len(g.units))
	last := map[string]int{} // where the unit before begins in a document
	err := c.DB().View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base()).WithContext(ctx)
		pieces := map[string][]piece{}
		spans := map[string][][2]int{}
		for i, u := range g.units {
			key, start, end := u.doc, 0, 0
			if key == "" {
				key, end = u.id, len(texts[u.id])
			} else {
				start, end = locate(texts[key], u.text, last[key])
				last[key] = start
			}
			if _, ok := pieces[key]; !ok {
				doc, err := c.Document(v, key)
				if err != nil {
					return err
				}
				bySet, err := c.ChunksOf(v, doc)
				if err != nil {
					return err
				}
				pieces[key] = []piece{}
				for _, ch := range bySet[method.ChunkType(set)] {
					pieces[key] = append(pieces[key], piece{ch.Key, spelled(ch.Text)})
					spans[key] = append(spans[key], [2]int{ch.Start, ch.End})
				}
			}
			for j, p := range pieces[key] {
				if sp := spans[key][j]; sp[0] < end && start < sp[1] {
					out[i].chunks = append(out[i].chunks, p)
				}
			}
			if len(out[i].chunks) == 0 {
				return fmt.Errorf("text unit %s: document %s has no chunks of %s: %w", u.id, key, set, engine.ErrNotFound)
			}
		}
		return nil
	})
	return out, err
}

// locate returns the span of a text unit in a text, at or behind a place where
// it can be; all of the text if it does not stand in it. A unit may begin
// and end with halves of characters, which GraphRAG replaces.
func locate(s, unit string, from int) (start, end int) {
	unit = strings.Trim(strings.TrimSpace(unit), "\ufffd")
	if at := strings.Index(s[from:], unit); at >= 0 {
		return from + at, from + at + len(unit)
	}
	if at := strings.Index(s, unit); at >= 0 {
		return at, at + len(unit)
	}
	return 0, len(s)
}

// spelled returns the folded words of a text, each between blanks.
func spelled(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for w := range lex.Words(s) {
		b.WriteString(w.Text)
		b.WriteByte(' ')
	}
	return b.String()
}

// mentions counts where a key stands in a spelled text as whole words.
func mentions(spelled, key string) (n int) {
	for {
		i := strings.Index(spelled, " "+key+" ")
		if i < 0 {
			return n
		}
		n++
		spelled = spelled[i+len(key)+1:]
	}
}
