package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// follow has the snapshots of a subject be those of a database that is open for reading,
// as another process would have it, from now on. openStore opens its store; nil is the
// store of the subject.
func (r *round) follow(s *subject, openStore opener) {
	if openStore == nil {
		openStore = func(context.Context, string, *kv.Schema) (kv.Store, error) { return s.store, nil }
	}
	var err error
	s.reader, err = engine.Open(background, "db", &engine.Options{
		ReadOnly: true, MemoryBudget: 16 << 20,
		OpenStore: openStore,
	})
	if err != nil {
		r.fail("%s: open for reading: %v", s.name, err)
	}
	s.seen = map[uint32]*engine.Graph{}
}

// see takes handles of the graphs that there are in the reader of a subject, if it has
// one.
func (r *round) see(s *subject) {
	if s.reader == nil {
		return
	}
	ns, err := s.reader.Namespace(background, "main")
	if err != nil {
		r.fail("%s: namespace: %v", s.name, err)
	}
	for name, id := range r.state.names {
		g := s.seen[id]
		if g == nil {
			if g, err = ns.Graph(background, name); err != nil {
				r.fail("%s: graph %s: %v", s.name, name, err)
			}
			s.seen[id] = g
		}
		if err := s.reader.View(background, func(*engine.Snapshot) error { return nil }); err != nil {
			r.fail("%s: view: %v", s.name, err)
		}
		r.line(s, "name of a graph", name, g.Name())
		r.line(s, "id of graph "+name, fmt.Sprint(id), fmt.Sprint(g.ID()))
	}
	latest, err := s.reader.LatestEpoch(background)
	r.line(s, "latest epoch", fmt.Sprint(r.state.epoch, nil), fmt.Sprint(latest, err))
}

// tables opens stores in one table, for one writer and for readers, with bounds that part
// large commits.
func tables(table func() (kv.Table, error), readOnly bool) opener {
	return func(ctx context.Context, _ string, s *kv.Schema) (kv.Store, error) {
		tab, err := table()
		if err != nil {
			return nil, err
		}
		return tablekv.Open(ctx, tab, s, &tablekv.Options{ReadOnly: readOnly, Lease: 2 * time.Second})
	}
}

// smallTable bounds the tables of such tests.
var smallTable = kv.Bounds{ValueBytes: 2 << 10, ChangeBytes: 32 << 10, RemoveKeys: 50}

// TestFollowTable does the stream of TestMetamorphic/follow to a table of a server in
// memory, which has two processes as its users.
func TestFollowTable(t *testing.T) {
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		server := kvtest.NewServer(seed)
		table := func() (kv.Table, error) { return server.Table(smallTable), nil }
		r := newRound(t, 200+seed)
		r.add("table", func(*pebblekv.Options) opener { return tables(table, false) })
		r.follow(r.subjects[0], tables(table, true))
		r.run(120, r.plainOp)
		r.exports()
		r.end()
	}
}

// followed returns a database, and one that is open for reading on the same store.
func followed(t *testing.T, o engine.Options) (writer, reader *engine.DB) {
	t.Helper()
	store := kept{memkv.New(layout.Schema())}
	o.OpenStore = func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil }
	writer = open(t, &o)
	o.ReadOnly = true
	return writer, open(t, &o)
}

// TestConcurrentFollow has readers of a database that is open for reading hold every
// snapshot to what its commit wrote, while another process writes it, makes, replaces
// and drops graphs, and links vectors. Run it with -race.
func TestConcurrentFollow(t *testing.T) {
	writer, reader := followed(t, engine.Options{PromoteAt: 4})
	c := &concurrent{t: t, db: writer, g: graph(t, writer, "g")}
	c.commit(0)
	r := &concurrent{t: t, db: reader, g: graph(t, reader, "g")}
	shown := uint64(0)
	last := func() error {
		return reader.View(context.Background(), func(s *engine.Snapshot) error {
			if s.Epoch() < shown {
				return fmt.Errorf("commit %d after %d", s.Epoch(), shown)
			}
			shown = s.Epoch()
			latest, err := reader.LatestEpoch(context.Background())
			if err == nil && latest < shown {
				err = fmt.Errorf("the latest commit is %d, a snapshot shows %d", latest, shown)
			}
			return err
		})
	}
	commits := 120
	if *long {
		commits = 5000
	}
	var all sync.WaitGroup
	for _, loop := range []func() error{r.view, r.view, r.snapshot, last, r.handles} {
		all.Go(func() { r.until(loop) })
	}
	for _, loop := range []func() error{c.graphs, c.fail} {
		all.Go(func() { c.until(loop) })
	}
	for n := 1; n <= commits && !t.Failed(); n++ {
		c.commit(n)
	}
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
	if err := writer.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
	if r.looked.Load() == 0 {
		t.Error("no reader saw a commit")
	}
}

