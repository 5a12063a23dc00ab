package encoder

import (
	"github.com/ragdb/ragdb/internal/distance"
)

// Kind is what a text is to a model of vectors.
type Kind int

const (
	// Passage is a text that is to be found.
	Passage Kind = iota
	// Query is a text that is searched for.
	Query
)

// Pooling is how the vectors of a text's tokens become one.
type Pooling string

const (
	// Mean is the mean of all tokens.
	Mean Pooling = "mean"
	// CLS is the vector of the first token.
	CLS Pooling = "cls"
)

// Options change how a model is run. The zero value is what the model's files
// say, in float32.
type Options struct {
	// Int8 holds the weights in 8 bits and multiplies in 8 bits, which is
	// faster with AVX-512 VNNI, and takes a quarter of the memory. The vectors
	// differ a little and have another name, see [Model.Name].
	Int8 bool
	// Threads is how many forward passes run at a time; 0 is GOMAXPROCS.
	// Results do not depend on it.
	Threads int
	// MaxTokens cuts longer texts; 0 is what the model's files say, and no
	// more is possible.
	MaxTokens int
	// Pooling replaces what the model's files say, if it is not empty.
	Pooling Pooling
	// QueryPrompt and PassagePrompt replace the texts that the model's files
	// want before a query and a passage, if Prompts is set.
	Prompts                    bool
	QueryPrompt, PassagePrompt string

	// tier is that of the kernels. Tests set it.
	tier *distance.Tier
}
