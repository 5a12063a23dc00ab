package kvtest

import (
	"context"
	"sync"
	"time"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// Limited opens stores that can do less than Pebble: tables of servers in memory with
// values of 100 KB, transactions of 10 MB, no merges, snapshots that expire, and calls
// that are refused at random. The zero value has no server. It is safe for concurrent
// use.
type Limited struct {
	mu      sync.Mutex // guards servers
	servers map[string]*Server
}

// limits are the bounds of [Limited].
var limits = kv.Bounds{ValueBytes: 100 << 10, ChangeBytes: 10 << 20, RemoveKeys: 20_000, ViewAge: 5 * time.Minute}

// Open opens the store of a path for one reader or writer. A store stays when it is
// closed.
func (l *Limited) Open(ctx context.Context, path string, s *kv.Schema, o tablekv.Options) (kv.Store, error) {
	l.mu.Lock()
	server := l.servers[path]
	if server == nil {
		server = NewServer(1)
		server.SetFaults(Faults{Refuse: 0.002, Uncertain: 0.002})
		if l.servers == nil {
			l.servers = map[string]*Server{}
		}
		l.servers[path] = server
	}
	l.mu.Unlock()
	o.Name, o.Owner = path, "a process of this test"
	return tablekv.Open(ctx, server.Table(limits), s, &o)
}
