package queue

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// EmbedStageName is the name of the stage that embeds the chunks of a set.
func EmbedStageName(set text.ChunkSet) string { return "embed " + set.String() }

// EmbedDigest is what the vector of a chunk depends on.
func EmbedDigest(set text.ChunkSet, model string) [32]byte { return corpus.Digest(model, set.String()) }

// Embedded reports whether a chunk of a set has gone through the embedding by a
// model. Then it has a vector, or nothing to embed.
func Embedded(s *engine.Snapshot, c *corpus.Corpus, set text.ChunkSet, model, chunk string) (bool, error) {
	if err := c.Ready(); err != nil {
		return false, err
	}
	if s == nil {
		return false, phase.Errorf("%w: a nil snapshot", corpus.ErrArgument)
	}
	w := WorkItem{Key: chunk, Digest: EmbedDigest(set, model)}
	state, err := stateOf(s.Graph(c.Base()).Bucket(bucketJobs), EmbedStageName(set), w)
	return state == markDone, err
}
