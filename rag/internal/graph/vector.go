package graph

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/method"
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

// ReadVector reads what Embed returned; the vector is nil where the text has
// none.
func ReadVector(b []byte) (engine.NodeID, []float32, error) {
	if len(b) < 8 {
		return 0, nil, errors.New("malformed vector")
	}
	return engine.NodeID(binary.BigEndian.Uint64(b)), encoded.ReadVector(b[8:]), nil
}
