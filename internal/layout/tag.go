package layout

// Tag is the first byte of a key: the family it belongs to.
type Tag byte

// The key families. The comment of the package lists their fields.
const (
	TagMeta         Tag = 0x00
	TagCatalog      Tag = 0x01
	TagName         Tag = 0x02
	TagGraphMeta    Tag = 0x03
	TagDirectory    Tag = 0x05
	TagNode         Tag = 0x10
	TagExternalKey  Tag = 0x11
	TagNodesOfType  Tag = 0x12
	TagNodeBlock    Tag = 0x13
	TagText         Tag = 0x18
	TagOut          Tag = 0x20
	TagIn           Tag = 0x21
	TagPromoted     Tag = 0x22
	TagParallel     Tag = 0x23
	TagEdge         Tag = 0x24
	TagContribution Tag = 0x25
	TagSources      Tag = 0x26
	TagEdgeBlock    Tag = 0x27
	TagSetIndex     Tag = 0x29
	TagEdgeIndex    Tag = 0x2A
	TagSpace        Tag = 0x30
	TagVector       Tag = 0x31 // slot -> full vector
	TagCode         Tag = 0x32 // edition, slot -> quantised code
	TagLinks        Tag = 0x33 // edition, level, slot -> neighbours
	TagSlot         Tag = 0x34 // slot -> node, life span
	TagSlotOf       Tag = 0x35 // node -> slot
	TagPending      Tag = 0x36 // slot not linked or not taken out yet
	TagIndexMeta    Tag = 0x37 // the index's own state
	TagPostings     Tag = 0x38
	TagLexSum       Tag = 0x39
	TagTermsOf      Tag = 0x3A
	TagBucket       Tag = 0x40
	TagChange       Tag = 0x50
)

// family describes the shape of a tag's keys after the tag byte.
type family struct {
	name string
	// fixed is the width of the fields before the variable part, or of the
	// whole key if there is none.
	fixed int
	// shape says what follows the fixed fields.
	shape shape
	// split is the prefix width, tag excluded; 0 means the whole key.
	split int
	merge mergeKind
}

type shape uint8

const (
	exact       shape = iota // nothing follows
	rest                     // any bytes follow
	optional48               // nothing or a container
	optional32               // nothing or a number
	escaped48                // escaped bytes, 00 00, container
	escapedEdge              // escaped bytes, 00 00, from, type, to, ordinal
	namePair                 // name 00 name, nothing fixed
)

type mergeKind uint8

const (
	mergeNone mergeKind = iota
	mergeSet
	mergeSum
	mergePostings
)

// familyOf returns the family of a tag, ok being false for unknown tags. A
// switch and not a table: the compiler makes one of it, and there is no
// package state to guard.
func familyOf(t Tag) (f family, ok bool) {
	switch t {
	case TagMeta:
		return family{"meta", 0, rest, 0, mergeNone}, true
	case TagCatalog:
		return family{"catalog", 9, exact, 0, mergeNone}, true
	case TagName:
		return family{"name", 5, rest, 0, mergeNone}, true
	case TagGraphMeta:
		return family{"graph", 4, rest, 0, mergeNone}, true
	case TagDirectory:
		return family{"directory", 0, namePair, 0, mergeNone}, true
	case TagNode:
		return family{"node", 12, exact, 0, mergeNone}, true
	case TagExternalKey:
		return family{"key", 8, rest, 0, mergeNone}, true
	case TagNodesOfType:
		return family{"type", 14, exact, 8, mergeSet}, true
	case TagNodeBlock:
		return family{"nodeblock", 8, optional32, 8, mergeNone}, true
	case TagText:
		return family{"text", 18, exact, 12, mergeNone}, true
	case TagOut:
		return family{"out", 16, optional48, 12, mergeSet}, true
	case TagIn:
		return family{"in", 16, optional48, 12, mergeSet}, true
	case TagPromoted:
		return family{"promoted", 15, exact, 9, mergeSet}, true
	case TagParallel:
		return family{"parallel", 29, exact, 13, mergeNone}, true
	case TagEdge:
		return family{"edge", 24, optional32, 16, mergeNone}, true
	case TagContribution:
		return family{"contribution", 33, exact, 12, mergeNone}, true
	case TagSources:
		return family{"sources", 31, exact, 25, mergeSet}, true
	case TagEdgeBlock:
		return family{"edgeblock", 28, exact, 0, mergeNone}, true
	case TagSetIndex:
		return family{"set", 8, escaped48, 0, mergeSet}, true
	case TagEdgeIndex:
		return family{"edgeset", 8, escapedEdge, 0, mergeNone}, true
	case TagSpace:
		return family{"space", 8, exact, 0, mergeNone}, true
	case TagVector:
		return family{"vector", 10, rest, 0, mergeNone}, true
	case TagCode:
		return family{"code", 10, rest, 0, mergeNone}, true
	case TagLinks:
		return family{"links", 10, rest, 0, mergeNone}, true
	case TagSlot:
		return family{"slot", 10, rest, 0, mergeNone}, true
	case TagSlotOf:
		return family{"slotof", 10, rest, 0, mergeNone}, true
	case TagPending:
		return family{"pending", 10, rest, 0, mergeNone}, true
	case TagIndexMeta:
		return family{"index", 10, rest, 0, mergeNone}, true
	case TagPostings:
		return family{"postings", 8, escaped48, 0, mergePostings}, true
	case TagLexSum:
		return family{"lexsum", 8, rest, 0, mergeSum}, true
	case TagTermsOf:
		return family{"termsof", 16, exact, 0, mergeNone}, true
	case TagBucket:
		return family{"bucket", 8, rest, 8, mergeNone}, true
	case TagChange:
		return family{"change", 12, exact, 0, mergeNone}, true
	}
	return family{}, false
}

// graphTags lists, ascending, the families whose keys begin with a graph: what
// dropping a graph must range over.
func graphTags() []Tag {
	return []Tag{
		TagCatalog, TagName, TagGraphMeta, TagNode, TagExternalKey,
		TagNodesOfType, TagNodeBlock, TagText, TagOut, TagIn, TagPromoted, TagParallel, TagEdge,
		TagContribution, TagSources, TagEdgeBlock, TagSetIndex, TagEdgeIndex, TagSpace,
		TagVector, TagCode, TagLinks, TagSlot, TagSlotOf, TagPending,
		TagIndexMeta, TagPostings, TagLexSum, TagTermsOf, TagBucket, TagChange,
	}
}

// GraphTags calls fn with every family that holds keys of graphs, ascending.
func GraphTags(fn func(t Tag)) {
	for _, t := range graphTags() {
		fn(t)
	}
}

// String returns the name of the family, as Format prints it.
func (t Tag) String() string {
	if f, ok := familyOf(t); ok {
		return f.name
	}
	return "unknown"
}
