package graph

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// Embed turns a text about a node into its vector, on behalf of the documents
// that the node rests on. It returns the node as u64, then the vector.
func Embed(ctx context.Context, v engine.Reader, m *method.Models, id engine.NodeID, text string) ([]byte, error) {
	var docs []string // nobody asks whose a vector is that is not kept
	if !m.DocumentSpace().Recomputable {
		var err error
		if docs, err = SourceDocs(v, engine.NodeTarget(id)); err != nil {
			return nil, err
		}
	}
	vecs, err := m.Embed(ctx, docs, []string{text})
	if err != nil {
		return nil, err
	}
	return encoded.AppendVector(binary.BigEndian.AppendUint64(nil, uint64(id)), vecs[0]), nil
}

// ChunkVector returns the vector of a chunk of the base graph by a model, nil if it has
// none.
func ChunkVector(ctx context.Context, base *engine.View, set text.ChunkSet, model string, chunk engine.NodeID) ([]float32, error) {
	vecs, err := base.Vectors(method.ChunkSpace(set, model))
	var vec []float32
	if err == nil {
		vec, err = vecs.Vector(ctx, uint64(chunk), nil)
	}
	if IsMissing(err) {
		return nil, nil
	}
	return vec, err
}

// SetVector stores the vector of a node; if it is nil the node has none.
func SetVector(v *engine.TxView, space string, id engine.NodeID, vec []float32) error {
	if vec == nil {
		return v.DeleteVector(space, id)
	}
	return v.PutVector(space, id, vec)
}

// ReadVector reads what Embed returned; the vector is nil if the text has
// none.
func ReadVector(b []byte) (engine.NodeID, []float32, error) {
	if len(b) < 8 {
		return 0, nil, errors.New("malformed vector")
	}
	return engine.NodeID(binary.BigEndian.Uint64(b)), encoded.ReadVector(b[8:]), nil
}

// Vectors returns the vectors of nodes, one after the other, and which nodes have one; the
// others take no place. It reads the space once if many of its nodes are asked for.
func Vectors(ctx context.Context, vecs *vecindex.View, ids []engine.NodeID, dim int) (data []float32, has []bool, err error) {
	has = make([]bool, len(ids))
	if few := 8; few*len(ids) < vecs.Len() {
		for i, id := range ids {
			data, err = vecs.Vector(ctx, uint64(id), data)
			if IsMissing(err) {
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			has[i] = true
		}
		return data, has, nil
	}
	places := make(map[uint64]int, len(ids))
	for i, id := range ids {
		places[uint64(id)] = i
	}
	data = make([]float32, dim*len(ids))
	for e, err := range vecs.All(ctx) {
		if err != nil {
			return nil, nil, err
		}
		if i, ok := places[e.ID]; ok && len(e.Vector) == dim {
			has[i] = true
			copy(data[dim*i:], e.Vector)
		}
	}
	n := 0
	for i, ok := range has {
		if ok {
			copy(data[n:n+dim], data[dim*i:])
			n += dim
		}
	}
	return data[:n], has, nil
}
