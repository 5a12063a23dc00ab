package layout_test

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
)

// blockPostings returns postings enough for blocks: dense or sparse ones, with
// small or large numbers.
func blockPostings(r *rand.Rand) []layout.Posting {
	n := 1 + r.IntN(1<<r.IntN(13))
	gap, freq, words := 1+r.IntN((1<<16)/n), 1<<r.IntN(18), 1<<r.IntN(20)
	var out []layout.Posting
	node := r.IntN(gap)
	for range n {
		p := layout.Posting{Node: uint64(node), Freq: 1, Words: uint32(r.IntN(words))}
		if r.IntN(20) == 0 {
			p.Freq += uint32(r.IntN(freq))
		}
		out = append(out, p)
		if node += 1 + r.IntN(gap); node >= 1<<16 {
			break
		}
	}
	return out
}

// checkBlocks compares what blocks read with the postings, which their bounds
// must hold.
func checkBlocks(t *testing.T, s *layout.Blocks, nodes []uint16, freq, words []uint32) {
	t.Helper()
	var b layout.Block
	at := 0
	for i := range s.Len() {
		if err := s.Load(i, &b); err != nil {
			t.Fatal(err)
		}
		n := len(b.Nodes)
		if n == 0 || at+n > len(nodes) || !slices.Equal(b.Nodes, nodes[at:at+n]) || !slices.Equal(b.Freq, freq[at:at+n]) || !slices.Equal(b.Words, words[at:at+n]) {
			t.Fatalf("block %d of %d differs", i, s.Len())
		}
		if first, last := s.Tile(i); first > b.Nodes[0] || last < b.Nodes[n-1] {
			t.Fatalf("block %d has nodes %d to %d, its tile %d to %d", i, b.Nodes[0], b.Nodes[n-1], first, last)
		}
		for j := range b.Nodes {
			if f, w := s.At(i, j); f != b.Freq[j] || w != b.Words[j] {
				t.Fatalf("posting %d of block %d is %d of %d, alone %d of %d", j, i, b.Freq[j], b.Words[j], f, w)
			}
			if !slices.ContainsFunc(s.Impacts(i), func(p layout.Impact) bool { return b.Freq[j] <= p.Freq && b.Words[j] >= p.Words }) {
				t.Fatalf("block %d: %v bound no %d of %d", i, s.Impacts(i), b.Freq[j], b.Words[j])
			}
		}
		checkFind(t, s, i, b.Nodes)
		at += n
	}
	if at != len(nodes) || s.Postings() != at {
		t.Fatalf("%d postings in blocks, %d said, of %d", at, s.Postings(), len(nodes))
	}
}

// checkFind looks up nodes of a block and some between them, and compares the set.
func checkFind(t *testing.T, s *layout.Blocks, i int, nodes []uint16) {
	t.Helper()
	var set layout.NodeSet
	if err := s.AddTo(i, &set); err != nil {
		t.Fatal(err)
	}
	first, last := s.Tile(i)
	probe := func(node, j int, has bool) {
		if node < int(first) || node > int(last) {
			return
		}
		if got := set[node>>6]>>(node&63)&1 != 0; got != has {
			t.Fatalf("node %d is in the set of block %d: %t", node, i, got)
		}
		if b := s.Seek(uint16(node)); b != i {
			t.Fatalf("node %d is looked for in block %d, not in %d", node, b, i)
		}
		if got, ok := s.Find(i, uint16(node)); ok != has || has && got != j {
			t.Fatalf("node %d, place %d of %d, was found at %d: %t", node, j, len(nodes), got, ok)
		}
	}
	for j, node := range nodes {
		probe(int(node), j, true)
		if j == 0 || nodes[j-1] != node-1 {
			probe(int(node)-1, 0, false)
		}
		if j+1 == len(nodes) || nodes[j+1] != node+1 {
			probe(int(node)+1, 0, false)
		}
	}
}

func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 20))
	var c layout.Columns
	var s layout.Blocks
	for round := range 400 {
		ps := blockPostings(r)
		v := layout.AppendPostings(nil, ps)
		if round%2 == 0 {
			v = layout.AppendPostingsDelta(nil, ps, nil)
		}
		if err := c.Read(v); err != nil {
			t.Fatal(err)
		}
		for i, p := range ps {
			if c.Nodes[i] != uint16(p.Node) || c.Freq[i] != p.Freq || c.Words[i] != p.Words {
				t.Fatalf("posting %d of %d is %d %d %d, want %+v", i, len(ps), c.Nodes[i], c.Freq[i], c.Words[i], p)
			}
		}
		if err := s.Read(v); err != nil {
			t.Fatal(err)
		}
		checkBlocks(t, &s, c.Nodes, c.Freq, c.Words)
	}
}

