package hirag

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// material is what a summary or a report is made of: its nodes, ascending, and a
// digest of what is said of each. It holds no texts.
//
// Firm are those of the nodes that are summaries, and Clusters the keys of the clusters
// that those are of. What was made of a summary may outlast it, but not the members that
// the cluster had then: if a document leaves, what tells of it is found by the clusters
// (see [setRead]). What an earlier version has read lacks Clusters, and does not outlast
// the summaries.
type material struct {
	Nodes []uint64 `json:"nodes"`
	Said  []uint64 `json:"said"`
	Firm  []uint64 `json:"firm,omitempty"`

	Clusters []string `json:"clusters,omitempty"`
	// Own and Edges are what of Said is of the nodes alone, and of each edge at them,
	// [sumSize] bytes each: one relation more of a node with many is a small change. A
	// summary of a cluster is not made of edges. What an earlier version has read
	// lacks both.
	Own   []byte `json:"own,omitempty"`
	Edges []byte `json:"edges,omitempty"`
}

// sumSize is the length of what stands for a text in Own and Edges.
const sumSize = 4

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

// changed returns how many nodes and edges came, went or are told of in other words, as
// a part of those that there were. One that went and one that came are one exchange. It
// is everything if there was no node.
func (m *material) changed(now material) float64 {
	if len(m.Nodes) == 0 {
		return everything
	}
	apart := len(m.Own) == sumSize*len(m.Nodes) && len(now.Own) == sumSize*len(now.Nodes)
	same := func(i, k int) bool {
		if !apart {
			return now.Said[k] == m.Said[i]
		}
		return bytes.Equal(m.Own[sumSize*i:sumSize*(i+1)], now.Own[sumSize*k:sumSize*(k+1)])
	}
	n, gone := 0, 0
	for i, node := range m.Nodes {
		k, ok := slices.BinarySearch(now.Nodes, node)
		if !ok {
			gone++
		}
		if !ok || !same(i, k) {
			if _, firm := slices.BinarySearch(m.Firm, node); firm && len(m.Clusters) == 0 {
				return everything
			}
			n++
		}
	}
	came := len(now.Nodes) - (len(m.Nodes) - gone)
	n += max(0, came-gone) // those that went are counted
	if !apart {
		return float64(n) / float64(len(m.Nodes))
	}
	gone, came = differing(m.Edges, now.Edges)
	return float64(n+max(gone, came)) / float64(len(m.Nodes)+len(m.Edges)/sumSize)
}

// differing returns how many of the sums of one ascending list the other lacks, and the
// other way round.
func differing(a, b []byte) (onlyA, onlyB int) {
	for len(a) >= sumSize && len(b) >= sumSize {
		switch c := bytes.Compare(a[:sumSize], b[:sumSize]); {
		case c == 0:
			a, b = a[sumSize:], b[sumSize:]
		case c < 0:
			a, onlyA = a[sumSize:], onlyA+1
		default:
			b, onlyB = b[sumSize:], onlyB+1
		}
	}
	return onlyA + len(a)/sumSize, onlyB + len(b)/sumSize
}

// everything is more than any part that may change.
const everything = 2

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
