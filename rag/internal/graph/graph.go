// Package graph provides helpers that the methods share: they read nodes of a
// type and of chunks, a node's neighbours and sources, name the work on a node,
// and give it the vector of a text.
package graph

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

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

// edgePage is how many edges are read together.
const edgePage = 256

// EdgesAt appends the edges at a node, in order of the other end; with a filter of
// one undirected type the node comes first in each.
func EdgesAt(v engine.Reader, id engine.NodeID, filter engine.EdgeFilter, dst []engine.Edge) ([]engine.Edge, error) {
	for after := engine.NodeID(0); ; after = dst[len(dst)-1].Other(id) {
		dst = slices.Grow(dst, edgePage)
		from, room := len(dst), cap(dst)-len(dst)
		var err error
		if dst, err = v.Neighbors(id, filter, after, dst); err != nil || len(dst)-from < room {
			return dst, err
		}
	}
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

// Sources returns what any of some targets rests on.
func Sources(v engine.Reader, targets ...engine.Target) (*roaring.Bitmap, error) {
	sources := roaring.New()
	for _, t := range targets {
		set, err := v.Sources(t)
		if err != nil {
			return nil, err
		}
		sources.Or(set)
	}
	return sources, nil
}

// SourceDocs returns the keys of the documents that targets rest on, in order.
func SourceDocs(v engine.Reader, targets ...engine.Target) ([]string, error) {
	sources, err := Sources(v, targets...)
	if err != nil {
		return nil, err
	}
	return documents(v, sources)
}

// DocsFor returns the keys of the documents that a reply about targets goes with;
// none if replies are not kept.
func DocsFor(m *method.Models, v engine.Reader, targets ...engine.Target) ([]string, error) {
	if m.Free() {
		return nil, nil
	}
	return SourceDocs(v, targets...)
}

// Targets returns nodes as targets.
func Targets(ids []engine.NodeID) []engine.Target {
	out := make([]engine.Target, len(ids))
	for i, id := range ids {
		out[i] = engine.NodeTarget(id)
	}
	return out
}

// Documents returns the keys of the documents that a source rests on, in order: a
// chunk's own, and those of the sources of a node that is derived.
func Documents(v engine.Reader, source engine.NodeID) ([]string, error) {
	return documents(v, roaring.BitmapOf(uint32(source)))
}

func documents(v engine.Reader, sources *roaring.Bitmap) ([]string, error) {
	docs, seen := map[string]bool{}, roaring.New()
	for !sources.IsEmpty() {
		seen.Or(sources)
		nodes, err := Read(v, IDs(sources))
		if err != nil {
			return nil, err
		}
		next := roaring.New()
		for _, n := range nodes {
			if v.NodeTypeName(n.Type) == method.ChunkNodeType {
				docs[method.DocOf(n.Key)] = true
				continue
			}
			set, err := v.Sources(engine.NodeTarget(n.ID))
			if err != nil {
				return nil, err
			}
			next.Or(set)
		}
		next.AndNot(seen)
		sources = next
	}
	return slices.Sorted(maps.Keys(docs)), nil
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

// Item names the work on a node or edge, by ids: they say nothing of what it was
// once it is gone.
func Item(t engine.Target) string {
	if t.Type == 0 {
		return NodeItem(t.Node)
	}
	return fmt.Sprintf("relation:%d-%d", min(t.From, t.To), max(t.From, t.To))
}

// ParseItem reads what Item writes; edges are of a type.
func ParseItem(v engine.Reader, item, edgeType string) (engine.Target, error) {
	if strings.HasPrefix(item, "node:") {
		id, err := ItemNode(item)
		return engine.NodeTarget(id), err
	}
	var from, to engine.NodeID
	if _, err := fmt.Sscanf(item, "relation:%d-%d", &from, &to); err != nil {
		return engine.Target{}, fmt.Errorf("item %q: %w", item, err)
	}
	t, ok := v.EdgeType(edgeType)
	if !ok {
		return engine.Target{}, fmt.Errorf("item %q: %w", item, engine.ErrNotFound)
	}
	return engine.EdgeTarget(from, to, t), nil
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

// IsMissing reports whether what was looked for is not there.
func IsMissing(err error) bool { return errors.Is(err, engine.ErrNotFound) }
