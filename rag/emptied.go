package rag

import (
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm/local"
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
	base := tx.Graph(r.c.base)
	if t, ok := base.NodeType(typeDocument); ok {
		docs, err := base.Nodes(t)
		if err != nil || !docs.IsEmpty() {
			return err
		}
	}
	if err := forgetWords(base, tx, graphs); err != nil {
		return err
	}
	for _, sys := range r.systems {
		g := sys.Graph()
		if g == nil || g.ID() == r.c.base.ID() {
			continue
		}
		v := tx.Graph(g)
		for _, name := range v.Buckets() {
			if strings.HasPrefix(name, foreignBuckets) {
				continue
			}
			if err := emptyBucket(v, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// foreignBuckets begins the names of the buckets that the query language keeps in
// any graph: what indexes its user made.
const foreignBuckets = "cypher."

// forgetWords removes what the corpus taught the local model, as if it had never
// been indexed, and the spaces of word tables that will not be written again:
// versions start at 1 again.
func forgetWords(base *engine.TxView, tx *engine.Tx, graphs []*engine.Graph) error {
	state, err := readWordState(base.Bucket(bucketWords))
	if err != nil {
		return err
	}
	for _, version := range []uint32{state.current, state.next} {
		if version <= 1 {
			continue // the next table has this version
		}
		for _, g := range graphs {
			if err := dropModel(tx.Graph(g), local.Head{Version: version}.Model()); err != nil {
				return err
			}
		}
	}
	return emptyBucket(base, bucketWords)
}
