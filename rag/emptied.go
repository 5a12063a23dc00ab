package rag

import (
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/words"
)

// emptied removes, in the transaction that removes the last document, what was
// computed of the corpus as a whole: the words of the local model, and in the
// graphs of methods everything that is in buckets, such as clusters, plans,
// trees and marks of work items. It follows from the documents alone, so that
// the next index makes it as in a new corpus. With documents left it does
// nothing: what they need of it is renewed by the next index.
//
// What people asked to keep stays: paid replies and vectors of questions,
// records of runs, traces that name no document, settings.
func (r *removal) emptied(tx *engine.Tx, graphs []*engine.Graph) error {
	base := tx.Graph(r.c.Base())
	if t, ok := base.NodeType(corpus.TypeDocument); ok {
		docs, err := base.Nodes(t)
		if err != nil || !docs.IsEmpty() {
			return err
		}
	}
	if err := words.Forget(base, tx, graphs); err != nil {
		return err
	}
	if err := queue.ForgetFrontiers(base); err != nil {
		return err
	}
	for _, sys := range r.systems {
		g := sys.Graph()
		if g == nil || g.ID() == r.c.Base().ID() {
			continue
		}
		v := tx.Graph(g)
		if err := v.DropChanges(); err != nil {
			return err
		}
		for _, name := range v.Buckets() {
			if strings.HasPrefix(name, foreignBuckets) {
				continue
			}
			if err := corpus.EmptyBucket(v, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// foreignBuckets begins the names of the buckets that the query language keeps in
// any graph: what indexes its user made.
const foreignBuckets = "cypher."
