package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// documents measures what indexing costs as a corpus grows: all documents at once, a
// run without news, and one document more.
type documents struct {
	sizes, methods, dir string
	seed                uint64
	memory              int64

	r     *report
	table table
}

func documentsFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	d := &documents{}
	fs.StringVar(&d.sizes, "docs", "2000,7000,20000", "`numbers` of documents")
	fs.StringVar(&d.methods, "methods", "naive", "`method`s, each measured on databases of its own")
	fs.Uint64Var(&d.seed, "seed", 1, "of all that is drawn")
	fs.Int64Var(&d.memory, "memory", 512, "memory budget in `MiB`")
	fs.StringVar(&d.dir, "dir", "", "`folder` for the databases, removed after; the system's for temporary files if empty")
	return func(ctx context.Context, r *report) error {
		d.r = r
		return d.run(ctx)
	}
}

func (d *documents) run(ctx context.Context) (err error) {
	if d.dir, err = os.MkdirTemp(d.dir, "ragdb-bench-*"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(d.dir)) }()
	d.r.Input = fmt.Sprintf("drawn documents of some 230 words, local models, %d MiB, seed %d", d.memory, d.seed)
	if d.memory < 256 && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // as the command does
	}
	d.table = table{Title: "Work by the size of the corpus", Columns: []string{
		"method", "documents", "chunks", "index CPU-s", "chunks a CPU-s", "peak MB", "B a chunk",
		"no news CPU ms", "calls", "keys", "kB",
		"one more CPU ms", "calls", "keys", "kB", "written kB",
	}}
	for _, spec := range method.SplitSpecs(d.methods) {
		for _, n := range strings.Split(d.sizes, ",") {
			docs, err := strconv.Atoi(n)
			if err != nil || docs < 1 {
				return inputError{fmt.Errorf("-docs: %q is not a number of documents", n)}
			}
			if err := d.measure(ctx, spec, docs); err != nil {
				return err
			}
		}
	}
	d.r.Tables = append(d.r.Tables, d.table)
	return nil
}

// measure makes a database of so many documents and measures it.
func (d *documents) measure(ctx context.Context, spec string, docs int) error {
	path := filepath.Join(d.dir, fmt.Sprintf("%d-%d", len(d.table.Rows), docs))
	var store *callStore
	budget := d.memory << 20
	db, err := engine.Open(ctx, path, &engine.Options{MemoryBudget: budget,
		OpenStore: func(ctx context.Context, path string, s *kv.Schema) (kv.Store, error) {
			p, err := pebblekv.Open(ctx, path, s, &pebblekv.Options{CacheBytes: budget / 4, MemtableBytes: min(budget/16, 64<<20)})
			store = &callStore{Store: p}
			return store, err
		}})
	if err != nil {
		return err
	}
	row, err := d.measureIn(ctx, db, store, spec, docs)
	if err = errors.Join(err, db.Close(), os.RemoveAll(path)); err != nil {
		return err
	}
	fmt.Fprintln(d.r.log, strings.Join(row, "  "))
	d.table.Rows = append(d.table.Rows, row)
	return nil
}

