package noderag

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// attributeStage describes the important entities by what is said around them:
// A (spec A.2.5). The key of an attribute is its entity's; its sources are the
// chunks of what was read.
type attributeStage struct {
	graph.Stage
	s *system
	// listed are the entities that Items and Do have met.
	listed *entities
}

// summaryTokens bounds what a model reads for an attribute or for the elements
// of a community.
const summaryTokens = 24_000

func attributeItem(entity engine.NodeID) string { return fmt.Sprintf("attribute:%d", entity) }

// around is what an attribute is made from.
type around struct {
	name             string
	units, relations []string
	nodes            []engine.NodeID // of the units and relations
}

func (a *around) digest() [32]byte {
	parts := []string{"attribute", a.name, fmt.Sprint(len(a.units))}
	return method.Digest(append(append(parts, a.units...), a.relations...)...)
}

// Items implements [method.Stage]: the important entities.
func (st *attributeStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		st.listed = &entities{}
		ids, err := important(v)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		for _, id := range ids {
			a, err := st.s.around(v, st.listed, id)
			if graph.IsMissing(err) {
				continue // gone since it was chosen
			}
			if !yield(method.WorkItem{Key: attributeItem(id), Digest: a.digest()}, err) || err != nil {
				return
			}
		}
	}
}

// neighbour is a unit or relationship next to an entity.
type neighbour struct {
	id     engine.NodeID
	text   string
	unit   bool
	tokens int // of text
	// weight is the sum of the weights of the node's neighbours: how much else
	// it speaks of.
	weight uint64
	key    string
}

// around reads the units and relationships next to an entity. If they are
// more than a model reads, those come first whose neighbours weigh most, and
// the rest is left out.
func (s *system) around(v *engine.View, known *entities, entity engine.NodeID) (around, error) {
	total, err := v.Total(engine.NodeTarget(entity))
	if err != nil {
		return around{}, err
	}
	if total.Sources == 0 {
		return around{}, engine.ErrNotFound
	}
	var all []neighbour
	tokens := 0
	for _, kind := range []string{schema.Mentions, schema.Relates} {
		ids, err := graph.Neighbors(v, entity, kind, engine.Both)
		if err != nil {
			return around{}, err
		}
		keys := make([]string, len(ids))
		err = v.EachNode(ids, func(i int, n engine.Node) error {
			keys[i] = n.Key
			return nil
		})
		if err != nil {
			return around{}, err
		}
		for i, id := range ids {
			t, err := v.Total(engine.NodeTarget(id))
			if err != nil {
				return around{}, err
			}
			n := neighbour{id: id, text: joined(t.Texts), unit: kind == schema.Mentions, key: keys[i]}
			n.tokens = s.c.Tokens().Count(n.text)
			tokens += n.tokens
			all = append(all, n)
		}
	}
	if tokens > summaryTokens {
		for i := range all {
			if all[i].weight, err = known.weightAround(v, all[i].id); err != nil {
				return around{}, err
			}
		}
	}
	slices.SortFunc(all, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.key, b.key))
	})
	out := around{name: total.Label}
	left := summaryTokens
	for _, n := range all {
		if left -= n.tokens; left < 0 {
			break
		}
		if n.unit {
			out.units = append(out.units, n.text)
		} else {
			out.relations = append(out.relations, n.text)
		}
		out.nodes = append(out.nodes, n.id)
	}
	return out, nil
}

// joined returns what is said of a relationship as one text. It is sorted: the
// order of the sources is that in which they came.
func joined(texts []string) string {
	return strings.Join(slices.Sorted(slices.Values(texts)), "\t")
}

// summarised is what the attribute stage made.
type summarised struct {
	Entity  engine.NodeID   `json:"entity"`
	Sources []engine.NodeID `json:"sources"`
	Text    string          `json:"text"`
}

// Do implements [method.Stage].
func (st *attributeStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	out := summarised{}
	if _, err := fmt.Sscanf(w.Key, "attribute:%d", &out.Entity); err != nil {
		return nil, err
	}
	a, err := st.s.around(v, st.listed, out.Entity)
	if err != nil {
		return nil, err
	}
	sources, err := graph.Sources(v, graph.Targets(a.nodes)...)
	if err != nil {
		return nil, err
	}
	out.Sources = graph.IDs(sources)
	docs, err := graph.DocsFor(m, v, graph.Targets(a.nodes)...)
	if err != nil {
		return nil, err
	}
	reply, err := m.Do(ctx, st.s.Item(w), docs, llm.Task{
		Kind: llm.Attribute, Input: llm.AttributeInput{Name: a.name, Units: a.units, Relations: a.relations, MaxTokens: st.s.p.Attribute},
	})
	if err != nil {
		return nil, err
	}
	out.Text = strings.TrimSpace(reply.Text)
	return json.Marshal(out)
}

// Apply implements [method.Stage].
func (st *attributeStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	var a summarised
	if err := json.Unmarshal(result, &a); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	entity, err := v.Node(a.Entity)
	if err != nil {
		return err
	}
	attribute, err := v.MakeNodeType(schema.Attribute)
	if err != nil {
		return err
	}
	describes, err := v.MakeEdgeType(schema.Describes, false)
	if err != nil {
		return err
	}
	if old, err := v.Lookup(attribute, entity.Key); err == nil {
		if err := st.s.dropNode(v, old); err != nil {
			return err
		}
	} else if !graph.IsMissing(err) {
		return err
	}
	if a.Text == "" {
		return nil
	}
	id, err := st.s.summary(v, attribute, entity.Key, a.Text, w.Digest, a.Sources)
	if err != nil {
		return err
	}
	return v.AddEdge(a.Entity, id, describes, 1)
}

// summary writes an attribute or element that rests on chunks.
func (s *system) summary(v *engine.TxView, t engine.TypeID, key, says string, of [32]byte, sources []engine.NodeID) (engine.NodeID, error) {
	id, created, err := v.DeriveNode(t, key)
	if err != nil {
		return 0, err
	}
	for _, src := range sources {
		if err := v.Contribute(src, engine.NodeTarget(id), engine.Contribution{Count: 1}); err != nil {
			return 0, err
		}
	}
	if !created {
		return id, nil
	}
	return id, v.SetProps(id, engine.Props{schema.PropText: engine.String(says), schema.PropOf: engine.Bytes(of[:])})
}
