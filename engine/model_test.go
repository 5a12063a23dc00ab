package engine_test

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
)

// The model is the database as its documentation describes it, kept in maps:
// no keys, no deltas, no caches. Metamorphic tests compare the engine with it.

// modelState is the database after a commit. A committed state never changes:
// a transaction works on copies of the graphs that it touches.
type modelState struct {
	epoch  uint64
	next   uint32 // graph id
	names  map[string]uint32
	graphs map[uint32]*modelGraph
}

func newModelState() *modelState {
	return &modelState{next: 1, names: map[string]uint32{}, graphs: map[uint32]*modelGraph{}}
}

// successor returns a copy with the next epoch.
func (s *modelState) successor() *modelState {
	out := *s
	out.epoch++
	out.names, out.graphs = maps.Clone(s.names), maps.Clone(s.graphs)
	return &out
}

// ids returns the ids of the graphs, ascending.
func (s *modelState) ids() []uint32 { return slices.Sorted(maps.Keys(s.graphs)) }

// nameOf returns the name of a graph, "" for one that is gone.
func (s *modelState) nameOf(id uint32) string {
	for name, x := range s.names {
		if x == id {
			return name
		}
	}
	return ""
}

type (
	// modelNode, like everything that the maps of a graph hold, is replaced
	// and never changed.
	modelNode struct {
		typ     engine.TypeID
		labels  []engine.TypeID // beside typ, ascending
		key     string
		epoch   uint64
		derived bool
		props   engine.Props
	}
	modelKey struct {
		typ engine.TypeID
		key string
	}
	// modelEdge names an edge, undirected ones from the smaller end. n is the number
	// of one of parallel edges.
	modelEdge struct {
		from, to engine.NodeID
		typ      engine.EdgeType
		n        uint32
	}
	modelGift struct {
		source engine.NodeID
		target engine.Target
	}
	modelPlace struct { // of terms in a field, or of a vector in a space
		name string
		id   engine.NodeID
	}
	modelVector struct {
		layer uint8
		v     []float32
	}
	modelEntry struct{ bucket, key string }
)

// modelGraph is a graph.
type modelGraph struct {
	id       uint32
	version  uint64
	nextNode engine.NodeID

	nodeTypes map[string]engine.TypeID
	edgeTypes map[string]engine.EdgeType
	nodes     map[engine.NodeID]*modelNode
	keys      map[modelKey]engine.NodeID
	edges     map[modelEdge]float32
	edgeProps map[modelEdge]engine.Props
	gifts     map[modelGift]engine.Contribution
	indexes   map[string]bool
	fields    map[string]engine.FieldOptions
	terms     map[modelPlace][]text.Term
	spaces    map[string]engine.SpaceOptions
	made      []string       // spaces ever made, in order
	dropped   map[string]int // how often each space was dropped
	vectors   map[modelPlace]modelVector
	entries   map[modelEntry]string
	rules     map[string]*engine.Rule

	// Of a transaction at work:

	base    *modelGraph // the last commit
	removed map[modelEdge]uint32
	epoch   uint64 // of the commit to be
	changed bool
}

func newModelGraph(id uint32) *modelGraph {
	return &modelGraph{
		id: id, nextNode: 1,
		nodeTypes: map[string]engine.TypeID{}, edgeTypes: map[string]engine.EdgeType{},
		nodes: map[engine.NodeID]*modelNode{}, keys: map[modelKey]engine.NodeID{},
		edges: map[modelEdge]float32{}, edgeProps: map[modelEdge]engine.Props{},
		gifts: map[modelGift]engine.Contribution{}, indexes: map[string]bool{},
		fields: map[string]engine.FieldOptions{}, terms: map[modelPlace][]text.Term{},
		spaces: map[string]engine.SpaceOptions{}, vectors: map[modelPlace]modelVector{},
		entries: map[modelEntry]string{}, dropped: map[string]int{},
		rules: map[string]*engine.Rule{},
	}
}

// begin returns the graph as a transaction of an epoch changes it.
func (m *modelGraph) begin(epoch uint64) *modelGraph {
	out := *m
	out.nodeTypes, out.edgeTypes = maps.Clone(m.nodeTypes), maps.Clone(m.edgeTypes)
	out.nodes, out.keys = maps.Clone(m.nodes), maps.Clone(m.keys)
	out.edges, out.edgeProps = maps.Clone(m.edges), maps.Clone(m.edgeProps)
	out.gifts, out.indexes = maps.Clone(m.gifts), maps.Clone(m.indexes)
	out.fields, out.terms = maps.Clone(m.fields), maps.Clone(m.terms)
	out.spaces, out.vectors = maps.Clone(m.spaces), maps.Clone(m.vectors)
	out.made, out.entries, out.dropped = slices.Clone(m.made), maps.Clone(m.entries), maps.Clone(m.dropped)
	out.rules = maps.Clone(m.rules)
	out.base, out.epoch, out.changed = m, epoch, false
	out.removed = map[modelEdge]uint32{}
	return &out
}

