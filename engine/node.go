package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/ragdb/ragdb/internal/layout"
)

// maxKeyBytes bounds the caller's keys of nodes.
const maxKeyBytes = 4 << 10

// Node is a node as it was read. It owns its memory.
type Node struct {
	ID NodeID
	// Type is the type that the node's key belongs to, [NoType] if the node has
	// no label.
	Type TypeID
	// Labels are the types that the node has beside Type, ascending.
	Labels []TypeID
	// Key is the caller's key, unique among the nodes of the type.
	Key string
	// Epoch is the commit that last wrote the node's own record; edges,
	// vectors and postings do not move it.
	Epoch uint64
	// Derived says that the node exists only while a source supports it.
	Derived bool

	r     *reader
	props []prop
}

// Prop returns a property, null if the node has none of the name. A long
// string is returned as [KindText]; [Reader.Text] reads it.
func (n *Node) Prop(name string) Value {
	if n.r == nil {
		return Value{}
	}
	id, ok := n.r.lookupName(layout.KindProperty, name)
	if !ok {
		return Value{}
	}
	for _, p := range n.props {
		if p.id == id {
			return p.value
		}
	}
	return Value{}
}

// Props returns all properties by name.
func (n *Node) Props() Props { return n.r.named(n.props) }

func (r *reader) named(props []prop) Props {
	out := make(Props, len(props))
	for _, p := range props {
		out[r.nameOf(layout.KindProperty, p.id)] = p.value
	}
	return out
}

// Lookup implements [Reader].
func (r *reader) Lookup(t TypeID, key string) (NodeID, error) {
	k := layout.ExternalKey(r.g, uint32(t), key)
	v, err := r.kv.Get(r.ctx, k, make([]byte, 0, 8))
	if err != nil {
		return 0, r.wrap(fmt.Sprintf("node %q", key), err)
	}
	if len(v) != 8 {
		return 0, corrupt(k, errors.New("wrong length"))
	}
	return NodeID(binary.BigEndian.Uint64(v)), nil
}

// Lookups returns the nodes whose own type is t with the caller's keys, in the order of
// these, 0 where there is none. It costs a fraction of as many calls of Lookup.
func (r *reader) Lookups(t TypeID, keys []string) ([]NodeID, error) {
	full, out := make([][]byte, len(keys)), make([]NodeID, len(keys))
	for i, key := range keys {
		full[i] = layout.ExternalKey(r.g, uint32(t), key)
	}
	err := r.kv.MultiGet(r.ctx, full, func(i int, v []byte) error {
		switch len(v) {
		case 0:
		case 8:
			out[i] = NodeID(binary.BigEndian.Uint64(v))
		default:
			return corrupt(full[i], errors.New("wrong length"))
		}
		return nil
	})
	if err != nil {
		return nil, r.wrap("nodes by keys", err)
	}
	return out, nil
}

// Node implements [Reader].
func (r *reader) Node(id NodeID) (Node, error) {
	rec, err := r.record(id, true)
	if err != nil {
		return Node{}, r.wrap(fmt.Sprintf("node %d", id), err)
	}
	return r.nodeOf(id, rec), nil
}

// EachNode implements [Reader].
func (r *reader) EachNode(ids []NodeID, fn func(i int, n Node) error) error {
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = layout.Node(r.g, uint64(id))
	}
	var refused error // by fn, whose errors are the caller's
	err := r.kv.MultiGet(r.ctx, keys, func(i int, v []byte) error {
		if v == nil {
			return nil
		}
		rec, err := decodeRecord(v, true)
		if err != nil {
			return corrupt(keys[i], err)
		}
		refused = fn(i, r.nodeOf(ids[i], rec))
		return refused
	})
	if refused != nil {
		return refused
	}
	return r.wrap("nodes", err)
}

func (r *reader) nodeOf(id NodeID, rec record) Node {
	return Node{
		ID:      id,
		Type:    TypeID(rec.ntype),
		Key:     rec.key,
		Epoch:   rec.epoch,
		Derived: rec.flags&flagDerived != 0,
		Labels:  typeIDs(rec.labels),
		r:       r,
		props:   rec.props,
	}
}

