package engine

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// Stats are figures of a snapshot, in an order that depends on names alone.
type Stats struct {
	Epoch  uint64       `json:"epoch"`
	Graphs []graphStats `json:"graphs"` // by namespace and name
	Spaces []spaceStats `json:"spaces"` // families of keys that have any
	// Memory is what the database keeps in memory at this moment, whatever the
	// snapshot.
	Memory memoryStats `json:"memory"`
	// Store has the storage engine's own figures at this moment, 0 if it does
	// not tell.
	Store struct {
		DiskBytes      uint64 `json:"disk_bytes"` // live files, write-ahead log included
		WALBytes       uint64 `json:"wal_bytes"`
		MemtableBytes  uint64 `json:"memtable_bytes"`
		CacheBytes     uint64 `json:"cache_bytes"`
		CacheHits      int64  `json:"cache_hits"`
		CacheMisses    int64  `json:"cache_misses"`
		Files          int    `json:"files"`
		ReadAmp        int    `json:"read_amp"`
		WriteStalls    int64  `json:"write_stalls"`
		Snapshots      int    `json:"snapshots"` // open
		PinnedKeys     uint64 `json:"pinned_keys"`
		CompactedBytes uint64 `json:"compacted_bytes"`
		// Failure is why the store is read-only since, empty if it is not.
		Failure string `json:"failure,omitempty"`
	} `json:"store"`
}

// Count is how many there are of a name.
type Count struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// graphStats are the figures of one graph. Every list is by name and has the
// names that nothing uses too, with 0. A node counts for each of its labels,
// one without a label under the empty name.
type graphStats struct {
	Namespace     string      `json:"namespace"`
	Name          string      `json:"name"`
	ID            GraphID     `json:"id"`
	Version       uint64      `json:"version"`
	Nodes         int64       `json:"nodes"`
	Edges         int64       `json:"edges"`
	Contributions int64       `json:"contributions"`
	NodeTypes     []Count     `json:"node_types"`
	EdgeTypes     []Count     `json:"edge_types"`
	Vectors       []Count     `json:"vectors"` // by vector space
	Fields        []termCount `json:"fields"`
	Buckets       []Count     `json:"buckets"` // entries
	Indexes       []string    `json:"indexes"`
	KeyBytes      int64       `json:"key_bytes"`
	ValueBytes    int64       `json:"value_bytes"`
}

// termCount are the figures of a field.
type termCount struct {
	Name     string `json:"name"`
	Terms    int64  `json:"terms"`    // distinct
	Postings int64  `json:"postings"` // pairs of a term and a node
	Nodes    int64  `json:"nodes"`    // that have terms
}

// spaceStats are the figures of a family of keys over all graphs. Bytes are of
// keys and values as the engine sees them, before the storage engine
// compresses them.
type spaceStats struct {
	Space      string `json:"space"`
	Keys       int64  `json:"keys"`
	KeyBytes   int64  `json:"key_bytes"`
	ValueBytes int64  `json:"value_bytes"`
}

// Stats counts what the snapshot holds. It reads every key once.
func (s *Snapshot) Stats(ctx context.Context) (Stats, error) {
	out, err := s.stats(ctx)
	if err != nil {
		return Stats{}, phase.Errorf("stats: %w", err)
	}
	return out, nil
}

func (s *Snapshot) stats(ctx context.Context) (Stats, error) {
	out := Stats{Epoch: s.epoch, Graphs: []graphStats{}, Spaces: []spaceStats{}}
	graphs, _, err := listGraphs(ctx, s.kv, "")
	if err != nil {
		return out, err
	}
	counts := map[uint32]*graphCount{}
	for i := range graphs {
		l := &graphs[i]
		v, err := s.open(ctx, l)
		if err != nil {
			return out, err
		}
		counts[l.graph] = &graphCount{v: v, n: map[kindID]int64{}, fields: map[uint32]*termCount{}}
	}
	spaces, err := s.countKeys(ctx, counts)
	if err != nil {
		return out, err
	}
	out.Spaces = append(out.Spaces, spaces...)
	for i := range graphs {
		g, err := counts[graphs[i].graph].stats(&graphs[i])
		if err != nil {
			return out, err
		}
		out.Graphs = append(out.Graphs, g)
	}
	out.Memory, err = s.memoryStats(ctx, graphs)
	storeStats(s.db.store, &out)
	return out, err
}

// countKeys reads every key and returns the figures of the families.
func (s *Snapshot) countKeys(ctx context.Context, counts map[uint32]*graphCount) ([]spaceStats, error) {
	var spaces []spaceStats
	last := -1
	for p, err := range scanRange(ctx, s.kv, nil, nil) {
		if err != nil {
			return nil, err
		}
		tag, g, err := layout.KeyTag(p.key)
		if err == nil {
			err = layout.Validate(p.key)
		}
		if err != nil {
			return nil, corrupt(p.key, err)
		}
		if int(tag) != last {
			last = int(tag)
			spaces = append(spaces, spaceStats{Space: tag.String()})
		}
		f := &spaces[len(spaces)-1]
		f.Keys++
		f.KeyBytes += int64(len(p.key))
		f.ValueBytes += int64(len(p.value))
		if c := counts[g]; c != nil {
			if err := c.add(tag, p.key, p.value); err != nil {
				return nil, corrupt(p.key, err)
			}
		}
	}
	return spaces, nil
}

