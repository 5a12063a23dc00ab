package rag_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// simFault is something that happens to a disk, or to the caller, in the midst
// of a call.
type simFault int

const (
	noFault    simFault = iota
	powerLoss           // what was not synced may be lost, and nothing works
	badOp               // one operation fails
	badRead             // one read fails
	badWrites           // all writes fail from one on
	fullDisk            // nothing that takes room works from some moment on
	cancelCall          // the disk works, the caller gives up
	simFaults
)

func (f simFault) String() string {
	return []string{"no fault", "power loss", "bad operation", "bad read", "bad writes", "full disk", "cancel"}[f]
}

var errPower = errors.New("the power is off")

// simDisk is a disk in memory to which a fault may come at one of its
// operations.
type simDisk struct {
	mem *vfs.MemFS
	fs  vfs.FS // mem with its faults

	// mu guards the fields below it: files are written from the background.
	mu     sync.Mutex
	fault  simFault
	left   int // operations of the fault's kind until it comes
	fired  bool
	what   string // the operation that it came at
	loss   *rand.Rand
	clone  *vfs.MemFS // what a power loss has left
	cancel func()
}

func newSimDisk(mem *vfs.MemFS, loss *rand.Rand) *simDisk {
	d := &simDisk{mem: mem, loss: loss}
	d.fs = errorfs.Wrap(mem, errorfs.InjectorFunc(d.called))
	return d
}

// arm has a fault come at the n-th operation that it can come at.
func (d *simDisk) arm(f simFault, n int, cancel func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault, d.left, d.fired, d.cancel = f, n, false, cancel
}

// came reports whether the fault came, and at which operation. Another will not
// come; what has failed stays so until heal.
func (d *simDisk) came() (bool, string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.fired {
		d.fault = noFault
	}
	return d.fired, d.what
}

func (d *simDisk) heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault, d.fired = noFault, false
}

// crashed returns the disk that a power loss leaves: the one that came, or one
// that comes now.
func (d *simDisk) crashed() *simDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.clone == nil {
		d.cut()
	}
	return newSimDisk(d.clone, d.loss)
}

func (d *simDisk) cut() {
	d.clone = d.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: max(0, d.loss.IntN(140)-40), RNG: d.loss})
}

// called counts an operation and returns its error.
func (d *simDisk) called(op errorfs.Op) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault == noFault || op.Kind == errorfs.OpFileClose {
		return nil
	}
	write := op.Kind.ReadOrWrite() == errorfs.OpIsWrite
	switch d.fault {
	case badRead:
		if write {
			return nil
		}
	case badWrites, powerLoss, cancelCall:
		if !write && !(d.fired && d.fault == powerLoss) {
			return nil
		}
	case fullDisk:
		if !takesRoom(op.Kind) {
			return nil
		}
	}
	if d.left--; d.left > 0 {
		return nil
	}
	first := !d.fired
	if first {
		d.fired, d.what = true, fmt.Sprintf("%d %s", op.Kind, op.Path)
	}
	switch d.fault {
	case powerLoss:
		if first {
			d.cut()
		}
		return errPower
	case badWrites:
		return syscall.EIO
	case fullDisk:
		return syscall.ENOSPC
	case cancelCall:
		if first {
			d.cancel()
		}
		return nil
	}
	if first {
		return syscall.EIO
	}
	return nil
}

// takesRoom reports whether an operation needs room on the disk.
func takesRoom(k errorfs.OpKind) bool {
	switch k {
	case errorfs.OpCreate, errorfs.OpLink, errorfs.OpMkdirAll, errorfs.OpFilePreallocate, errorfs.OpFileWrite, errorfs.OpFileWriteAt:
		return true
	}
	return false
}
