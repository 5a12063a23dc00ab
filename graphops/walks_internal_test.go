package graphops

import (
	"math"
	"testing"
)

// Steps have the probabilities of the paper, by rejection and drawn among all.
func TestBiasedWalkSteps(t *testing.T) {
	t.Parallel()
	edges := []WeightedEdge{{0, 1, 1}, {0, 2, 2}, {0, 3, 0.5}, {1, 2, 1}, {3, 4, 1}, {2, 4, 3}, {0, 4, 0}, {0, 5, 1.5}}
	for _, test := range []struct {
		p, q     float64
		weighted bool
		directed bool
	}{{1, 1, false, false}, {.25, 4, false, false}, {4, .25, true, false}, {2, 2, true, true}, {.5, 1, false, true}} {
		g, err := FromEdges(6, edges, EdgeOptions{Weighted: test.weighted, Directed: test.directed})
		if err != nil {
			t.Fatal(err)
		}
		o := (&Node2VecOptions{P: test.p, Q: test.q}).ensureDefaults()
		w, err := newBiasedWalks(g, &o)
		if err != nil {
			t.Fatal(err)
		}
		const u, draws = 0, 60_000
		for _, before := range []uint32{1, 2, 3, 5} {
			// What is to be expected, from the definition.
			want, sum := [6]float64{}, 0.0
			row, weights := g.Row(u)
			from, _ := g.Row(before)
			for i, v := range row {
				x := 1 / test.q
				if v == before {
					x = 1 / test.p
				}
				for _, other := range from {
					if other == v && v != before {
						x = 1
					}
				}
				if weights != nil {
					x *= float64(weights[i])
				}
				want[v] = x
				sum += x
			}
			for name, step := range map[string]func(s *stream) uint32{
				"rejection": func(s *stream) uint32 { return w.step(s, before, u) },
				"all":       func(s *stream) uint32 { return w.drawAmongAll(s, before, u) },
			} {
				s := newStream(7, uint64(before))
				got := [6]int{}
				for range draws {
					got[step(&s)]++
				}
				for v, x := range want {
					// Five standard deviations.
					if p := x / sum; math.Abs(float64(got[v])/draws-p) > 5*math.Sqrt(p*(1-p)/draws) {
						t.Errorf("%+v, %s: %d-%d-%d in %.4f of the draws, want %.4f", test, name, before, u, v,
							float64(got[v])/draws, p)
					}
				}
			}
		}
	}
}

// A step back that is as good as never accepted, and the only one, is made.
func TestBiasedWalkTurnsAround(t *testing.T) {
	t.Parallel()
	g, err := FromEdges(2, []WeightedEdge{{From: 0, To: 1}}, EdgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := (&Node2VecOptions{P: 1e300, WalkLength: 6}).ensureDefaults()
	w, err := newBiasedWalks(g, &o)
	if err != nil {
		t.Fatal(err)
	}
	s, out := newStream(1), make([]uint32, 6)
	if n := w.walk(&s, 0, out); n != 6 || out[5] != 1 || out[4] != 0 {
		t.Errorf("%v", out[:n])
	}
}

func TestLogisticTable(t *testing.T) {
	t.Parallel()
	table := newLogisticTable()
	for x := -5.999; x < 6; x += 0.01 {
		// Half a step of 12/4096, at a slope of at most 1/4.
		if got, want := float64(table.at(float32(x))), 1/(1+math.Exp(-x)); math.Abs(got-want) > 4e-4 {
			t.Errorf("%g: %g, want %g", x, got, want)
		}
	}
	for i, x := range table {
		at := -6 + 12*(float64(i)+0.5)/4096
		if want := 1 / (1 + math.Exp(-at)); math.Abs(float64(x)-want) > 1e-7 {
			t.Errorf("entry %d is %g, want %g", i, x, want)
		}
	}
	if table.at(6) != 1 || table.at(-6) != 0 || table.at(100) != 1 || table.at(-100) != 0 {
		t.Error("out of reach it is not 0 or 1")
	}
}

func TestAliasTable(t *testing.T) {
	t.Parallel()
	weights := []float64{3, 0, 1, 0.5, 10, 2.5}
	table := newAliasTable(weights)
	s := newStream(3)
	const draws = 100_000
	got := make([]int, len(weights))
	for range draws {
		got[table.draw(&s)]++
	}
	for i, w := range weights {
		p := w / 17
		if math.Abs(float64(got[i])/draws-p) > 5*math.Sqrt(p*(1-p)/draws) {
			t.Errorf("%d: %.4f of the draws, want %.4f", i, float64(got[i])/draws, p)
		}
	}
}
