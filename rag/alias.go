package rag

import (
	"context"
	"iter"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/words"
)

// What documents are indexed and asked with.
type (
	// Models answer tasks and embed texts. See [Corpus.NewModels] and
	// [Corpus.OpenLocal].
	Models = models.Models
	// Parts are what models are made of.
	Parts = models.Parts
	// EmbeddingModel is the model whose vectors questions are compared with.
	EmbeddingModel = models.EmbeddingModel
	// ModelError says that a corpus is embedded with another model than it is to be
	// asked or added to with. errors.Is finds [ErrModel].
	ModelError = models.ModelError
)

// LocalModel is what the local embedding model is called, whatever the version of
// its word table.
const LocalModel = models.LocalModel

// SettingMethod is the setting that names the method which answers questions: the
// first one that a user named for the documents.
const SettingMethod = corpus.SettingMethod

// What is kept of work.
type (
	// Event tells of progress.
	Event = queue.Event
	// Failure is what is kept of a work item that was set aside.
	Failure = queue.Failure
	// StageCount counts the work items of a stage.
	StageCount = queue.StageCount
)

// Errors that are found by errors.Is.
var (
	// ErrArgument says that a call lacks what it needs, such as a corpus or a
	// system, or was given what cannot be. The error says what.
	ErrArgument = corpus.ErrArgument
	// ErrModel is what a [*ModelError] is.
	ErrModel = models.ErrModel
	// ErrUntrained says that the local model cannot embed documents: the corpus has
	// taught it no words yet, or the words that it was opened with were replaced.
	// Open the models again after an [Indexer.Run].
	ErrUntrained = words.ErrUntrained
)

// Failures yields the work items of a graph that were set aside, in order of item
// and stage.
func Failures(v *engine.View) iter.Seq2[Failure, error] { return queue.Failures(v) }

// CountItems counts a step's work items as its next run finds them: what is done or
// failed with another digest is pending.
func CountItems(ctx context.Context, s *engine.Snapshot, st queue.Step) (StageCount, error) {
	return queue.CountItems(ctx, s, st)
}

// IsDone reports whether an item of a stage is marked done with its digest.
func IsDone(s *engine.Snapshot, st queue.Stage, w queue.WorkItem) (bool, error) {
	return queue.IsDone(s, st, w)
}