func (d *documents) measureIn(ctx context.Context, db *engine.DB, store *callStore, spec string, docs int) ([]string, error) {
	corpus, err := rag.OpenCorpus(ctx, db, "bench", nil)
	if err != nil {
		return nil, err
	}
	parsed, err := method.ParseSpec(spec)
	if err != nil {
		return nil, inputError{err}
	}
	sys, err := methods.All().Open(ctx, corpus.Docs(), parsed)
	if err != nil {
		return nil, err
	}
	x := rag.Indexer{Corpus: corpus, Methods: methods.All(), Systems: []*method.System{sys}}
	// index indexes so many documents from the first on, and returns what that costs.
	index := func(first, n int) (*rag.IndexResult, float64, callCounts, error) {
		runtime.GC()
		var in []rag.Input
		if n > 0 {
			in = []rag.Input{{FS: drawnDocuments{first: first, docs: n, seed: d.seed}}}
		}
		store.reset()
		clock := start()
		out, err := x.Run(ctx, in)
		_, cpu := clock.stop()
		return out, cpu.Seconds(), store.counts(), err
	}
	out, all, _, err := index(0, docs)
	if err != nil {
		return nil, err
	}
	peak := peakMegabytes()
	if err := store.Compact(ctx, nil, nil); err != nil {
		return nil, err
	}
	size, err := store.DiskBytes(ctx, nil, []byte{0xff})
	if err != nil {
		return nil, err
	}
	if _, _, _, err := index(0, 0); err != nil { // opens what a process opens once
		return nil, err
	}
	_, none, noneCalls, err := index(0, 0)
	if err != nil {
		return nil, err
	}
	const times = 3
	var one float64
	var oneCalls callCounts
	for i := range times {
		more, cpu, calls, err := index(docs+i, 1)
		if err != nil {
			return nil, err
		}
		if more.Added != 1 {
			return nil, fmt.Errorf("%d documents were added, want 1", more.Added)
		}
		if one == 0 || cpu < one {
			one, oneCalls = cpu, calls
		}
	}
	count := func(n int64) string { return strconv.FormatInt(n, 10) }
	return []string{
		spec, strconv.Itoa(docs), strconv.Itoa(out.Chunks), number(all), number(float64(out.Chunks) / all), number(peak), number(float64(size) / float64(out.Chunks)),
		number(none * 1e3), count(noneCalls.calls), count(noneCalls.keys), count(noneCalls.bytes >> 10),
		number(one * 1e3), count(oneCalls.calls), count(oneCalls.keys), count(oneCalls.bytes >> 10), count(oneCalls.written >> 10),
	}, nil
}

// callCounts are calls that read from a store, the keys and bytes that they read, and
// the bytes that were written.
type callCounts struct{ calls, keys, bytes, written int64 }

// callStore counts what is read from a store. A scan is a call, and each of its keys
// a key.
type callStore struct {
	*pebblekv.Store
	calls, keys, bytes, written atomic.Int64
}

func (s *callStore) reset() {
	s.calls.Store(0)
	s.keys.Store(0)
	s.bytes.Store(0)
	s.written.Store(0)
}

func (s *callStore) counts() callCounts {
	return callCounts{s.calls.Load(), s.keys.Load(), s.bytes.Load(), s.written.Load()}
}

// Snapshot implements [kv.Store].
func (s *callStore) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	snap, err := s.Store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return callSnapshot{snap, s}, nil
}

// Apply implements [kv.Store].
func (s *callStore) Apply(ctx context.Context, b kv.Batch, d kv.Durability) error {
	s.written.Add(int64(b.Bytes()))
	return s.Store.Apply(ctx, b, d)
}

type callSnapshot struct {
	kv.Snapshot
	s *callStore
}

func (r callSnapshot) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	v, err := r.Snapshot.Get(ctx, key, dst)
	r.s.calls.Add(1)
	r.s.keys.Add(1)
	r.s.bytes.Add(int64(len(v)))
	return v, err
}

func (r callSnapshot) MultiGet(ctx context.Context, keys [][]byte, fn func(int, []byte) error) error {
	r.s.calls.Add(1)
	r.s.keys.Add(int64(len(keys)))
	return r.Snapshot.MultiGet(ctx, keys, func(i int, v []byte) error {
		r.s.bytes.Add(int64(len(v)))
		return fn(i, v)
	})
}

func (r callSnapshot) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	it, err := r.Snapshot.Iter(ctx, lo, hi)
	r.s.calls.Add(1)
	return callIterator{it, r.s}, err
}

type callIterator struct {
	kv.Iterator
	s *callStore
}

func (it callIterator) at(ok bool) bool {
	if ok {
		it.s.keys.Add(1)
		it.s.bytes.Add(int64(len(it.Key()) + len(it.Value())))
	}
	return ok
}

func (it callIterator) First() bool              { return it.at(it.Iterator.First()) }
func (it callIterator) Last() bool               { return it.at(it.Iterator.Last()) }
func (it callIterator) Next() bool               { return it.at(it.Iterator.Next()) }
func (it callIterator) Prev() bool               { return it.at(it.Iterator.Prev()) }
func (it callIterator) SeekGE(k []byte) bool     { return it.at(it.Iterator.SeekGE(k)) }
func (it callIterator) SeekPrefix(k []byte) bool { return it.at(it.Iterator.SeekPrefix(k)) }
