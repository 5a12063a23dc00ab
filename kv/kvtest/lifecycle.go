package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/kv"
)

func (x *suite) cancelled() {
	x.set("a", "b")
	ctx, cancel := context.WithCancel(x.Context())
	it, err := x.st.Iter(ctx, nil, nil)
	x.must(err)
	if !it.First() {
		x.Error("no first key")
	}
	cancel()
	if it.Next() || it.Valid() || !errors.Is(it.Err(), context.Canceled) {
		x.Errorf("next: %v", it.Err())
	}
	if it.First() || it.SeekGE([]byte("a")) || it.SeekPrefix([]byte("a")) || it.Last() {
		x.Error("a cancelled iterator moves")
	}
	x.must(it.Close())
	b := x.st.NewBatch()
	b.Set([]byte("c"), nil)
	_, getErr := x.st.Get(ctx, []byte("a"), nil)
	_, iterErr := x.st.Iter(ctx, nil, nil)
	_, snapErr := x.st.Snapshot(ctx)
	for op, err := range map[string]error{
		"get":      getErr,
		"iter":     iterErr,
		"snapshot": snapErr,
		"multiget": x.st.MultiGet(ctx, [][]byte{[]byte("a")}, func(int, []byte) error { return nil }),
		"apply":    x.st.Apply(ctx, b, kv.Sync),
	} {
		if !errors.Is(err, context.Canceled) {
			x.Errorf("%s: %v", op, err)
		}
	}
	x.want(x.st, "c", "-")
}

func (x *suite) closed() {
	x.set("a")
	b := x.st.NewBatch()
	b.Set([]byte("b"), nil)
	x.must(x.st.Close())
	x.st.NewBatch().Set([]byte("c"), nil)
	_, getErr := x.st.Get(x.Context(), []byte("a"), nil)
	_, iterErr := x.st.Iter(x.Context(), nil, nil)
	_, snapErr := x.st.Snapshot(x.Context())
	errs := map[string]error{
		"get":      getErr,
		"iter":     iterErr,
		"snapshot": snapErr,
		"multiget": x.st.MultiGet(x.Context(), nil, nil),
		"apply":    x.st.Apply(x.Context(), b, kv.Sync),
		"close":    x.st.Close(),
	}
	if m, ok := x.st.(kv.Maintainer); ok {
		errs["flush"] = m.Flush(x.Context())
		errs["compact"] = m.Compact(x.Context(), nil, nil)
		errs["check"] = m.Check(x.Context())
		m.Metrics()
	}
	if in, ok := x.st.(kv.Ingester); ok {
		errs["ingest"] = in.Ingest(x.Context(), func(kv.SortedWriter) error { return nil })
	}
	if c, ok := x.st.(kv.Checkpointer); ok {
		errs["checkpoint"] = c.Checkpoint(x.Context(), x.TempDir()+"/copy")
	}
	for op, err := range errs {
		if !errors.Is(err, kv.ErrClosed) {
			x.Errorf("%s after close: %v", op, err)
		}
	}
}

func (x *suite) closeRefused() {
	x.set("a")
	sn, err := x.st.Snapshot(x.Context())
	x.must(err)
	it := x.iter(sn, nil, nil)
	err = x.st.Close()
	if err == nil || !strings.Contains(err.Error(), "1 snapshots and 1 iterators") {
		x.Errorf("close with open handles: %v", err)
	}
	x.want(x.st, "a", "a")
	x.set("b")
	if !it.First() {
		x.Errorf("iterator after a refused close: %v", it.Err())
	}
	x.must(it.Close())
	x.must(sn.Close())
	x.must(x.st.Close())
}

// concurrent writes pairs of keys while readers look for a torn pair.
func (x *suite) concurrent() {
	const rounds, readers = 100, 3
	done := make(chan error, readers+1)
	go func() {
		for i := range rounds {
			b := x.st.NewBatch()
			v := fmt.Appendf(nil, "%d", i)
			b.Set([]byte("a/1"), v)
			b.Merge([]byte("m"), Delta(string(rune('a'+i%26)), ""))
			b.Set([]byte("z/1"), v)
			if err := x.st.Apply(x.Context(), b, kv.NoSync); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	pair := func() error {
		sn, err := x.st.Snapshot(x.Context())
		if err != nil {
			return err
		}
		defer sn.Close()
		a, errA := sn.Get(x.Context(), []byte("a/1"), nil)
		z, errZ := sn.Get(x.Context(), []byte("z/1"), nil)
		if !bytes.Equal(a, z) || (errA == nil) != (errZ == nil) {
			return fmt.Errorf("torn batch: %q, %v and %q, %v", a, errA, z, errZ)
		}
		var got [2]string
		return errors.Join(
			x.st.MultiGet(x.Context(), [][]byte{[]byte("z/1"), []byte("a/1")}, func(i int, v []byte) error {
				got[i] = string(v)
				return nil
			}),
			func() error {
				if got[0] != got[1] {
					return fmt.Errorf("multiget reads two states: %q", got)
				}
				return nil
			}())
	}
	for range readers {
		go func() {
			for range rounds {
				if err := pair(); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range readers + 1 {
		if err := <-done; err != nil {
			x.Error(err)
		}
	}
}
