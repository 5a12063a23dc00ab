package engine

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/internal/memory"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/stores"
)

// Format is the number of the format that this package writes. minReader is
// the oldest whose readers can still read it.
const (
	Format    uint32 = 1
	minReader uint32 = 1
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	path  string
	opts  Options
	store kv.Store
	log   *slog.Logger
	zenc  *zstd.Encoder // writer only
	zdec  *zstd.Decoder // safe for concurrent DecodeAll

	// writer holds one token: its holder is the single writer.
	writer chan struct{}
	// follower holds one token, of a database that is open for reading: its holder
	// brings what is in memory up to a later commit.
	follower chan struct{}

	// scorers holds the accumulators of ranked searches, each a *scorer.
	scorers sync.Pool

	// epoch is the number of the last commit, or of the last that was shown in a
	// database that is open for reading.
	epoch atomic.Uint64

	mirrors mirrors
	tender  tender

	memory *memory.Budget
	leaves []func() // take what stands of this database out of memory

	// mu guards the fields below it.
	mu      sync.Mutex
	idle    *sync.Cond // signalled when running falls to 0
	closed  bool
	running int // views, updates and snapshots under way
	graphs  map[uint32]*graphState
	nextIDs map[string]uint32 // next graph and namespace id
	// held has, by namespace, a channel with a token while a caller of
	// [Namespace.Exclusive] holds it.
	held     map[uint32]chan struct{}
	readOnly bool
}

// Open opens the database in the directory at path, or on the server that path names
// (see package [stores]), creating it if it does
// not exist and the options allow. It refuses a directory that is not
// ragdb's ([kv.ErrForeign]), that is open already ([kv.ErrLocked]) and one of
// another format ([ErrFormat]), touching nothing.
func Open(ctx context.Context, path string, o *Options) (*DB, error) {
	opts, shown := o.ensureDefaults(), stores.Shown(path)
	if err := opts.validate(); err != nil {
		return nil, phase.At("open "+shown, err)
	}
	store, err := opts.OpenStore(ctx, path, layout.Schema())
	if err != nil {
		return nil, phase.At("open "+shown, err)
	}
	db := &DB{
		path:     shown,
		opts:     opts,
		store:    store,
		log:      opts.Logger,
		writer:   make(chan struct{}, 1),
		follower: make(chan struct{}, 1),
		graphs:   map[uint32]*graphState{},
		nextIDs:  map[string]uint32{},
		readOnly: opts.ReadOnly,
	}
	db.idle = sync.NewCond(&db.mu)
	if db.zenc, db.zdec, err = newZstd(); err != nil {
		return nil, phase.At("open "+shown, firstError(err, store.Close()))
	}
	db.writer <- struct{}{}
	db.follower <- struct{}{}
	if err := db.loadMeta(ctx); err != nil {
		return nil, phase.At("open "+shown, firstError(err, store.Close()))
	}
	db.standIn()
	return db, nil
}

// loadMeta reads what a database says of itself, or writes it if the store
// is new.
func (db *DB) loadMeta(ctx context.Context) error {
	v, err := db.store.Get(ctx, layout.Meta("format"), nil)
	if errors.Is(err, ErrNotFound) {
		return db.create(ctx)
	}
	if err != nil {
		return err
	}
	if len(v) != 8 {
		return corrupt(layout.Meta("format"), errors.New("wrong length"))
	}
	have, oldest := binary.BigEndian.Uint32(v), binary.BigEndian.Uint32(v[4:])
	if have < Format || oldest > Format {
		return &FormatError{Path: db.path, Have: have, Want: Format, MinReads: oldest}
	}
	epoch, err := getUint64(ctx, db.store, layout.Meta("epoch"))
	if err != nil {
		return err
	}
	db.epoch.Store(epoch)
	for _, name := range []string{"next_graph", "next_namespace"} {
		n, err := getUint64(ctx, db.store, layout.Meta(name))
		if err != nil {
			return err
		}
		db.nextIDs[name] = uint32(n)
	}
	return nil
}