// commit ends a transaction.
func (m *modelGraph) commit() {
	if m.changed {
		m.version++
	}
	m.base, m.changed = nil, false
}

// searched returns the state that searches of terms and vectors show: in a
// transaction the last commit.
func (m *modelGraph) searched() *modelGraph {
	if m.base != nil {
		return m.base
	}
	return m
}

func (m *modelGraph) makeNodeType(name string) engine.TypeID {
	id, ok := m.nodeTypes[name]
	if !ok {
		id = engine.TypeID(len(m.nodeTypes) + 1)
		m.nodeTypes[name] = id
	}
	return id
}

// makeEdgeType returns the edge type of a name: ids are even for directed
// types, odd for others, each in a pair of its own.
func (m *modelGraph) makeEdgeType(name string, directed bool) (id engine.EdgeType, ok bool) {
	id, known := m.edgeTypes[name]
	if !known {
		id = engine.EdgeType(2 * (len(m.edgeTypes) + 1))
		if !directed {
			id++
		}
		m.edgeTypes[name] = id
	}
	return id, id.Directed() == directed
}

// claim returns the node of a type and key, giving a new one an id.
func (m *modelGraph) claim(t engine.TypeID, key string) (id engine.NodeID, created bool) {
	k := modelKey{t, key}
	if id, ok := m.keys[k]; ok {
		return id, false
	}
	id = m.nextNode
	m.nextNode++
	m.keys[k] = id
	m.changed = true
	return id, true
}

// stored returns properties as they are kept: without null ones, their names
// in normal form.
func stored(p engine.Props) engine.Props {
	out := engine.Props{}
	for name, v := range p {
		if !v.IsNull() {
			out[norm.NFC.String(name)] = v
		}
	}
	return out
}

func (m *modelGraph) putNode(t engine.TypeID, key string, p engine.Props) (id engine.NodeID, created bool) {
	id, created = m.claim(t, key)
	next := &modelNode{typ: t, key: key, epoch: m.epoch, props: stored(p)}
	if old := m.nodes[id]; old != nil {
		next.labels = old.labels
	}
	m.nodes[id] = next
	m.changed = true
	return id, created
}

func (m *modelGraph) deriveNode(t engine.TypeID, key string) (id engine.NodeID, created bool) {
	if id, created = m.claim(t, key); created {
		m.nodes[id] = &modelNode{typ: t, key: key, epoch: m.epoch, derived: true, props: engine.Props{}}
	}
	return id, created
}

func (m *modelGraph) setProps(id engine.NodeID, p engine.Props) bool {
	n := m.nodes[id]
	if n == nil {
		return false
	}
	all := maps.Clone(n.props)
	for name, v := range p {
		all[norm.NFC.String(name)] = v
	}
	next := *n
	next.epoch, next.props = m.epoch, stored(all)
	m.nodes[id] = &next
	m.changed = true
	return true
}

// setLabels gives a node exactly some labels. The error is "" if it can.
func (m *modelGraph) setLabels(id engine.NodeID, labels []engine.TypeID) error {
	n := m.nodes[id]
	if n == nil {
		return engine.ErrNotFound
	}
	next := *n
	switch {
	case len(labels) == 0:
		next.typ = engine.NoType
	case !slices.Contains(labels, n.typ):
		next.typ = labels[0]
	}
	if _, taken := m.keys[modelKey{next.typ, n.key}]; taken && next.typ != n.typ {
		return engine.ErrExists
	}
	next.labels = nil
	for _, l := range slices.Sorted(slices.Values(labels)) {
		if l != next.typ && !slices.Contains(next.labels, l) {
			next.labels = append(next.labels, l)
		}
	}
	if next.typ == n.typ && slices.Equal(next.labels, n.labels) {
		return nil
	}
	delete(m.keys, modelKey{n.typ, n.key})
	m.keys[modelKey{next.typ, n.key}] = id
	next.epoch = m.epoch
	m.nodes[id] = &next
	m.changed = true
	return nil
}

func edgeName(from, to engine.NodeID, t engine.EdgeType) modelEdge {
	if !t.Directed() && from > to {
		from, to = to, from
	}
	return modelEdge{from: from, to: to, typ: t}
}

// edge returns the edge as the engine names it.
func (e modelEdge) edge() engine.Edge {
	return engine.Edge{From: e.from, To: e.to, Type: e.typ, N: e.n}
}

