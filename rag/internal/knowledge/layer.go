package knowledge

import (
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// The names in a graph.
const (
	TypeEntity   = "entity"
	TypeKind     = "kind"
	TypeRelation = "relation"

	EdgeRelation = "relation" // entity - entity
	EdgeIs       = "is"       // entity -> kind
	EdgeMentions = "mentions" // chunk - entity
	EdgeStates   = "states"   // chunk - relation
	EdgeEnd      = "end"      // relation - entity

	PropTokens = "tokens" // chunk
)

// Layer says which of what is read a method's graph has.
type Layer struct {
	// Source is the type of the nodes that stand for chunks and support what they
	// say. It is [method.ChunkNodeType] if it is empty; the nodes of that type are made,
	// and chunks that have no node of another type are left out.
	Source string
	// Kinds has kinds with their edges.
	Kinds bool
	// RelationNodes has a node for each relation, which holds what is said of it.
	// Otherwise the edge between the entities holds that.
	RelationNodes bool
	// Mentions has the edges mentions, and with RelationNodes states and end.
	Mentions bool
	// Forget, if any, takes back what was made of what a source said, before a new
	// reading of it is written.
	Forget func(v *engine.TxView, source engine.NodeID) error
}

// writer writes one reading.
type writer struct {
	Layer
	v        *engine.TxView
	sources  []engine.NodeID // by chunk; 0 has none
	entities map[string]engine.NodeID

	entity, kind, relation              engine.TypeID
	related, is, mentions, states, ends engine.EdgeType
}

// Write writes a reading. What an earlier reading found in its chunks does not
// count any more.
func (l Layer) Write(v *engine.TxView, r *Reading) error {
	w := &writer{Layer: l, v: v, entities: map[string]engine.NodeID{}}
	if err := w.open(); err != nil {
		return err
	}
	for i, key := range r.Keys {
		var id engine.NodeID
		if r.Wants(i) {
			var err error
			if id, err = w.source(key, r.Tokens[i]); err != nil {
				return err
			}
		}
		w.sources = append(w.sources, id)
	}
	f := r.Finder()
	kinds := map[place]map[string]int{}
	if l.Kinds {
		kinds = f.kinds(r.Extraction)
	}
	entities, relations := f.Entities(r.Extraction), f.Relations(r.Extraction)
	if err := w.readAhead(entities, relations); err != nil {
		return err
	}
	for _, s := range entities {
		if err := w.writeEntity(f, s, kinds[place{s.Part, s.Target}]); err != nil {
			return err
		}
	}
	for _, s := range relations {
		if err := w.writeRelation(s); err != nil {
			return err
		}
	}
	return nil
}

// readAhead reads the nodes that statements are about.
func (w *writer) readAhead(entities, relations []Statement) error {
	var keys, joined []string
	for _, s := range entities {
		keys = append(keys, s.Target)
	}
	for _, s := range relations {
		from, to, _ := strings.Cut(s.Target, separator)
		keys, joined = append(keys, from, to), append(joined, s.Target)
	}
	if err := w.v.ReadAhead(w.entity, keys); err != nil || !w.RelationNodes {
		return err
	}
	return w.v.ReadAhead(w.relation, joined)
}

func (w *writer) open() (err error) {
	for _, t := range []struct {
		has  bool
		to   *engine.TypeID
		name string
	}{{true, &w.entity, TypeEntity}, {w.Kinds, &w.kind, TypeKind}, {w.RelationNodes, &w.relation, TypeRelation}} {
		if !t.has {
			continue
		}
		if *t.to, err = w.v.MakeNodeType(t.name); err != nil {
			return err
		}
	}
	joined := w.Mentions && w.RelationNodes
	for _, t := range []struct {
		has  bool
		to   *engine.EdgeType
		name string
	}{
		{true, &w.related, EdgeRelation}, {w.Kinds, &w.is, EdgeIs},
		{w.Mentions, &w.mentions, EdgeMentions}, {joined, &w.states, EdgeStates}, {joined, &w.ends, EdgeEnd},
	} {
		if !t.has {
			continue
		}
		if *t.to, err = w.v.MakeEdgeType(t.name, t.name == EdgeIs); err != nil {
			return err
		}
	}
	return nil
}

// source returns the node that stands for a chunk, without what an earlier reading
// found in it; 0 if there is none.
func (w *writer) source(key string, tokens int) (engine.NodeID, error) {
	var id engine.NodeID
	if w.Source == "" {
		typ, err := w.v.MakeNodeType(method.ChunkNodeType)
		if err != nil {
			return 0, err
		}
		var created bool
		id, created, err = w.v.PutNode(typ, key, engine.Props{PropTokens: engine.Int(int64(tokens))})
		if err != nil || created {
			return id, err
		}
	} else {
		typ, ok := w.v.NodeType(w.Source)
		if !ok {
			return 0, nil
		}
		var err error
		if id, err = w.v.Lookup(typ, key); graph.IsMissing(err) {
			return 0, nil
		} else if err != nil {
			return 0, err
		}
	}
	return id, w.withdraw(id)
}

// withdraw takes back what a source said.
func (w *writer) withdraw(id engine.NodeID) error {
	if w.Forget != nil {
		if err := w.Forget(w.v, id); err != nil {
			return err
		}
	}
	before, err := graph.Contributed(w.v, id)
	if err != nil || len(before) == 0 {
		return err
	}
	if w.Mentions {
		for _, t := range []struct {
			name string
			edge engine.EdgeType
		}{{EdgeMentions, w.mentions}, {EdgeStates, w.states}} {
			named, err := graph.Neighbors(w.v, id, t.name, engine.Both)
			if err != nil {
				return err
			}
			for _, e := range named {
				if err := w.v.RemoveEdge(engine.Edge{From: id, To: e, Type: t.edge}); err != nil {
					return err
				}
			}
		}
	}
	if _, err := w.v.Withdraw(id); err != nil {
		return err
	}
	return graph.ForgetGone(w.v, before, graph.Item)
}

func (w *writer) derive(key string) (engine.NodeID, error) {
	if id, ok := w.entities[key]; ok {
		return id, nil
	}
	id, _, err := w.v.DeriveNode(w.entity, key)
	w.entities[key] = id
	return id, err
}

func (w *writer) writeEntity(f *Finder, s Statement, kinds map[string]int) error {
	source := w.sources[s.Part]
	if source == 0 {
		return nil
	}
	id, err := w.derive(s.Target)
	if err != nil {
		return err
	}
	if err := w.v.Contribute(source, engine.NodeTarget(id), s.Contribution); err != nil {
		return err
	}
	if w.Mentions {
		if err := w.v.AddEdge(source, id, w.mentions, float32(max(1, f.Count(s.Part, s.Target)))); err != nil {
			return err
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		k, _, err := w.v.DeriveNode(w.kind, kind)
		if err != nil {
			return err
		}
		vote := engine.Contribution{Weight: float32(kinds[kind]), Count: 1}
		if err := w.v.Contribute(source, engine.EdgeTarget(id, k, w.is), vote); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) writeRelation(s Statement) error {
	source := w.sources[s.Part]
	if source == 0 {
		return nil
	}
	from, to, _ := strings.Cut(s.Target, separator)
	x, err := w.derive(from)
	if err != nil {
		return err
	}
	y, err := w.derive(to)
	if err != nil {
		return err
	}
	edge := engine.EdgeTarget(x, y, w.related)
	if !w.RelationNodes {
		return w.v.Contribute(source, edge, s.Contribution)
	}
	if err := w.v.Contribute(source, edge, engine.Contribution{Weight: s.Weight, Count: s.Count}); err != nil {
		return err
	}
	id, _, err := w.v.DeriveNode(w.relation, s.Target)
	if err != nil {
		return err
	}
	if err := w.v.Contribute(source, engine.NodeTarget(id), engine.Contribution{Count: s.Count, Texts: s.Texts}); err != nil || !w.Mentions {
		return err
	}
	if err := w.v.AddEdge(source, id, w.states, float32(s.Count)); err != nil {
		return err
	}
	for _, end := range []engine.NodeID{x, y} {
		if err := w.v.AddEdge(id, end, w.ends, 1); err != nil {
			return err
		}
	}
	return nil
}
