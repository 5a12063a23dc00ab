package noderag

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// elementStage tells what the communities are about: H and O (spec A.2.7). A
// model reads a community's units and attributes and tells what they come to; its
// insights become elements, their titles overviews. An element's sources are the
// chunks of what was read; an overview's are its elements.
type elementStage struct {
	graph.Stage
	s *system
	// listed are the communities that Items has read, entities those that Do has
	// met.
	listed   map[uint64][]about
	entities *entities
}

func communityItem(number uint64) string { return fmt.Sprintf("community:%d", number) }

// about is one unit or attribute of a community.
type about struct {
	id   engine.NodeID
	kind string
	key  string
	of   string // of an attribute: digest of what it was made from
}

// communities returns the units and attributes of each community, in order of
// kind and key, and the communities' numbers, ascending.
func (s *system) communities(v *engine.View) (map[uint64][]about, []uint64, error) {
	of, err := members(v)
	if err != nil {
		return nil, nil, err
	}
	out := map[uint64][]about{}
	for _, m := range of {
		out[m.Community] = nil
	}
	for _, kind := range []string{schema.Attribute, schema.Unit} {
		for n, err := range graph.ReadAll(v, kind) {
			if err != nil {
				return nil, nil, err
			}
			m, ok := of[n.ID]
			if !ok {
				continue
			}
			a := about{id: n.ID, kind: kind, key: n.Key}
			if kind == schema.Attribute {
				a.of = hex.EncodeToString(n.Prop(schema.PropOf).AsBytes())
			}
			out[m.Community] = append(out[m.Community], a)
		}
	}
	numbers := make([]uint64, 0, len(out))
	for number, list := range out {
		numbers = append(numbers, number)
		slices.SortFunc(list, func(a, b about) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.key, b.key)) })
	}
	slices.Sort(numbers)
	return out, numbers, nil
}

// communityDigest identifies what a community's elements are made from.
func communityDigest(list []about) [32]byte {
	parts := []string{"community"}
	for _, a := range list {
		parts = append(parts, a.kind, a.key, a.of)
	}
	return method.Digest(parts...)
}

const (
	keyOfCommunity = 'c'
	keyOfElement   = 'e'
)

// elementsOf returns the elements of a community, ascending.
func elementsOf(v engine.Reader, number uint64) ([]engine.NodeID, error) {
	var out []engine.NodeID
	for e, err := range v.Bucket(schema.BucketElements).Prefix(schema.OfCommunity(number)) {
		if err != nil {
			return nil, err
		}
		if len(e.Key) != 17 {
			return nil, fmt.Errorf("malformed element: %w", engine.ErrCorrupt)
		}
		out = append(out, engine.NodeID(binary.BigEndian.Uint64(e.Key[9:])))
	}
	return out, nil
}

// allElements returns the elements of all communities, each ascending.
func allElements(v engine.Reader) (map[uint64][]engine.NodeID, error) {
	out := map[uint64][]engine.NodeID{}
	for e, err := range v.Bucket(schema.BucketElements).Prefix([]byte{keyOfCommunity}) {
		if err != nil {
			return nil, err
		}
		if len(e.Key) != 17 {
			return nil, fmt.Errorf("malformed element: %w", engine.ErrCorrupt)
		}
		number := binary.BigEndian.Uint64(e.Key[1:])
		out[number] = append(out[number], engine.NodeID(binary.BigEndian.Uint64(e.Key[9:])))
	}
	return out, nil
}

// communityOf returns the community of an element; ok is false if it has
// none.
func communityOf(v engine.Reader, id engine.NodeID) (number uint64, ok bool, err error) {
	b, err := v.Bucket(schema.BucketElements).Get(schema.OfElement(id), nil)
	if graph.IsMissing(err) {
		return 0, false, nil
	}
	if err == nil && len(b) != 8 {
		err = fmt.Errorf("malformed element: %w", engine.ErrCorrupt)
	}
	if err != nil {
		return 0, false, err
	}
	return binary.BigEndian.Uint64(b), true, nil
}

// Items implements [method.Stage]: the communities of Least units and attributes
// or more, and those that have elements though they are smaller now.
func (st *elementStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		all, numbers, err := st.s.communities(v)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		have, err := allElements(v)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		st.listed, st.entities = all, &entities{}
		read := 0
		for _, list := range all {
			read += len(list)
		}
		st.Looked(read, 0)
		for _, number := range numbers {
			if len(all[number]) < st.s.p.Least && len(have[number]) == 0 {
				continue
			}
			w := method.WorkItem{Key: communityItem(number), Digest: communityDigest(all[number])}
			if !yield(w, nil) {
				return
			}
		}
	}
}

// told is what the stage makes of a community.
type told struct {
	Community uint64          `json:"community"`
	Sources   []engine.NodeID `json:"sources"`
	Elements  []toldElement   `json:"elements"`
}