// create writes the first commit of a new database. A store that holds keys
// but no format is not ours.
func (db *DB) create(ctx context.Context) error {
	it, err := db.store.Iter(ctx, nil, nil)
	if err != nil {
		return err
	}
	used := it.First()
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		return err
	}
	if used {
		return kv.ErrForeign
	}
	if db.readOnly {
		return fmt.Errorf("%w: no database there", ErrNotFound)
	}
	uuid := make([]byte, 16)
	if _, err := rand.Read(uuid); err != nil {
		return err
	}
	b := db.store.NewBatch()
	b.Set(layout.Meta("format"), formatRecord())
	b.Set(layout.Meta("uuid"), uuid)
	b.Set(layout.Meta("epoch"), appendUint64(nil, 1))
	b.Set(layout.Meta("next_graph"), appendUint64(nil, 1))
	b.Set(layout.Meta("next_namespace"), appendUint64(nil, 1))
	if err := db.store.Apply(ctx, b, kv.Sync); err != nil {
		return err
	}
	db.epoch.Store(1)
	db.nextIDs["next_graph"], db.nextIDs["next_namespace"] = 1, 1
	return nil
}

// formatRecord returns the format that this package writes, and the oldest reader of it.
func formatRecord() []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, Format), minReader)
}

func appendUint64(dst []byte, v uint64) []byte { return binary.BigEndian.AppendUint64(dst, v) }

// getUint64 reads a big-endian number, 0 if the key has no value.
func getUint64(ctx context.Context, r kv.Reader, key []byte) (uint64, error) {
	v, err := r.Get(ctx, key, make([]byte, 0, 8))
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if len(v) != 8 {
		return 0, corrupt(key, errors.New("wrong length"))
	}
	return binary.BigEndian.Uint64(v), nil
}

// Path returns the path that the database was opened with, without passwords.
func (db *DB) Path() string { return db.path }

// Epoch returns the number of the last commit; in a database that is open for reading,
// of the last that a snapshot showed, see [DB.LatestEpoch].
func (db *DB) Epoch() uint64 { return db.epoch.Load() }

// UUID returns the database's identity, given at creation and kept by backups.
func (db *DB) UUID(ctx context.Context) (id [16]byte, err error) {
	if err := db.enter(); err != nil {
		return id, err
	}
	defer db.leave()
	return readUUID(ctx, db.store)
}

// UUID returns what [DB.UUID] does.
func (s *Snapshot) UUID(ctx context.Context) (id [16]byte, err error) {
	if s == nil || s.kv == nil {
		return id, phase.At("", ErrClosed)
	}
	return readUUID(ctx, s.kv)
}

func readUUID(ctx context.Context, from kv.Reader) (id [16]byte, err error) {
	v, err := from.Get(ctx, layout.Meta("uuid"), nil)
	if err != nil {
		return id, err
	}
	if copy(id[:], v) != len(id) {
		return id, corrupt(layout.Meta("uuid"), errors.New("wrong length"))
	}
	return id, nil
}

// MemoryBudget returns the bytes that the database may keep in memory.
func (db *DB) MemoryBudget() int64 { return db.opts.MemoryBudget }

// Memory returns the budget that work on the database draws from.
func (db *DB) Memory() *memory.Budget { return db.memory }

// HoldCache keeps the store's cache of blocks from growing beyond an eighth of its room,
// or what it has, until release is called, before Close: for scans of much that is read
// once. Calls may overlap. It is O(1).
func (db *DB) HoldCache() (release func()) { return db.store.HoldCache() }

// Close waits for running views, updates and open snapshots to end, then releases
// the directory. Calls that begin after it return [ErrClosed]; a second Close does
// nothing.
//
// It waits without limit: a snapshot that is never closed, or a Close within a
// View or an Update, blocks it for ever.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil
	}
	db.closed = true
	for db.running > 0 {
		db.idle.Wait()
	}
	db.mu.Unlock()
	db.stopTending()
	db.zdec.Close()
	for _, leave := range db.leaves {
		leave()
	}
	if err := db.store.Close(); err != nil {
		return phase.At("close "+db.path, err)
	}
	return nil
}

// enter counts a user in, unless the database is closed.
func (db *DB) enter() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return phase.At("", ErrClosed)
	}
	db.running++
	return nil
}

func (db *DB) leave() {
	db.mu.Lock()
	db.running--
	if db.running == 0 {
		db.idle.Broadcast()
	}
	db.mu.Unlock()
}

// lockWriter waits until the caller is the single writer.
func (db *DB) lockWriter(ctx context.Context) error {
	select {
	case <-db.writer:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (db *DB) unlockWriter() { db.writer <- struct{}{} }
