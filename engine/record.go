package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/ragdb/ragdb/engine/internal/schema"
)

// Flags of a node record.
const (
	// flagDerived marks a node that exists only while a source supports it.
	flagDerived = 1 << 0
)

// prop is a property with its name's id, as records hold it.
type prop struct {
	id    uint32
	value Value
}

// record is a node record taken apart or to be written.
type record struct {
	ntype  uint32
	epoch  uint64
	flags  uint32
	key    string
	props  []prop   // ascending by id
	labels []uint32 // node types beside ntype, ascending
}

// guard turns a panic of the FlatBuffers runtime, which does not verify what
// it reads, into an error.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("malformed record: %v", p)
	}
}

// room is how many bytes may still be decoded from a record: no more than it
// has. Fields of a damaged one may share bytes, and so stand for gigabytes.
type room int

// take refuses n bytes if they do not fit.
func (r *room) take(n int) error {
	if *r -= room(n); *r < 0 {
		return errors.New("malformed record: fields overlap")
	}
	return nil
}

// elementSize is what an element of a vector of tables or strings takes in it.
const elementSize = 4

func encodeProps(b *flatbuffers.Builder, props []prop) flatbuffers.UOffsetT {
	if len(props) == 0 {
		return 0
	}
	offs := make([]flatbuffers.UOffsetT, len(props))
	for i, p := range props {
		var bytes, list flatbuffers.UOffsetT
		switch p.value.kind {
		case KindString, KindBytes, KindTemporal, KindPoint, KindList:
			bytes = b.CreateByteString([]byte(p.value.str))
		case KindStrings:
			items := make([]flatbuffers.UOffsetT, len(p.value.list))
			for j, s := range p.value.list {
				items[j] = b.CreateString(s)
			}
			list = b.CreateVectorOfTables(items)
		}
		schema.PropertyStart(b)
		schema.PropertyAddId(b, p.id)
		schema.PropertyAddKind(b, uint8(p.value.kind))
		schema.PropertyAddInt(b, p.value.num)
		schema.PropertyAddFloat(b, p.value.flt)
		if bytes != 0 {
			schema.PropertyAddBytes(b, bytes)
		}
		if list != 0 {
			schema.PropertyAddList(b, list)
		}
		offs[i] = schema.PropertyEnd(b)
	}
	return b.CreateVectorOfTables(offs)
}

func decodeProp(p *schema.Property, left *room) (prop, error) {
	out := prop{id: p.Id()}
	if err := left.take(elementSize); err != nil {
		return out, err
	}
	v := &out.value
	v.kind = Kind(p.Kind())
	switch v.kind {
	case kindNull, KindBool, KindInt, KindText:
		v.num = p.Int()
	case KindFloat:
		v.flt = p.Float()
	case KindString, KindBytes, KindTemporal, KindPoint, KindList:
		b := p.BytesBytes()
		if err := left.take(len(b)); err != nil {
			return out, err
		}
		v.str = string(b)
		if err := v.whole(); err != nil {
			return out, fmt.Errorf("malformed record: property %d: %w", out.id, err)
		}
	case KindStrings:
		n := p.ListLength()
		v.list = make([]string, 0, min(n, 64))
		for j := range n {
			b := p.List(j)
			if err := left.take(elementSize + len(b)); err != nil {
				return out, err
			}
			v.list = append(v.list, string(b))
		}
	default:
		return out, fmt.Errorf("malformed record: unknown kind %d of property %d", v.kind, out.id)
	}
	return out, nil
}