// handles takes handles of all graphs that there are, which others drop meanwhile.
func (c *concurrent) handles() error {
	ctx := context.Background()
	names, err := c.g.Namespace().Graphs(ctx)
	for _, name := range names {
		if err != nil {
			return err
		}
		if _, err = c.g.Namespace().Graph(ctx, name); errors.Is(err, engine.ErrNotFound) {
			err = nil
		}
	}
	return err
}

// TestFollowFold reads properties of edges that DB.Compact moves into blocks meanwhile: no
// commit says so.
func TestFollowFold(t *testing.T) {
	writer, reader := followed(t, engine.Options{BlockEdges: 4})
	w := graph(t, writer, "g")
	update(t, w, func(v *engine.TxView) {
		typ, err := v.MakeNodeType("n")
		if err != nil {
			t.Fatal(err)
		}
		near, err := v.MakeEdgeType("near", true)
		if err != nil {
			t.Fatal(err)
		}
		for i := range engine.NodeID(20) {
			if _, _, err := v.PutNode(typ, fmt.Sprint(i), nil); err != nil {
				t.Fatal(err)
			}
			if err := v.AddEdge(1, i+1, near, 1); err != nil {
				t.Fatal(err)
			}
			if err := v.SetEdgeProps(engine.Edge{From: 1, To: i + 1, Type: near}, engine.Props{"i": engine.Int(int64(i))}); err != nil {
				t.Fatal(err)
			}
		}
	})
	r := graph(t, reader, "g")
	look := func() {
		t.Helper()
		view(t, r, func(v *engine.View) {
			near, _ := v.EdgeType("near")
			for i := range engine.NodeID(20) {
				p, err := v.EdgeProps(engine.Edge{From: 1, To: i + 1, Type: near})
				if err != nil || p["i"].AsInt() != int64(i) {
					t.Fatalf("properties %v of edge %d: %v", p, i, err)
				}
			}
		})
	}
	look()
	if err := writer.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if writer.Epoch() != reader.Epoch() {
		t.Errorf("compaction is commit %d after %d", writer.Epoch(), reader.Epoch())
	}
	look()
}

// TestFollowBack says that a reader refuses a store that shows an older commit than it
// did, as a server does that is behind.
func TestFollowBack(t *testing.T) {
	behind := kept{memkv.New(layout.Schema())}
	ahead := kept{memkv.New(layout.Schema())}
	server := &servers{Store: ahead}
	openOn := func(s kv.Store, readOnly bool) *engine.DB {
		return open(t, &engine.Options{ReadOnly: readOnly, OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return s, nil }})
	}
	graph(t, openOn(behind, false), "g")
	w := openOn(ahead, false)
	update(t, graph(t, w, "g"), func(v *engine.TxView) {
		if _, err := v.MakeNodeType("n"); err != nil {
			t.Fatal(err)
		}
	})
	r := openOn(server, true)
	look := func() (epoch uint64, err error) {
		err = r.View(t.Context(), func(s *engine.Snapshot) error { epoch = s.Epoch(); return nil })
		return epoch, err
	}
	if epoch, err := look(); err != nil || epoch != w.Epoch() {
		t.Fatalf("commit %d of %d: %v", epoch, w.Epoch(), err)
	}
	server.set(behind)
	if _, err := look(); err == nil || !strings.Contains(err.Error(), "the store went back") {
		t.Errorf("an older commit: %v", err)
	}
	server.set(ahead)
	if epoch, err := look(); err != nil || epoch != w.Epoch() {
		t.Errorf("commit %d of %d: %v", epoch, w.Epoch(), err)
	}
}

// servers is one of several copies of a store.
type servers struct{ kv.Store }

func (s *servers) set(now kv.Store) { s.Store = now }
