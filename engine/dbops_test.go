package engine_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// read does steps in a snapshot.
func (r *round) read(s *subject, snap *engine.Snapshot, steps []step) {
	for _, x := range steps {
		got := x.run(snap.Graph(s.shown(x.graph)), nil)
		r.line(s, fmt.Sprintf("graph %d at %d: %s", x.graph, snap.Epoch(), x.name), x.want, got)
	}
}

// reads returns some random reads of a state.
func (r *round) reads(st *modelState, n int) []step {
	var steps []step
	for range n {
		if id, ok := r.graph(st); ok {
			g := &graphOps{rnd: r.rnd, m: st.graphs[id]}
			steps = append(steps, g.read())
		}
	}
	return steps
}

// everything returns the reads that show a whole state.
func (r *round) everything(st *modelState) []step {
	var steps []step
	for _, id := range st.ids() {
		g := &graphOps{rnd: r.rnd, m: st.graphs[id]}
		steps = append(steps, g.everything()...)
	}
	return steps
}

func (r *round) view() {
	steps := r.reads(r.state, 1+r.rnd.IntN(12))
	r.eachSnapshot(steps)
}

// eachSnapshot does steps in a snapshot of every subject.
func (r *round) eachSnapshot(steps []step) {
	for _, s := range r.subjects {
		r.see(s)
		err := s.shows().View(background, func(snap *engine.Snapshot) error {
			r.read(s, snap, steps)
			return nil
		})
		r.line(s, "view", "ok", fault(err))
	}
}

// hold opens a snapshot that stays open while the database changes.
func (r *round) hold() {
	if len(r.held) == 4 {
		r.release()
	}
	r.note("hold a snapshot of %d", r.state.epoch)
	r.held = append(r.held, r.state)
	for _, s := range r.subjects {
		r.see(s)
		snap, err := s.shows().Snapshot(background)
		r.line(s, "snapshot", "ok", fault(err))
		r.line(s, "epoch of the snapshot", fmt.Sprint(r.state.epoch), fmt.Sprint(snap.Epoch()))
		s.held = append(s.held, snap)
	}
}

func (r *round) readHeld() {
	if len(r.held) == 0 {
		r.hold()
		return
	}
	i := r.rnd.IntN(len(r.held))
	steps := r.reads(r.held[i], 1+r.rnd.IntN(12))
	for _, s := range r.subjects {
		r.read(s, s.held[i], steps)
	}
}

// release compares the whole of a held snapshot and closes it.
func (r *round) release() {
	if len(r.held) == 0 {
		return
	}
	i := r.rnd.IntN(len(r.held))
	r.note("release the snapshot of %d", r.held[i].epoch)
	steps := r.everything(r.held[i])
	r.held = slices.Delete(r.held, i, i+1)
	for _, s := range r.subjects {
		r.read(s, s.held[i], steps)
		r.line(s, "close the snapshot", "ok", fault(s.held[i].Close()))
		s.held = slices.Delete(s.held, i, i+1)
	}
}

// directory makes, drops or replaces a graph.
func (r *round) directory() {
	switch r.rnd.IntN(6) {
	case 0:
		r.drop()
	case 1:
		r.swap()
	case 2:
		r.stale()
	default:
		r.create()
	}
}

func (r *round) graphName() string { return fmt.Sprintf("g%d", r.rnd.IntN(3)) }

func (r *round) create() {
	name := r.graphName()
	id, ok := r.state.names[name]
	if !ok {
		next := r.state.successor()
		id = next.next
		next.next++
		next.names[name], next.graphs[id] = id, newModelGraph(id)
		r.committed(next, kv.Sync)
	}
	r.note("graph %s -> %d", name, id)
	for _, s := range r.subjects {
		g, err := r.namespace(s).Graph(background, name)
		r.line(s, "graph "+name, "ok", fault(err))
		r.line(s, "id of graph "+name, fmt.Sprint(id), fmt.Sprint(g.ID()))
		s.graphs[id] = g
	}
}

func (r *round) drop() {
	name := r.graphName()
	want := fault(engine.ErrNotFound)
	if id, ok := r.state.names[name]; ok {
		want = "ok"
		next := r.state.successor()
		delete(next.names, name)
		delete(next.graphs, id)
		r.gone = append(r.gone, id)
		r.committed(next, kv.Sync)
	}
	r.note("drop %s -> %s", name, want)
	for _, s := range r.subjects {
		r.line(s, "drop "+name, want, fault(r.namespace(s).Drop(background, name)))
	}
}

func (r *round) swap() {
	id, ok := r.graph(r.state)
	if !ok {
		return
	}
	name, old := r.graphName(), r.state.nameOf(id)
	if name != old {
		next := r.state.successor()
		if replaced, ok := next.names[name]; ok {
			delete(next.graphs, replaced)
			r.gone = append(r.gone, replaced)
		}
		delete(next.names, old)
		next.names[name] = id
		r.committed(next, kv.Sync)
	}
	r.note("swap %s for %s", name, old)
	for _, s := range r.subjects {
		r.line(s, "swap "+name, "ok", fault(r.namespace(s).Swap(background, name, s.graphs[id])))
		r.line(s, "name after the swap", name, s.graphs[id].Name())
	}
}

