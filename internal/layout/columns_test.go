package layout_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
)

// positionedPostings returns postings with positions, nodes ascending.
func positionedPostings(r *rand.Rand, n int) []layout.Posting {
	var out []layout.Posting
	for _, node := range randomIDs(r, n, 1<<16) {
		freq := 1 + r.IntN(1<<r.IntN(10))
		pos := make([]uint32, freq)
		at := uint32(0)
		for i := range pos {
			at += uint32(r.IntN(1 << r.IntN(16)))
			pos[i] = at
		}
		out = append(out, layout.Posting{
			Node: node, Freq: uint32(freq), Words: uint32(r.IntN(1 << r.IntN(20))),
			Positions: layout.AppendPositions(nil, pos),
		})
	}
	return out
}

func TestColumnsAgreeWithPostings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	var c layout.Columns
	for round := range 300 {
		ps := positionedPostings(r, 1<<r.IntN(10))
		v := layout.AppendPostings(nil, ps)
		if round%3 == 0 {
			v = layout.AppendPostingsDelta(nil, ps, randomIDs(r, 5, 1<<16))
		}
		if err := c.Read(v); err != nil {
			t.Fatal(err)
		}
		if len(c.Nodes) != len(ps) || len(c.Freq) != len(ps) || len(c.Words) != len(ps) {
			t.Fatalf("%d, %d and %d columns of %d postings", len(c.Nodes), len(c.Freq), len(c.Words), len(ps))
		}
		positions := c.Positions()
		for i := range ps {
			if uint64(c.Nodes[i]) != ps[i].Node || c.Freq[i] != ps[i].Freq || c.Words[i] != ps[i].Words {
				t.Fatalf("posting %d is %d, %d, %d; want %+v", i, c.Nodes[i], c.Freq[i], c.Words[i], ps[i])
			}
			if r.IntN(3) == 0 {
				continue // walked over
			}
			got, err := positions.Append(nil, i)
			if want := ps[i].ReadPositions(nil); err != nil || !slices.Equal(got, want) {
				t.Fatalf("positions of %d are %v (%v), want %v", i, got, err, want)
			}
		}
	}
}

func TestColumnsRefuse(t *testing.T) {
	good := layout.AppendPostings(nil, []layout.Posting{
		{Node: 3, Freq: 1, Words: 9, Positions: []byte{4}}, {Node: 900, Freq: 2, Words: 300, Positions: []byte{1, 1}},
	})
	var c layout.Columns
	for n := range len(good) {
		if err := c.Read(good[:n]); err == nil {
			t.Errorf("%d of %d bytes were accepted", n, len(good))
		} else if len(c.Nodes) != 0 {
			t.Errorf("%d nodes after an error", len(c.Nodes))
		}
	}
	for name, v := range map[string][]byte{
		"node of 65,536": {1, 1, 0x80, 0x80, 4, 1, 1, 0},
		"node twice":     {1, 2, 5, 0, 1, 1, 1, 1, 0},
	} {
		if err := c.Read(v); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if err := c.Read(layout.AppendPostings(nil, []layout.Posting{{Node: 1, Freq: 2, Words: 2}})); err != nil {
		t.Fatal(err)
	}
	positions := c.Positions()
	if _, err := positions.Append(nil, 0); err == nil {
		t.Error("positions that are not there were read")
	}
}

// FuzzColumns holds the column decoder against the row decoder.
func FuzzColumns(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 8))
	for range 8 {
		f.Add(layout.AppendPostings(nil, positionedPostings(r, 6)))
		f.Add(layout.AppendPostingsDelta(nil, positionedPostings(r, 3), randomIDs(r, 3, 100)))
	}
	f.Fuzz(func(t *testing.T, v []byte) {
		var c layout.Columns
		err := c.Read(v)
		ps, rowErr := layout.ReadPostings(v, nil, false)
		if err == nil && rowErr != nil {
			t.Fatalf("columns accept what rows refuse: %v", rowErr)
		}
		if err != nil {
			return
		}
		if len(ps) != len(c.Nodes) {
			t.Fatalf("%d columns, %d rows", len(c.Nodes), len(ps))
		}
		positions := c.Positions()
		for i, p := range ps {
			if p.Node != uint64(c.Nodes[i]) || p.Freq != c.Freq[i] || p.Words != c.Words[i] {
				t.Fatalf("row %d is %+v, columns %d %d %d", i, p, c.Nodes[i], c.Freq[i], c.Words[i])
			}
			if _, err := positions.Append(nil, i); err != nil {
				return
			}
		}
	})
}

func BenchmarkColumns(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 9))
	ps := positionedPostings(r, 20_000)
	v := layout.AppendPostings(nil, ps)
	b.Run("columns", func(b *testing.B) {
		var c layout.Columns
		for b.Loop() {
			if err := c.Read(v); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(ps))*float64(b.N)/b.Elapsed().Seconds(), "postings/s")
	})
	b.Run("rows", func(b *testing.B) {
		var out []layout.Posting
		for b.Loop() {
			var err error
			if out, err = layout.ReadPostings(v, out[:0], false); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(ps))*float64(b.N)/b.Elapsed().Seconds(), "postings/s")
	})
}
