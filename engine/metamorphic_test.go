package engine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

var (
	seedFlag = flag.Uint64("seed", 0, "run only the metamorphic round of this seed")
	opsFlag  = flag.Int("ops", 0, "the number of operations of a metamorphic round")
)

var background = context.Background()

// tally counts the crashes of all rounds and the commits that they took.
type tally struct{ crashes, lost atomic.Int64 }

// A metamorphic round does one random stream of operations to the model and
// to databases under random options: every operation writes the same line of
// the transcript everywhere. The stream follows from the seed alone, so that
//
//	go test ./engine -run TestMetamorphic/plain -seed 7 -ops 123
//
// does the first 123 operations of round 7 again.
func TestMetamorphic(t *testing.T) {
	t.Run("plain", func(t *testing.T) {
		eachSeed(t, 10, func(t *testing.T, seed uint64) {
			r := newRound(t, seed)
			r.add("memory", memoryOpener())
			fs := vfs.NewMem()
			r.add("pebble", func(o *pebblekv.Options) opener { o.FS = fs; return pebbleOpener(o) })
			r.run(200, r.plainOp)
			r.exports()
			r.end()
		})
	})
	t.Run("crash", func(t *testing.T) {
		count := &tally{}
		t.Cleanup(func() { // when all rounds have ended
			t.Logf("%d crashes lost %d commits", count.crashes.Load(), count.lost.Load())
			if *seedFlag == 0 && !t.Failed() && count.lost.Load() == 0 {
				t.Error("no crash lost anything: the test does not crash")
			}
		})
		eachSeed(t, 10, func(t *testing.T, seed uint64) {
			r := newRound(t, seed)
			r.still = true
			c := newCrasher(r, vfs.NewCrashableMem(), 2, count)
			r.run(100, c.op)
			r.end()
		})
	})
}

// eachSeed runs a round for each seed: n of them, without end under -long, or
// the one that is asked for.
func eachSeed(t *testing.T, n int, round func(t *testing.T, seed uint64)) {
	if *long {
		n = 1 << 30
	}
	first := uint64(1)
	if *seedFlag > 0 {
		first, n = *seedFlag, 1
	}
	for seed := first; seed < first+uint64(n); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if !*long {
				t.Parallel()
			}
			round(t, seed)
		})
		if t.Failed() || *long && t.Context().Err() != nil {
			return
		}
	}
}

// opener opens the store of a database.
type opener func(ctx context.Context, path string, s *kv.Schema) (kv.Store, error)

// kept is a store in memory that outlives its database.
type kept struct{ *memkv.Store }

// Close does nothing: the database is opened again.
func (kept) Close() error { return nil }

func memoryOpener() func(o *pebblekv.Options) opener {
	store := kept{memkv.New(layout.Schema())}
	return func(*pebblekv.Options) opener {
		return func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil }
	}
}

func pebbleOpener(o *pebblekv.Options) opener {
	return func(ctx context.Context, _ string, s *kv.Schema) (kv.Store, error) {
		return pebblekv.Open(ctx, "db", s, o)
	}
}

// subject is a database under test.
type subject struct {
	name   string
	opener func(o *pebblekv.Options) opener
	opts   string // as it is open now
	db     *engine.DB
	store  kv.Store
	graphs map[uint32]*engine.Graph
	held   []*engine.Snapshot
}

// round is a metamorphic round.
type round struct {
	t        *testing.T
	seed     uint64
	rnd      *rand.Rand
	options  *rand.Rand // beside rnd: options must not change the stream
	subjects []*subject
	state    *modelState
	held     []*modelState // snapshots that are kept open
	gone     []uint32      // dropped graphs, since the last open
	op       int
	trail    []string // the last lines
	where    string   // the crashes that led here
	still    bool     // no state changes but by commits

	// history holds the states since the last durable one before the
	// operation, by epoch; synced is the last durable one.
	history map[uint64]*modelState
	synced  uint64
}

func newRound(t *testing.T, seed uint64) *round {
	r := &round{
		t: t, seed: seed,
		rnd: rand.New(rand.NewPCG(seed, 1)), options: rand.New(rand.NewPCG(seed, 2)),
		state: newModelState(), history: map[uint64]*modelState{},
	}
	r.state.epoch = 2 // of making the database, and the namespace
	r.committed(r.state, kv.Sync)
	return r
}

// add opens a new database.
func (r *round) add(name string, o func(o *pebblekv.Options) opener) {
	s := &subject{name: name, opener: o}
	r.open(s)
	r.subjects = append(r.subjects, s)
}

