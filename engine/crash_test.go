package engine_test

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ragdb/ragdb/kv/pebblekv"
)

// crasher drives one database on a file system that can be copied at any
// moment as a crash would leave it. A database that opens on such a copy holds
// a prefix of the commits with every durable one; its epoch says which. It
// passes a full check and goes on like any other. What a crash takes depends on
// work in the background too: a failure may need several replays to show.
type crasher struct {
	*round
	fs    *vfs.MemFS
	depth int // of crashes after crashes that are still to come
	count *tally

	// mu guards the fields below it: files are written from the background.
	mu     sync.Mutex
	left   int // writing calls of the file system until the crash; 0 for none
	clone  *vfs.MemFS
	synced uint64 // the least epoch that clone must hold
	loss   *rand.Rand
}

// newCrasher adds the database that crashes to a round.
func newCrasher(r *round, fs *vfs.MemFS, depth int, count *tally) *crasher {
	c := &crasher{round: r, fs: fs, depth: depth, count: count, loss: rand.New(rand.NewPCG(r.seed, 3))}
	r.add("pebble", func(o *pebblekv.Options) opener {
		o.FS = errorfs.Wrap(fs, errorfs.InjectorFunc(c.called))
		return pebbleOpener(o)
	})
	return c
}

// called counts a call of the file system, and copies it before the call that
// the crash comes at.
func (c *crasher) called(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left > 0 {
		if c.left--; c.left == 0 {
			c.clone = c.fs.CrashClone(vfs.CrashCloneCfg{
				UnsyncedDataPercent: max(0, c.loss.IntN(140)-40),
				RNG:                 c.loss,
			})
		}
	}
	return nil
}

// op does one random operation. A crash is planned at some call of the file
// system, in the midst of whatever the database then does.
func (c *crasher) op() {
	c.mu.Lock()
	if c.left == 0 && c.rnd.IntN(2) == 0 {
		c.left = 1 + c.rnd.IntN(25)
	}
	if c.left > 0 {
		c.synced = c.round.synced
	}
	c.mu.Unlock()
	c.plainOp()
	c.mu.Lock()
	clone := c.clone
	c.clone = nil
	c.mu.Unlock()
	if clone != nil {
		c.revive(clone)
	}
}

// revive opens a copy, compares it with the state that it must be in, and
// lets it live for a while. The round itself goes on without a crash, so that
// its stream of operations does not depend on what the crash took.
func (c *crasher) revive(clone *vfs.MemFS) {
	r := &round{
		t: c.t, seed: c.seed, op: c.round.op, still: true, where: c.where + fmt.Sprintf(" after the crash in operation %d", c.round.op),
		rnd: rand.New(rand.NewPCG(c.seed, uint64(c.round.op)<<8)), options: rand.New(rand.NewPCG(c.seed, uint64(c.round.op)<<8+1)),
		trail: append([]string(nil), c.trail...), history: map[uint64]*modelState{},
	}
	next := newCrasher(r, clone, c.depth-1, c.count)
	epoch := r.subjects[0].db.Epoch()
	st := c.history[epoch]
	if epoch < c.synced || st == nil {
		r.fail("epoch %d survives; %d was durable and %d the last", epoch, c.synced, c.state.epoch)
	}
	c.count.crashes.Add(1)
	c.count.lost.Add(int64(c.state.epoch - epoch))
	r.committed(st, 0)
	r.attach(r.subjects[0])
	r.verify()
	op := r.plainOp
	if next.depth > 0 {
		op = next.op
	}
	for range r.rnd.IntN(6) {
		r.prune()
		op()
	}
	r.end()
}
