package cypher

// memory returns about how many bytes a value takes, with all it refers to but
// its graph.
func (v Value) memory() int64 {
	n := int64(valueBytes)
	switch v.kind {
	case KindString:
		n += int64(v.num)
	case KindList:
		for _, x := range v.AsList() {
			n += x.memory()
		}
	case KindMap:
		for k, x := range v.AsMap() {
			n += entryBytes + int64(len(k)) + x.memory()
		}
	case KindEdge:
		n += edgeBytes
	case KindPath:
		p := v.AsPath()
		n += int64(len(p.Nodes))*8 + int64(len(p.Edges))*(8+edgeBytes)
	}
	return n
}

// edgeBytes is about what an Edge takes.
const edgeBytes = 40
