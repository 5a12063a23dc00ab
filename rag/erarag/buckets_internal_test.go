package erarag

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/erarag/internal/runs"
)

// policy is what buckets do, written down plainly: all nodes are looked at in each step.
type policy struct {
	p        *Params
	next     uint64
	segments map[uint64][]uint64 // number -> nodes
	codes    map[uint64]uint64   // node -> code, of all
}

func (m *policy) in(id uint64) (number uint64) {
	for number, ids := range m.segments {
		if slices.Contains(ids, id) {
			return number
		}
	}
	return 0
}

func (m *policy) step(put map[uint64]uint64, remove []uint64, back map[uint64]uint64) {
	for _, id := range remove {
		number := m.in(id)
		delete(m.codes, id)
		if number > 0 {
			m.segments[number] = slices.DeleteFunc(m.segments[number], func(x uint64) bool { return x == id })
		}
	}
	for id, code := range put {
		m.codes[id] = code
		if ids, ok := m.segments[back[id]]; ok {
			m.segments[back[id]] = append(ids, id)
		}
	}
	maps.DeleteFunc(m.segments, func(_ uint64, ids []uint64) bool { return 2*len(ids) < m.p.Min || len(ids) == 0 })
	waiting := map[string][]uint64{}
	for id := range m.codes {
		if m.in(id) == 0 {
			waiting[m.prefix(m.codes[id])] = append(waiting[m.prefix(m.codes[id])], id)
		}
	}
	for _, prefix := range slices.Sorted(maps.Keys(waiting)) {
		ids := waiting[prefix]
		slices.SortFunc(ids, func(a, b uint64) int {
			if m.codes[a] != m.codes[b] {
				if m.codes[a] < m.codes[b] {
					return -1
				}
				return 1
			}
			return int(a) - int(b)
		})
		for len(ids) >= m.p.Min {
			n := m.p.Min
			for n < m.p.Max && n < len(ids) && m.codes[ids[n]] == m.codes[ids[n-1]] {
				n++
			}
			parts := 1
			if len(ids)-n < m.p.Min {
				if n = len(ids); n >= m.p.Split {
					parts = min((n+m.p.Max-1)/m.p.Max, n/m.p.Min)
				}
			}
			for i := range parts {
				m.segments[m.next] = slices.Clone(ids[n*i/parts : n*(i+1)/parts])
				m.next++
			}
			ids = ids[n:]
		}
	}
}

// prefix is the beginning of a code: as many bits as there are doublings from a bucket
// to all nodes.
func (m *policy) prefix(code uint64) string {
	bits := 0
	for n := 2 * max(m.p.Bucket, m.p.Min); n <= len(m.codes) && bits < m.p.Planes; n *= 2 {
		bits++
	}
	return fmt.Sprintf("%064b", code)[:bits]
}

// TestBuckets says that segments by buckets, of which only those that a change touches
// are read, are those of the policy.
func TestBuckets(t *testing.T) {
	t.Parallel()
	seeds, steps := 12, 40
	if *long {
		seeds, steps = 200, 100
	}
	c := corpus(t)
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 35))
		s := opened(t, c, []string{
			"erarag:bucket=16", "erarag:min=3,max=5,split=7,bucket=8,planes=6", "erarag", "erarag:min=1,max=1,split=2,bucket=1,planes=3",
		}[seed%4])
		name := fmt.Sprintf("test %d", seed)
		m := &policy{p: &s.p, next: 1, segments: map[uint64][]uint64{}, codes: map[uint64]uint64{}}
		next := uint64(1)
		waited, closed := 0, 0
		for step := range steps {
			put, back := map[uint64]uint64{}, map[uint64]uint64{}
			var remove []uint64
			live := slices.Sorted(maps.Keys(m.codes))
			r.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
			if n := len(live); n > 0 && r.IntN(2) == 0 {
				remove = live[:r.IntN(1+n/(1+r.IntN(12)))]
			}
			for range r.IntN(40) / (1 + r.IntN(8)) {
				put[next] = r.Uint64N(1<<s.p.Planes) << (64 - s.p.Planes) >> r.IntN(2)
				next++
			}
			for _, id := range remove {
				if number := m.in(id); number > 0 && r.IntN(2) == 0 {
					put[next], back[next] = r.Uint64N(1<<s.p.Planes)<<(64-s.p.Planes), number
					next++
				}
			}
			var puts, removes []runs.Item
			for _, id := range remove {
				removes = append(removes, runs.Item{ID: id, Code: m.codes[id]})
			}
			for id, code := range put {
				puts = append(puts, runs.Item{ID: id, Code: code})
			}
			before := map[uint64][]uint64{}
			for number, ids := range m.segments {
				before[number] = slices.Clone(ids)
			}
			m.step(put, remove, back)
			if len(remove) == 0 {
				for number, ids := range before {
					if !slices.Equal(m.segments[number], ids) {
						t.Fatalf("seed %d, step %d: what came changed segment %d", seed, step, number)
					}
					closed++
				}
			}
			var got map[uint64][]uint64
			err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
				x, err := s.change(tx, name)
				if err != nil {
					return err
				}
				if err := x.setLayer(0, layerState{uint64(len(m.codes)), 1}); err != nil {
					return err
				}
				return x.gather(1, puts, removes, back)
			})
			if err != nil {
				t.Fatal(err)
			}
			view(t, c, s, func(v *engine.View) error {
				got, err = segmentsOf(s.tree(v, name))
				return err
			})
			for number, ids := range got {
				slices.Sort(ids)
				if want := slices.Sorted(slices.Values(m.segments[number])); !slices.Equal(ids, want) {
					t.Fatalf("seed %d, step %d: segment %d is %v, want %v", seed, step, number, ids, want)
				}
			}
			if len(got) != len(m.segments) {
				t.Fatalf("seed %d, step %d: %d segments, want %d", seed, step, len(got), len(m.segments))
			}
			for id := range m.codes {
				if m.in(id) == 0 {
					waited++
				}
			}
		}
		if closed == 0 || waited == 0 && s.p.Min > 1 {
			t.Errorf("seed %d: %d segments stayed, %d nodes waited", seed, closed, waited)
		}
	}
}

// A layer wants more nodes below than Stop and, in buckets, as many as a segment has.
func TestLayerWanted(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	for spec, want := range map[string]uint64{"erarag:stop=1": 8, "erarag:stop=1,bucket=0": 2, "erarag": 12, "erarag:stop=9": 10} {
		s := opened(t, c, spec)
		st := &segmentStage{s: s, layer: 1}
		for n := want - 1; n <= want; n++ {
			err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
				x, err := s.change(tx, "wanted "+spec)
				if err != nil {
					return err
				}
				if err := x.setLayer(0, layerState{n, 1}); err != nil {
					return err
				}
				have, wanted, err := st.state(&x.tree)
				if have || wanted != (n == want) {
					t.Errorf("%s: a layer over %d nodes: wanted is %v", spec, n, wanted)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// segmentsOf returns the nodes of the segments of layer 1.
func segmentsOf(x *tree) (map[uint64][]uint64, error) {
	out := map[uint64][]uint64{}
	for e, err := range x.Prefix(layerKey('s', 1)) {
		if err != nil {
			return nil, err
		}
		g, err := readSegment(e.Value)
		if err != nil {
			return nil, err
		}
		for _, it := range g.items {
			out[g.number] = append(out[g.number], it.ID)
		}
	}
	return out, nil
}