// committed makes a state the current one.
func (r *round) committed(s *modelState, d kv.Durability) {
	r.state = s
	r.history[s.epoch] = s
	if d == kv.Sync {
		r.durable()
	}
}

// durable notes that every commit so far will survive a crash, once the
// operation at work is done.
func (r *round) durable() { r.synced = r.state.epoch }

// prune forgets the states that no crash leads back to any more.
func (r *round) prune() {
	for epoch := range r.history {
		if epoch < r.synced {
			delete(r.history, epoch)
		}
	}
}

// fail ends the round with what is wrong and how to see it again.
func (r *round) fail(format string, args ...any) {
	r.t.Helper()
	for _, s := range r.subjects {
		r.t.Logf("%s: %s", s.name, s.opts)
	}
	r.t.Fatalf("after\n%s\nseed %d, operation %d%s: %s\nreplay: go test ./engine -run '%s' -seed %d -ops %d",
		strings.Join(r.trail, "\n"), r.seed, r.op, r.where, fmt.Sprintf(format, args...),
		strings.Join(strings.Split(r.t.Name(), "/")[:2], "/"), r.seed, r.op)
}

// line compares a line of the transcript.
func (r *round) line(s *subject, name, want, got string) {
	r.t.Helper()
	if got != want {
		r.fail("%s: %s\n got %.4000s\nwant %.4000s", s.name, name, got, want)
	}
}

// note adds a line to the trail.
func (r *round) note(format string, args ...any) {
	if len(r.trail) > 40 {
		r.trail = slices.Delete(r.trail, 0, 20)
	}
	r.trail = append(r.trail, fmt.Sprintf("%d: %.300s", r.op, fmt.Sprintf(format, args...)))
}

// open opens a subject under random options and compares it with the model.
func (r *round) open(s *subject) {
	o := engine.Options{
		MemoryBudget: 16 << 20,
		MaxTxBytes:   pick(r.options, []int{maxTxBytes, 2 * maxTxBytes}),
		PromoteAt:    pick(r.options, []int{2, 3, 8, 20, 64}),
	}
	p := &pebblekv.Options{
		CacheBytes:    pick(r.options, []int64{1, 64 << 10, 4 << 20}),
		MemtableBytes: pick(r.options, []int64{64 << 10, 256 << 10, 4 << 20}),
	}
	s.opts = fmt.Sprintf("MaxTxBytes %d, PromoteAt %d, CacheBytes %d, MemtableBytes %d", o.MaxTxBytes, o.PromoteAt, p.CacheBytes, p.MemtableBytes)
	inner := s.opener(p)
	o.OpenStore = func(ctx context.Context, path string, schema *kv.Schema) (kv.Store, error) {
		var err error
		s.store, err = inner(ctx, path, schema)
		return s.store, err
	}
	var err error
	if s.db, err = engine.Open(background, "db", &o); err != nil {
		r.fail("%s: open: %v", s.name, err)
	}
	s.graphs = map[uint32]*engine.Graph{}
}

// maxTxBytes is the least limit of transactions, which none reaches unless it
// is to.
const maxTxBytes = 8 << 20

// attach takes handles of all graphs.
func (r *round) attach(s *subject) {
	ns := r.namespace(s)
	names, err := ns.Graphs(background)
	r.line(s, "graphs", fmt.Sprint(sortedKeys(r.state.names), nil), fmt.Sprint(names, err))
	for name, id := range r.state.names {
		g, err := ns.Graph(background, name)
		if err != nil {
			r.fail("%s: graph %s: %v", s.name, name, err)
		}
		r.line(s, "graph "+name, fmt.Sprint(id), fmt.Sprint(g.ID()))
		s.graphs[id] = g
	}
	r.line(s, "epoch", fmt.Sprint(r.state.epoch), fmt.Sprint(s.db.Epoch()))
}

func (r *round) namespace(s *subject) *engine.Namespace {
	ns, err := s.db.Namespace(background, "main")
	if err != nil {
		r.fail("%s: namespace: %v", s.name, err)
	}
	return ns
}

// run does n operations that op chooses, or as many as -ops says.
func (r *round) run(n int, op func()) {
	if *opsFlag > 0 {
		n = *opsFlag
	}
	for _, s := range r.subjects {
		r.attach(s)
	}
	for r.op = 1; r.op <= n && !r.t.Failed(); r.op++ {
		r.prune()
		op()
		for _, s := range r.subjects {
			r.line(s, "epoch", fmt.Sprint(r.state.epoch), fmt.Sprint(s.db.Epoch()))
		}
	}
}

