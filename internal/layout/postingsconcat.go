package layout

// concat makes b the postings of operands that remove nothing and whose nodes
// ascend from one to the next, which is so where documents are only added; ok is
// false for others.
func (b *PostingsBuilder) concat(ops [][]byte) (ok bool) {
	var c Columns
	for _, op := range ops {
		if c.Read(op) != nil || !isPostingsBase(op) && string(c.tail) != "\x00" {
			return false
		}
		if len(c.Nodes) == 0 {
			continue
		}
		if n := len(b.nodes); n > 0 && c.Nodes[0] <= b.nodes[n-1] {
			return false
		}
		if len(c.positions) > 0 {
			count := uint64(0)
			for _, f := range c.Freq {
				count += uint64(f)
			}
			if n, enough := skipNumbers(c.positions, count); !enough || n != len(c.positions) {
				return false
			}
		}
		b.nodes = append(b.nodes, c.Nodes...)
		b.freq = append(b.freq, c.Freq...)
		b.words = append(b.words, c.Words...)
		b.positions = append(b.positions, c.positions...)
	}
	return true
}
