package ketrag

import (
	"bytes"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

func randomVector(r *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64() / 8)
	}
	return v
}

// TestSumsAreExact adds vectors, takes some of them out in another order, and
// gets the bytes of the sum of the others.
func TestSumsAreExact(t *testing.T) {
	t.Parallel()
	const dim = 24
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var stay, gone [][]int64
		var counts []int64
		sum, want := &wordSum{}, &wordSum{}
		for range 1 + r.IntN(40) {
			v, n := toFixed(randomVector(r, dim)), int64(1+r.IntN(3))
			sum.add(v, n)
			if r.IntN(2) == 0 {
				stay = append(stay, v)
				want.add(v, n)
			} else {
				gone, counts = append(gone, v), append(counts, n)
			}
		}
		stored, err := readSum(sum.append(nil), dim)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range r.Perm(len(gone)) {
			out := &wordSum{}
			out.add(gone[i], -counts[i])
			stored.addSum(out)
		}
		if len(stay) == 0 {
			if stored.count != 0 || !stored.zero() {
				t.Fatalf("seed %d: nothing is left, but the sum is %+v", seed, stored)
			}
			continue
		}
		if !bytes.Equal(stored.append(nil), want.append(nil)) {
			t.Fatalf("seed %d: the sum differs from that of what stays", seed)
		}
		mean := stored.mean()
		for k := range mean {
			exact, _ := new(big.Rat).SetFrac(big.NewInt(want.sum[k]), new(big.Int).Mul(big.NewInt(fixedPoint), big.NewInt(want.count))).Float64()
			if math.Abs(float64(mean[k])-exact) > 1e-7 {
				t.Fatalf("seed %d: mean %v, want %v", seed, mean[k], exact)
			}
		}
	}
}

func TestReadSumRefuses(t *testing.T) {
	t.Parallel()
	good := (&wordSum{count: 3, sum: []int64{1, -2, 300}}).append(nil)
	for n := range good {
		if _, err := readSum(good[:n], 3); err == nil {
			t.Errorf("%d of %d bytes are read", n, len(good))
		}
	}
	if _, err := readSum(append(slices.Clone(good), 0), 3); err == nil {
		t.Error("a byte too many is read")
	}
	if _, err := readSum(good, 4); err == nil {
		t.Error("a sum of another dimension is read")
	}
}

