package local

import "errors"

// ModelName is what a corpus and the command call the local embedding model, whatever
// the version of its word table.
const ModelName = "local"

// ErrUntrained says that the local model cannot embed documents: the corpus has taught
// it no words yet, or the words that it was opened with were replaced. Open the models
// again after an index run.
var ErrUntrained = errors.New("the local model has no word table")
