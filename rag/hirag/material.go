package hirag

import (
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// material is what a summary or a report is made of: its nodes, ascending, and a
// digest of what is said of each. It holds no texts.
//
// Firm are those of the nodes that are summaries. What was made of one must not
// outlast it: if a document leaves, what tells of it is found by the summaries that
// there are.
type material struct {
	Nodes []uint64 `json:"nodes"`
	Said  []uint64 `json:"said"`
	Firm  []uint64 `json:"firm,omitempty"`
}

// add adds a node that is not there yet.
func (m *material) add(node uint64, said [32]byte, firm bool) {
	i, _ := slices.BinarySearch(m.Nodes, node)
	m.Nodes = slices.Insert(m.Nodes, i, node)
	m.Said = slices.Insert(m.Said, i, binary.BigEndian.Uint64(said[:]))
	if firm {
		i, _ := slices.BinarySearch(m.Firm, node)
		m.Firm = slices.Insert(m.Firm, i, node)
	}
}

// digest tells the material from other.
func (m *material) digest() string {
	b := make([]byte, 0, 16*len(m.Nodes))
	for i, n := range m.Nodes {
		b = binary.BigEndian.AppendUint64(b, n)
		b = binary.BigEndian.AppendUint64(b, m.Said[i])
	}
	d := method.Digest(string(b))
	return hex.EncodeToString(d[:])
}

// changed returns how many nodes came, went or are told of in other words, as a
// part of those that there were. It is everything if there were none, or if one of
// these is a summary.
func (m *material) changed(now material) float64 {
	if len(m.Nodes) == 0 {
		return everything
	}
	n, stayed := 0, 0
	for i, node := range m.Nodes {
		k, ok := slices.BinarySearch(now.Nodes, node)
		if ok {
			stayed++
		}
		if !ok || now.Said[k] != m.Said[i] {
			if _, firm := slices.BinarySearch(m.Firm, node); firm {
				return everything
			}
			n++
		}
	}
	return float64(n+len(now.Nodes)-stayed) / float64(len(m.Nodes))
}

// everything is more than any part that may change.
const everything = 2

// readKey is the key of what was read for a work item in the bucket of plans.
func readKey(item string) []byte { return []byte("read/" + item) }

// setRead notes what was read for a work item.
func setRead(v *engine.TxView, item string, m material) error {
	b, err := v.MakeBucket(bucketPlan)
	if err != nil {
		return err
	}
	return encoded.Put(b, readKey(item), m)
}

// forgetRead forgets what was read for a work item, which is read again then.
func forgetRead(v *engine.TxView, item string) error {
	b, err := v.MakeBucket(bucketPlan)
	if err != nil {
		return err
	}
	return b.Delete(readKey(item))
}

// lostMembers reports whether a cluster or community holds, by edges of a type, a
// node that is none of its members any more. Since its members are its sources, it
// has to be made again then.
func lostMembers(v engine.Reader, id engine.NodeID, edge string, members []engine.NodeID) (bool, error) {
	have, err := graph.Neighbors(v, id, edge, engine.In)
	if err != nil {
		return false, err
	}
	members = slices.Sorted(slices.Values(members))
	for _, old := range have {
		if _, ok := slices.BinarySearch(members, old); !ok {
			return true, nil
		}
	}
	return false, nil
}