func TestCoreSize(t *testing.T) {
	t.Parallel()
	for n := range 400 {
		for hundredths := range 101 {
			beta := float64(hundredths) / 100
			if got, want := coreSize(beta, n, false), (hundredths*n+99)/100; got != want {
				t.Fatalf("ceil(%v * %d) = %d, not %d", beta, n, want, got)
			}
			if got, want := coreSize(beta, n, true), int(beta*float64(n)); got != want {
				t.Fatalf("int(%v * %d) = %d, not %d", beta, n, want, got)
			}
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	const s = "The Lamp of Karrow. A lamp, THE lamp: no Karrow' has 3 lamps!"
	type word struct {
		key, surface string
		in           []int
	}
	for _, x := range []struct {
		name   string
		compat bool
		want   []word
	}{
		{"default", false, []word{
			{"3", "3", []int{1}}, {"karrow", "Karrow", []int{0, 1}}, {"lamp", "Lamp", []int{0, 1, 1}},
			{"lamps", "lamps", []int{1}},
		}},
		{"compat keeps the case", true, []word{
			{"3", "3", []int{1}}, {"A", "A", []int{1}}, {"Karrow", "Karrow", []int{0, 1}}, {"Lamp", "Lamp", []int{0}},
			{"THE", "THE", []int{1}}, {"The", "The", []int{0}}, {"lamp", "lamp", []int{1, 1}},
			{"lamps", "lamps", []int{1}},
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			sys := &system{p: Params{Compat: x.compat}}
			sentences, words := sys.words(s)
			if len(sentences) != 2 {
				t.Fatalf("sentences %q", sentences)
			}
			var got []word
			for _, w := range words {
				got = append(got, word{w.Key, w.Surface, w.In})
			}
			if !slices.EqualFunc(got, x.want, func(a, b word) bool {
				return a.key == b.key && a.surface == b.surface && slices.Equal(a.in, b.in)
			}) {
				t.Errorf("words %v, want %v", got, x.want)
			}
		})
	}
}

// TestWordResult says that a result of the keyword stage reads back, and that
// no part of one does.
func TestWordResult(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 0))
	cw := chunkWords{Tokens: 7, Vector: randomVector(r, 4), Words: []chunkWord{{Key: "a", Surface: "A", In: []int{0, 2}}}}
	vecs := [][]float32{randomVector(r, 4), nil, randomVector(r, 4)}
	b, err := encodeWords(cw, vecs)
	if err != nil {
		t.Fatal(err)
	}
	got, back, err := decodeWords(b)
	if err != nil {
		t.Fatal(err)
	}
	if got.Tokens != 7 || !slices.Equal(got.Vector, cw.Vector) || len(got.Words) != 1 || len(back) != 3 ||
		back[1] != nil || !slices.Equal(back[0], vecs[0]) || !slices.Equal(back[2], vecs[2]) {
		t.Errorf("read back %+v, %v", got, back)
	}
	sums := map[string]*wordSum{}
	addWord(sums, "a", got.Words[0], allFixed(back), -1)
	addWord(sums, "b", chunkWord{Key: "b", In: []int{1}}, allFixed(back), 1)
	want := &wordSum{}
	want.add(toFixed(vecs[0]), -1)
	want.add(toFixed(vecs[2]), -1)
	if !bytes.Equal(sums["a"].append(nil), want.append(nil)) {
		t.Error("the sum of a is not that of its sentences")
	}
	if len(sums) != 1 {
		t.Error("a word without vectors has a sum")
	}
	for _, n := range []int{0, 1, 2, len(b) / 3, len(b) - 1} {
		if _, _, err := decodeWords(b[:n]); err == nil {
			t.Errorf("%d of %d bytes are read", n, len(b))
		}
	}
}

// TestNearer says how the nearest of a chunk are kept.
func TestNearer(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		n, k := 1+r.IntN(20), 1+r.IntN(5)
		c := &channel{now: make([][]near, n), old: make([][]near, n), stored: make([][]near, n)}
		var all []near
		for _, to := range r.Perm(n) {
			e := near{to, float32(r.IntN(4))}
			all = append(all, e)
			c.offer(0, e, k)
			c.offer(0, e, k) // a second offer changes nothing
		}
		slices.SortFunc(all, nearer)
		if want := all[:min(n, k)]; !slices.Equal(c.now[0], want) {
			t.Fatalf("seed %d: kept %v, want %v", seed, c.now[0], want)
		}
		// What changes makes of what is stored is what is kept.
		ids := make([]engine.NodeID, n)
		have := map[engine.NodeID]float32{}
		for i := range ids {
			ids[i] = engine.NodeID(10 + i)
			if r.IntN(2) == 0 {
				e := near{i, float32(r.IntN(4))}
				c.stored[0] = append(c.stored[0], e)
				have[ids[i]] = e.sim
			}
		}
		for _, ch := range c.changes(ids) {
			if sim, ok := have[ch.To]; ch.From != ids[0] || ch.Remove && !ok || !ch.Remove && ok && sim == ch.Sim {
				t.Fatalf("seed %d: needless change %+v", seed, ch)
			}
			if have[ch.To] = ch.Sim; ch.Remove {
				delete(have, ch.To)
			}
		}
		if len(have) != len(c.now[0]) {
			t.Fatalf("seed %d: stored are %v, kept %v", seed, have, c.now[0])
		}
		for _, e := range c.now[0] {
			if sim, ok := have[ids[e.to]]; !ok || sim != e.sim {
				t.Fatalf("seed %d: stored are %v, kept %v", seed, have, c.now[0])
			}
		}
	}
}
