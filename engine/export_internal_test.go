package engine

import (
	"bytes"
	"iter"

	"github.com/ragdb/ragdb/internal/layout"
)

const ManifestName = manifestName

// TermEntry is a term of a field with its counts.
type TermEntry struct {
	Term string
	TermStats
}

// EachTerm yields the terms of a field that a node has, in byte order, with
// their counts. In a transaction it shows the last commit.
func (r *reader) EachTerm(field string) iter.Seq2[TermEntry, error] {
	return func(yield func(TermEntry, error) bool) {
		id, _, err := r.field(field)
		if err != nil {
			yield(TermEntry{}, r.wrap("each term", err))
			return
		}
		prefix := layout.LexSum(r.g, id, "")
		for p, err := range scan(r.ctx, r.committed(), prefix) {
			var n [2]uint64
			if err == nil {
				n, err = decodeLexSum(p.key, p.value)
			}
			if err != nil {
				yield(TermEntry{}, r.wrap("each term", err))
				return
			}
			if bytes.Equal(p.key, prefix) || n[0] == 0 {
				continue
			}
			_, term := layout.LexSumOf(p.key)
			if !yield(TermEntry{term, TermStats{Nodes: n[0], Occurrences: n[1]}}, nil) {
				return
			}
		}
	}
}