// encode returns the record's bytes.
func (r *record) encode(b *flatbuffers.Builder) []byte {
	b.Reset()
	slices.SortFunc(r.props, func(a, c prop) int { return int(int64(a.id) - int64(c.id)) })
	props := encodeProps(b, r.props)
	key := b.CreateString(r.key)
	var labels flatbuffers.UOffsetT
	if len(r.labels) > 0 {
		schema.NodeStartLabelsVector(b, len(r.labels))
		for _, l := range slices.Backward(r.labels) {
			b.PrependUint32(l)
		}
		labels = b.EndVector(len(r.labels))
	}
	schema.NodeStart(b)
	schema.NodeAddType(b, r.ntype)
	schema.NodeAddEpoch(b, r.epoch)
	schema.NodeAddFlags(b, r.flags)
	schema.NodeAddKey(b, key)
	if props != 0 {
		schema.NodeAddProps(b, props)
	}
	if labels != 0 {
		schema.NodeAddLabels(b, labels)
	}
	b.Finish(schema.NodeEnd(b))
	return slices.Clone(b.FinishedBytes())
}

// decodeRecord reads a node record. With props false the properties are left
// out.
func decodeRecord(buf []byte, props bool) (r record, err error) {
	defer guard(&err)
	n := schema.GetRootAsNode(buf, 0)
	r = record{ntype: n.Type(), epoch: n.Epoch(), flags: n.Flags(), key: string(n.Key())}
	left := room(len(buf))
	if r.labels, err = decodeLabels(n, &left); err != nil || !props {
		return r, err
	}
	var p schema.Property
	r.props = make([]prop, 0, min(n.PropsLength(), len(buf)/8)) // a damaged length may be any
	for i := range n.PropsLength() {
		if !n.Props(&p, i) {
			return r, fmt.Errorf("malformed record: property %d is missing", i)
		}
		x, err := decodeProp(&p, &left)
		if err != nil {
			return r, err
		}
		r.props = append(r.props, x)
	}
	return r, nil
}

// decodeLabels reads the types that a node has beside its own.
func decodeLabels(n *schema.Node, left *room) ([]uint32, error) {
	k := n.LabelsLength()
	if k == 0 {
		return nil, nil
	}
	if err := left.take(k * elementSize); err != nil {
		return nil, err
	}
	out := make([]uint32, k)
	for i := range out {
		out[i] = n.Labels(i)
		if out[i] == uint32(NoType) || out[i] == uint32(AnyType) || out[i] == n.Type() || i > 0 && out[i] <= out[i-1] {
			return nil, fmt.Errorf("malformed record: label %d out of order", out[i])
		}
	}
	return out, nil
}

// decodeValues reads the key and some properties of a record: out[i] becomes
// the value of pids[i], null if the record lacks it.
func decodeValues(buf []byte, pids []uint32, out []Value) (key string, err error) {
	defer guard(&err)
	clear(out)
	n := schema.GetRootAsNode(buf, 0)
	var p schema.Property
	left := room(len(buf))
	for i := range n.PropsLength() {
		if !n.Props(&p, i) {
			return "", fmt.Errorf("malformed record: property %d is missing", i)
		}
		at := slices.Index(pids, p.Id())
		if at < 0 {
			continue
		}
		x, err := decodeProp(&p, &left)
		if err != nil {
			return "", err
		}
		out[at] = x.value
	}
	return string(n.Key()), nil
}

func encodeEdge(b *flatbuffers.Builder, epoch uint64, props []prop) []byte {
	b.Reset()
	off := encodeProps(b, props)
	schema.EdgeStart(b)
	schema.EdgeAddEpoch(b, epoch)
	if off != 0 {
		schema.EdgeAddProps(b, off)
	}
	b.Finish(schema.EdgeEnd(b))
	return slices.Clone(b.FinishedBytes())
}

func decodeEdge(buf []byte) (props []prop, err error) {
	defer guard(&err)
	e := schema.GetRootAsEdge(buf, 0)
	var p schema.Property
	left := room(len(buf))
	for i := range e.PropsLength() {
		if !e.Props(&p, i) {
			return nil, fmt.Errorf("malformed record: property %d is missing", i)
		}
		x, err := decodeProp(&p, &left)
		if err != nil {
			return nil, err
		}
		props = append(props, x)
	}
	return props, nil
}