// plainOp does one random operation.
func (r *round) plainOp() {
	switch n := r.rnd.IntN(100); {
	case n < 55 || len(r.state.graphs) == 0 && n < 90:
		r.transaction()
	case n < 70:
		r.view()
	case n < 73:
		r.hold()
	case n < 80:
		r.readHeld()
	case n < 82:
		r.release()
	case n < 90:
		r.directory()
	case n < 94:
		r.maintain()
	case n < 96:
		r.reopen()
	default:
		r.verify()
	}
}

// graph returns a random graph's id; ok is false where there is none.
func (r *round) graph(s *modelState) (id uint32, ok bool) {
	if ids := s.ids(); len(ids) > 0 {
		return pick(r.rnd, ids), true
	}
	return 0, false
}

var errFailed = errors.New("the transaction fails")

// transaction does random steps in one transaction and ends it in a random
// way.
func (r *round) transaction() {
	if len(r.state.graphs) == 0 {
		r.create()
		return
	}
	next := r.state.successor()
	touched := map[uint32]*modelGraph{}
	for range 1 + r.rnd.IntN(5)/4 {
		id, _ := r.graph(r.state)
		touched[id] = r.state.graphs[id].begin(next.epoch)
	}
	ids := sortedIDs(touched)
	d := pick(r.rnd, []kv.Durability{kv.Sync, kv.NoSync, kv.NoSync})
	g := &graphOps{rnd: r.rnd}
	var steps []step
	for range 1 + r.rnd.IntN(25) {
		g.m = touched[pick(r.rnd, ids)]
		if r.rnd.IntN(4) == 0 {
			steps = append(steps, g.read())
		} else {
			steps = append(steps, g.write())
		}
	}
	end := error(nil)
	switch n := r.rnd.IntN(50); {
	case n < 6:
		end = errFailed
	case n == 6:
		end = engine.ErrTxTooLarge
	case n == 7:
		steps = nil
	default:
		g.m = touched[ids[0]]
		steps = append(steps, g.setEntry()) // so that there is a commit
	}
	if end == nil && len(steps) > 0 {
		for id, m := range touched {
			m.commit()
			next.graphs[id] = m
		}
		r.committed(next, d)
	}
	for _, s := range r.subjects {
		err := s.db.UpdateWith(background, engine.TxOptions{Durability: d}, func(tx *engine.Tx) error {
			for _, x := range steps {
				v := tx.Graph(s.graphs[x.graph])
				got := x.run(v, v)
				if s == r.subjects[0] {
					r.note("graph %d: %s -> %s", x.graph, x.name, x.want)
				}
				r.line(s, fmt.Sprintf("graph %d: %s", x.graph, x.name), x.want, got)
			}
			if end == engine.ErrTxTooLarge {
				b, err := tx.Graph(s.graphs[ids[0]]).MakeBucket("cache")
				if err != nil {
					return err
				}
				return b.Set([]byte("a"), make([]byte, 2*maxTxBytes+1))
			}
			return end
		})
		if !errors.Is(err, end) {
			r.fail("%s: a transaction ends with %v, want %v", s.name, err, end)
		}
	}
	r.note("end: %v", end)
}

func sortedIDs[V any](m map[uint32]V) []uint32 {
	var out []uint32
	for id := range m {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// read does steps in a snapshot.
func (r *round) read(s *subject, snap *engine.Snapshot, steps []step) {
	for _, x := range steps {
		got := x.run(snap.Graph(s.graphs[x.graph]), nil)
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
		err := s.db.View(background, func(snap *engine.Snapshot) error {
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
		snap, err := s.db.Snapshot(background)
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

// maintain makes a store flush or compact.
func (r *round) maintain() {
	flush := r.rnd.IntN(2) == 0
	r.note("flush %t", flush)
	for _, s := range r.subjects {
		m := s.store.(kv.Maintainer)
		err := m.Flush(background)
		if !flush && err == nil {
			err = m.Compact(background, nil, nil)
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
	m.nextNode = (m.nextNode+1<<16)>>16<<16 - 5
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
		for f, err := range s.db.Check(background, engine.CheckOptions{Level: engine.CheckFull}) {
			if err != nil {
				r.fail("%s: check: %v", s.name, err)
			}
			r.fail("%s: check finds: %s", s.name, f)
		}
	}
}

// exports compares the canonical exports of all databases, and that of an
// import of one.
func (r *round) exports() {
	want := ""
	for i, s := range r.subjects {
		var buf bytes.Buffer
		err := s.db.View(background, func(snap *engine.Snapshot) error {
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
	}
}
