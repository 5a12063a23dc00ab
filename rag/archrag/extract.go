package archrag

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/mention"
	"github.com/ragdb/ragdb/rag/internal/unit"
	"github.com/ragdb/ragdb/rag/method"
)

// extractStage reads entities and relations from all chunks (spec A2.1).
// Chunks of one document are read together, up to Unit tokens, in their order.
// What was found is contributed by the chunks in which it stands.
type extractStage struct{ unit.Reader }

func (s *system) extract() *extractStage {
	return &extractStage{unit.Reader{Corpus: s.c, System: &s.Identity, Tokens: s.p.Unit, Glean: s.p.Glean}}
}

// Apply implements [method.Stage].
func (st *extractStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var f unit.Found
	if err := json.Unmarshal(result, &f); err != nil {
		return err
	}
	w := &writer{v: tx.Graph(st.Graph()), ids: map[string]engine.NodeID{}}
	if err := w.open(); err != nil {
		return err
	}
	for i, key := range f.Keys {
		if err := w.chunk(key, f.Tokens[i]); err != nil {
			return err
		}
	}
	names := mention.New(f.Texts)
	for _, s := range mention.Unite(names.Entities(f.Extraction)) {
		if err := w.entity(s); err != nil {
			return err
		}
	}
	for _, s := range mention.Unite(names.Relations(f.Extraction, relationSep)) {
		if err := w.relation(s); err != nil {
			return err
		}
	}
	return nil
}

// writer writes what was found in a unit.
type writer struct {
	v      *engine.TxView
	chunks []engine.NodeID
	ids    map[string]engine.NodeID // entities by key

	chunkType, entityType, relationType engine.TypeID
	edge                                engine.EdgeType
}

func (w *writer) open() (err error) {
	for _, t := range []struct {
		to   *engine.TypeID
		name string
	}{{&w.chunkType, method.ChunkNodeType}, {&w.entityType, typeEntity}, {&w.relationType, typeRelation}} {
		if *t.to, err = w.v.MakeNodeType(t.name); err != nil {
			return err
		}
	}
	w.edge, err = w.v.MakeEdgeType(edgeRelation, false)
	return err
}

// chunk enters a chunk; what an earlier reading found in it does not count any
// more.
func (w *writer) chunk(key string, tokens int) error {
	id, created, err := w.v.PutNode(w.chunkType, key, engine.Props{propTokens: engine.Int(int64(tokens))})
	if err != nil {
		return err
	}
	w.chunks = append(w.chunks, id)
	if created {
		return nil
	}
	if err := forgetChunk(w.v, id); err != nil {
		return err
	}
	_, err = w.v.Withdraw(id)
	return err
}

func (w *writer) derive(key string) (engine.NodeID, error) {
	if id, ok := w.ids[key]; ok {
		return id, nil
	}
	id, _, err := w.v.DeriveNode(w.entityType, key)
	w.ids[key] = id
	return id, err
}

// entity writes what a chunk says of an entity; what counts is how often it was
// found.
func (w *writer) entity(s mention.Said) error {
	id, err := w.derive(s.Target)
	if err != nil {
		return err
	}
	s.Count = uint32(s.Times)
	return w.v.Contribute(w.chunks[s.Part], engine.NodeTarget(id), s.Contribution)
}

// relation writes what a chunk says of a relation: how strong it is, to the
// edge; what it is, to the relation's node. An end that nothing is said of
// becomes an entity too.
func (w *writer) relation(s mention.Said) error {
	from, to, _ := strings.Cut(s.Target, relationSep)
	x, err := w.derive(from)
	if err != nil {
		return err
	}
	y, err := w.derive(to)
	if err != nil {
		return err
	}
	chunk := w.chunks[s.Part]
	times := uint32(s.Times)
	edge := engine.Contribution{Weight: s.Weight, Count: times}
	if err := w.v.Contribute(chunk, engine.EdgeTarget(x, y, w.edge), edge); err != nil {
		return err
	}
	node, _, err := w.v.DeriveNode(w.relationType, s.Target)
	if err != nil {
		return err
	}
	return w.v.Contribute(chunk, engine.NodeTarget(node), engine.Contribution{Count: times, Texts: s.Texts})
}
