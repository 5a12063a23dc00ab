package pebblekv

import (
	"log/slog"
	"runtime"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
)

// Options are the options of Open. The zero value, and nil, are right for a
// database that serves and is written to.
type Options struct {
	// ReadOnly refuses writes. The directory must hold a store; it is locked
	// like any other and only its LOCK file is touched. If that may not be
	// written, the store takes a lock that readers share, if the file is there
	// and the system has such locks, and else none.
	ReadOnly bool
	// MustExist refuses to create a store.
	MustExist bool
	// CacheBytes is the size of the block cache beside full memtables; 0 is 256
	// MiB. The cache also uses the memory that they leave free.
	CacheBytes int64
	// MemtableBytes is the size at which batches in memory are flushed to a
	// table; 0 is 64 MiB. Up to four times as much may wait to be flushed
	// before writes stall. It is kept between 64 KiB and 1 GiB.
	MemtableBytes int64
	// NoCompression writes tables as they are: for tests that look into files,
	// and file systems that compress themselves. Tables of both kinds can be
	// read with either.
	NoCompression bool
	// Logger receives Pebble's messages, the routine ones at debug level. nil
	// discards them.
	Logger *slog.Logger
	// FS is the file system; nil is the operating system's, with new directories
	// of mode 0700 and files of 0600. Tests put faults here.
	FS vfs.FS
}

const (
	defaultCacheBytes    = 256 << 20
	defaultMemtableBytes = 64 << 20
	minMemtableBytes     = 64 << 10
	maxMemtableBytes     = 1 << 30

	// stopWrites is the number of full memtables at which writes stall.
	stopWrites = 4
	// maxBatchBytes bounds one batch; Pebble panics at 4 GiB.
	maxBatchBytes = 1 << 30
	// maxTableBytes is where ingest begins a new table.
	maxTableBytes = 64 << 20

	// formatVersion is the format of everything on disk. Raising it is
	// irreversible for a directory.
	formatVersion = pebble.FormatTableFormatV6
)

func (o *Options) fs() vfs.FS {
	if o.FS == nil {
		return ownerOnly{vfs.Default}
	}
	return o.FS
}

// pebbleOptions returns the options of a store whose files go through g.
func (o *Options) pebbleOptions(s *kv.Schema, g *guard) *pebble.Options {
	cache, memtable := o.CacheBytes, o.MemtableBytes
	if cache <= 0 {
		cache = defaultCacheBytes
	}
	if memtable <= 0 {
		memtable = defaultMemtableBytes
	}
	p := &pebble.Options{
		FS:                 g,
		Comparer:           comparer(s),
		Merger:             merger(s),
		FormatMajorVersion: formatVersion,
		ReadOnly:           o.ReadOnly,
		ErrorIfNotExists:   o.MustExist,

		// Pebble takes what waits to be flushed off the cache.
		Cache:                       pebble.NewCache(cache + stopWrites*memtable),
		MemTableSize:                uint64(min(max(memtable, minMemtableBytes), maxMemtableBytes)),
		MemTableStopWritesThreshold: stopWrites,
		L0CompactionThreshold:       2,
		L0StopWritesThreshold:       20,
		LBaseMaxBytes:               64 << 20,
		WALBytesPerSync:             512 << 10,
		CompactionConcurrencyRange:  func() (int, int) { return 1, runtime.GOMAXPROCS(0) },

		Logger:  g.log,
		Cleaner: remover{},
	}
	for i := range p.TargetFileSizes {
		p.TargetFileSizes[i] = min(int64(16<<20)<<i, maxTableBytes)
	}
	for i := range p.Levels {
		p.Levels[i].BlockSize = 32 << 10
		p.Levels[i].IndexBlockSize = 64 << 10
		p.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	p.ApplyCompressionSettings(func() pebble.DBCompressionSettings {
		if o.NoCompression {
			return pebble.DBCompressionNone
		}
		return pebble.DBCompressionBalanced
	})
	// A suffix is not a version here: all values stay with their keys.
	p.Experimental.SpanPolicyFunc = func(key []byte) (pebble.SpanPolicy, []byte, error) {
		policy := pebble.SpanPolicy{
			DisableValueSeparationBySuffix: true,
			ValueStoragePolicy:             pebble.ValueStorageLowReadLatency,
		}
		var end []byte
		if s.Dense != nil {
			policy.PreferFastCompression, end = s.Dense(key)
		}
		return policy, end, nil
	}
	return p
}

// remover removes files that are not needed any more, logs too. Pebble's own
// cleaner keeps some of those to write over them, with what was removed in them;
// it does not if a cleaner has the methods of one that keeps files. The
// methods of DeleteCleaner hide those of ArchiveCleaner but that one.
type remover struct {
	pebble.DeleteCleaner
	keepsLogs
}

type keepsLogs struct{ pebble.ArchiveCleaner }
