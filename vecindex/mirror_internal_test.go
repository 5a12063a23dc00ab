package vecindex

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// version is a mirror that somebody holds, with what it must show.
type version struct {
	m    *mirror
	seq  uint64
	want map[uint64]float32
}

// check reads a version by scan and by id. known says that every answer must
// come from the version itself.
func (v version) check(t *testing.T, ids int, known bool) {
	t.Helper()
	got := map[uint64]float32{}
	for ci, c := range v.m.chunks {
		for i := range v.m.rows(ci) {
			if !c.visible(i, v.seq) {
				continue
			}
			if _, twice := got[c.ids[i]]; twice {
				t.Fatalf("state %d: id %d has two rows", v.seq, c.ids[i])
			}
			got[c.ids[i]] = c.vector(i, v.m.dim)[0]
		}
	}
	if !maps.Equal(got, v.want) {
		t.Fatalf("state %d: rows %v, want %v", v.seq, got, v.want)
	}
	for id := range uint64(ids) {
		c, i, where := v.m.find(id, v.seq)
		x, ok := v.want[id]
		switch {
		case where == resident && (!ok || c.vector(i, v.m.dim)[0] != x):
			t.Fatalf("state %d: id %d found as %v, want %v %t", v.seq, id, c.vector(i, v.m.dim), x, ok)
		case where == missing && ok:
			t.Fatalf("state %d: id %d is missing", v.seq, id)
		case where == unknown && known:
			t.Fatalf("state %d: the version cannot tell about id %d", v.seq, id)
		}
	}
}

// TestVersions applies random commits to mirrors of small chunks and checks
// that every version goes on showing the states that it claims to.
func TestVersions(t *testing.T) {
	for _, c := range []struct {
		name    string
		ids     int
		deletes int // per cent
		commits int
	}{
		{"few ids", 5, 30, 600},
		{"updates only", 40, 0, 600},
		{"many ids", 3000, 20, 300},
		{"mostly deletes", 300, 70, 600},
	} {
		t.Run(c.name, func(t *testing.T) {
			const seed = 5
			t.Logf("seed %d", seed)
			rng := rand.New(rand.NewPCG(seed, uint64(c.ids)))
			m := newMirror(2, false, 0, 0)
			m.shift = 4
			ix := &Index{cfg: Config{Dim: 2}}
			now := map[uint64]float32{}
			var older []version
			for seq := uint64(1); seq <= uint64(c.commits); seq++ {
				w := &Write{ix: ix, seq: seq}
				for _, id := range rng.Perm(c.ids)[:rng.IntN(min(c.ids, 40))] {
					s := staged{id: uint64(id)}
					if rng.IntN(100) >= c.deletes {
						s.live, s.vector = true, len(w.buffer)/2
						w.buffer = append(w.buffer, rng.Float32(), 0)
						now[s.id] = w.buffer[len(w.buffer)-2]
					} else {
						delete(now, s.id)
					}
					w.staged = append(w.staged, s)
				}
				n := m.next()
				n.apply(w)
				m = n
				version{m, seq, now}.check(t, c.ids, true)
				if m.live != len(now) {
					t.Fatalf("%d live rows, want %d", m.live, len(now))
				}
				checkSize(t, m)

				if rng.IntN(10) == 0 {
					older = append(older, version{m, seq, maps.Clone(now)})
				}
				// A state before a version's own, as a View opened late has it.
				for _, v := range older {
					if v.seq >= m.floor && rng.IntN(10) == 0 {
						version{m, v.seq, v.want}.check(t, c.ids, false)
					}
					if rng.IntN(20) == 0 {
						v.check(t, c.ids, false)
					}
				}
			}
			for _, v := range older {
				v.check(t, c.ids, false)
			}
		})
	}
}

// TestRehashWithoutLastChunk fills the table at the moment when the last chunk
// was reclaimed and no new one begun.
func TestRehashWithoutLastChunk(t *testing.T) {
	m := newMirror(2, false, 0, 0)
	m.shift = 4
	ix := &Index{cfg: Config{Dim: 2}}
	seq, now := uint64(0), map[uint64]float32{}
	commit := func(from, to uint64, live bool) {
		seq++
		w := &Write{ix: ix, seq: seq}
		for id := from; id < to; id++ {
			w.staged = append(w.staged, staged{id: id, live: live, vector: len(w.buffer) / 2})
			w.buffer = append(w.buffer, float32(id), 0)
			if delete(now, id); live {
				now[id] = float32(id)
			}
		}
		m = m.next()
		m.apply(w)
		version{m, seq, now}.check(t, 40, true)
		checkSize(t, m)
	}
	commit(0, 24, true)
	commit(16, 24, false)
	if m.chunks[len(m.chunks)-1] != nil || !m.table.full() {
		t.Fatalf("not the case to be tested: %d chunks, %d ids in a table of %d", len(m.chunks), m.table.used, len(m.table.keys))
	}
	commit(24, 25, true)
}

// checkSize recounts what a version keeps count of.
func checkSize(t *testing.T, m *mirror) {
	t.Helper()
	size, dead, holes, rows := m.table.bytes(), 0, 0, 0
	for ci, c := range m.chunks {
		if c == nil {
			holes++
			continue
		}
		size += c.bytes()
		rows += m.rows(ci)
		chunkDead := 0
		for i := range m.rows(ci) {
			if c.died[i].Load() != 0 {
				chunkDead++
			}
		}
		if chunkDead != c.dead {
			t.Fatalf("chunk %d counts %d dead rows of %d", ci, c.dead, chunkDead)
		}
		if c.sparse() {
			t.Fatalf("chunk %d with %d dead rows was not reclaimed", ci, c.dead)
		}
		dead += c.dead
	}
	if size != m.size || dead != m.dead || holes != m.holes || rows != m.live+m.dead {
		t.Fatalf("counts %d bytes, %d dead, %d holes, %d rows; recounted %d, %d, %d, %d",
			m.size, m.dead, m.holes, m.live+m.dead, size, dead, holes, rows)
	}
	if holes > maxHoles && 2*holes > len(m.chunks) {
		t.Fatalf("%d of %d chunks are holes", holes, len(m.chunks))
	}
}

func TestTopKIsOrderFree(t *testing.T) {
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, seed))
	for range 200 {
		n, k := rng.IntN(30), 1+rng.IntN(10)
		hits := make([]Hit, n)
		for i := range hits {
			hits[i] = Hit{ID: uint64(i), Score: float32(rng.IntN(4))}
		}
		var want []Hit
		for range 4 {
			var top topK
			top.reset(k)
			for _, i := range rng.Perm(n) {
				if top.accepts(hits[i]) {
					top.take(hits[i])
				}
			}
			got := top.appendSorted(nil)
			if len(got) != min(n, k) {
				t.Fatalf("%d hits of %d for k = %d", len(got), n, k)
			}
			for i := 1; i < len(got); i++ {
				if compareHits(got[i-1], got[i]) >= 0 {
					t.Fatalf("hits out of order: %v", got)
				}
			}
			if want == nil {
				want = got
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("hits depend on the order of offers: %v, %v", got, want)
				}
			}
		}
	}
}
