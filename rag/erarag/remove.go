package erarag

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/erarag/internal/runs"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// changed is [method.System.Changed]: chunks that leave are taken out of their
// segments by the next run, but the summaries above them go at once, since
// they tell of what has left. So do those that are behind their segments after
// an interrupted run: they may tell of it too.
func (s *system) changed(_ context.Context, _ *method.Models, gone []method.Chunk) (func(context.Context, *engine.Tx) error, error) {
	return func(_ context.Context, tx *engine.Tx) error {
		v := tx.Graph(s.g)
		names, err := trees(v)
		if err != nil {
			return err
		}
		for _, name := range names {
			t, err := s.change(tx, name)
			if err != nil {
				return err
			}
			if err := t.removeLeaves(gone); err != nil {
				return err
			}
		}
		for _, ch := range gone {
			if err := method.ForgetJobs(v, ch.Key); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// trees returns the names of the trees of a graph, ascending.
func trees(v engine.Reader) (names []string, err error) {
	for e, err := range v.Bucket(bucketTrees).Scan(nil, nil) {
		if err != nil {
			return nil, err
		}
		names = append(names, string(e.Key))
	}
	return names, nil
}

// removeLeaves takes chunks out of a tree.
func (t *treeTx) removeLeaves(gone []method.Chunk) error {
	if err := t.dropStale(); err != nil {
		return err
	}
	typ, ok := t.v.NodeType(method.ChunkNodeType)
	if !ok {
		return nil
	}
	for _, ch := range gone {
		id, err := t.v.Lookup(typ, ch.Key)
		if graph.IsMissing(err) {
			continue
		}
		if err != nil {
			return err
		}
		if err := t.setEntered(ch.ID, false); err != nil {
			return err
		}
		code, ok, err := t.code(0, id)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		leaf := runs.Item{ID: uint64(id), Code: code}
		if err := t.lose(leaf); err != nil {
			return err
		}
		if err := t.dropAbove(0, leaf); err != nil {
			return err
		}
		if err := t.leave(0, id); err != nil {
			return err
		}
	}
	return nil
}

// dropAbove removes the summaries above a node of a layer.
func (t *treeTx) dropAbove(layer uint8, it runs.Item) error {
	g, ok, err := t.holding(layer+1, it)
	if err != nil || !ok {
		return err
	}
	return t.dropChain(layer+1, g)
}

// dropChain removes the summary of a segment and those above it, the highest
// first: they would go with what they are made of.
func (t *treeTx) dropChain(layer uint8, g segment) error {
	if err := method.ForgetJobs(t.v, segmentItem(layer, g.number)); err != nil {
		return err
	}
	id := g.summary
	if id == 0 {
		return nil // those above have gone with it
	}
	code, ok, err := t.code(layer, id)
	if err != nil {
		return err
	}
	if ok {
		if err := t.noteParent(layer, &g); err != nil {
			return err
		}
		if err := t.dropAbove(layer, runs.Item{ID: uint64(id), Code: code}); err != nil {
			return err
		}
	}
	g.summary, g.of = 0, [32]byte{}
	if err := t.put(layer, &g); err != nil {
		return err
	}
	if err := t.markDirty(layer, &g); err != nil {
		return err
	}
	return t.drop(layer, id)
}

// noteParent notes which segment a summary is in that goes, for the one that will be
// made in its place.
func (t *treeTx) noteParent(layer uint8, g *segment) error {
	if t.bucket == 0 {
		return nil
	}
	parent, _, err := t.holding(layer+1, runs.Item{ID: uint64(g.summary)})
	g.parent = parent.number
	return err
}

// dropStale removes the summaries that are not of their segments' items, with
// those above them.
func (t *treeTx) dropStale() error {
	type stale struct {
		layer  uint8
		number uint64
	}
	var all []stale
	for e, err := range t.Prefix([]byte{'x'}) {
		if err != nil {
			return err
		}
		layer, id, err := readIDKey(e.Key)
		if err != nil {
			return err
		}
		all = append(all, stale{layer, uint64(id)})
	}
	for _, x := range all {
		g, ok, err := t.numbered(x.layer, x.number)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := t.dropChain(x.layer, g); err != nil {
			return err
		}
	}
	return nil
}

// readIDKey reads the layer and the id of a key.
func readIDKey(key []byte) (layer uint8, id engine.NodeID, err error) {
	if len(key) != 10 {
		return 0, 0, fmt.Errorf("a key of %d bytes: %w", len(key), engine.ErrCorrupt)
	}
	return key[1], engine.NodeID(binary.BigEndian.Uint64(key[2:])), nil
}
