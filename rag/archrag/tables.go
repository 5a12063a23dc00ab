package archrag

import (
	"cmp"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/llm"
)

// tables makes the tables of entities and relations that a report is made of
// (spec A2.5): relations by the degrees of their ends, those within the
// community before those that leave it; the members that they touch; and then
// the other members by degree; until the tokens are used.
type tables struct {
	s     *system
	v     engine.Reader
	left  int
	count func(text string) int
	cut   bool // something was left out
	memo  *memo
	read  map[engine.NodeID]named
}

// candidate is a relation that may stand in a table.
type candidate struct {
	from, to engine.NodeID
	inside   bool
	rank     int
	weight   float32
	names    [2]string
}

func (t *tables) of(members []engine.NodeID) ([]llm.Entity, []llm.Relation, error) {
	if err := t.about(members...); err != nil {
		return nil, nil, err
	}
	members = slices.Clone(members)
	slices.SortFunc(members, func(a, b engine.NodeID) int {
		x, y := t.read[a], t.read[b]
		return cmp.Or(cmp.Compare(y.degree, x.degree), cmp.Compare(x.name, y.name))
	})
	candidates, err := t.candidates(members)
	if err != nil {
		return nil, nil, err
	}
	rows := map[engine.NodeID]llm.Entity{} // made
	taken := map[engine.NodeID]bool{}
	row := func(id engine.NodeID) (llm.Entity, int, error) {
		e, ok := rows[id]
		if !ok {
			text, err := t.memo.texts.Get([2]engine.NodeID{id}, func() (string, error) {
				_, text, err := knowledge.Describe(t.v, engine.NodeTarget(id))
				return text, err
			})
			if err != nil {
				return e, 0, err
			}
			if len(text) > reportTokens/2 && t.s.c.Tokens().Count(text) > reportTokens/2 {
				text = t.s.c.CutText(text, reportTokens/2)
			}
			e = llm.Entity{Name: t.read[id].name, Description: text}
			rows[id] = e
		}
		return e, t.count(e.Name + e.Description), nil
	}
	inside := map[engine.NodeID]bool{}
	for _, id := range members {
		inside[id] = true
	}
	var relations []llm.Relation
	for _, c := range candidates {
		text, err := t.relation(c)
		if err != nil {
			return nil, nil, err
		}
		cost := t.count(c.names[0] + c.names[1] + text)
		var touched []engine.NodeID
		for _, id := range [2]engine.NodeID{c.from, c.to} {
			if !inside[id] || taken[id] {
				continue
			}
			_, n, err := row(id)
			if err != nil {
				return nil, nil, err
			}
			cost += n
			touched = append(touched, id)
		}
		if cost > t.left {
			t.cut = true
			break
		}
		t.left -= cost
		for _, id := range touched {
			taken[id] = true
		}
		relations = append(relations, llm.Relation{Source: c.names[0], Target: c.names[1], Description: text, Strength: float64(c.weight)})
	}
	var entities []llm.Entity
	for i, id := range members {
		e, n, err := row(id)
		if err != nil {
			return nil, nil, err
		}
		if !taken[id] {
			if n > t.left && i > 0 {
				t.cut = true
				continue
			}
			t.left -= n
		}
		entities = append(entities, e)
	}
	return entities, relations, nil
}

// about reads names and degrees.
func (t *tables) about(ids ...engine.NodeID) (err error) {
	for _, id := range ids {
		if _, ok := t.read[id]; ok {
			continue
		}
		if t.read[id], err = t.memo.about(t.v, id); err != nil {
			return err
		}
	}
	return nil
}

// candidates returns the relations at some entities, in order of the table.
func (t *tables) candidates(members []engine.NodeID) ([]candidate, error) {
	typ, ok := t.v.EdgeType(edgeRelation)
	if !ok {
		return nil, nil
	}
	inside := map[engine.NodeID]bool{}
	for _, id := range members {
		inside[id] = true
	}
	var out []candidate
	for _, id := range members {
		edges, err := graph.EdgesAt(t.v, id, engine.EdgeFilter{Types: []engine.EdgeType{typ}}, nil)
		if err != nil {
			return nil, err
		}
		for _, e := range edges {
			other := e.Other(id)
			if inside[other] && other < id {
				continue // met from the other end
			}
			if err := t.about(other); err != nil {
				return nil, err
			}
			c := candidate{
				from: id, to: other, inside: inside[other], weight: e.Weight, rank: t.read[id].degree + t.read[other].degree,
			}
			if c.inside && t.read[c.from].name > t.read[c.to].name {
				c.from, c.to = c.to, c.from
			}
			c.names = [2]string{t.read[c.from].name, t.read[c.to].name}
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b candidate) int {
		first := 0
		if a.inside != b.inside {
			if first = 1; a.inside {
				first = -1
			}
		}
		return cmp.Or(first, cmp.Compare(b.rank, a.rank), cmp.Compare(a.names[0], b.names[0]), cmp.Compare(a.names[1], b.names[1]))
	})
	return out, nil
}

// relation returns what is said of a relation.
func (t *tables) relation(c candidate) (string, error) {
	return t.memo.texts.Get([2]engine.NodeID{min(c.from, c.to), max(c.from, c.to)}, func() (string, error) {
		id, err := relationNode(t.v, c.from, c.to)
		if graph.IsMissing(err) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		_, text, err := knowledge.Describe(t.v, engine.NodeTarget(id))
		return text, err
	})
}

// relationNode returns the node of the relation between two entities.
func relationNode(v engine.Reader, a, b engine.NodeID) (engine.NodeID, error) {
	typ, ok := v.NodeType(typeRelation)
	if !ok {
		return 0, engine.ErrNotFound
	}
	x, err := v.Node(a)
	if err != nil {
		return 0, err
	}
	y, err := v.Node(b)
	if err != nil {
		return 0, err
	}
	return v.Lookup(typ, knowledge.RelationKey(x.Key, y.Key))
}

// memo keeps what is read of entities and relations that several communities
// tell of. It is safe for concurrent use.
type memo struct {
	named graph.Memo[engine.NodeID, named]
	texts graph.Memo[[2]engine.NodeID, string] // of an entity and 0, or of a relation's ends
}

// named is what an entity is called and how many relations it has.
type named struct {
	name   string
	degree int
}

// memoText bounds the texts of a memo in bytes.
const memoText = 64 << 20

func newMemo() *memo {
	return &memo{texts: graph.Memo[[2]engine.NodeID, string]{Most: memoText, Size: func(s string) int { return len(s) }}}
}

// about returns what an entity is called and its degree.
func (m *memo) about(v engine.Reader, id engine.NodeID) (named, error) {
	return m.named.Get(id, func() (n named, err error) {
		f := engine.EdgeFilter{}
		if typ, ok := v.EdgeType(edgeRelation); ok {
			f.Types = []engine.EdgeType{typ}
		}
		if n.name, err = knowledge.Name(v, id); err != nil {
			return n, err
		}
		n.degree, err = v.Degree(id, f)
		return n, err
	})
}
