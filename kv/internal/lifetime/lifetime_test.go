package lifetime_test

import (
	"sync/atomic"
	"testing"

	"github.com/ragdb/ragdb/kv/internal/lifetime"
)

func TestClose(t *testing.T) {
	t.Parallel()
	var l lifetime.Lifetime
	if !l.Enter() {
		t.Fatal("a new lifetime is closed")
	}
	closed := make(chan bool)
	go func() { closed <- l.Close() }()
	// Close waits for the call above: from some moment on no other may enter.
	for l.Enter() {
		l.Leave()
	}
	select {
	case <-closed:
		t.Fatal("closed during a call")
	default:
	}
	l.Leave()
	if !<-closed {
		t.Error("Close of an open lifetime returns false")
	}
	if l.Enter() || l.Close() {
		t.Error("closed lifetime is in use")
	}
	l.Reopen()
	if !l.Enter() {
		t.Error("reopened lifetime is closed")
	}
	l.Leave()
	if !l.Close() {
		t.Error("second close after reopen")
	}
}

// No call is ever inside after Close returned.
func TestCloseUnderLoad(t *testing.T) {
	t.Parallel()
	for range 200 {
		var l lifetime.Lifetime
		var over atomic.Bool
		done := make(chan bool)
		for range 4 {
			go func() {
				late := false
				for l.Enter() {
					late = late || over.Load()
					l.Leave()
				}
				done <- late
			}()
		}
		if !l.Close() {
			t.Fatal("not closed")
		}
		over.Store(true)
		for range 4 {
			if <-done {
				t.Fatal("a call runs after Close")
			}
		}
	}
}

func TestShut(t *testing.T) {
	t.Parallel()
	var l lifetime.Lifetime
	var h lifetime.Handles
	h.Snapshots.Add(2)
	h.Iterators.Add(1)
	ok, err := lifetime.Shut(&l, &h)
	if ok || err == nil || err.Error() != "2 snapshots and 1 iterators are still open" {
		t.Errorf("shut with handles: %v, %v", ok, err)
	}
	if !l.Enter() {
		t.Fatal("a refused shut has closed")
	}
	l.Leave()
	h.Snapshots.Add(-2)
	h.Iterators.Add(-1)
	if ok, err := lifetime.Shut(&l, &h); !ok || err != nil {
		t.Errorf("shut: %v, %v", ok, err)
	}
	if ok, err := lifetime.Shut(&l, &h); ok || err != nil {
		t.Errorf("second shut: %v, %v", ok, err)
	}
}
