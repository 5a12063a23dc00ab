// Package schema names what a graph of NodeRAG holds, for package noderag and for
// programs that write or read such a graph themselves.
package schema

import (
	"encoding/binary"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/method"
)

// The types of nodes, with the paper's letters.
const (
	Text         = method.ChunkNodeType // T
	Unit         = "unit"               // S
	Entity       = knowledge.TypeEntity // N
	Relationship = "relationship"       // R
	Attribute    = "attribute"          // A
	Element      = "element"            // H
	Overview     = "overview"           // O
)

// The types of edges.
const (
	Source    = "source"               // S - T
	Mentions  = knowledge.EdgeMentions // S - N
	States    = "states"               // S - R, with the parameter sr=on
	Relates   = "relates"              // R - N
	Describes = "describes"            // A - N
	Covers    = "covers"               // H - S, H - A
	Titles    = "titles"               // O - H
	Near      = "near"                 // among T, S, A, H
)

// The properties of nodes.
const (
	PropTokens = "tokens" // T
	PropText   = "text"   // A, H
	PropOf     = "of"     // A, H: digest of what the text was made from
)

// The buckets. That of communities holds
//
//	n <node u64>  community u64, degree u32 of the node
//	s             what is known of the communities as a whole, as JSON
//
// and that of elements
//
//	c <community u64> <element u64>  nothing
//	e <element u64>                  community u64
const (
	BucketImportant   = "important" // entity u64 -> by what it was chosen
	BucketCommunities = "communities"
	BucketElements    = "elements"
)

// FieldNames is the field of the words of entities and overviews.
const FieldNames = "names"

// MakeNames makes the field of the names' words.
func MakeNames(v *engine.TxView) error {
	return v.MakeField(FieldNames, engine.FieldOptions{Analyzer: text.Exact{}.Name(), Positions: true})
}

// PutName makes a new node findable by the words of its name. The name is the
// node's key, so that it does not depend on which source came first.
func PutName(v *engine.TxView, id engine.NodeID, name string) error {
	return v.PutTerms(FieldNames, id, text.Exact{}.Terms(name))
}

// RelationKey is the key of the relationship of two entities, the lesser key first.
// Entity keys hold words and blanks only.
func RelationKey(from, to string) string { return from + "|" + to }

// IDKey is a node in a key.
func IDKey(id engine.NodeID) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

// MemberKey is the key of a node in the bucket of communities.
func MemberKey(id engine.NodeID) []byte { return append([]byte{'n'}, IDKey(id)...) }

// OfCommunity begins the keys of a community in the bucket of elements.
func OfCommunity(number uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{'c'}, number)
}

// OfElement is the key of an element in the bucket of elements.
func OfElement(id engine.NodeID) []byte { return append([]byte{'e'}, IDKey(id)...) }

// Community returns the community of a node other than an element.
func Community(v engine.Reader, id engine.NodeID) (uint64, error) {
	b, err := v.Bucket(BucketCommunities).Get(MemberKey(id), nil)
	if err == nil && len(b) != 12 {
		err = engine.ErrCorrupt
	}
	if err != nil {
		return 0, fmt.Errorf("community of node %d: %w", id, err)
	}
	return binary.BigEndian.Uint64(b), nil
}

// PutElement says of which community an element is.
func PutElement(v *engine.TxView, id engine.NodeID, community uint64) error {
	b, err := v.MakeBucket(BucketElements)
	if err != nil {
		return err
	}
	if err := b.Set(OfElement(id), binary.BigEndian.AppendUint64(nil, community)); err != nil {
		return err
	}
	return b.Set(append(OfCommunity(community), IDKey(id)...), nil)
}
