package ledger

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
)

// ForgetReplies removes the kept replies and vectors that were made from
// something a method made itself, such as a summary, and named to [models.Models.Do]
// or [models.Models.Embed] in place of the documents that it rests on. The name must
// be none that a document can have. What documents are named for goes with
// them, without this.
func ForgetReplies(tx *engine.Tx, c *corpus.Corpus, name string) error {
	if err := c.Ready(); err != nil {
		return err
	}
	if tx == nil {
		return phase.Errorf("%w: no transaction", corpus.ErrArgument)
	}
	if err := Forget(tx.Graph(c.Base()), name); err != nil {
		return phase.Errorf("forget replies: %w", err)
	}
	return nil
}
