package method

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/vecindex"
)

// What a method works with.
type (
	// Corpus is documents, cut into chunks.
	Corpus = corpus.Corpus
	// Chunk is a chunk of a document.
	Chunk = corpus.Chunk
	// Span says where a piece of text stands in a document.
	Span = corpus.Span
	// Models answer tasks and embed texts.
	Models = models.Models
)

// What a method indexes by.
type (
	// Stage is the work of a step.
	Stage = queue.Stage
	// Step is a stage with what only some stages have.
	Step = queue.Step
	// Batch writes what the Apply of a stage gathered.
	Batch = queue.Batch
	// WorkItem is one piece of a stage's work.
	WorkItem = queue.WorkItem
)

// ChunkNodeType is the node type that stands for the chunks in a method's graph;
// their keys are the chunks' keys.
const ChunkNodeType = corpus.ChunkNodeType

// Steps returns stages as steps.
func Steps(stages ...Stage) []Step { return queue.Steps(stages...) }

// ForgetJobs removes the marks of an item, of all stages of a graph: it is pending
// again if it comes up again.
func ForgetJobs(v *engine.TxView, item string) error { return queue.ForgetJobs(v, item) }

// Embedded reports whether a chunk of a set has gone through the embedding by a
// model. Then it has a vector, or nothing to embed.
func Embedded(s *engine.Snapshot, c *Corpus, set text.ChunkSet, model, chunk string) (bool, error) {
	return queue.Embedded(s, c, set, model, chunk)
}

// DocOf returns the document's key in a chunk's key.
func DocOf(chunk string) string { return corpus.DocOf(chunk) }

// ChunkType returns the name of the node type of a set's chunks in the base graph.
func ChunkType(set text.ChunkSet) string { return corpus.ChunkType(set) }

// TextField returns the name of the field of the postings of a set's chunks.
func TextField(set text.ChunkSet) string { return corpus.TextField(set) }

// NamesField returns the name of the field of the names in a set's chunks: terms are
// the keys of the names, dates left out. A chunk has a name [query.MostAbout] times
// if the name opens a line of it, half as often if it opens a sentence, and a quarter
// as often anywhere else.
func NamesField(set text.ChunkSet) string { return corpus.NamesField(set) }

// ChunkSpace returns the name of the vector space of a set's chunks for a model.
func ChunkSpace(set text.ChunkSet, model string) string { return corpus.ChunkSpace(set, model) }

// SumsBucket returns the name of the bucket in which methods keep sums of the vectors
// of a model. It goes with the model.
func SumsBucket(model string) string { return corpus.SumsBucket(model) }

// StaleBucket returns the name of the bucket that says which vectors of a model are
// behind their sums. It goes with the model.
func StaleBucket(model string) string { return corpus.StaleBucket(model) }

// MakeSpace makes a vector space for an embedder's vectors if there is none. Once it is
// large, searches of it read lists: see [vecindex.Auto].
func MakeSpace(v *engine.TxView, name string, model llm.SpaceInfo, metric vecindex.Metric) error {
	return corpus.MakeSpace(v, name, model, metric)
}

// Digest returns the SHA-256 of some parts, each closed off from the next.
func Digest(parts ...string) [32]byte { return corpus.Digest(parts...) }
