package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/ragdb/ragdb/internal/column"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// Options tunes a database. The zero value is right for most uses.
type Options struct {
	// ReadOnly opens without writing; the database must exist. If the store is one that
	// another process can write meanwhile, each snapshot shows its latest commit.
	ReadOnly bool
	// MustExist refuses to create the database.
	MustExist bool
	// MemoryBudget bounds, in bytes, what caches, vector mirrors and
	// projections keep in memory together. The program's pages and garbage come
	// beside it, unless the program has the collector make room for them. The default is
	// 512 MiB: a quarter for blocks of the store and its tables of writes, half for vectors, the rest for work: statements, projections, runs that index. Work
	// has what vectors leave, too.
	MemoryBudget int64
	// MemoryWith is an open database with which this one shares its budget, for
	// programs that open several; MemoryBudget is then that of both.
	MemoryWith *DB
	// MaxTxBytes bounds a transaction's batch. The default is 64 MiB. Terms do not
	// count beyond a quarter of it: they are sorted in temporary files in the folder of
	// the database, and the transaction is durable when it ends.
	MaxTxBytes int
	// LoadBytes bounds what a bulk load sorts in memory. The default is 64 MiB,
	// the least 64 KiB. The rest goes through temporary files in the folder of the
	// database: 32 bytes an edge, and the records and keys of nodes. A load then takes
	// 4 KiB of memory for each time that it fills this memory.
	LoadBytes int
	// PromoteAt is the number of neighbours above which a node's list of one
	// edge type is kept in containers, not under one key. The default is 1024;
	// a database may be opened with another value than it was written with.
	PromoteAt int
	// BlockEdges is how many edges of a type share a block of columns at most, in which
	// loads and [DB.Compact] write properties of edges: more make scans faster, fewer
	// reads of single edges. The default is 512, at most 65,536; a database may be
	// opened with another value than it was written with.
	BlockEdges int
	// Logger receives the messages of the storage engine. By default they are
	// dropped.
	Logger *slog.Logger
	// Rerank says with what searches of vector graphs check their estimates. By
	// default it is a second byte of each element in memory if the budget allows
	// it, else the stored vectors.
	Rerank vecindex.Rerank
	// ExactElements is the number of elements of all vectors of a space of kind
	// [vecindex.Auto] up to which a search compares all. The default is 2^26: 65,536 vectors of
	// 1,024 elements.
	ExactElements int64
	// NoBackground leaves linking vectors into graphs to DB.FlushSpace and
	// DB.SettleSpace. By default one goroutine does it after the commits that
	// wrote them.
	NoBackground bool
	// Encodings tell [DB.Check] how to read what other packages keep in buckets
	// and properties. Package rag/methods has those of all methods.
	Encodings []Encoding
	// OpenStore opens the storage engine. The default is [stores.Open].
	OpenStore func(ctx context.Context, path string, s *kv.Schema) (kv.Store, error)
}

// Memory is the path of a database that is kept in memory and vanishes when it
// is closed.
const Memory = ":memory:"

// defaultPromoteAt keeps an inline list below about 8 KiB with weights.
const defaultPromoteAt = 1024

// ensureDefaults returns o with every unset field filled in.
func (o *Options) ensureDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.MemoryWith != nil {
		out.MemoryBudget = out.MemoryWith.opts.MemoryBudget
	}
	out.MemoryBudget = cmp.Or(out.MemoryBudget, 512<<20)
	out.MaxTxBytes = cmp.Or(out.MaxTxBytes, 64<<20)
	out.LoadBytes = cmp.Or(out.LoadBytes, 64<<20)
	out.PromoteAt = cmp.Or(out.PromoteAt, defaultPromoteAt)
	out.BlockEdges = cmp.Or(out.BlockEdges, defaultBlockEdges)
	if out.Logger == nil {
		out.Logger = slog.New(slog.DiscardHandler)
	}
	if out.OpenStore == nil {
		out.OpenStore = out.openDefault
	}
	return out
}

// validate returns all that is wrong with o.
func (o *Options) validate() error {
	var errs []error
	if o.MemoryBudget < 16<<20 {
		errs = append(errs, phase.Mark(ErrInvalid, "MemoryBudget of %d bytes is under 16 MiB", o.MemoryBudget))
	}
	if o.MaxTxBytes < 1<<10 {
		errs = append(errs, phase.Mark(ErrInvalid, "MaxTxBytes of %d is under 1 KiB", o.MaxTxBytes))
	}
	if o.LoadBytes < 64<<10 {
		errs = append(errs, phase.Mark(ErrInvalid, "LoadBytes of %d is under 64 KiB", o.LoadBytes))
	}
	if o.BlockEdges < 1 || o.BlockEdges > column.MaxRows {
		errs = append(errs, phase.Mark(ErrInvalid, "BlockEdges of %d is not 1 to %d", o.BlockEdges, column.MaxRows))
	}
	if o.PromoteAt < 2 {
		errs = append(errs, phase.Mark(ErrInvalid, "PromoteAt of %d is under 2", o.PromoteAt))
	}
	return errors.Join(errs...)
}