func (r *reader) record(id NodeID, props bool) (record, error) {
	k := layout.Node(r.g, uint64(id))
	v, err := r.kv.Get(r.ctx, k, make([]byte, 0, 256))
	if err != nil {
		return record{}, err
	}
	rec, err := decodeRecord(v, props)
	if err != nil {
		return record{}, corrupt(k, err)
	}
	return rec, nil
}

// Nodes implements [Reader].
func (r *reader) Nodes(t TypeID) (*roaring.Bitmap, error) {
	prefix := layout.NodesOfTypePrefix(r.g, uint32(t))
	if t == AnyType {
		prefix = layout.GraphPrefix(layout.TagNodesOfType, r.g)
	}
	rb, err := r.union(prefix)
	return rb, r.wrap("nodes", err)
}

// union returns the ids in all containers whose keys have the prefix.
func (r *reader) union(prefix []byte) (*roaring.Bitmap, error) {
	rb := roaring.New()
	for p, err := range scan(r.ctx, r.kv, prefix) {
		if err != nil {
			return nil, err
		}
		if err := layout.AddSetTo(p.value, layout.LastContainer(p.key)<<16, rb); err != nil {
			return nil, corrupt(p.key, err)
		}
	}
	return rb, nil
}

// The codecs of external text, in its first byte. Two bytes for a dictionary
// follow, 0 for none.
const (
	textRaw  = 0
	textZstd = 1
)

// inlineText is the length up to which a string stays in its node's record.
const inlineText = 1 << 10

// textPart is the length of the parts that external text is cut into.
const textPart = 256 << 10

// Text implements [Reader].
func (r *reader) Text(id NodeID, property string) (string, error) {
	s, err := r.text(id, property)
	if err != nil {
		return "", r.wrap(fmt.Sprintf("node %d: %s", id, property), err)
	}
	return s, nil
}

func (r *reader) text(id NodeID, property string) (string, error) {
	pid, ok := r.lookupName(layout.KindProperty, property)
	if !ok {
		return "", ErrNotFound
	}
	rec, err := r.record(id, true)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(rec.props, func(p prop) bool { return p.id == pid })
	if i < 0 {
		return "", ErrNotFound
	}
	v := rec.props[i].value
	if v.kind != KindText {
		return v.AsString(), nil
	}
	return r.externalText(id, pid, v.Size())
}

// externalText reads a long string of n bytes.
func (r *reader) externalText(id NodeID, pid uint32, n int) (string, error) {
	prefix := layout.TextPrefix(r.g, uint64(id), pid)
	var out []byte
	for p, err := range scan(r.ctx, r.kv, prefix) {
		if err != nil {
			return "", err
		}
		if out, err = appendTextPart(r.graph.ns.db.zdec, out, p.value); err != nil {
			return "", corrupt(p.key, err)
		}
	}
	if len(out) != n {
		return "", corrupt(prefix, fmt.Errorf("text of %d bytes, %d expected", len(out), n))
	}
	return string(out), nil
}

// encodeTextPart compresses a part if that makes it smaller.
func encodeTextPart(enc *zstd.Encoder, part string) []byte {
	raw := append([]byte{textRaw, 0, 0}, part...)
	packed := enc.EncodeAll([]byte(part), []byte{textZstd, 0, 0})
	if len(packed) < len(raw) {
		return packed
	}
	return raw
}

func appendTextPart(dec *zstd.Decoder, dst, v []byte) ([]byte, error) {
	if len(v) < 3 || v[1] != 0 || v[2] != 0 {
		return dst, errors.New("malformed text part")
	}
	switch v[0] {
	case textRaw:
		return append(dst, v[3:]...), nil
	case textZstd:
		// The decoder's limit is on the whole buffer it is given.
		part, err := dec.DecodeAll(v[3:], nil)
		return append(dst, part...), err
	}
	return dst, fmt.Errorf("unknown text codec %d", v[0])
}

// newZstd returns the coders of external text. One part at a time is decoded,
// and no part is longer than textPart, whatever a damaged frame says.
func newZstd() (*zstd.Encoder, *zstd.Decoder, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(textPart))
	if err != nil {
		return nil, nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(textPart))
	return enc, dec, err
}