// stale uses the handle of a graph that was dropped or replaced.
func (r *round) stale() {
	if len(r.gone) == 0 {
		return
	}
	id, name := pick(r.rnd, r.gone), r.graphName()
	r.note("use the dropped graph %d", id)
	for _, s := range r.subjects {
		err := s.db.Update(background, func(tx *engine.Tx) error {
			_, err := tx.Graph(s.graphs[id]).MakeNodeType("late")
			return err
		})
		r.line(s, "write to a dropped graph", fault(engine.ErrNotFound), fault(err))
		err = r.namespace(s).Swap(background, name, s.graphs[id])
		r.line(s, "swap in a dropped graph", fault(engine.ErrNotFound), fault(err))
	}
}

// load is a bulk load of random nodes and edges.
func (r *round) load() {
	id, ok := r.graph(r.state)
	if !ok {
		return
	}
	next := r.state.successor()
	m := r.state.graphs[id].begin(next.epoch)
	g := &graphOps{rnd: r.rnd, m: m}
	type node struct {
		typ, key string
		props    engine.Props
		id       engine.NodeID
	}
	var nodes []node
	want := "ok"
	for range r.rnd.IntN(30) {
		n := node{typ: pick(r.rnd, nodeTypeNames), key: fmt.Sprintf("load%d", r.rnd.IntN(2000)), props: g.props()}
		var created bool
		if n.id, created = m.putNode(m.makeNodeType(n.typ), n.key, n.props); !created {
			want = fault(engine.ErrExists)
		}
		nodes = append(nodes, n)
		if !created {
			break
		}
	}
	type edge struct {
		name   string
		e      modelEdge
		weight float32
		props  engine.Props
	}
	var edges []edge
	for range r.rnd.IntN(100) {
		if want != "ok" {
			break
		}
		name, t := g.owned()
		e := edge{name: name, e: modelEdge{from: g.id(), to: g.id(), typ: t}, weight: g.weight()}
		ruled, required := m.ofEdges(name)
		if r.rnd.IntN(3) == 0 && !ruled {
			e.props = g.props()
		}
		want = found(m.addEdge(edgeName(e.e.from, e.e.to, t), e.weight))
		if want == "ok" && len(stored(e.props)) > 0 {
			m.setEdgeProps(edgeName(e.e.from, e.e.to, t), e.props)
		}
		if want == "ok" && required {
			want = fault(engine.ErrInvalid)
		}
		edges = append(edges, e)
	}
	if want != "ok" && m.strict() {
		return // which of two errors comes first is not said
	}
	if want == "ok" && m.broken() {
		want = fault(engine.ErrInvalid)
	}
	var end error
	if r.rnd.IntN(8) == 0 && want == "ok" {
		end, want = errFailed, fault(errFailed)
	}
	if want == "ok" && len(nodes)+len(edges) > 0 {
		m.commit()
		next.graphs[id] = m
		r.committed(next, kv.Sync)
	}
	r.note("load %d nodes and %d edges into graph %d: %s", len(nodes), len(edges), id, want)
	for _, s := range r.subjects {
		err := s.db.Load(background, s.graphs[id], func(l *engine.Loader) error {
			for _, n := range nodes {
				t, err := l.MakeNodeType(n.typ)
				if err != nil {
					return err
				}
				id, err := l.Node(t, n.key, n.props)
				if err != nil {
					return err
				}
				// That a key comes twice may show only at the end.
				if want != fault(engine.ErrExists) || n.key != nodes[len(nodes)-1].key {
					r.line(s, "load node "+n.key, fmt.Sprint(n.id), fmt.Sprint(id))
				}
			}
			for _, e := range edges {
				t, err := l.MakeEdgeType(e.name, isDirected(e.name))
				if err != nil {
					return err
				}
				if err := l.EdgeWith(e.e.from, e.e.to, t, e.weight, e.props); err != nil {
					return err
				}
			}
			return end
		})
		r.line(s, "load", want, fault(err))
	}
}

// deleteNode deletes a node in a transaction of its own.
func (r *round) deleteNode() {
	id, ok := r.graph(r.state)
	if !ok {
		return
	}
	next := r.state.successor()
	m := r.state.graphs[id].begin(next.epoch)
	node := (&graphOps{rnd: r.rnd, m: m}).id()
	removed, ok := m.deleteNode(node)
	want := found(ok)
	if ok {
		want = showRemoved(removed)
		m.commit()
		next.graphs[id] = m
		r.committed(next, kv.Sync)
	}
	r.note("delete node %d of graph %d: %s", node, id, want)
	for _, s := range r.subjects {
		removed, err := s.db.DeleteNode(background, s.graphs[id], node)
		r.line(s, "delete node", want, outcome(err, "%s", showRemoved(removed)))
	}
}