// graphCount counts what a graph holds.
type graphCount struct {
	v                    *View
	n                    map[kindID]int64 // by name
	fields               map[uint32]*termCount
	nodes, contributions int64
	pair                 layout.ParallelKey // of the last parallel edge
	keyBytes, valueBytes int64
}

func (c *graphCount) add(tag layout.Tag, key, value []byte) error {
	c.keyBytes += int64(len(key))
	c.valueBytes += int64(len(value))
	id := func() uint32 { return binary.BigEndian.Uint32(key[5:]) }
	set := func(kind layout.Kind, id uint32) error {
		n, err := layout.SetLen(value)
		c.n[kindID{kind, id}] += int64(n)
		return err
	}
	switch tag {
	case layout.TagNode:
		c.nodes++
	case layout.TagNodesOfType:
		return set(layout.KindNodeType, id())
	case layout.TagOut:
		a, _ := layout.ReadAdjacency(key)
		return set(layout.KindEdgeType, a.Type)
	case layout.TagParallel:
		k := layout.ParallelOf(key)
		k.N = 0
		if k.Dir == layout.Out && k == c.pair { // the list of neighbours has the first
			c.n[kindID{layout.KindEdgeType, k.Type}]++
		}
		c.pair = k
	case layout.TagContribution:
		c.contributions++
	case layout.TagSlotOf:
		c.n[kindID{layout.KindSpace, id()}]++
	case layout.TagBucket:
		c.n[kindID{layout.KindBucket, id()}]++
	case layout.TagPostings:
		n, err := layout.PostingsLen(value)
		c.field(id()).Postings += int64(n)
		return err
	case layout.TagLexSum:
		field, term := layout.LexSumOf(key)
		n, err := decodeLexSum(key, value)
		if f := c.field(field); term != "" && n[0] > 0 {
			f.Terms++
		} else if term == "" {
			f.Nodes = int64(n[0])
		}
		return err
	}
	return nil
}

func (c *graphCount) field(id uint32) *termCount {
	f := c.fields[id]
	if f == nil {
		f = &termCount{}
		c.fields[id] = f
	}
	return f
}

// named returns the counts of a kind by name.
func (c *graphCount) named(k layout.Kind) (out []Count, sum int64) {
	out = []Count{}
	for _, id := range c.v.idsOf(k) {
		n := c.n[kindID{k, id}]
		out = append(out, Count{c.v.nameOf(k, id), n})
		sum += n
	}
	slices.SortFunc(out, func(a, b Count) int { return cmp.Compare(a.Name, b.Name) })
	return out, sum
}

func (c *graphCount) stats(l *listed) (graphStats, error) {
	out := graphStats{
		Namespace: l.namespace, Name: l.name, ID: GraphID(l.graph),
		Contributions: c.contributions, KeyBytes: c.keyBytes, ValueBytes: c.valueBytes,
		Fields: []termCount{}, Indexes: append([]string{}, c.v.Indexes()...),
	}
	out.NodeTypes, _ = c.named(layout.KindNodeType)
	if n := c.n[kindID{layout.KindNodeType, uint32(NoType)}]; n > 0 {
		out.NodeTypes = append([]Count{{"", n}}, out.NodeTypes...)
	}
	out.Nodes = c.nodes
	out.EdgeTypes, out.Edges = c.named(layout.KindEdgeType)
	out.Vectors, _ = c.named(layout.KindSpace)
	out.Buckets, _ = c.named(layout.KindBucket)
	for _, id := range c.v.idsOf(layout.KindField) {
		f := *c.field(id)
		f.Name = c.v.nameOf(layout.KindField, id)
		out.Fields = append(out.Fields, f)
	}
	slices.SortFunc(out.Fields, func(a, b termCount) int { return cmp.Compare(a.Name, b.Name) })
	var err error
	out.Version, err = c.v.Version()
	return out, err
}

func storeStats(store kv.Store, s *Stats) {
	m, ok := store.(kv.Maintainer)
	if !ok {
		return
	}
	x := m.Metrics()
	out := &s.Store
	out.DiskBytes, out.WALBytes, out.MemtableBytes = x.DiskBytes, x.WALBytes, x.MemtableBytes
	out.CacheBytes, out.CacheHits, out.CacheMisses = x.CacheBytes, x.CacheHits, x.CacheMisses
	out.Files, out.ReadAmp, out.WriteStalls = x.Files, x.ReadAmp, x.WriteStalls
	out.Snapshots, out.PinnedKeys, out.CompactedBytes = x.OpenSnapshots, x.PinnedKeys, x.CompactedBytes
	if x.BackgroundError != nil {
		out.Failure = x.BackgroundError.Error()
	}
}
