package service

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
)

// DocumentKeys returns the keys of a corpus's documents, in order.
func DocumentKeys(ctx context.Context, c *rag.Corpus) (keys []string, err error) {
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		for doc, err := range c.Documents(s.Graph(c.Base()).WithContext(ctx)) {
			if err != nil {
				return err
			}
			keys = append(keys, doc.Key)
		}
		return nil
	})
	return keys, err
}
