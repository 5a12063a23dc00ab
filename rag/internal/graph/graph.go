// Package graph has what methods do with their graphs alike: they read the nodes
// of a type and of chunks, what is next to a node and what it rests on, name the
// work on a node, and give it the vector of a text.
package graph

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/method"
)

// Neighbors returns the nodes that edges of a type join to one in a direction,
// ascending.
func Neighbors(v engine.Reader, id engine.NodeID, edgeType string, d engine.Direction) ([]engine.NodeID, error) {
	t, ok := v.EdgeType(edgeType)
	if !ok {
		return nil, nil
	}
	set, err := v.NeighborSet(id, engine.EdgeFilter{Types: []engine.EdgeType{t}, Direction: d})
	if err != nil {
		return nil, err
	}
	return IDs(set), nil
}

// Chunks returns the nodes of those chunks that have one, in their order. The
// extraction of the others failed.
func Chunks(v engine.Reader, chunks []method.Chunk) ([]engine.NodeID, error) {
	t, ok := v.NodeType(method.ChunkNodeType)
	if !ok {
		return nil, nil
	}
	var out []engine.NodeID
	for _, ch := range chunks {
		id, err := v.Lookup(t, ch.Key)
		if errors.Is(err, engine.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, nil
}

// SourceKeys returns the keys of a target's sources, in order of id.
func SourceKeys(v engine.Reader, t engine.Target) ([]string, error) {
	set, err := v.Sources(t)
	if err != nil {
		return nil, err
	}
	return Keys(v, set)
}

// SourceDocs returns the keys of the documents whose chunks are a target's
// sources, each once, in order of the first chunk's id.
func SourceDocs(v engine.Reader, t engine.Target) ([]string, error) {
	chunks, err := SourceKeys(v, t)
	var out []string
	seen := map[string]bool{}
	for _, key := range chunks {
		if doc := method.DocOf(key); !seen[doc] {
			seen[doc] = true
			out = append(out, doc)
		}
	}
	return out, err
}

// Contributed returns what a source contributed to.
func Contributed(v engine.Reader, source engine.NodeID) ([]engine.Target, error) {
	var out []engine.Target
	for t, err := range v.ContributedBy(source) {
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// ForgetGone removes the marks of the work on targets that nothing supports any
// more; item names the work on one.
func ForgetGone(v *engine.TxView, targets []engine.Target, item func(engine.Target) string) error {
	for _, t := range targets {
		left, err := v.Sources(t)
		if err != nil {
			return err
		}
		if !left.IsEmpty() {
			continue
		}
		if err := method.ForgetJobs(v, item(t)); err != nil {
			return err
		}
	}
	return nil
}

// NodeItem names the work on a node, by its id: that says nothing of what the
// node was once it is gone.
func NodeItem(id engine.NodeID) string { return "node:" + strconv.FormatUint(uint64(id), 10) }

// ItemNode reads what NodeItem writes.
func ItemNode(item string) (engine.NodeID, error) {
	var id uint64
	if _, err := fmt.Sscanf(item, "node:%d", &id); err != nil {
		return 0, fmt.Errorf("item %q: %w", item, err)
	}
	return engine.NodeID(id), nil
}
