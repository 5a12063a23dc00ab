package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"testing/fstest"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// nodeRAGStore is an open database of one corpus that NodeRAG indexes.
type nodeRAGStore struct {
	db     *engine.DB
	store  *pebblekv.Store
	corpus *rag.Corpus
	sys    *method.System
	models *rag.Models
}

// nodeRAGBudget is the memory budget: the engine's default.
const nodeRAGBudget = 512 << 20

// openNodeRAG opens a database, and the method on its corpus.
func openNodeRAG(ctx context.Context, path, spec string, d *nodeRAGData) (*nodeRAGStore, error) {
	s := &nodeRAGStore{}
	var err error
	// The store is opened as the engine does if nothing is asked for.
	s.db, s.store, err = openEngine(ctx, path, engine.Options{MemoryBudget: nodeRAGBudget},
		pebblekv.Options{CacheBytes: nodeRAGBudget / 4, MemtableBytes: nodeRAGBudget / 16})
	if err != nil {
		return nil, err
	}
	if err := s.openCorpus(ctx, spec, d); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *nodeRAGStore) close() error { return s.db.Close() }

func (s *nodeRAGStore) openCorpus(ctx context.Context, spec string, d *nodeRAGData) error {
	var err error
	if s.corpus, err = rag.OpenCorpus(ctx, s.db, "bench", nil); err != nil {
		return err
	}
	model := &nodeRAGModel{d: d, asked: map[string]*nodeRAGQuestion{}}
	for i := range d.asked {
		model.asked[d.asked[i].text] = &d.asked[i]
	}
	s.models = s.corpus.NewModels(rag.Parts{Provider: model, Documents: model, Questions: model, Free: true})
	s.corpus = s.corpus.With(rag.Options{
		NoWords: true,
		Models:  func(context.Context, *rag.Corpus) (*rag.Models, error) { return s.models, nil },
	})
	parsed, err := method.ParseSpec(spec)
	if err != nil {
		return inputError{err}
	}
	s.sys, err = methods.All().Open(ctx, s.corpus.Docs(), parsed)
	return err
}

// nodeRAGModel gives the texts and questions their vectors, and the questions
// the names in them. It is asked for nothing else.
type nodeRAGModel struct {
	d     *nodeRAGData
	asked map[string]*nodeRAGQuestion
}

func (m *nodeRAGModel) Name() string { return "drawn" }

func (m *nodeRAGModel) Can(k llm.Kind) bool { return k == llm.QueryElements }

func (m *nodeRAGModel) Do(_ context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	in, ok := t.Input.(llm.QuestionInput)
	if t.Kind != llm.QueryElements || !ok || m.asked[in.Question] == nil {
		return llm.Reply{}, llm.Usage{}, fmt.Errorf("%s: not a question that was drawn", t.Kind)
	}
	b, err := json.Marshal(llm.Elements{Entities: m.asked[in.Question].names})
	return llm.Reply{Text: string(b)}, llm.Usage{}, err
}

// Space implements [llm.Embedder]. Vectors are said to cost nothing so that
// they are stored as parts of the index alone, and not as replies too.
func (m *nodeRAGModel) Space() llm.SpaceInfo {
	return llm.SpaceInfo{Model: "drawn", Dim: len(m.d.asked[0].vector), Recomputable: true}
}

func (m *nodeRAGModel) Embed(_ context.Context, texts []string) ([][]float32, llm.Usage, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if q := m.asked[t]; q != nil {
			out[i] = q.vector
		} else if out[i] = m.d.vectors[t]; out[i] == nil {
			return nil, llm.Usage{}, fmt.Errorf("text %.40q was not drawn", t)
		}
	}
	return out, llm.Usage{}, nil
}

// documentKey is the key of the document of a text.
func documentKey(text uint32) string { return fmt.Sprintf("text%06d.txt", text) }

// readDocuments brings the texts in as documents of one chunk each.
func (s *nodeRAGStore) readDocuments(ctx context.Context, d *nodeRAGData) error {
	files := fstest.MapFS{}
	for t := range d.counts[layerText] {
		files[documentKey(uint32(t))] = &fstest.MapFile{Data: []byte(d.says[t])}
	}
	chunks, err := methods.All().Open(ctx, s.corpus.Docs(), method.Spec{Name: "dense"})
	if err != nil {
		return err
	}
	x := &rag.Indexer{Corpus: s.corpus, Methods: methods.All(), Systems: []*method.System{chunks}}
	_, err = x.Run(ctx, []rag.Input{{FS: files, Root: "."}})
	return err
}

