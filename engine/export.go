package engine

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ragdb/ragdb/internal/layout"
)

// ExportOptions tunes an export. The zero value exports everything.
type ExportOptions struct {
	// Canonical leaves out what depends on history and not on content: the
	// database's identity, epoch and the time of the export, and names that
	// nothing uses any more. Two namespaces have equal canonical exports if and
	// only if they hold the same.
	Canonical bool
	// SkipSpace, if set, leaves out the vector spaces it returns true for:
	// those whose vectors can be computed again, for a canonical export.
	SkipSpace func(name string, o SpaceOptions) bool
	// Bucket, if set, chooses the buckets to export. Their bytes are opaque
	// here, so leaving out caches, times and jobs from a canonical export is
	// the caller's part.
	Bucket func(graph, bucket string) bool
}

// Export writes a namespace as JSON lines, which [Namespace.Import] reads
// into a database of any format and storage engine. Nodes are named by type
// and key, never by id; graphs, nodes, edges and everything else are in an
// order that depends on names and keys alone. docs/format.md describes the
// lines. A missing namespace is [ErrNotFound].
//
// It keeps in memory four bytes for each node id of the graph at work, the
// edges of one node, the contributions of one source and the terms of some
// thousand nodes.
func (s *Snapshot) Export(ctx context.Context, namespace string, w io.Writer, o ExportOptions) error {
	if w == nil {
		return phase.Mark(ErrInvalid, "export %s: nothing to write to", namespace)
	}
	if err := s.export(ctx, namespace, w, &o); err != nil {
		return phase.Errorf("export %s: %w", namespace, err)
	}
	return nil
}

func (s *Snapshot) export(ctx context.Context, namespace string, w io.Writer, o *ExportOptions) error {
	graphs, found, err := listGraphs(ctx, s.kv, namespace)
	if err != nil {
		return err
	}
	if !found || namespace == "" {
		return ErrNotFound
	}
	out := newLineWriter(w)
	if err := s.exportHeader(ctx, out, o); err != nil {
		return err
	}
	for i := range graphs {
		v, err := s.open(ctx, &graphs[i])
		if err != nil {
			return err
		}
		x := exporter{View: v, out: out, o: o}
		if err := x.graphLines(); err != nil {
			return fmt.Errorf("graph %s: %w", graphs[i].name, err)
		}
	}
	if err := out.write(&exportLine{End: &exportEnd{Lines: out.lines}}); err != nil {
		return err
	}
	return out.buf.Flush()
}

func (s *Snapshot) exportHeader(ctx context.Context, out *lineWriter, o *ExportOptions) error {
	h := exportHeader{Ragdb: exportName, Version: exportVersion, Canonical: o.Canonical}
	if !o.Canonical {
		uuid, err := s.kv.Get(ctx, layout.Meta("uuid"), nil)
		if err != nil {
			return err
		}
		now := time.Now().UTC()
		h.UUID, h.Epoch, h.Created = hex.EncodeToString(uuid), s.epoch, &now
	}
	return out.write(&h)
}

// lineWriter writes JSON lines.
type lineWriter struct {
	buf   *bufio.Writer
	enc   *json.Encoder
	lines int
}

func newLineWriter(w io.Writer) *lineWriter {
	buf := bufio.NewWriterSize(w, 64<<10)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	return &lineWriter{buf: buf, enc: enc}
}

func (w *lineWriter) write(line any) error {
	w.lines++
	return w.enc.Encode(line)
}

// named is a name with its id.
type named struct {
	id   uint32
	name string
}

// exporter writes one graph.
type exporter struct {
	*View
	out *lineWriter
	o   *ExportOptions

	types     []named        // node types by name, NoType first
	edgeTypes []named        // by name
	edgeRank  map[uint32]int // place in edgeTypes
	// rank is each node's place in the order of type and key, from 1, by id.
	rank []uint32
}

// byName returns the names of a kind in order.
func (x *exporter) byName(k layout.Kind) []named {
	var out []named
	for _, id := range x.idsOf(k) {
		out = append(out, named{id, x.nameOf(k, id)})
	}
	slices.SortFunc(out, func(a, b named) int { return cmp.Compare(a.name, b.name) })
	return out
}

