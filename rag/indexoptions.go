package rag

import (
	"context"
	"io/fs"
	"iter"

	"github.com/ragdb/ragdb/internal/memory"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/load"
)

// Input is where documents come from: a file or folder of a file system, or a
// program.
type Input struct {
	FS fs.FS
	// Root is the file or folder in FS; "" is all of it.
	Root string
	Load load.Options
	// Source gives the documents if FS is nil. Load says how it is read.
	Source *load.Source
}

// documents yields the documents of an input. keys are those of the run. What reading them
// takes is drawn from the budget, for which a run waits.
func (in *Input) documents(ctx context.Context, keys *load.Keys, b *memory.Budget) iter.Seq2[*load.Document, error] {
	o := in.Load
	o.Keys, o.Memory = keys, b.Begin().Patient()
	if in.FS == nil {
		return load.Read(ctx, *in.Source, &o)
	}
	return load.Walk(ctx, in.FS, in.Root, &o)
}

// IndexOptions tunes an Index.
type IndexOptions struct {
	// Workers bounds the work items done at once; 0 is GOMAXPROCS.
	Workers int
	// Retry takes up again what failed in earlier runs.
	Retry bool
	// Reembed allows models of another space than the corpus has: the run
	// embeds all documents again and removes the old vectors in its last commit.
	// Without it such models are a [*ModelError].
	Reembed bool
	// Recluster finds the communities of the systems again, in place of those that
	// grew while documents came and went, and has a model make the summaries that
	// rules have made in its place.
	Recluster bool
	// Sync calls MayRemove before it removes anything. An error of it ends the run
	// before anything has changed. Nil allows everything.
	MayRemove func(d *Difference) error
	// Notify receives progress, never concurrently. It may be nil.
	Notify func(Event)
	// Read is called once, as soon as the documents that could be read are in the
	// database, where they stay however the run ends. aside are the inputs of which
	// something is not there, by their place among the inputs, with the first thing that
	// is wrong. It may be nil.
	Read func(aside map[int]*load.FileError)
}

// IndexResult says what a run of Index did.
type IndexResult struct {
	Added     int           `json:"added"`
	Replaced  int           `json:"replaced"`
	Unchanged int           `json:"unchanged"`
	Removed   int           `json:"removed,omitempty"` // by Sync, and what an interrupted removal left
	Documents int           `json:"docs"`
	Chunks    int           `json:"chunks"`
	Failed    int           `json:"failed"`
	BadFiles  []string      `json:"bad_files,omitempty"`
	Stages    []StageResult `json:"stages"`
	Usage     llm.Usage     `json:"usage"`
	// Spent is the usage by stage and model, with its price.
	Spent []cost.Spent `json:"spent"`
	// USD is what the run cost, nil if the price of a model is not known.
	USD *float64 `json:"usd,omitempty"`
}

// StageResult says what a stage did in a run.
type StageResult struct {
	Stage  string `json:"stage"`
	Done   int    `json:"done"`
	Failed int    `json:"failed"`
	Ms     int64  `json:"ms"`
	// Whole is set if the stage looked at the whole graph of a method.
	Whole *cost.Whole `json:"whole,omitempty"`
}