// stage runs a stage of the method from end to end, whatever is done already.
func (s *nodeRAGStore) stage(ctx context.Context, name string, apply bool) error {
	for _, st := range s.sys.Stages(s.models) {
		if st.Name() != name {
			continue
		}
		var items []method.WorkItem
		var results [][]byte
		err := s.db.View(ctx, func(snap *engine.Snapshot) error {
			for w, err := range st.Items(ctx, snap) {
				if err != nil {
					return err
				}
				out, err := st.Do(ctx, snap, s.models, w)
				if err != nil {
					return err
				}
				items, results = append(items, w), append(results, out)
			}
			return nil
		})
		if err != nil || !apply {
			return err
		}
		const together = 100 // items of a transaction
		for len(items) > 0 {
			n := min(together, len(items))
			err := s.db.Update(ctx, func(tx *engine.Tx) error {
				for i, w := range items[:n] {
					if err := st.Apply(ctx, tx, w, results[i]); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			items, results = items[n:], results[n:]
		}
		return nil
	}
	return fmt.Errorf("the method has no stage %q", name)
}

// nodeRAGLoader writes what NodeRAG would have read and been told by a model.
type nodeRAGLoader struct {
	d     *nodeRAGData
	v     *engine.TxView
	types [layers]engine.TypeID
	edges [layers][layers]engine.EdgeType // by the types of the ends
	ids   []engine.NodeID
	taken map[uint32]bool // entities with an attribute
}

// load writes the graph, the nodes of some texts a transaction.
func (s *nodeRAGStore) load(ctx context.Context, d *nodeRAGData, states bool) error {
	l := &nodeRAGLoader{d: d, ids: make([]engine.NodeID, len(d.graph.types)), taken: map[uint32]bool{}}
	// What is read in a text is written with it: the nodes that it is the first
	// text of.
	byText := make([][]uint32, d.counts[layerText])
	for _, kind := range []int{layerEntity, layerRelation, layerUnit, layerAttribute, layerOverview} {
		for i := range d.counts[kind] {
			u := d.first[kind] + uint32(i)
			if from := d.textsOf(u); len(from) > 0 {
				byText[from[0]] = append(byText[from[0]], u)
			}
		}
	}
	const together = 20 // texts of a transaction
	for first := 0; first < len(byText); first += together {
		err := s.db.Update(ctx, func(tx *engine.Tx) error {
			l.v = tx.Graph(s.sys.Graph())
			if err := l.names(states); err != nil {
				return err
			}
			for t := first; t < min(first+together, len(byText)); t++ {
				if err := l.text(uint32(t), byText[t]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	// Edges and sources lead back to texts that came before or after.
	for first := 0; first < len(l.ids); first += 1000 {
		err := s.db.Update(ctx, func(tx *engine.Tx) error {
			l.v = tx.Graph(s.sys.Graph())
			for u := first; u < min(first+1000, len(l.ids)); u++ {
				if err := l.join(uint32(u)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *nodeRAGLoader) names(states bool) (err error) {
	for kind, name := range [layers]string{schema.Text, schema.Unit, schema.Entity, schema.Relationship, schema.Attribute, schema.Element, schema.Overview} {
		if l.types[kind], err = l.v.MakeNodeType(name); err != nil {
			return err
		}
	}
	for _, e := range []struct {
		name     string
		from, to int
	}{
		{schema.Source, layerUnit, layerText}, {schema.Mentions, layerUnit, layerEntity}, {schema.States, layerUnit, layerRelation},
		{schema.Relates, layerRelation, layerEntity}, {schema.Describes, layerAttribute, layerEntity},
		{schema.Covers, layerOverview, layerUnit}, {schema.Titles, layerOverview, layerTitle},
	} {
		if e.name == schema.States && !states {
			continue
		}
		if l.edges[e.from][e.to], err = l.v.MakeEdgeType(e.name, false); err != nil {
			return err
		}
	}
	return schema.MakeNames(l.v)
}

// text writes a text and the nodes that were read in it first.
func (l *nodeRAGLoader) text(t uint32, nodes []uint32) (err error) {
	key := documentKey(t) + "#0"
	if l.ids[t], _, err = l.v.PutNode(l.types[layerText], key, engine.Props{schema.PropTokens: engine.Int(90)}); err != nil {
		return err
	}
	for _, u := range nodes {
		if err := l.node(u, l.ids[t]); err != nil {
			return err
		}
	}
	return nil
}

// node writes a node and what one text contributes to it.
func (l *nodeRAGLoader) node(u uint32, text engine.NodeID) (err error) {
	kind, says := int(l.d.graph.types[u]), l.d.says[u]
	c := engine.Contribution{Count: 1}
	digest := method.Digest(says)
	key := hex.EncodeToString(digest[:16])
	switch kind {
	case layerEntity, layerTitle:
		key, c.Label = says, says
	case layerRelation:
		c.Texts = []string{says}
		key = ""
		for _, e := range l.d.neighboursOf(u, layerEntity) {
			key += "|" + l.d.says[e]
		}
		key = key[1:]
	case layerUnit:
		c.Texts = []string{says}
	case layerAttribute:
		e := l.d.neighboursOf(u, layerEntity)[0]
		key = l.d.says[e]
		if l.taken[e] {
			key = fmt.Sprintf("%s %d", key, u) // an entity has one attribute
		}
		l.taken[e] = true
	}
	var created bool
	if l.ids[u], created, err = l.v.DeriveNode(l.types[kind], key); err != nil {
		return err
	}
	if err := l.v.Contribute(text, engine.NodeTarget(l.ids[u]), c); err != nil || !created {
		return err
	}
	switch kind {
	case layerEntity, layerTitle:
		return schema.PutName(l.v, l.ids[u], says)
	case layerAttribute, layerOverview:
		err := l.v.SetProps(l.ids[u], engine.Props{schema.PropText: engine.String(says), schema.PropOf: engine.Bytes(digest[:])})
		if err != nil || kind == layerAttribute {
			return err
		}
		// A title rests on its element.
		for _, o := range l.d.neighboursOf(u, layerTitle) {
			if err := l.node(o, l.ids[u]); err != nil {
				return err
			}
		}
	}
	return nil
}

// join writes the edges that begin at a node, with their sources, and the
// node's other sources.
func (l *nodeRAGLoader) join(u uint32) error {
	kind := int(l.d.graph.types[u])
	from := l.d.textsOf(u)
	if kind != layerText && kind != layerTitle {
		for _, t := range from[min(1, len(from)):] {
			c := engine.Contribution{Count: 1}
			if kind == layerEntity {
				c.Label = l.d.says[u]
			}
			if err := l.v.Contribute(l.ids[t], engine.NodeTarget(l.ids[u]), c); err != nil {
				return err
			}
		}
	}
	for _, v := range l.d.near[u] {
		t := l.edges[kind][l.d.graph.types[v]]
		var err error
		switch {
		case t == 0:
		case kind == layerUnit:
			err = l.v.Contribute(l.ids[from[0]], engine.EdgeTarget(l.ids[u], l.ids[v], t), engine.Contribution{Weight: 1, Count: 1})
		case int(l.d.graph.types[v]) == layerTitle:
			err = l.v.Contribute(l.ids[u], engine.EdgeTarget(l.ids[u], l.ids[v], t), engine.Contribution{Weight: 1, Count: 1})
		default:
			err = l.v.AddEdge(l.ids[u], l.ids[v], t, 1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tellElements says which community each element is of: that of its first unit.
func (s *nodeRAGStore) tellElements(ctx context.Context) error {
	return s.db.Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(s.sys.Graph())
		element, _ := v.NodeType(schema.Element)
		covers, _ := v.EdgeType(schema.Covers)
		all, err := v.Nodes(element)
		if err != nil {
			return err
		}
		for it := all.Iterator(); it.HasNext(); {
			id := engine.NodeID(it.Next())
			units, err := v.NeighborSet(id, engine.EdgeFilter{Types: []engine.EdgeType{covers}, Direction: engine.Both})
			if err != nil {
				return err
			}
			community, err := schema.Community(v, engine.NodeID(units.Minimum()))
			if err != nil {
				return err
			}
			if err := schema.PutElement(v, id, community); err != nil {
				return err
			}
		}
		return nil
	})
}
