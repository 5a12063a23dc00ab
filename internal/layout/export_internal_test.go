package layout

func buildPostings(ps []Posting) *PostingsBuilder {
	b := &PostingsBuilder{}
	for i := range ps {
		b.Add(uint16(ps[i].Node), ps[i].Freq, ps[i].Words, ps[i].Positions)
	}
	return b
}

// AppendPostings appends the value of a whole container, nodes strictly
// ascending.
func AppendPostings(dst []byte, ps []Posting) []byte { return buildPostings(ps).AppendBase(dst) }

// AppendPostingsDelta appends a merge operand.
func AppendPostingsDelta(dst []byte, ps []Posting, remove []uint64) []byte {
	nodes := make([]uint16, len(remove))
	for i, node := range remove {
		nodes[i] = uint16(node)
	}
	return buildPostings(ps).AppendDelta(dst, nodes)
}

// FewChanges reports whether operands after the first one are folded block by block.
func FewChanges(ops [][]byte) bool { return fewChanges(ops) }