// TestBlocksRefuse cuts values short and changes single bytes: all is refused or
// reads as postings, with true bounds.
func TestBlocksRefuse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 21))
	for range 20 {
		var ps []layout.Posting
		for len(ps) <= 128 || len(ps) > 600 {
			ps = blockPostings(r)
		}
		v := layout.AppendPostings(nil, ps)
		var c layout.Columns
		for n := range len(v) {
			if c.Read(v[:n]) == nil {
				t.Fatalf("%d of %d bytes were accepted", n, len(v))
			}
		}
		refused := 0
		for at := range v {
			broken := slices.Clone(v)
			broken[at] ^= 1 << r.IntN(8)
			readBoth(t, broken)
			if c.Read(broken) != nil {
				refused++
			}
		}
		if refused == 0 {
			t.Error("no change was refused")
		}
	}
}

// readBoth reads a value as columns and in blocks; what both accept is equal.
func readBoth(t *testing.T, v []byte) {
	t.Helper()
	var c layout.Columns
	var s layout.Blocks
	var b layout.Block
	whole, parts := c.Read(v), s.Read(v)
	if whole == nil {
		if parts != nil {
			t.Fatalf("columns accept what blocks refuse: %v", parts)
		}
		checkBlocks(t, &s, c.Nodes, c.Freq, c.Words)
		return
	}
	for i := range s.Len() {
		_, _ = s.Load(i, &b), s.Impacts(i)
	}
}

func FuzzBlocks(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 22))
	for range 8 {
		f.Add(layout.AppendPostings(nil, blockPostings(r)))
		f.Add(layout.AppendPostingsDelta(nil, blockPostings(r), []uint64{1, 2}))
	}
	f.Fuzz(func(t *testing.T, v []byte) {
		readBoth(t, v)
		key := layout.Postings(1, 1, "t", 0)
		folded := layout.NewFold(key, v).Finish(true)
		readBoth(t, folded)
		var c layout.Columns
		if c.Read(v) == nil && len(c.Nodes) > 0 {
			f := layout.NewFold(key, v)
			f.Newer(layout.AppendPostingsDelta(nil, nil, []uint64{uint64(c.Nodes[0])}))
			readBoth(t, f.Finish(true))
		}
	})
}

// TestBlocksBytes pins the bytes of a value in blocks: all even nodes up to 258,
// once each in texts of 9 words, but node 10, which has the term twice of 12.
func TestBlocksBytes(t *testing.T) {
	var ps []layout.Posting
	for node := uint64(0); node <= 258; node += 2 {
		ps = append(ps, layout.Posting{Node: node, Freq: 1, Words: 9})
	}
	ps[5].Freq, ps[5].Words = 2, 12
	got := layout.AppendPostings(nil, ps)
	if want := "05820112a401" + "08007f49090001000203" + "0801010009000100"; hex.EncodeToString(got[:24]) != want {
		t.Errorf("%x begins otherwise than %s", got[:24], want)
	}
	if len(got) != 24+(32+64+64)+2*2+1 || got[len(got)-1] != 0 {
		t.Errorf("%d bytes", len(got))
	}
}

// TestConcatFolds compares the fold of operands that only add, which is short, with
// that of the same beside an operand that removes what is not there, which is not.
func TestConcatFolds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 23))
	key := layout.Postings(1, 1, "t", 0)
	for range 200 {
		ps := blockPostings(r)
		var ops [][]byte
		positions := r.IntN(2) == 0
		for i := range ps {
			if ps[i].Freq = 1 + ps[i].Freq%3; positions {
				ps[i].Positions = layout.AppendPositions(nil, []uint32{5, 9, 900}[:ps[i].Freq])
			}
		}
		free := uint64(0) // a node that is in none
		for slices.ContainsFunc(ps, func(p layout.Posting) bool { return p.Node == free }) {
			free++
		}
		for rest := ps; len(rest) > 0; {
			n := 1 + r.IntN(len(rest))
			ops = append(ops, layout.AppendPostingsDelta(nil, rest[:n], nil))
			rest = rest[n:]
		}
		fold := func(ops [][]byte) []byte {
			f := layout.NewFold(key, ops[0])
			for _, op := range ops[1:] {
				f.Newer(op)
			}
			return f.Finish(true)
		}
		short := fold(ops)
		long := fold(append(ops, layout.AppendPostingsDelta(nil, nil, []uint64{free % (1 << 16)})))
		if !slices.Equal(short, long) || !slices.Equal(short, layout.AppendPostings(nil, ps)) {
			t.Fatalf("%d operands: %d and %d bytes", len(ops), len(short), len(long))
		}
	}
}

// BenchmarkBlocksRead reads the directory of many postings.
func BenchmarkBlocksRead(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 26))
	var ps []layout.Posting
	for node := range uint64(1 << 16) {
		if r.IntN(6) == 0 {
			ps = append(ps, patchChange(r, node, true))
		}
	}
	v := layout.AppendPostings(nil, ps)
	var s layout.Blocks
	for b.Loop() {
		if err := s.Read(v); err != nil {
			b.Fatal(err)
		}
	}
}
