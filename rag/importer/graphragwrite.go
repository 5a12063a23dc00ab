package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/method"
)

// The names in the graph. The chunks' are those of all methods' graphs.
const (
	typeEntity    = "entity"
	typeCommunity = "community"
	typeReport    = "report"
	edgeRelation  = "relation" // entity - entity
	edgeMember    = "member"   // entity -> community
	edgePartOf    = "part_of"  // community -> community
	edgeAbout     = "about"    // report -> community
)

// writer writes the graph in transactions of some size. What it writes twice is
// the same as once.
type writer struct {
	g      *GraphRAG
	db     *engine.DB
	graph  *engine.Graph
	places []place
}

// txBytes is the size at which a transaction takes no more: well below what
// the engine bounds one to.
const txBytes = 8 << 20

// batches calls fn with the numbers below n, in transactions of some size.
func (w *writer) batches(ctx context.Context, n int, fn func(t *target, i int) error) error {
	for next := 0; next < n; {
		at := next
		err := w.db.Update(ctx, func(tx *engine.Tx) error {
			t, err := newTarget(tx.Graph(w.graph))
			if err != nil {
				return err
			}
			for at = next; at < n && (at == next || tx.Bytes() < txBytes); at++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := fn(t, at); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		next = at
	}
	return nil
}

func (w *writer) write(ctx context.Context) error {
	for _, step := range []struct {
		n  int
		fn func(t *target, i int) error
	}{
		{len(w.g.entities), w.entity},
		{len(w.g.relations), w.relation},
		{len(w.g.communities), w.community},
		{len(w.g.communities), w.above},
	} {
		if err := w.batches(ctx, step.n, step.fn); err != nil {
			return err
		}
	}
	return nil
}

// target is the graph in a transaction.
type target struct {
	*engine.TxView
	chunk, entity, community, report engine.TypeID
	relation, member, partOf, about  engine.EdgeType
}

func newTarget(v *engine.TxView) (*target, error) {
	t := &target{TxView: v}
	var err error
	for _, x := range []struct {
		to   *engine.TypeID
		name string
	}{{&t.chunk, method.ChunkNodeType}, {&t.entity, typeEntity}, {&t.community, typeCommunity}, {&t.report, typeReport}} {
		if *x.to, err = v.MakeNodeType(x.name); err != nil {
			return nil, err
		}
	}
	for _, x := range []struct {
		to       *engine.EdgeType
		name     string
		directed bool
	}{{&t.relation, edgeRelation, false}, {&t.member, edgeMember, true}, {&t.partOf, edgePartOf, true}, {&t.about, edgeAbout, true}} {
		if *x.to, err = v.MakeEdgeType(x.name, x.directed); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// source returns the node of a chunk.
func (t *target) source(key string) (engine.NodeID, error) {
	id, err := t.Lookup(t.chunk, key)
	if errors.Is(err, engine.ErrNotFound) {
		id, _, err = t.PutNode(t.chunk, key, nil)
	}
	return id, err
}

// statements is what a chunk says of something.
type statements struct {
	chunk string
	engine.Contribution
}

// sayings gathers what chunks say, each once, in order of appearance.
type sayings struct {
	all []statements
	at  map[string]int
}

func (s *sayings) chunkStatements(chunk string) *statements {
	if s.at == nil {
		s.at = map[string]int{}
	}
	i, ok := s.at[chunk]
	if !ok {
		i = len(s.all)
		s.at[chunk] = i
		s.all = append(s.all, statements{chunk: chunk})
	}
	return &s.all[i]
}

// describe adds a description if there is one that is new.
func (s *statements) describe(text string) {
	if text != "" && !slices.Contains(s.Texts, text) {
		s.Texts = append(s.Texts, text)
	}
}

// contribute writes what chunks say of something.
func (t *target) contribute(s *sayings, to engine.Target) error {
	for _, x := range s.all {
		src, err := t.source(x.chunk)
		if err != nil {
			return err
		}
		if err := t.Contribute(src, to, x.Contribution); err != nil {
			return err
		}
	}
	return nil
}

// entity writes an entity with what its chunks say of it.
func (w *writer) entity(t *target, i int) error {
	e := &w.g.entities[i]
	if !sourced(e.statements) {
		return nil
	}
	var says sayings
	for _, row := range e.statements {
		for _, u := range row.units {
			chunks, found := w.places[u].chunks, false
			for _, p := range chunks {
				if n := mentions(p.spelled, e.key); n > 0 {
					x := says.chunkStatements(p.key)
					x.Count, x.Label, found = uint32(n), cmp.Or(x.Label, row.title), true
					x.describe(row.description)
				}
			}
			if !found {
				x := says.chunkStatements(chunks[0].key)
				x.Count, x.Label = max(x.Count, 1), cmp.Or(x.Label, row.title)
				x.describe(row.description)
			}
		}
	}
	id, _, err := t.DeriveNode(t.entity, e.key)
	if err != nil {
		return err
	}
	if err := t.contribute(&says, engine.NodeTarget(id)); err != nil {
		return fmt.Errorf("entity %s: %w", e.key, err)
	}
	return t.SetProps(id, engine.Props{"type": optional(e.kind)})
}

// relation writes a relation with what its chunks say of it. Text units that
// overlap may share a chunk.
func (w *writer) relation(t *target, i int) error {
	r := &w.g.relations[i]
	from, to := w.g.entities[r.from].key, w.g.entities[r.to].key
	var says sayings
	for _, row := range r.statements {
		for _, u := range row.units {
			chunks := w.places[u].chunks
			best := chunks[0].key
			for _, p := range chunks {
				if mentions(p.spelled, from) > 0 && mentions(p.spelled, to) > 0 {
					best = p.key
					break
				}
			}
			x := says.chunkStatements(best)
			x.Count++
			x.Weight += float32(row.weight / float64(len(row.units)))
			x.describe(row.description)
		}
	}
	var ids [2]engine.NodeID
	for j, key := range []string{from, to} {
		var err error
		if ids[j], err = t.Lookup(t.entity, key); err != nil {
			return fmt.Errorf("entity %s: %w", key, err)
		}
	}
	if err := t.contribute(&says, engine.EdgeTarget(ids[0], ids[1], t.relation)); err != nil {
		return fmt.Errorf("relation of %s and %s: %w", from, to, err)
	}
	return nil
}

// community writes a community that its members support, and its report.
func (w *writer) community(t *target, i int) error {
	m := &w.g.communities[i]
	id, _, err := t.DeriveNode(t.community, m.id)
	if err != nil {
		return err
	}
	for _, e := range m.members {
		member, err := t.Lookup(t.entity, w.g.entities[e].key)
		if err != nil {
			return fmt.Errorf("entity %s: %w", w.g.entities[e].key, err)
		}
		c := engine.Contribution{Count: 1, Weight: 1}
		if err := t.Contribute(member, engine.EdgeTarget(member, id, t.member), c); err != nil {
			return fmt.Errorf("community %s: %w", m.id, err)
		}
		if err := t.Contribute(member, engine.NodeTarget(id), engine.Contribution{Count: 1, Label: m.title}); err != nil {
			return fmt.Errorf("community %s: %w", m.id, err)
		}
	}
	if err := t.SetProps(id, engine.Props{"level": engine.Int(m.level), "title": optional(m.title)}); err != nil {
		return err
	}
	if m.report == nil {
		return nil
	}
	rep, _, err := t.DeriveNode(t.report, m.id)
	if err != nil {
		return err
	}
	if err := t.Contribute(id, engine.NodeTarget(rep), engine.Contribution{Count: 1, Label: m.report.title}); err != nil {
		return fmt.Errorf("report of %s: %w", m.id, err)
	}
	if err := t.SetProps(rep, engine.Props{
		"title": optional(m.report.title), "summary": optional(m.report.summary), "text": optional(m.report.text),
		"rating": engine.Float(m.report.rating), "level": engine.Int(m.report.level),
	}); err != nil {
		return err
	}
	return t.AddEdge(rep, id, t.about, 1)
}

// above joins a community with its parent, if that is there.
func (w *writer) above(t *target, i int) error {
	m := &w.g.communities[i]
	if _, ok := w.g.communityAt[m.parent]; !ok || m.parent == m.id {
		return nil
	}
	var ids [2]engine.NodeID
	for j, key := range []string{m.id, m.parent} {
		var err error
		if ids[j], err = t.Lookup(t.community, key); err != nil {
			return fmt.Errorf("community %s: %w", key, err)
		}
	}
	return t.AddEdge(ids[0], ids[1], t.partOf, 1)
}

// optional returns a string as a property, null if it is empty.
func optional(s string) engine.Value {
	if s == "" {
		return engine.Value{}
	}
	return engine.String(s)
}
