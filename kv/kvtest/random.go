package kvtest

import (
	"math/rand/v2"
	"slices"

	"github.com/ragdb/ragdb/kv"
)

func (x *suite) maintain() {
	m, ok := x.st.(kv.Maintainer)
	if !ok {
		x.Skip("no Maintainer")
	}
	x.must(m.Check(x.Context()))
	x.must(m.Compact(x.Context(), nil, nil))
	model := NewModel(x.s)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		x.apply(func(b kv.Batch) { Mutate(rnd, 100, b, model) })
		x.must(m.Flush(x.Context()))
	}
	x.must(m.Compact(x.Context(), []byte("a"), []byte("b")))
	x.must(m.Compact(x.Context(), []byte("b"), []byte("b")))
	x.must(m.Compact(x.Context(), []byte("b"), nil))
	x.must(m.Check(x.Context()))
	x.must(model.Equal(x.Context(), x.st))
	sn, err := x.st.Snapshot(x.Context())
	x.must(err)
	if n := m.Metrics().OpenSnapshots; n != 1 {
		x.Errorf("open snapshots %d", n)
	}
	x.must(sn.Close())
	if err := m.Metrics().BackgroundError; err != nil {
		x.Errorf("background error: %v", err)
	}
}

// random runs a stream of every operation against the model.
func (x *suite) random() {
	for seed := range uint64(3) {
		x.randomStream(seed)
		x.apply(func(b kv.Batch) { b.DeleteRange(nil, []byte{0xFF}) })
	}
}

func (x *suite) randomStream(seed uint64) {
	x.Helper()
	x.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 7))
	m := NewModel(x.s)
	type frozen struct {
		sn kv.Snapshot
		m  *Model
	}
	var snaps []frozen
	for range 60 {
		switch op := rnd.IntN(10); {
		case op < 5:
			b := x.st.NewBatch()
			Mutate(rnd, 1+rnd.IntN(30), b, m)
			x.must(x.st.Apply(x.Context(), b, kv.Durability(rnd.IntN(2))))
		case op == 5:
			x.randomIngest(rnd, m)
		case op == 6:
			sn, err := x.st.Snapshot(x.Context())
			x.must(err)
			snaps = append(snaps, frozen{sn, m.Clone()})
		case op == 7 && len(snaps) > 0:
			i := rnd.IntN(len(snaps))
			CheckReader(x.T, rnd, snaps[i].sn, snaps[i].m)
			x.must(snaps[i].sn.Close())
			snaps = slices.Delete(snaps, i, i+1)
		case op == 8:
			if mt, ok := x.st.(kv.Maintainer); ok && rnd.IntN(2) == 0 {
				x.must(mt.Flush(x.Context()))
			} else if ok {
				x.must(mt.Compact(x.Context(), randomBound(rnd, m.Keys()), nil))
			}
		default:
			CheckReader(x.T, rnd, x.st, m)
		}
	}
	for _, f := range snaps {
		CheckReader(x.T, rnd, f.sn, f.m)
		x.must(f.sn.Close())
	}
	CheckReader(x.T, rnd, x.st, m)
}

func (x *suite) randomIngest(rnd *rand.Rand, m *Model) {
	in, ok := x.st.(kv.Ingester)
	if !ok {
		return
	}
	ops := map[string][]byte{}
	for range rnd.IntN(20) {
		ops[string(Key(rnd))] = Operand(rnd)
	}
	keys := make([]string, 0, len(ops))
	for k := range ops {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	x.must(in.Ingest(x.Context(), func(w kv.SortedWriter) error {
		var until []byte
		for i, k := range keys {
			if lo := []byte(k); rnd.IntN(8) == 0 && string(lo) >= string(until) {
				until = []byte(keys[min(len(keys)-1, i+rnd.IntN(4))])
				m.DeleteRange(lo, until)
				if err := w.DeleteRange(lo, until); err != nil {
					return err
				}
			}
			if rnd.IntN(6) == 0 {
				m.Delete([]byte(k))
				if err := w.Delete([]byte(k)); err != nil {
					return err
				}
				continue
			}
			if ops[k][len(ops[k])-1]%2 == 0 {
				v := Elements("xyz")
				m.Set([]byte(k), v)
				if err := w.Set([]byte(k), v); err != nil {
					return err
				}
				continue
			}
			m.Merge([]byte(k), ops[k])
			if err := w.Merge([]byte(k), ops[k]); err != nil {
				return err
			}
		}
		return nil
	}))
}