// maintain makes a store flush or compact.
func (r *round) maintain() {
	flush := r.rnd.IntN(2) == 0
	r.note("flush %t", flush)
	for _, s := range r.subjects {
		var err error
		if m, ok := s.store.(kv.Maintainer); ok {
			err = m.Flush(background)
		}
		if !flush && err == nil {
			err = s.db.Compact(background)
		}
		r.line(s, "flush or compact", "ok", fault(err))
	}
	r.durable()
}

// reopen closes every database and opens it under other options.
func (r *round) reopen() {
	for len(r.held) > 0 {
		r.release()
	}
	r.note("reopen")
	jump, jumped := r.jump()
	for _, s := range r.subjects {
		r.line(s, "close", "ok", fault(s.db.Close()))
		r.open(s)
		if jumped {
			b := s.store.NewBatch()
			b.Set(layout.GraphMeta(jump.id, "next_node"), binary.BigEndian.AppendUint64(nil, uint64(jump.nextNode)))
			r.line(s, "jump", "ok", fault(s.store.Apply(background, b, kv.Sync)))
		}
		r.attach(s)
	}
	r.gone = nil
	r.durable()
	r.verify()
}

// jump lets a graph go on with the ids before the next container, as if the
// nodes in between had been made and deleted.
func (r *round) jump() (m *modelGraph, ok bool) {
	id, ok := r.graph(r.state)
	if !ok || r.still || r.rnd.IntN(2) == 0 || r.state.graphs[id].nextNode > 1<<18 {
		return nil, false
	}
	m = new(*r.state.graphs[id])
	m.nextNode = (m.nextNode+5+1<<16-1)>>16<<16 - 5
	next := *r.state
	next.graphs = map[uint32]*modelGraph{}
	for id, g := range r.state.graphs {
		next.graphs[id] = g
	}
	next.graphs[id] = m
	r.committed(&next, kv.Sync)
	r.note("graph %d goes on with node %d", id, m.nextNode)
	return m, true
}

// verify compares everything, and checks every database.
func (r *round) verify() {
	r.note("verify")
	r.eachSnapshot(r.everything(r.state))
	for _, s := range r.subjects {
		r.stats(s)
		for f, err := range s.db.Check(background, engine.CheckOptions{Full: true}) {
			if err != nil {
				r.fail("%s: check: %v", s.name, err)
			}
			r.fail("%s: check finds: %s", s.name, f)
		}
	}
}

// stats compares the counts of every graph.
func (r *round) stats(s *subject) {
	count := func(nodes, edges, gifts, entries int) string {
		return fmt.Sprintf("%d nodes, %d edges, %d contributions, %d entries", nodes, edges, gifts, entries)
	}
	err := s.shows().View(background, func(snap *engine.Snapshot) error {
		stats, err := snap.Stats(background)
		for _, g := range stats.Graphs {
			m := r.state.graphs[uint32(g.ID)]
			entries := int64(0)
			for _, b := range g.Buckets {
				entries += b.Count
			}
			r.line(s, "stats of "+g.Name, count(len(m.nodes), len(m.edges), len(m.gifts), len(m.entries)),
				count(int(g.Nodes), int(g.Edges), int(g.Contributions), int(entries)))
		}
		return err
	})
	r.line(s, "stats", "ok", fault(err))
}

// exports compares the canonical exports of all databases, and that of an
// import of one.
func (r *round) exports() {
	want := ""
	for i, s := range r.subjects {
		var buf bytes.Buffer
		err := s.shows().View(background, func(snap *engine.Snapshot) error {
			return snap.Export(background, "main", &buf, engine.ExportOptions{Canonical: true})
		})
		r.line(s, "export", "ok", fault(err))
		if i == 0 {
			want = buf.String()
		}
		if buf.String() != want {
			sameText(r.t, s.name, buf.String(), want)
			r.fail("%s: another canonical export", s.name)
		}
	}
	db, err := engine.Open(background, engine.Memory, nil)
	if err != nil {
		r.fail("open: %v", err)
	}
	defer db.Close()
	ns, err := db.Namespace(background, "main")
	if err == nil {
		err = ns.Import(background, strings.NewReader(want))
	}
	if err != nil {
		r.fail("import: %v", err)
	}
	sameText(r.t, "import", export(r.t, db, "main", engine.ExportOptions{Canonical: true}), want)
}

// end verifies and closes the databases.
func (r *round) end() {
	for len(r.held) > 0 {
		r.release()
	}
	r.verify()
	for _, s := range r.subjects {
		r.line(s, "close", "ok", fault(s.db.Close()))
		if s.reader != nil {
			r.line(s, "close the reader", "ok", fault(s.reader.Close()))
		}
	}
}
