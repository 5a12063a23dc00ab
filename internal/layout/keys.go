package layout

import "encoding/binary"

// Meta returns the key of a fact about the whole database. The names in use:
// format, uuid, epoch, next_graph, next_namespace. The name dirty is reserved.
func Meta(name string) []byte { return append([]byte{byte(TagMeta)}, name...) }

// Directory returns the key of a graph's entry in the directory; an empty
// graph name is the entry of the namespace itself.
func Directory(namespace, graph string) []byte {
	b := append([]byte{byte(TagDirectory)}, namespace...)
	return append(append(b, 0), graph...)
}

// DirectoryName splits a directory key.
func DirectoryName(key []byte) (namespace, graph string) {
	for i := 1; i < len(key); i++ {
		if key[i] == 0 {
			return string(key[1:i]), string(key[i+1:])
		}
	}
	return string(key[1:]), ""
}

// Kind is a kind of catalogued name.
type Kind uint8

// The kinds of names that a graph's catalog gives ids to.
const (
	KindNodeType Kind = 1 + iota
	KindEdgeType
	KindProperty
	KindIndex
	KindSpace
	KindField
	KindBucket
	KindRule
)

// Catalog returns the key of a catalog entry.
func Catalog(g uint32, k Kind, id uint32) []byte {
	return put32(append(graphKey(TagCatalog, g, 5), byte(k)), id)
}

// CatalogID reads kind and id back from a catalog key.
func CatalogID(key []byte) (Kind, uint32) {
	return Kind(key[5]), binary.BigEndian.Uint32(key[6:])
}

// Name returns the key that leads from a name to its id.
func Name(g uint32, k Kind, name string) []byte {
	return append(append(graphKey(TagName, g, 1+len(name)), byte(k)), name...)
}

// GraphMeta returns the key of a fact about a graph. The names in use:
// next_node, version, changes, labels, and generation.NAME of the vector space NAME.
func GraphMeta(g uint32, name string) []byte {
	return append(graphKey(TagGraphMeta, g, len(name)), name...)
}

// Node returns the key of a node's record.
func Node(g uint32, node uint64) []byte { return put64(graphKey(TagNode, g, 8), node) }

// NodeID reads the node back from a node key.
func NodeID(key []byte) uint64 { return binary.BigEndian.Uint64(key[5:]) }

// ExternalKey returns the key that leads from a caller's key to its node.
func ExternalKey(g, ntype uint32, key string) []byte {
	return append(put32(graphKey(TagExternalKey, g, 4+len(key)), ntype), key...)
}

// ExternalKeyName reads type and caller's key back from an external key.
func ExternalKeyName(key []byte) (ntype uint32, name []byte) {
	return binary.BigEndian.Uint32(key[5:]), key[9:]
}

// NodesOfType returns the key of one container of the nodes of a type.
func NodesOfType(g, ntype uint32, container uint64) []byte {
	return put48(put32(graphKey(TagNodesOfType, g, 10), ntype), container)
}

// NodesOfTypePrefix returns the prefix of a type's containers.
func NodesOfTypePrefix(g, ntype uint32) []byte {
	return put32(graphKey(TagNodesOfType, g, 4), ntype)
}

// NodeBlockBits says how many ids a block of nodes spans: 1 << NodeBlockBits.
const NodeBlockBits = 10

// NodeBlock returns the key of a block of nodes, of which the keys of its stale nodes
// have it as their prefix.
func NodeBlock(g uint32, block uint64) []byte {
	return put32(graphKey(TagNodeBlock, g, 8), uint32(block))
}

// StaleNode returns the key that says that the block of a node has another record of it.
func StaleNode(g uint32, node uint64) []byte {
	return put32(NodeBlock(g, node>>NodeBlockBits), uint32(node))
}

// NodeBlockOf reads the block back from a key, and the stale node, 0 for a block's own key.
func NodeBlockOf(key []byte) (block, node uint64) {
	if len(key) > 9 {
		node = uint64(binary.BigEndian.Uint32(key[9:]))
	}
	return uint64(binary.BigEndian.Uint32(key[5:])), node
}

// LastContainer reads the container from a key that ends in one.
func LastContainer(key []byte) uint64 { return get48(key[len(key)-6:]) }

// Text returns the key of one part of a long property.
func Text(g uint32, node uint64, prop uint32, part uint16) []byte {
	return binary.BigEndian.AppendUint16(TextPrefix(g, node, prop), part)
}

// TextPrefix returns the prefix of a long property's parts.
func TextPrefix(g uint32, node uint64, prop uint32) []byte {
	return put32(put64(graphKey(TagText, g, 14), node), prop)
}

// NodeTextPrefix returns the prefix of all long properties of a node.
func NodeTextPrefix(g uint32, node uint64) []byte {
	return put64(graphKey(TagText, g, 8), node)
}

// ContributionKind says whether a contribution is to a node or an edge.
type ContributionKind uint8

// The two kinds of contribution targets.
const (
	OfNode ContributionKind = 1
	OfEdge ContributionKind = 2
)

// Target names what a contribution is to: node A, or the edge A-Type->B.
type Target struct {
	Kind ContributionKind
	A    uint64
	Type uint32 // 0 for a node
	B    uint64 // 0 for a node
}

// Contribution returns the key of what source contributed to t.
func Contribution(g uint32, source uint64, t Target) []byte {
	return appendTarget(put64(graphKey(TagContribution, g, 29), source), t)
}

// ContributionPrefix returns the prefix of all contributions of a source.
func ContributionPrefix(g uint32, source uint64) []byte {
	return put64(graphKey(TagContribution, g, 8), source)
}

// ContributionOf reads source and target back from a contribution key.
func ContributionOf(key []byte) (source uint64, t Target) {
	return binary.BigEndian.Uint64(key[5:]), readTarget(key[13:])
}

// Sources returns the key of one container of the sources of t.
func Sources(g uint32, t Target, container uint64) []byte {
	return put48(SourcesPrefix(g, t), container)
}

// SourcesPrefix returns the prefix of the containers of t's sources.
func SourcesPrefix(g uint32, t Target) []byte {
	return appendTarget(graphKey(TagSources, g, 27), t)
}

// SourcesOf reads target and container back from a sources key.
func SourcesOf(key []byte) (t Target, container uint64) {
	return readTarget(key[5:]), get48(key[26:])
}

func appendTarget(dst []byte, t Target) []byte {
	dst = put64(append(dst, byte(t.Kind)), t.A)
	return put64(put32(dst, t.Type), t.B)
}

func readTarget(b []byte) Target {
	return Target{
		Kind: ContributionKind(b[0]),
		A:    binary.BigEndian.Uint64(b[1:]),
		Type: binary.BigEndian.Uint32(b[9:]),
		B:    binary.BigEndian.Uint64(b[13:]),
	}
}

// Change returns the key of what the commit that made a version of a graph changed.
func Change(g uint32, version uint64) []byte { return put64(graphKey(TagChange, g, 8), version) }

// Bucket returns the key of private bytes in a bucket.
func Bucket(g, bucket uint32, private []byte) []byte {
	return append(put32(graphKey(TagBucket, g, 4+len(private)), bucket), private...)
}

// BucketPrivate returns the private part of a bucket key, aliasing it.
func BucketPrivate(key []byte) []byte { return key[9:] }
