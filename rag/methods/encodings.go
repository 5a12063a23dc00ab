package methods

import (
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/archrag"
	"github.com/ragdb/ragdb/rag/baseline"
	"github.com/ragdb/ragdb/rag/erarag"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/hirag"
	"github.com/ragdb/ragdb/rag/importer"
	"github.com/ragdb/ragdb/rag/ketrag"
	"github.com/ragdb/ragdb/rag/noderag"
)

// Encodings tell how to read all that ragdb keeps in the buckets and properties
// of graphs, for [engine.Options] and [engine.CheckOptions].
func Encodings() []engine.Encoding {
	return slices.Concat(
		rag.Encodings(), archrag.Encodings(), baseline.Encodings(), erarag.Encodings(), hirag.Encodings(), ketrag.Encodings(),
		noderag.Encodings(), importer.Encodings(), eval.Encodings(), cypher.Encodings(),
	)
}