// stored returns the edge with the ends of an undirected one in order.
func (e modelEdge) stored() modelEdge {
	out := edgeName(e.from, e.to, e.typ)
	out.n = e.n
	return out
}

// pair returns the first of parallel edges.
func (e modelEdge) pair() modelEdge {
	e.n = 0
	return e
}

// numbers returns the parallel edges of a pair by number.
func (m *modelGraph) numbers(e modelEdge) []modelEdge {
	var out []modelEdge
	for x := range m.edges {
		if x.pair() == e.pair() {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b modelEdge) int { return cmp.Compare(a.n, b.n) })
	return out
}

// pairs returns the weight of each pair of nodes with edges: the sum over parallel
// ones.
func (m *modelGraph) pairs() map[modelEdge]float32 {
	out := map[modelEdge]float32{}
	for e, w := range m.edges {
		if _, done := out[e.pair()]; done {
			continue
		}
		all := m.numbers(e)
		if len(all) > 1 {
			sum := 0.0 // the others in order, then the first
			for _, x := range all {
				if x.n > 0 {
					sum += float64(m.edges[x])
				}
			}
			w = float32(sum + float64(m.edges[e.pair()]))
		}
		out[e.pair()] = w
	}
	return out
}

// addParallel adds an edge beside those of a pair.
func (m *modelGraph) addParallel(e modelEdge, w float32) (modelEdge, bool) {
	if all := m.numbers(e); len(all) > 0 {
		e.n = all[len(all)-1].n + 1
	}
	e.n = max(e.n, m.removed[e.pair()])
	return e, m.addEdge(e, w)
}

// noteRemoved notes that the caller removes an edge in the transaction.
func (m *modelGraph) noteRemoved(e modelEdge) {
	m.removed[e.pair()] = max(m.removed[e.pair()], e.n+1)
}

// dropPair removes all edges of a pair and returns how many there were.
func (m *modelGraph) dropPair(e modelEdge) int {
	all := m.numbers(e)
	for _, x := range all {
		m.removeEdge(x)
	}
	return len(all)
}

func (e modelEdge) target() engine.Target { return engine.EdgeTarget(e.from, e.to, e.typ) }

// hasEnds reports whether both ends of an edge exist.
func (m *modelGraph) hasEnds(e modelEdge) bool { return m.nodes[e.from] != nil && m.nodes[e.to] != nil }

func (m *modelGraph) addEdge(e modelEdge, w float32) bool {
	if !m.hasEnds(e) {
		return false
	}
	m.edges[e] = w
	m.changed = true
	return true
}

func (m *modelGraph) removeEdge(e modelEdge) {
	all := m.numbers(e)
	delete(m.edges, e)
	delete(m.edgeProps, e)
	if len(m.numbers(e)) == 0 {
		m.dropGifts(e.target())
	}
	// To remove what is not there is noted only where nothing had to be looked at.
	if len(all) == 0 && e.n == 0 || slices.Contains(all, e) || len(all) == 1 && all[0].n == 0 && e.n == 0 {
		m.changed = true
	}
}

func (m *modelGraph) setEdgeProps(e modelEdge, p engine.Props) bool {
	if _, ok := m.edges[e]; !ok {
		return false
	}
	if m.edgeProps[e] = stored(p); len(m.edgeProps[e]) == 0 {
		delete(m.edgeProps, e)
	}
	m.changed = true
	return true
}

// sources returns those who contributed to a target, ascending.
func (m *modelGraph) sources(t engine.Target) []engine.NodeID {
	var out []engine.NodeID
	for g := range m.gifts {
		if g.target == t {
			out = append(out, g.source)
		}
	}
	slices.Sort(out)
	return out
}

func (m *modelGraph) dropGifts(t engine.Target) {
	for _, source := range m.sources(t) {
		delete(m.gifts, modelGift{source, t})
	}
}

// total folds the contributions to a target.
func (m *modelGraph) total(t engine.Target) engine.Total {
	var out engine.Total
	sum := int64(0)
	votes := map[string]int{}
	for _, source := range m.sources(t) {
		c := m.gifts[modelGift{source, t}]
		out.Sources++
		out.Count += uint64(c.Count)
		sum += int64(math.RoundToEven(float64(c.Weight) * (1 << 30)))
		if c.Label != "" {
			votes[c.Label] += max(1, int(c.Count))
		}
		for _, s := range c.Texts {
			if !slices.Contains(out.Texts, s) {
				out.Texts = append(out.Texts, s)
			}
		}
	}
	out.Weight = float32(float64(sum) / (1 << 30))
	labels := slices.SortedFunc(maps.Keys(votes), func(a, b string) int {
		return cmp.Or(cmp.Compare(votes[b], votes[a]), strings.Compare(a, b))
	})
	if len(labels) > 0 {
		out.Label = labels[0]
	}
	return out
}

