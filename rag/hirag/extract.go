package hirag

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/mention"
	"github.com/ragdb/ragdb/rag/internal/unit"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// extractStage reads entities and relations from all chunks (spec B.2.3 to 5).
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
	return w.write(mention.New(f.Texts), f.Extraction)
}

// writer writes what was found in a unit.
type writer struct {
	v      *engine.TxView
	chunks []engine.NodeID
	ids    map[string]engine.NodeID // entities by key

	chunkType, entity, kind engine.TypeID
	mentions, is, relation  engine.EdgeType
}

func (w *writer) open() error {
	types := []struct {
		to   *engine.TypeID
		name string
	}{{&w.chunkType, method.ChunkNodeType}, {&w.entity, typeEntity}, {&w.kind, typeKind}}
	for _, t := range types {
		var err error
		if *t.to, err = w.v.MakeNodeType(t.name); err != nil {
			return err
		}
	}
	edges := []struct {
		to       *engine.EdgeType
		name     string
		directed bool
	}{{&w.mentions, edgeMentions, true}, {&w.is, edgeIs, true}, {&w.relation, edgeRelation, false}}
	for _, t := range edges {
		var err error
		if *t.to, err = w.v.MakeEdgeType(t.name, t.directed); err != nil {
			return err
		}
	}
	return nil
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
	before, err := graph.Contributed(w.v, id)
	if err != nil {
		return err
	}
	if _, err := w.v.Withdraw(id); err != nil {
		return err
	}
	named, err := graph.Neighbors(w.v, id, edgeMentions, engine.Out)
	if err != nil {
		return err
	}
	for _, e := range named {
		if err := w.v.RemoveEdge(id, e, w.mentions); err != nil {
			return err
		}
	}
	return graph.ForgetGone(w.v, before, itemOf)
}

func (w *writer) derive(key string) (engine.NodeID, error) {
	if id, ok := w.ids[key]; ok {
		return id, nil
	}
	id, _, err := w.v.DeriveNode(w.entity, key)
	w.ids[key] = id
	return id, err
}

func (w *writer) write(names *mention.Finder, x llm.Extraction) error {
	kinds := kindsOf(names, x)
	for _, s := range entities(names, x) {
		id, err := w.derive(s.Target)
		if err != nil {
			return err
		}
		if err := w.v.Contribute(w.chunks[s.Part], engine.NodeTarget(id), s.Contribution); err != nil {
			return err
		}
		if err := w.v.AddEdge(w.chunks[s.Part], id, w.mentions, 1); err != nil {
			return err
		}
		votes := kinds[place{s.Part, s.Target}]
		for _, kind := range slices.Sorted(maps.Keys(votes)) {
			k, _, err := w.v.DeriveNode(w.kind, kind)
			if err != nil {
				return err
			}
			vote := engine.Contribution{Weight: float32(votes[kind]), Count: 1}
			if err := w.v.Contribute(w.chunks[s.Part], engine.EdgeTarget(id, k, w.is), vote); err != nil {
				return err
			}
		}
	}
	for _, s := range mention.Unite(names.Relations(x, "\x00")) {
		from, to, _ := strings.Cut(s.Target, "\x00")
		f, err := w.derive(from)
		if err != nil {
			return err
		}
		t, err := w.derive(to)
		if err != nil {
			return err
		}
		if err := w.v.Contribute(w.chunks[s.Part], engine.EdgeTarget(f, t, w.relation), s.Contribution); err != nil {
			return err
		}
	}
	return nil
}
