package vecindex

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
)

// Index is one generation of a vector space in a store. It is safe for
// concurrent use, writes excepted: see [Index.Begin]. It holds no resource but
// memory and need not be closed.
type Index struct {
	store   kv.Store
	cfg     Config
	limit   int64
	room    func() int64
	release func(want int64) bool // see Options.MakeRoom
	rerank  Rerank
	follows bool // see Options.Follow
	workers int
	exact   int64 // see Options.ExactElements

	state   atomic.Pointer[state] // nil if there is none
	scratch sync.Pool             // *scratch

	// mu protects the change from one state to the next. Readers take it only
	// to build the first one, and not while they build, and to open Views of
	// an index with a graph.
	mu       sync.Mutex
	loading  chan struct{}  // closed when the build under way ends
	buffered []*Write       // published during that build
	begun    uint64         // sequence of the last Write, 0 if its Publish is not waited for
	publish  chan struct{}  // closed by the next Publish, nil if no call waits
	open     map[uint64]int // Views of an index with a graph, by sequence

	// free are slots that can be given out again, freeHead the commit that they
	// are free after, of a flat index; guarded by mu. See slots.go.
	free     []uint32
	freeHead uint64

	// inFlight are the slots that a linker is working on, lost those of them
	// that died meanwhile, with the commit; guarded by mu.
	inFlight map[uint32]bool
	lost     map[uint32]uint64

	// marksFrom is a slot below which, by what was published, no vector waits to
	// be linked: what linking removed of late has to be passed by otherwise.
	// lowest is the lowest slot that was put to since a linker began; guarded
	// by mu.
	marksFrom atomic.Uint32
	lowest    uint32

	linking turn // one linker at a time
	// tending says that a linker is at work, guarded by mu; building is the
	// graph that it makes beside the one in use. beyond says that what it needs
	// is over the bound.
	tending  bool
	building atomic.Pointer[building]
	beyond   atomic.Bool

	// waiting counts the vectors that were put since the index was opened and
	// are not linked yet.
	waiting atomic.Int64

	// minCold is the number of vectors below which no search walks on disk.
	minCold uint32
	// cold counts the codes that searches of a graph in the store have read
	// since it was last asked whether it fits.
	cold  atomic.Int64
	codec atomic.Pointer[readCodec] // the last one that was read
	walks atomic.Pointer[walks]     // what such searches share
	// lastCold is what the last snapshot that was walked has of the graph.
	lastCold atomic.Pointer[coldView]

	// Of an index with lists: where they are, what the last View knew of them, and
	// who changed them last and how, which the linker alone uses.
	routed     atomic.Pointer[routed]
	lastLists  atomic.Pointer[listsView]
	lastLister *lister
	beside     bool // the linker works in the background

	// Of an Auto index: making says that its first lists are being made, so that writes
	// leave marks, and large that it has lists.
	making, large atomic.Bool

	// late counts the searches that made low planes of their own.
	late atomic.Int64
}

// Open returns the index that c describes, with the options o; nil is the
// zero Options. It reads one record. An index that was never written is empty.
// The error is [ErrModelMismatch] if the index holds other vectors than c
// says, and that of [Config.Validate] if c is not valid.
func Open(ctx context.Context, st kv.Store, c Config, o *Options) (*Index, error) {
	if err := c.Validate(); err != nil {
		return nil, phase.Errorf("open: %w", err)
	}
	ix := &Index{store: st, cfg: c, linking: newTurn(), minCold: minCold, exact: exactElements}
	if o != nil {
		if o.ExactElements > 0 {
			ix.exact = o.ExactElements
		}
		ix.limit, ix.room, ix.rerank, ix.workers = o.MaxMirrorBytes, o.Room, o.Rerank, o.Workers
		ix.release, ix.follows = o.MakeRoom, o.Follow
	}
	ix.scratch.New = func() any { return new(scratch) }
	if _, err := ix.readMeta(ctx, st); err != nil {
		return nil, ix.wrap("open", err)
	}
	return ix, nil
}

// Config returns the configuration that the index was opened with.
func (ix *Index) Config() Config { return ix.cfg }

// MemoryBytes returns what the index holds of what it is given: the mirror or
// the graph, and a second graph while it is linked again. What linking takes
// beyond that is not counted, since it is given back; [Stats] says it. Versions
// that only open Views hold come on top.
func (ix *Index) MemoryBytes() int64 {
	if ix.beyond.Load() {
		return 0
	}
	return ix.held()
}

// held returns the memory of the index.
func (ix *Index) held() (n int64) {
	st := ix.state.Load()
	if st != nil {
		n = st.bytes()
	}
	n += ix.routed.Load().bytes()
	if b := ix.building.Load(); b != nil && (st == nil || st.graph == nil || st.graph.Graph != b.Graph) {
		n += max(b.bytes, b.Version().Bytes())
	}
	return n
}

// building is a graph that is being made, with what it is going to take.
type building struct {
	*hnsw.Graph
	bytes int64
}

// Release gives up what the index has in memory, which the next search reads
// again, and reports whether it did. Views that hold it keep it. While vectors
// are being linked or read the index keeps it.
func (ix *Index) Release() bool {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.cfg.lists() && !ix.tending && ix.routed.Load() != nil {
		ix.routed.Store(nil)
		ix.lastLists.Store(nil)
		return true
	}
	st := ix.state.Load()
	if st == nil || ix.tending || ix.inFlight != nil || ix.loading != nil {
		return false
	}
	ix.state.Store(nil)
	return true
}

// wrap names the index and the operation in an error; nil stays nil.
func (ix *Index) wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	t := ix.cfg.Table
	return phase.Errorf("%s (graph %d, space %d, generation %d): %w", op, t.Graph, t.Space, t.Generation, err)
}

func (ix *Index) in(r kv.Reader) stored {
	return stored{r: r, table: ix.cfg.Table, dim: ix.cfg.Dim, element: ix.cfg.Element}
}

// readMeta reads the index's record and checks its stamp.
func (ix *Index) readMeta(ctx context.Context, r kv.Reader) (meta, error) {
	m, err := ix.in(r).meta(ctx)
	if err != nil {
		return meta{}, err
	}
	return ix.checked(m)
}

// stamped is readMeta of a record that was read.
func (ix *Index) stamped(key, b []byte) (meta, error) {
	m, err := readMeta(key, b)
	if err != nil {
		return meta{}, err
	}
	return ix.checked(m)
}

func (ix *Index) checked(m meta) (meta, error) {
	if want := ix.cfg.stamp(); m.seq != 0 && m.stamp != want {
		return meta{}, &stampError{Want: m.stamp, Have: want}
	}
	return m, nil
}
