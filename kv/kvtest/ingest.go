package kvtest

import (
	"context"
	"errors"

	"github.com/ragdb/ragdb/kv"
)

func (x *suite) ingest() {
	in, ok := x.st.(kv.Ingester)
	if !ok {
		x.Skip("no Ingester")
	}
	for _, settled := range []bool{false, true} {
		x.apply(func(b kv.Batch) {
			b.DeleteRange([]byte("a"), []byte("z"))
			b.Set([]byte("m/1"), Elements("abc"))
			b.Set([]byte("m/2"), Elements("abc"))
			b.Set([]byte("m/3"), Elements("abc"))
		})
		if settled {
			x.settle()
		}
		before, err := x.st.Snapshot(x.Context())
		x.must(err)
		x.must(in.Ingest(x.Context(), func(w kv.SortedWriter) error {
			x.want(x.st, "m/1", "babc")
			return errors.Join(
				w.Set([]byte("a"), []byte("new")),
				w.Merge([]byte("m/1"), Delta("d", "a")),
				w.Set([]byte("m/2"), Elements("z")),
				w.Merge([]byte("n"), Delta("q", "")),
			)
		}))
		x.want(x.st, "a", "new")
		x.want(x.st, "m/1", "bbcd")
		x.want(x.st, "m/2", "bz")
		x.want(x.st, "m/3", "babc")
		x.want(x.st, "n", "bq")
		if s := x.scan(before, nil, nil); s != "m/1 m/2 m/3" {
			x.Errorf("snapshot before the ingest has %q", s)
		}
		x.must(before.Close())
		x.apply(func(b kv.Batch) { b.Merge([]byte("m/1"), Delta("", "b")) })
		x.want(x.st, "m/1", "bcd")
	}
	x.must(in.Ingest(x.Context(), func(kv.SortedWriter) error { return nil }))
	x.want(x.st, "a", "new")
}

func (x *suite) ingestDeletes() {
	in, ok := x.st.(kv.Ingester)
	if !ok {
		x.Skip("no Ingester")
	}
	for _, settled := range []bool{false, true} {
		x.apply(func(b kv.Batch) {
			b.DeleteRange([]byte("a"), []byte("z"))
			for _, k := range []string{"a", "b", "c", "d", "f", "g", "m/1", "m/2", "m/3", "p"} {
				b.Set([]byte(k), Elements("abc"))
			}
		})
		if settled {
			x.settle()
		}
		before, err := x.st.Snapshot(x.Context())
		x.must(err)
		x.must(in.Ingest(x.Context(), func(w kv.SortedWriter) error {
			return errors.Join(
				w.Delete([]byte("a")),
				w.DeleteRange([]byte("c"), []byte("g")),
				w.Set([]byte("c"), []byte("new")),
				w.Delete([]byte("e")),
				w.Set([]byte("f"), []byte("new")),
				w.DeleteRange([]byte("m/2"), []byte("n")),
				w.Merge([]byte("m/2"), Delta("d", "a")),
				w.DeleteRange([]byte("o"), []byte("o")),
			)
		}))
		if s := x.scan(x.st, nil, nil); s != "b c f g m/1 m/2 p" {
			x.Errorf("after deletes: %q", s)
		}
		x.want(x.st, "c", "new")
		x.want(x.st, "f", "new")
		x.want(x.st, "m/2", "bd")
		if s := x.scan(before, nil, nil); s != "a b c d f g m/1 m/2 m/3 p" {
			x.Errorf("snapshot before the ingest has %q", s)
		}
		x.must(before.Close())
		x.settle()
		if s := x.scan(x.st, nil, nil); s != "b c f g m/1 m/2 p" {
			x.Errorf("after deletes, settled: %q", s)
		}
	}
	for name, fill := range map[string]func(w kv.SortedWriter) error{
		"a range from a key that is written": func(w kv.SortedWriter) error {
			return errors.Join(w.Set([]byte("b"), nil), w.DeleteRange([]byte("b"), []byte("c")))
		},
		"a range within another": func(w kv.SortedWriter) error {
			return errors.Join(w.DeleteRange([]byte("a"), []byte("d")), w.DeleteRange([]byte("c"), []byte("e")))
		},
		"a key deleted twice": func(w kv.SortedWriter) error {
			return errors.Join(w.Delete([]byte("b")), w.Delete([]byte("b")))
		},
	} {
		if err := in.Ingest(x.Context(), fill); !errors.Is(err, kv.ErrOrder) {
			x.Errorf("%s: %v", name, err)
		}
	}
	if s := x.scan(x.st, nil, nil); s != "b c f g m/1 m/2 p" {
		x.Errorf("after refused deletes: %q", s)
	}
}

func (x *suite) ingestFails() {
	in, ok := x.st.(kv.Ingester)
	if !ok {
		x.Skip("no Ingester")
	}
	x.set("k")
	for _, second := range []string{"a", "b"} {
		err := in.Ingest(x.Context(), func(w kv.SortedWriter) error {
			return errors.Join(w.Set([]byte("b"), nil), w.Set([]byte(second), nil))
		})
		if !errors.Is(err, kv.ErrOrder) {
			x.Errorf("%s after b: %v", second, err)
		}
	}
	// A refused key fails the ingest even if fill drops the error.
	err := in.Ingest(x.Context(), func(w kv.SortedWriter) error {
		_ = w.Set([]byte("c"), nil)
		_ = w.Merge([]byte("b"), Delta("a", ""))
		return nil
	})
	if !errors.Is(err, kv.ErrOrder) {
		x.Errorf("dropped error: %v", err)
	}
	stop := errors.New("stop")
	err = in.Ingest(x.Context(), func(w kv.SortedWriter) error {
		return errors.Join(w.Set([]byte("d"), nil), stop)
	})
	if !errors.Is(err, stop) {
		x.Errorf("error of fill: %v", err)
	}
	ctx, cancel := context.WithCancel(x.Context())
	err = in.Ingest(ctx, func(w kv.SortedWriter) error {
		cancel()
		return w.Set([]byte("e"), nil)
	})
	if !errors.Is(err, context.Canceled) {
		x.Errorf("cancelled: %v", err)
	}
	err = in.Ingest(x.Context(), func(w kv.SortedWriter) error { return w.Set(nil, nil) })
	if err == nil {
		x.Error("an invalid key is ingested")
	}
	if s := x.scan(x.st, nil, nil); s != "k" {
		x.Errorf("after failed ingests: %q", s)
	}
}
