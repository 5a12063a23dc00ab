package archrag

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/method"
)

// base is what is kept of the last whole clustering of a level. The communities
// that there are now are a function of it and of the graph as it is: what came
// and went again leaves no trace. It names nodes by hashes.
type base struct {
	// Of identifies what the clustering was made by: the model and
	// the base of the level below.
	Of string `json:"of"`
	// Stopped says that there were fewer than MinClusters communities: the
	// level is not made, nor any above.
	Stopped bool `json:"stopped,omitempty"`
	// Threshold (bits of a float64) and Degree are the limits of new edges.
	Threshold uint64 `json:"threshold"`
	Degree    int    `json:"degree"`
	// Nodes, Digests and Cluster are of the level's nodes; noEdges and outlier
	// are no cluster.
	Nodes   []uint64 `json:"nodes"`
	Digests []uint64 `json:"digests"`
	Cluster []int    `json:"cluster"`
	// Names are those of the clusters.
	Names []string `json:"names"`
	// Near are the edges that were added, by place in Nodes; with codicil all
	// that were kept.
	Near [][2]uint32 `json:"near"`
	// Modularity is that of the clustering.
	Modularity float64 `json:"modularity"`
	// Links are the pairs of communities that the level's graph joins now, by the hashes
	// of their keys, in order; with next=augmented alone.
	Links [][2]uint64 `json:"links,omitempty"`
	// Now says how the level is now.
	Now state `json:"now"`
}

// state is how far a level is from its last whole clustering.
type state struct {
	Modularity float64 `json:"modularity"`
	// Nodes are the level's, Moved those that are not in the community they
	// were in.
	Nodes int `json:"nodes"`
	Moved int `json:"moved"`
}

func (b *base) limits() graphops.AugmentLimits {
	return graphops.AugmentLimits{Threshold: math.Float64frombits(b.Threshold), Degree: b.Degree}
}

// id identifies the clustering to the level above.
func (b *base) id() string {
	parts := []string{b.Of, fmt.Sprint(b.Stopped)}
	for i, h := range b.Nodes {
		parts = append(parts, fmt.Sprint(h, b.Cluster[i]))
	}
	d := method.Digest(parts...)
	return hex.EncodeToString(d[:12])
}

// unchanged returns the clusters of the base that have the same members in part.
// old is the place in the base of each node of part, negative if it has none.
func (b *base) unchanged(part graphops.Partition, old []int) map[int]bool {
	missing := make([]int, len(b.Names)) // members that part does not have in their cluster
	for _, c := range b.Cluster {
		if c >= 0 {
			missing[c]++
		}
	}
	strange := make([]bool, len(b.Names)) // it has members that were not there
	for u, c := range part.Of {
		switch i := old[u]; {
		case int64(c) >= int64(len(b.Names)): // a new cluster, or none
		case i >= 0 && b.Cluster[i] == int(c):
			missing[c]--
		default:
			strange[c] = true
		}
	}
	same := map[int]bool{}
	for c := range b.Names {
		if missing[c] == 0 && !strange[c] {
			same[c] = true
		}
	}
	return same
}

// Of nodes in no cluster: those without edges, and those that the clustering
// left out.
const (
	noEdges = -1
	outlier = -2
)

func levelKey(n int) []byte { return []byte{byte(n)} }

// readBase reads the base of a level, nil if there is none.
func readBase(v engine.Reader, n int) (*base, error) {
	b := &base{}
	ok, err := encoded.Get(v.Bucket(bucketLevels), levelKey(n), b)
	if err != nil {
		return nil, fmt.Errorf("base of level %d: %w", n, err)
	}
	if !ok {
		return nil, nil
	}
	return b, nil
}

// newBase describes a clustering that was just made.
func (s *system) newBase(lv *level, a *augmented, part graphops.Partition, of string) *base {
	b := &base{
		Of: of, Threshold: math.Float64bits(a.limits.Threshold), Degree: a.limits.Degree,
		Nodes: lv.hashes, Digests: lv.digests, Cluster: make([]int, len(lv.ids)), Near: [][2]uint32{},
	}
	for u, c := range part.Of {
		switch {
		case c != graphops.None:
			b.Cluster[u] = int(c)
		case a.graph.Degree(uint32(u)) == 0:
			b.Cluster[u] = noEdges
		default:
			b.Cluster[u] = outlier
		}
	}
	for _, members := range membersOf(part) {
		b.Names = append(b.Names, lv.name(members))
	}
	for _, e := range edgesOf(a.graph) {
		if s.p.Augment == "codicil" || !hasEdge(lv.edges, e) {
			b.Near = append(b.Near, [2]uint32{e.From, e.To})
		}
	}
	return b
}

func hasEdge(sorted []graphops.WeightedEdge, e graphops.WeightedEdge) bool {
	_, ok := slices.BinarySearchFunc(sorted, e, func(a, b graphops.WeightedEdge) int {
		if a.From != b.From {
			return int(int64(a.From) - int64(b.From))
		}
		return int(int64(a.To) - int64(b.To))
	})
	return ok
}

// membersOf returns the members of each cluster, ascending.
func membersOf(part graphops.Partition) [][]uint32 {
	off, nodes := part.Members()
	out := make([][]uint32, part.Count)
	for c := range out {
		out[c] = nodes[off[c]:off[c+1]]
	}
	return out
}

// name is the key of a community of some nodes: level and digest of their keys.
func (lv *level) name(members []uint32) string {
	keys := make([]string, len(members))
	for i, u := range members {
		keys[i] = lv.keys[u]
	}
	d := method.Digest("community", strings.Join(keys, "\x00"))
	return communityPrefix(lv.n) + hex.EncodeToString(d[:12])
}