func (x *exporter) graphLines() error {
	name := x.graph.Name()
	if err := x.out.write(&exportLine{Graph: &exportGraph{Name: name}}); err != nil {
		return err
	}
	for _, part := range []func() error{
		x.typeLines, x.indexLines, x.fieldLines, x.spaceLines, x.ruleLines,
		x.nodeLines, x.edgeLines, x.contributionLines, x.termLines, x.vectorLines, x.entryLines,
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// typeLines writes the types and ranks the nodes on the way.
func (x *exporter) typeLines() error {
	x.types, x.edgeTypes = append([]named{{id: uint32(NoType)}}, x.byName(layout.KindNodeType)...), x.byName(layout.KindEdgeType)
	used, err := x.rankNodes()
	if err != nil {
		return err
	}
	for _, t := range x.types {
		if t.id == uint32(NoType) || x.o.Canonical && !used[t.id] {
			continue
		}
		if err := x.out.write(&exportLine{NodeType: &exportNodeType{Name: t.name}}); err != nil {
			return err
		}
	}
	if x.o.Canonical {
		if used, err = x.usedEdgeTypes(); err != nil {
			return err
		}
	}
	x.edgeRank = map[uint32]int{}
	for i, t := range x.edgeTypes {
		x.edgeRank[t.id] = i
		if x.o.Canonical && !used[t.id] {
			continue
		}
		if err := x.out.write(&exportLine{EdgeType: &exportEdgeType{t.name, EdgeType(t.id).Directed()}}); err != nil {
			return err
		}
	}
	return nil
}

// indexLines writes the indexed properties.
func (x *exporter) indexLines() error {
	for _, property := range x.Indexes() {
		if err := x.out.write(&exportLine{Index: &exportIndex{property}}); err != nil {
			return err
		}
	}
	return nil
}

// rankNodes gives each node its place and returns the types that have nodes.
func (x *exporter) rankNodes() (used map[uint32]bool, err error) {
	next, err := getUint64(x.ctx, x.kv, layout.GraphMeta(x.g, "next_node"))
	if err != nil {
		return nil, err
	}
	if next > 1<<32 {
		return nil, corrupt(layout.GraphMeta(x.g, "next_node"), fmt.Errorf("node id %d", next))
	}
	used = map[uint32]bool{}
	place := uint32(0)
	err = x.eachNode(func(t named, key string, id NodeID) error {
		if uint64(id) >= next {
			return corrupt(layout.ExternalKey(x.g, t.id, key), fmt.Errorf("node %d was never made", id))
		}
		// Grown as needed: a damaged next_node must not ask for 16 GB.
		if int(id) >= len(x.rank) {
			x.rank = append(x.rank, make([]uint32, int(id)+1-len(x.rank))...)
		}
		place++
		x.rank[id] = place
		used[t.id] = true
		return nil
	})
	if err != nil || !x.graph.st.labelled.Load() {
		return used, err
	}
	for _, t := range x.types {
		nodes, err := x.Nodes(TypeID(t.id))
		if err != nil {
			return nil, err
		}
		used[t.id] = !nodes.IsEmpty()
	}
	return used, nil
}

// labelNames returns the names of labels in order.
func (x *exporter) labelNames(labels []uint32) []string {
	var out []string
	for _, l := range labels {
		out = append(out, x.nameOf(layout.KindNodeType, l))
	}
	slices.Sort(out)
	return out
}

// eachNode calls fn with every node in order of type name and key.
func (x *exporter) eachNode(fn func(t named, key string, id NodeID) error) error {
	for _, t := range x.types {
		for p, err := range scan(x.ctx, x.kv, layout.ExternalKey(x.g, t.id, "")) {
			if err != nil {
				return err
			}
			if len(p.value) != 8 {
				return corrupt(p.key, errors.New("wrong length"))
			}
			_, key := layout.ExternalKeyName(p.key)
			if err := fn(t, string(key), NodeID(layout.Uint64(p.value))); err != nil {
				return err
			}
		}
	}
	return nil
}

// place returns the rank of a node, 0 if there is no such node.
func (x *exporter) place(id NodeID) uint32 {
	if uint64(id) >= uint64(len(x.rank)) {
		return 0
	}
	return x.rank[id]
}

func (x *exporter) usedEdgeTypes() (map[uint32]bool, error) {
	used := map[uint32]bool{}
	for l, err := range x.lists(Out, 0, 0, EdgeFilter{}) {
		if err != nil {
			return nil, err
		}
		used[uint32(l.Type)] = true // empty lists are not listed
	}
	return used, nil
}

// refPage is how many nodes are looked up at a time.
const refPage = 256

// refs returns the names of nodes, in their order.
func (x *exporter) refs(ids []NodeID) ([]exportRef, error) {
	out := make([]exportRef, len(ids))
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = layout.Node(x.g, uint64(id))
	}
	err := x.kv.MultiGet(x.ctx, keys, func(i int, v []byte) error {
		if v == nil {
			return corrupt(keys[i], errors.New("no record of a node that is referred to"))
		}
		rec, err := decodeRecord(v, false)
		if err != nil {
			return corrupt(keys[i], err)
		}
		out[i] = newRef(x.nameOf(layout.KindNodeType, rec.ntype), rec.key)
		return nil
	})
	return out, err
}

// exportProps returns properties with their long texts.
func (x *exporter) exportProps(id NodeID, props []prop) (Props, error) {
	if len(props) == 0 {
		return nil, nil
	}
	out := make(Props, len(props))
	for _, p := range props {
		if p.value.kind == KindText {
			s, err := x.externalText(id, p.id, p.value.Size())
			if err != nil {
				return nil, err
			}
			p.value = String(s)
		}
		out[x.nameOf(layout.KindProperty, p.id)] = p.value
	}
	return out, nil
}

func (x *exporter) nodeLines() error {
	return x.eachNode(func(t named, key string, id NodeID) error {
		rec, err := x.record(id, true)
		if err != nil {
			return fmt.Errorf("node %d: %w", id, err)
		}
		props, err := x.exportProps(id, rec.props)
		if err != nil {
			return err
		}
		return x.out.write(&exportLine{Node: &exportNode{
			Ref:     newRef(t.name, key),
			Labels:  x.labelNames(rec.labels),
			Derived: rec.flags&flagDerived != 0,
			Props:   props,
		}})
	})
}

// entryLines writes the chosen buckets.
func (x *exporter) entryLines() error {
	for _, b := range x.byName(layout.KindBucket) {
		if x.o.Bucket != nil && !x.o.Bucket(x.graph.Name(), b.name) {
			continue
		}
		for e, err := range x.Bucket(b.name).Prefix(nil) {
			if err != nil {
				return err
			}
			if err := x.out.write(&exportLine{Entry: &exportEntry{b.name, e.Key, e.Value}}); err != nil {
				return err
			}
		}
	}
	return nil
}
