package vecindex

import (
	"encoding/binary"

	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
)

// The records of an index with a graph, beside those of format.go. A graph is
// kept in one of two editions, so that a new one is written beside the old.
//
//	TagCode      edition8 slot32         code (quant.Encoder)
//	TagLinks     edition8 level8 slot32  level 0: parent u32; then links: u32 each
//	             edition8 255 slot32     the slot of the layer below that it leads to: u32
//	TagPending   0 slot32                to be linked: no value
//	TagPending   1 slot32                to be taken out: layer u8
//	TagIndexMeta "codec0", "codec1"      codec (quant.Codec) of an edition
//	TagIndexMeta "graph"  offset 0       version u8 = 1
//	                             1       edition u8
//	                             2       flags u8: graphImpure, graphPartial, graphTorn
//	                             3       number of layers - 1 u8
//	                             4       greatest id that was linked u64, plus
//	                                     1 for each repair
//	                            12       M u32
//	                            16       for each layer: top u32, entry u32,
//	                                     root u32, nodes u32
//
// A slot with a code is in the graph unless it is still to be linked. Links
// may lead to slots that are not: a linker that was interrupted had not come
// to them, and they are passed over. So are a linker's records of slots that
// are still to be linked.
const (
	graphName      = "graph"
	graphVersion   = 1
	graphFixed     = 16
	graphLayerSize = 16

	// graphImpure says that the graph is not the one that its vectors alone
	// lead to: nodes were deleted, came in another order than that of their
	// ids, or a linker was interrupted between two of its commits.
	graphImpure = 1
	// graphPartial says that the last batch was not a full one: another after
	// it makes the graph impure.
	graphPartial = 2
	// graphTorn says that a linker was interrupted between its commits: the
	// parents have to be found again.
	graphTorn = 4
)

func codecName(edition uint8) string { return "codec" + string('0'+rune(edition)) }

// graphRecord is what the index records of its graph.
type graphRecord struct {
	edition uint8
	flags   uint8
	// lastID is the greatest id that was linked and, of a graph that is impure
	// anyway, counts repairs besides: with the numbers of nodes it tells the
	// states of the graph apart.
	lastID uint64
	m      uint32
	layers []hnsw.Layer
}

func appendGraph(b []byte, g *graphRecord) []byte {
	layers := g.layers
	if len(layers) == 0 {
		layers = []hnsw.Layer{{}}
	}
	b = append(b, graphVersion, g.edition, g.flags, uint8(len(layers)-1))
	b = binary.LittleEndian.AppendUint64(b, g.lastID)
	b = binary.LittleEndian.AppendUint32(b, g.m)
	for _, l := range layers {
		b = binary.LittleEndian.AppendUint32(b, uint32(l.Top))
		b = binary.LittleEndian.AppendUint32(b, l.Entry)
		b = binary.LittleEndian.AppendUint32(b, l.Root)
		b = binary.LittleEndian.AppendUint32(b, uint32(l.Linked))
	}
	return b
}

// readGraph decodes the record; slots are those that the index has.
func readGraph(key, b []byte, slots uint32) (g graphRecord, err error) {
	if len(b) < graphFixed || b[0] != graphVersion || b[1] > 1 || b[2]&^(graphImpure|graphPartial|graphTorn) != 0 ||
		len(b) != graphFixed+(int(b[3])+1)*graphLayerSize {
		return g, corrupt(key, "malformed graph record of %d bytes", len(b))
	}
	g = graphRecord{edition: b[1], flags: b[2], lastID: binary.LittleEndian.Uint64(b[4:]), m: binary.LittleEndian.Uint32(b[12:])}
	for b = b[graphFixed:]; len(b) > 0; b = b[graphLayerSize:] {
		l := hnsw.Layer{
			Top: int(binary.LittleEndian.Uint32(b)), Entry: binary.LittleEndian.Uint32(b[4:]),
			Root: binary.LittleEndian.Uint32(b[8:]), Linked: int(binary.LittleEndian.Uint32(b[12:])),
		}
		if l.Linked > 0 && (l.Entry >= slots || l.Root >= slots || l.Linked > int(slots) || l.Top > hnsw.MaxLevel) {
			return g, corrupt(key, "layer with entry %d, root %d, top %d, %d nodes", l.Entry, l.Root, l.Top, l.Linked)
		}
		g.layers = append(g.layers, l)
	}
	if g.m < minM || g.m > maxM {
		return g, corrupt(key, "M %d", g.m)
	}
	return g, nil
}

// appendLinks encodes a list.
func appendLinks(b []byte, l hnsw.List) []byte {
	if l.Key.Level == 0 {
		b = binary.LittleEndian.AppendUint32(b, l.Parent)
	}
	for _, n := range l.Links {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}