type toldElement struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Do implements [method.Stage].
func (st *elementStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	out := told{Elements: []toldElement{}}
	if _, err := fmt.Sscanf(w.Key, "community:%d", &out.Community); err != nil {
		return nil, err
	}
	list := st.listed[out.Community]
	if len(list) < st.s.p.Least {
		return json.Marshal(out)
	}
	pages, nodes, err := st.input(v, list)
	if err != nil {
		return nil, err
	}
	sources, err := graph.Sources(v, graph.Targets(nodes)...)
	if err != nil {
		return nil, err
	}
	out.Sources = graph.IDs(sources)
	docs, err := graph.DocsFor(m, v, graph.Targets(nodes)...)
	if err != nil {
		return nil, err
	}
	found, err := st.s.insights(ctx, m, st.s.Item(w), docs, pages, max(1, len(list)/st.s.p.PerElement))
	if err != nil {
		return nil, err
	}
	out.Elements = elements(found)
	return json.Marshal(out)
}

// elements returns insights as elements, each text once.
func elements(found []llm.Insight) []toldElement {
	out := []toldElement{}
	for _, i := range found {
		e := toldElement{text.OneLine(i.Title), strings.TrimSpace(i.Description)}
		same := func(o toldElement) bool { return o.Text == e.Text }
		if e.Text != "" && !slices.ContainsFunc(out, same) {
			out = append(out, e)
		}
	}
	return out
}

// input is what a model reads of a community: its attributes and units, each under the
// entity that most of them are of, the entities of most first, in as many pages as a
// prompt needs; and the nodes that it reads. Units of other communities do not count:
// the item's digest does not tell of them.
func (st *elementStage) input(v *engine.View, list []about) (pages [][]llm.Entity, nodes []engine.NodeID, err error) {
	type group struct {
		label, key string
		weight     int // units and attributes of the community
		says       []string
		nodes      []engine.NodeID
	}
	all := map[engine.NodeID]*group{}
	next := make([][]engine.NodeID, len(list)) // entities of each
	for i, a := range list {
		kind := schema.Mentions
		if a.kind == schema.Attribute {
			kind = schema.Describes
		}
		ids, err := graph.Neighbors(v, a.id, kind, engine.Both)
		if err != nil {
			return nil, nil, err
		}
		next[i] = ids
		for _, id := range ids {
			if all[id] == nil {
				n, err := v.Node(id)
				if err != nil {
					return nil, nil, err
				}
				known, err := st.entities.of(v, id)
				if err != nil {
					return nil, nil, err
				}
				all[id] = &group{label: known.label, key: n.Key}
			}
			all[id].weight++
		}
	}
	for i, a := range list {
		var best *group
		for _, id := range next[i] {
			if e := all[id]; best == nil || e.weight > best.weight || e.weight == best.weight && e.key < best.key {
				best = e
			}
		}
		if best == nil {
			continue
		}
		says, err := st.s.textOf(v, a.id, a.kind)
		if err != nil {
			return nil, nil, err
		}
		best.says, best.nodes = append(best.says, says), append(best.nodes, a.id)
	}
	var order []*group
	for _, e := range all {
		if len(e.says) > 0 {
			order = append(order, e)
		}
	}
	slices.SortFunc(order, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.key, b.key))
	})
	p := pager{count: st.s.c.Tokens().Count}
	for _, e := range order {
		p.add(e.label, e.says)
		nodes = append(nodes, e.nodes...)
	}
	return p.pages, nodes, nil
}

// textOf returns the text of S, R, A or H.
func (s *system) textOf(v engine.Reader, id engine.NodeID, kind string) (string, error) {
	switch kind {
	case schema.Attribute, schema.Element:
		return v.Text(id, schema.PropText)
	}
	total, err := v.Total(engine.NodeTarget(id))
	return joined(total.Texts), err
}

// Apply implements [method.Stage].
func (st *elementStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	var t told
	if err := json.Unmarshal(result, &t); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	if err := st.s.dropElements(v, t.Community); err != nil {
		return err
	}
	if len(t.Elements) == 0 {
		return nil
	}
	element, err := v.MakeNodeType(schema.Element)
	if err != nil {
		return err
	}
	overview, err := v.MakeNodeType(schema.Overview)
	if err != nil {
		return err
	}
	titles, err := v.MakeEdgeType(schema.Titles, false)
	if err != nil {
		return err
	}
	if err := schema.MakeNames(v); err != nil {
		return err
	}
	for _, e := range t.Elements {
		// Two communities that are told alike have an element each.
		d := method.Digest("element", string(w.Digest[:]), e.Text)
		id, err := st.s.summary(v, element, hex.EncodeToString(d[:16]), e.Text, w.Digest, t.Sources)
		if err != nil {
			return err
		}
		if err := schema.PutElement(v, id, t.Community); err != nil {
			return err
		}
		key := text.Key(e.Title)
		if key == "" {
			continue
		}
		o, created, err := v.DeriveNode(overview, key)
		if err != nil {
			return err
		}
		if created {
			if err := schema.PutName(v, o, key); err != nil {
				return err
			}
		}
		if err := v.Contribute(id, engine.NodeTarget(o), engine.Contribution{Count: 1, Label: e.Title}); err != nil {
			return err
		}
		if err := v.Contribute(id, engine.EdgeTarget(id, o, titles), engine.Contribution{Weight: 1, Count: 1}); err != nil {
			return err
		}
	}
	return nil
}
