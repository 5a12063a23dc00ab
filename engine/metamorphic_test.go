package engine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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
		eachSeed(t, 4, func(t *testing.T, seed uint64) {
			r := newRound(t, seed)
			r.add("memory", memoryOpener())
			fs := vfs.NewMem()
			r.add("pebble", func(o *pebblekv.Options) opener { o.FS = fs; return pebbleOpener(o) })
			r.run(200, r.plainOp)
			r.exports()
			r.end()
		})
	})
	t.Run("follow", func(t *testing.T) {
		eachSeed(t, 4, func(t *testing.T, seed uint64) {
			r := newRound(t, seed)
			r.add("memory", memoryOpener())
			r.follow(r.subjects[0], nil)
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
		eachSeed(t, 4, func(t *testing.T, seed uint64) {
			r := newRound(t, seed)
			r.still = true
			c := newCrasher(r, vfs.NewCrashableMem(), 2, count)
			r.run(100, c.op)
			r.end()
		})
	})
}

// eachSeed runs a round for each seed: n of them, the one that is asked for,
// or under -long as many as there is time for in half of what -timeout leaves.
func eachSeed(t *testing.T, n int, round func(t *testing.T, seed uint64)) {
	first := uint64(1)
	if *seedFlag > 0 {
		first, n = *seedFlag, 1
	}
	if !*long {
		if testing.Short() {
			n = min(n, 2)
		}
		for i := range n {
			t.Run(fmt.Sprint(first+uint64(i)), func(t *testing.T) {
				t.Parallel()
				round(t, first+uint64(i))
			})
		}
		return
	}
	deadline, limited := t.Deadline()
	stop := time.Now().Add(time.Until(deadline) / 2)
	for seed := first; !t.Failed() && (!limited || time.Now().Before(stop)); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { round(t, seed) })
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
	// reader, if not nil, is what snapshots are of: a database of the same store that
	// stays open for reading while db writes and is opened again. Its graphs are seen.
	reader *engine.DB
	seen   map[uint32]*engine.Graph
}

// shows returns what snapshots are of.
func (s *subject) shows() *engine.DB {
	if s.reader != nil {
		return s.reader
	}
	return s.db
}

// shown returns the graph of an id in what snapshots are of.
func (s *subject) shown(id uint32) *engine.Graph {
	if s.reader != nil {
		return s.seen[id]
	}
	return s.graphs[id]
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
		BlockEdges:   pick(r.options, []int{1, 2, 3, 8, 512}),
		LoadBytes:    pick(r.options, []int{0, 64 << 10}),
	}
	p := &pebblekv.Options{
		CacheBytes:    pick(r.options, []int64{16 << 10, 1 << 20, 4 << 20}),
		MemtableBytes: pick(r.options, []int64{64 << 10, 256 << 10, 4 << 20}),
	}
	s.opts = fmt.Sprintf("MaxTxBytes %d, PromoteAt %d, BlockEdges %d, CacheBytes %d, MemtableBytes %d", o.MaxTxBytes, o.PromoteAt, o.BlockEdges, p.CacheBytes, p.MemtableBytes)
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
	case n < 55 || len(r.state.graphs) == 0 && n < 88:
		r.transaction()
	case n < 70:
		r.view()
	case n < 73:
		r.hold()
	case n < 80:
		r.readHeld()
	case n < 82:
		r.release()
	case n < 88:
		r.directory()
	case n < 91:
		r.load()
	case n < 92:
		r.deleteNode()
	case n < 94:
		r.rule()
	case n < 96:
		r.maintain()
	case n < 98:
		r.reopen()
	default:
		r.verify()
	}
}

// graph returns a random graph's id; ok is false if there is none.
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
	commit := end // what the transaction ends with
	if end != errFailed && len(steps) > 0 && slices.ContainsFunc(ids, func(id uint32) bool { return touched[id].broken() }) {
		commit = engine.ErrInvalid
	}
	if commit == nil && len(steps) > 0 {
		for id, m := range touched {
			m.commit()
			next.graphs[id] = m
		}
		r.committed(next, d)
	}
	for _, s := range r.subjects {
		err := s.db.UpdateWith(background, d, func(tx *engine.Tx) error {
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
		if !errors.Is(err, commit) {
			r.fail("%s: a transaction ends with %v, want %v", s.name, err, commit)
		}
	}
	r.note("end: %v", commit)
}

func sortedIDs[V any](m map[uint32]V) []uint32 {
	var out []uint32
	for id := range m {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}
