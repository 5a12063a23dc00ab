package rag

import (
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/queue"
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

// What is kept of work.
type (
	// Event tells of progress.
	Event = queue.Event
	// Failure is what is kept of a work item that was set aside.
	Failure = queue.Failure
)

// Errors that are found by errors.Is.
var (
	// ErrArgument says that a call lacks what it needs, such as a corpus or a
	// system, or that an argument is not valid. The error says which.
	ErrArgument = corpus.ErrArgument
	// ErrModel is what a [*ModelError] is.
	ErrModel = models.ErrModel
)
