package kvtest

import "github.com/ragdb/ragdb/kv"

func (x *suite) batch() {
	b := x.st.NewBatch()
	k, v := []byte("k"), []byte("v1")
	b.Set(k, v)
	k[0], v[1] = 'x', 'x'
	b.Set([]byte("gone"), v)
	b.Delete([]byte("gone"))
	b.Delete([]byte("never"))
	b.Delete([]byte("back"))
	b.Set([]byte("back"), []byte("1"))
	b.Set([]byte("back"), []byte("2"))
	if n := b.Bytes(); n < len("kv1gonevxback") {
		x.Errorf("size %d", n)
	}
	if s := x.scan(x.st, nil, nil); s != "" {
		x.Errorf("visible before apply: %q", s)
	}
	x.must(x.st.Apply(x.Context(), b, kv.Sync))
	x.want(x.st, "k", "v1")
	x.want(x.st, "back", "2")
	if s := x.scan(x.st, nil, nil); s != "back k" {
		x.Errorf("after apply: %q", s)
	}
	if x.st.Apply(x.Context(), b, kv.Sync) == nil {
		x.Error("a batch is applied twice")
	}
}

func (x *suite) emptyBatch() {
	x.set("a")
	for _, d := range []kv.Durability{kv.Sync, kv.NoSync} {
		x.must(x.st.Apply(x.Context(), x.st.NewBatch(), d))
	}
	if s := x.scan(x.st, nil, nil); s != "a" {
		x.Errorf("after empty batches: %q", s)
	}
}

func (x *suite) foreignBatch() {
	if x.st.Apply(x.Context(), NewModel(x.s), kv.Sync) == nil {
		x.Error("a batch of another kind is applied")
	}
}

func (x *suite) invalidKey() {
	for name, op := range map[string]func(b kv.Batch){
		"set":    func(b kv.Batch) { b.Set(nil, []byte("v")) },
		"delete": func(b kv.Batch) { b.Delete(nil) },
		"merge":  func(b kv.Batch) { b.Merge(nil, Delta("a", "")) },
	} {
		b := x.st.NewBatch()
		b.Set([]byte("a"), nil)
		op(b)
		b.Set([]byte("b"), nil)
		if x.st.Apply(x.Context(), b, kv.Sync) == nil {
			x.Errorf("%s of an invalid key is applied", name)
		}
	}
	if s := x.scan(x.st, nil, nil); s != "" {
		x.Errorf("applied in part: %q", s)
	}
}

func (x *suite) deleteRange() {
	x.set("a", "b", "c", "d")
	x.apply(func(b kv.Batch) {
		b.Set([]byte("bb"), nil)
		b.DeleteRange([]byte("b"), []byte("d"))
		b.Set([]byte("c"), []byte("new"))
	})
	x.want(x.st, "c", "new")
	x.want(x.st, "b", "-")
	if s := x.scan(x.st, nil, nil); s != "a c d" {
		x.Errorf("after delete range: %q", s)
	}
	x.apply(func(b kv.Batch) {
		b.DeleteRange([]byte("d"), []byte("a"))
		b.DeleteRange([]byte("a"), []byte("a"))
		b.DeleteRange([]byte("a"), nil)
		b.DeleteRange(nil, nil)
	})
	if s := x.scan(x.st, nil, nil); s != "a c d" {
		x.Errorf("after empty ranges: %q", s)
	}
	x.apply(func(b kv.Batch) { b.DeleteRange(nil, []byte("d")) })
	if s := x.scan(x.st, nil, nil); s != "d" {
		x.Errorf("after open start: %q", s)
	}
	x.set("a")
	x.want(x.st, "a", "a")
	x.deletedRangeStaysDeleted()
}

// A range delete in a file of its own hides the keys of older files from
// every kind of read.
func (x *suite) deletedRangeStaysDeleted() {
	flush := func() {
		if m, ok := x.st.(kv.Maintainer); ok {
			x.must(m.Flush(x.Context()))
		}
	}
	x.set("p/1", "p/2", "p/3")
	flush()
	sn, err := x.st.Snapshot(x.Context())
	x.must(err)
	x.apply(func(b kv.Batch) { b.DeleteRange([]byte("p/1"), []byte("p/3")) })
	flush()
	it := x.iter(x.st, nil, nil)
	for _, k := range []string{"p/", "p/1", "p/2", "p/3"} {
		if !it.SeekPrefix([]byte(k)) || string(it.Key()) != "p/3" {
			x.Errorf("seek prefix %s finds %q", k, it.Key())
		}
	}
	x.must(it.Close())
	x.want(x.st, "p/1", "-")
	x.want(x.st, "p/3", "p/3")
	x.want(sn, "p/1", "p/1")
	x.must(sn.Close())
}

func (x *suite) merge() {
	x.apply(func(b kv.Batch) {
		b.Merge([]byte("lone"), Delta("ab", "x"))
		b.Set([]byte("base"), Elements("abc"))
		b.Merge([]byte("base"), Delta("d", "a"))
		b.Merge([]byte("two"), Delta("ab", ""))
		b.Merge([]byte("two"), Delta("c", "b"))
		b.Merge([]byte("reset"), Delta("abc", ""))
		b.Set([]byte("reset"), Elements("z"))
		b.Set([]byte("deleted"), Elements("abc"))
		b.Delete([]byte("deleted"))
		b.Merge([]byte("deleted"), Delta("q", "a"))
		b.Set([]byte("r/1"), Elements("abc"))
		b.Merge([]byte("r/2"), Delta("abc", ""))
		b.DeleteRange([]byte("r/"), []byte("r0"))
		b.Merge([]byte("r/1"), Delta("z", ""))
		b.Merge([]byte("r/2"), Delta("", "a"))
	})
	check := func(stage string) {
		x.Helper()
		for k, v := range map[string]string{
			"lone": "bab", "base": "bbcd", "two": "bac", "reset": "bz",
			"deleted": "bq", "r/1": "bz", "r/2": "b",
		} {
			x.want(x.st, k, v)
		}
		it := x.iter(x.st, nil, nil)
		defer it.Close()
		if !it.SeekGE([]byte("lone")) || string(it.Value()) != "bab" {
			x.Errorf("%s: iterator reads %q", stage, it.Value())
		}
		if !it.SeekPrefix([]byte("r/1")) || string(it.Value()) != "bz" {
			x.Errorf("%s: prefix seek reads %q", stage, it.Value())
		}
	}
	check("in memory")
	x.settle()
	check("settled")
	x.apply(func(b kv.Batch) { b.Merge([]byte("base"), Delta("e", "b")) })
	x.want(x.st, "base", "bcde")
	x.apply(func(b kv.Batch) { b.DeleteRange([]byte("b"), []byte("c")) })
	x.apply(func(b kv.Batch) { b.Merge([]byte("base"), Delta("f", "d")) })
	x.want(x.st, "base", "bf")
	x.settle()
	x.want(x.st, "base", "bf")
}