func encodeContribution(b *flatbuffers.Builder, c *Contribution) []byte {
	b.Reset()
	texts := make([]flatbuffers.UOffsetT, len(c.Texts))
	for i, s := range c.Texts {
		texts[i] = b.CreateString(s)
	}
	var list, label flatbuffers.UOffsetT
	if len(texts) > 0 {
		list = b.CreateVectorOfTables(texts)
	}
	if c.Label != "" {
		label = b.CreateString(c.Label)
	}
	schema.ContributionStart(b)
	schema.ContributionAddWeight(b, c.Weight)
	schema.ContributionAddCount(b, c.Count)
	if label != 0 {
		schema.ContributionAddLabel(b, label)
	}
	if list != 0 {
		schema.ContributionAddTexts(b, list)
	}
	b.Finish(schema.ContributionEnd(b))
	return slices.Clone(b.FinishedBytes())
}

func decodeContribution(buf []byte) (c Contribution, err error) {
	defer guard(&err)
	x := schema.GetRootAsContribution(buf, 0)
	c.Weight, c.Count, c.Label = x.Weight(), x.Count(), string(x.Label())
	left := room(len(buf))
	for i := range x.TextsLength() {
		b := x.Texts(i)
		if err := left.take(elementSize + len(b)); err != nil {
			return c, err
		}
		c.Texts = append(c.Texts, string(b))
	}
	return c, nil
}

// catalogEntry is a name that a graph's catalog gives an id to.
type catalogEntry struct {
	name    string
	epoch   uint64
	flags   uint32
	options []byte

	// Of entries in memory: the commit that removed the name, 0 if it
	// stands, and the id that the name had before, 0 if it had none.
	gone   uint64
	before uint32
}

// at reports whether the state after a commit has the entry.
func (e *catalogEntry) at(epoch uint64) bool {
	return e.epoch <= epoch && (e.gone == 0 || epoch < e.gone)
}

func encodeCatalogEntry(b *flatbuffers.Builder, e *catalogEntry) []byte {
	b.Reset()
	name := b.CreateString(e.name)
	var opts flatbuffers.UOffsetT
	if len(e.options) > 0 {
		opts = b.CreateByteVector(e.options)
	}
	schema.CatalogEntryStart(b)
	schema.CatalogEntryAddName(b, name)
	schema.CatalogEntryAddEpoch(b, e.epoch)
	schema.CatalogEntryAddFlags(b, e.flags)
	if opts != 0 {
		schema.CatalogEntryAddOptions(b, opts)
	}
	b.Finish(schema.CatalogEntryEnd(b))
	return slices.Clone(b.FinishedBytes())
}

func decodeCatalogEntry(buf []byte) (e catalogEntry, err error) {
	defer guard(&err)
	x := schema.GetRootAsCatalogEntry(buf, 0)
	e = catalogEntry{name: string(x.Name()), epoch: x.Epoch(), flags: x.Flags()}
	e.options = slices.Clone(x.OptionsBytes())
	return e, nil
}

// checkValue refuses what cannot be stored.
func checkValue(name string, v Value) error {
	notText := func() error { return phase.Mark(ErrInvalid, "property %q: a string that is not UTF-8", name) }
	switch v.kind {
	case KindText:
		return phase.Mark(ErrInvalid, "property %q: text is stored as a string", name)
	case KindFloat:
		if math.IsNaN(v.flt) || math.IsInf(v.flt, 0) {
			return phase.Mark(ErrInvalid, "property %q: %v", name, v.flt)
		}
	case KindPoint:
		if v.whole() != nil {
			return phase.Mark(ErrInvalid, "property %q: a point without a known SRID or with a coordinate that is out of range", name)
		}
	case KindList:
		if v.whole() != nil {
			return phase.Mark(ErrInvalid, "property %q: a list with a number or a point that is out of range", name)
		}
	case KindString:
		if !utf8.ValidString(v.str) {
			return notText()
		}
	case KindStrings:
		for _, s := range v.list {
			if !utf8.ValidString(s) {
				return notText()
			}
		}
	}
	return nil
}