func (m *modelGraph) contributeToNode(source, id engine.NodeID, c engine.Contribution) bool {
	if m.nodes[source] == nil || m.nodes[id] == nil {
		return false
	}
	m.gifts[modelGift{source, engine.NodeTarget(id)}] = c
	m.changed = true
	return true
}

func (m *modelGraph) contributeToEdge(source engine.NodeID, e modelEdge, c engine.Contribution) bool {
	if m.nodes[source] == nil || !m.hasEnds(e) {
		return false
	}
	t := e.target()
	m.gifts[modelGift{source, t}] = c
	m.edges[e] = m.total(t).Weight
	for _, end := range []engine.NodeID{e.from, e.to} {
		g := modelGift{source, engine.NodeTarget(end)}
		if _, has := m.gifts[g]; !has && end != source && m.nodes[end].derived {
			m.gifts[g] = engine.Contribution{}
		}
	}
	m.changed = true
	return true
}

// modelRemoval is what a cascade of removals takes.
type modelRemoval struct {
	work         []engine.NodeID
	nodes, dirty map[engine.NodeID]bool
	edges        int
}

func (r *modelRemoval) add(id engine.NodeID) {
	if !r.nodes[id] {
		r.nodes[id] = true
		r.work = append(r.work, id)
	}
}

func (r *modelRemoval) removed() engine.Removed {
	for id := range r.nodes {
		delete(r.dirty, id)
	}
	return engine.Removed{
		Nodes: slices.Sorted(maps.Keys(r.nodes)),
		Dirty: slices.Sorted(maps.Keys(r.dirty)),
		Edges: r.edges,
	}
}

// deleteNode removes a node, ok being false if there is none.
func (m *modelGraph) deleteNode(id engine.NodeID) (out engine.Removed, ok bool) {
	if m.nodes[id] == nil {
		return out, false
	}
	r := &modelRemoval{nodes: map[engine.NodeID]bool{}, dirty: map[engine.NodeID]bool{}}
	r.add(id)
	m.follow(r)
	return r.removed(), true
}

func (m *modelGraph) withdraw(source engine.NodeID) engine.Removed {
	r := &modelRemoval{nodes: map[engine.NodeID]bool{}, dirty: map[engine.NodeID]bool{}}
	m.withdrawFrom(source, r)
	m.follow(r)
	return r.removed()
}

func (m *modelGraph) follow(r *modelRemoval) {
	for len(r.work) > 0 {
		id := r.work[0]
		r.work = r.work[1:]
		m.deleteOne(id, r)
	}
}

func (m *modelGraph) withdrawFrom(source engine.NodeID, r *modelRemoval) {
	var targets []engine.Target
	for g := range m.gifts {
		if g.source == source {
			targets = append(targets, g.target)
			delete(m.gifts, g)
			m.changed = true
		}
	}
	for _, t := range targets {
		left := len(m.sources(t))
		if t.Type == 0 {
			r.dirty[t.Node] = true
			if n := m.nodes[t.Node]; left == 0 && n != nil && n.derived {
				r.add(t.Node)
			}
			continue
		}
		e := modelEdge{from: t.From, to: t.To, typ: t.Type}
		r.dirty[e.from], r.dirty[e.to] = true, true
		if left > 0 {
			m.edges[e] = m.total(t).Weight
		} else {
			r.edges += max(1, m.dropPair(e))
			m.removeEdge(e)
		}
	}
}

func (m *modelGraph) deleteOne(id engine.NodeID, r *modelRemoval) {
	m.withdrawFrom(id, r)
	m.dropGifts(engine.NodeTarget(id))
	for e := range m.edges {
		if e.from == id || e.to == id {
			r.edges++
			r.dirty[e.from], r.dirty[e.to] = true, true
			m.removeEdge(e)
		}
	}
	for k := range m.terms {
		if k.id == id {
			delete(m.terms, k)
		}
	}
	for k := range m.vectors {
		if k.id == id {
			delete(m.vectors, k)
		}
	}
	n := m.nodes[id]
	delete(m.keys, modelKey{n.typ, n.key})
	delete(m.nodes, id)
	m.changed = true
}

func (m *modelGraph) makeSpace(name string, o engine.SpaceOptions) bool {
	if have, ok := m.spaces[name]; ok {
		return have == o
	}
	m.spaces[name] = o
	if !slices.Contains(m.made, name) {
		m.made = append(m.made, name)
	}
	return true
}

func (m *modelGraph) dropSpace(name string) bool {
	if _, ok := m.spaces[name]; !ok {
		return false
	}
	delete(m.spaces, name)
	m.dropped[name]++
	for k := range m.vectors {
		if k.name == name {
			delete(m.vectors, k)
		}
	}
	return true
}
