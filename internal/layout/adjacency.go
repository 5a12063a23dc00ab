package layout

import "encoding/binary"

// Direction of an adjacency list as seen from the node that owns it.
type Direction uint8

// The two directions, as stored in promoted-set keys.
const (
	Out Direction = 0
	In  Direction = 1
)

func (d Direction) tag() Tag { return TagOut + Tag(d) }

// Adjacency returns the key of a node's inline list of one edge type.
func Adjacency(dir Direction, g uint32, node uint64, etype uint32) []byte {
	return AppendAdjacency(make([]byte, 0, 23), dir, g, node, etype)
}

// AppendAdjacency appends the key of a node's inline list to dst.
func AppendAdjacency(dst []byte, dir Direction, g uint32, node uint64, etype uint32) []byte {
	return put32(AppendAdjacencyPrefix(dst, dir, g, node), etype)
}

// AppendAdjacencyPrefix appends the prefix of all of a node's lists to dst.
func AppendAdjacencyPrefix(dst []byte, dir Direction, g uint32, node uint64) []byte {
	return put64(put32(append(dst, byte(dir.tag())), g), node)
}

// AdjacencyContainer returns the key of one container of a promoted list.
func AdjacencyContainer(dir Direction, g uint32, node uint64, etype uint32, container uint64) []byte {
	return AppendAdjacencyContainer(make([]byte, 0, 23), dir, g, node, etype, container)
}

// AppendAdjacencyContainer appends the key of one container of a promoted list
// to dst.
func AppendAdjacencyContainer(dst []byte, dir Direction, g uint32, node uint64, etype uint32, container uint64) []byte {
	return put48(AppendAdjacency(dst, dir, g, node, etype), container)
}

// AdjacencyKey is an adjacency key taken apart.
type AdjacencyKey struct {
	Dir       Direction
	Graph     uint32
	Node      uint64
	Type      uint32
	Inline    bool   // the whole list under one key
	Container uint64 // else the upper bits of the ids in the value
}

// ReadAdjacency takes an adjacency key apart; ok is false for other keys.
func ReadAdjacency(key []byte) (a AdjacencyKey, ok bool) {
	if len(key) != 17 && len(key) != 23 {
		return a, false
	}
	switch Tag(key[0]) {
	case TagOut:
	case TagIn:
		a.Dir = In
	default:
		return a, false
	}
	a.Graph = binary.BigEndian.Uint32(key[1:])
	a.Node = binary.BigEndian.Uint64(key[5:])
	a.Type = binary.BigEndian.Uint32(key[13:])
	if len(key) == 17 {
		a.Inline = true
	} else {
		a.Container = get48(key[17:])
	}
	return a, true
}

// Promoted returns the key of one container of the nodes whose lists of a
// direction and type are kept in containers.
func Promoted(g uint32, dir Direction, etype uint32, container uint64) []byte {
	return put48(put32(append(graphKey(TagPromoted, g, 11), byte(dir)), etype), container)
}

// PromotedOf reads direction, type and container back from a promoted key.
func PromotedOf(key []byte) (dir Direction, etype uint32, container uint64) {
	return Direction(key[5]), binary.BigEndian.Uint32(key[6:]), get48(key[10:])
}

// Edge returns the key of an edge's record. n is the edge's number among those of its
// type between its ends.
func Edge(g uint32, src uint64, etype uint32, dst uint64, n uint32) []byte {
	b := put64(put64(put32(graphKey(TagEdge, g, 24), etype), src), dst)
	if n > 0 {
		b = put32(b, n)
	}
	return b
}

// EdgesOfType returns the prefix of the records of a type's edges, or of its blocks.
func EdgesOfType(t Tag, g, etype uint32) []byte { return put32(graphKey(t, g, 4), etype) }

// EdgeBlock returns the key of the block of edges that ends with an edge.
func EdgeBlock(g uint32, src uint64, etype uint32, dst uint64, n uint32) []byte {
	return put32(put64(put64(put32(graphKey(TagEdgeBlock, g, 24), etype), src), dst), n)
}

// EdgeOf reads the edge back from an edge key, or from the key of a block the last edge.
func EdgeOf(key []byte) (src uint64, etype uint32, dst uint64, n uint32) {
	if len(key) > 25 {
		n = binary.BigEndian.Uint32(key[25:])
	}
	return binary.BigEndian.Uint64(key[9:]), binary.BigEndian.Uint32(key[5:]),
		binary.BigEndian.Uint64(key[17:]), n
}

// Parallel returns the key of the weight of an edge beside which there are others of
// its type between its ends.
func Parallel(dir Direction, g uint32, node uint64, etype uint32, other uint64, n uint32) []byte {
	return put32(ParallelPrefix(dir, g, node, etype, other), n)
}

// ParallelPrefix returns the prefix of the parallel edges of a type between two nodes.
func ParallelPrefix(dir Direction, g uint32, node uint64, etype uint32, other uint64) []byte {
	b := append(graphKey(TagParallel, g, 25), byte(dir))
	return put64(put32(put64(b, node), etype), other)
}

// ParallelKey is the key of a parallel edge taken apart.
type ParallelKey struct {
	Dir   Direction
	Node  uint64
	Type  uint32
	Other uint64
	N     uint32
}

// ParallelOf takes a valid key of a parallel edge apart.
func ParallelOf(key []byte) ParallelKey {
	return ParallelKey{
		Dir: Direction(key[5]), Node: binary.BigEndian.Uint64(key[6:]), Type: binary.BigEndian.Uint32(key[14:]),
		Other: binary.BigEndian.Uint64(key[18:]), N: binary.BigEndian.Uint32(key[26:]),
	}
}
