package ketrag

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// nearStage keeps each chunk's edges to its nearest chunks (spec B2.3): half
// of K by the number of words that both have, half by vector, leaving out
// those found by words. A chunk that is new is compared with all; a chunk that
// was there keeps its edges unless a new one is nearer, or one of those it had
// has gone.
//
// Words that more than a share of the chunks have (the parameter df), and more than
// dfLeast, do not count: they are nearly stop words, and cost most.
//
// Of more than exactChunks chunks the vector index finds the nearest (nearvector.go), and
// a run reads the edges of the chunks alone that it has to look at (nearstate.go).
type nearStage struct {
	graph.Stage
	s     *system
	model llm.SpaceInfo
	exact int // see exactChunks
}

const (
	dfLeast = 50
	// maxWords bounds the distinct words of a chunk that count, the most
	// frequent first, as the code does.
	maxWords = 2000
)

// Items implements [method.Stage]: one item, pending while the chunks are not
// those that the edges were found among.
func (st *nearStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		digest, err := st.s.chunkDigest(s.Graph(st.s.g).WithContext(ctx), "near", st.model.Model, fmt.Sprint(st.s.p.K))
		yield(method.WorkItem{Key: "all", Digest: digest}, err)
	}
}

// chunkDigest identifies the chunks of the method's graph.
func (s *system) chunkDigest(v *engine.View, parts ...string) ([32]byte, error) {
	ids, err := graph.Of(v, method.ChunkNodeType)
	if err != nil {
		return [32]byte{}, err
	}
	return method.Digest(append(parts, string(appendIDs(nil, ids)))...), nil
}

// appendIDs appends ascending ids.
func appendIDs(dst []byte, ids []engine.NodeID) []byte {
	last := engine.NodeID(0)
	for _, id := range ids {
		dst = binary.AppendUvarint(dst, uint64(id-last))
		last = id
	}
	return dst
}

// near is an edge from one chunk to another that is near, by place in the list
// of chunks.
type near struct {
	to  int
	sim float32
}

// nearer orders by similarity descending, then by place, which is the order of
// the corpus.
func nearer(a, b near) int { return cmp.Or(cmp.Compare(b.sim, a.sim), cmp.Compare(a.to, b.to)) }

// channel is the near edges of one kind: what is stored, what of it was found
// by the same measure, and what is now.
type channel struct {
	name   string
	stored [][]near
	old    [][]near
	now    [][]near
	// read, if it is set, reads what is stored of a chunk; have tells for which that was
	// done.
	read func(i int) ([]near, error)
	have []bool
}

// need makes the edges of a chunk known.
func (c *channel) need(i int) error {
	if c.read == nil || c.have[i] {
		return nil
	}
	list, err := c.read(i)
	if err != nil {
		return err
	}
	c.have[i], c.stored[i], c.now[i] = true, list, slices.Clone(list)
	return nil
}

// changed reports whether a chunk's nearest are not those that they were.
func (c *channel) changed(i int) bool {
	return !slices.EqualFunc(c.old[i], c.now[i], func(a, b near) bool { return a.to == b.to })
}

// nearChange is an edge's change as the result holds it.
type nearChange struct {
	Channel  string        `json:"c"`
	From, To engine.NodeID `json:",omitempty"`
	Sim      float32       `json:"s,omitempty"`
	Remove   bool          `json:"r,omitempty"`
}

// nearResult is what Do returns, as JSON.
type nearResult struct {
	Changes []nearChange
	// State, if any, tells among which chunks the edges are the nearest; see [nearState].
	State []byte `json:",omitempty"`
	// Floors are those of chunks whose edges by words changed; of all chunks with All.
	Floors []floor `json:",omitempty"`
	All    bool    `json:",omitempty"`
}

// Do implements [method.Stage].
func (st *nearStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	ids, err := graph.Of(v, method.ChunkNodeType)
	if err != nil {
		return nil, err
	}
	what, err := st.toLook(ctx, s, v, ids)
	if err != nil {
		return nil, err
	}
	if what.all {
		st.Looked(len(ids), 0)
	}
	lexical, err := st.load(v, edgeLexical, ids, what.all)
	if err != nil {
		return nil, err
	}
	vector, err := st.load(v, edgeVector, ids, what.all)
	if err != nil {
		return nil, err
	}
	model, err := v.Bucket(bucketNear).Get([]byte(keyModel), nil)
	if err != nil && !graph.IsMissing(err) {
		return nil, err
	}
	if string(model) != st.model.Model {
		vector.old, vector.now = make([][]near, len(ids)), make([][]near, len(ids))
	}
	per := st.s.p.K / 2
	if err := st.lexical(ctx, v, ids, lexical, per, what); err != nil {
		return nil, err
	}
	if err := st.vector(ctx, s, ids, vector, lexical, st.s.p.K-per, what); err != nil {
		return nil, err
	}
	out := nearResult{Changes: append(lexical.changes(ids), vector.changes(ids)...)}
	if len(ids) > st.exact {
		guard, err := st.guard(ctx, s)
		if err != nil {
			return nil, err
		}
		out.State, out.All = guard.among(ids).append(nil), what.all
		for i, id := range ids {
			if what.all || lexical.have[i] && !slices.Equal(lexical.stored[i], lexical.now[i]) || id > what.last {
				out.Floors = append(out.Floors, floor{id, floorOf(lexical.now[i], per)})
			}
		}
	}
	return json.Marshal(out)
}

// load returns a channel with all its stored edges, or one that reads them as they are
// needed.
func (st *nearStage) load(v *engine.View, name string, ids []engine.NodeID, all bool) (*channel, error) {
	c := &channel{name: name, stored: make([][]near, len(ids)), now: make([][]near, len(ids))}
	c.old = c.stored
	t, ok := v.EdgeType(name)
	if !all {
		c.have = make([]bool, len(ids))
		c.read = func(i int) ([]near, error) {
			if !ok {
				return nil, nil
			}
			edges, err := graph.EdgesAt(v, ids[i], engine.EdgeFilter{Types: []engine.EdgeType{t}, Direction: engine.Out}, nil)
			var out []near
			for _, e := range edges {
				if to, ok := slices.BinarySearch(ids, e.To); ok {
					out = append(out, near{to, e.Weight})
				}
			}
			slices.SortFunc(out, nearer)
			return out, err
		}
		return c, nil
	}
	if !ok {
		return c, nil
	}
	for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{t}}) {
		if err != nil {
			return nil, err
		}
		from, ok1 := slices.BinarySearch(ids, e.From)
		to, ok2 := slices.BinarySearch(ids, e.To)
		if ok1 && ok2 {
			c.stored[from] = append(c.stored[from], near{to, e.Weight})
		}
	}
	for i := range c.stored {
		slices.SortFunc(c.stored[i], nearer)
		c.now[i] = slices.Clone(c.stored[i])
	}
	return c, nil
}

// offer puts an edge among the k nearest of a chunk if it is nearer than
// the last of them.
func (c *channel) offer(from int, e near, k int) {
	list := c.now[from]
	at, _ := slices.BinarySearchFunc(list, e, nearer)
	if at >= k || slices.ContainsFunc(list, func(x near) bool { return x.to == e.to }) {
		return
	}
	list = slices.Insert(list, at, e)
	c.now[from] = list[:min(len(list), k)]
}

// changes returns what differs from what is stored, in order.
func (c *channel) changes(ids []engine.NodeID) []nearChange {
	out := []nearChange{}
	for i := range ids {
		for _, e := range c.stored[i] {
			if !slices.ContainsFunc(c.now[i], func(x near) bool { return x.to == e.to }) {
				out = append(out, nearChange{Channel: c.name, From: ids[i], To: ids[e.to], Remove: true})
			}
		}
		for _, e := range c.now[i] {
			if !slices.Contains(c.stored[i], e) {
				out = append(out, nearChange{Channel: c.name, From: ids[i], To: ids[e.to], Sim: e.sim})
			}
		}
	}
	return out
}

// frequentOf returns in how many of so many chunks a word may be to count.
func frequentOf(share float64, chunks int) int { return max(dfLeast, int(share*float64(chunks))) }

// lexical finds the chunks that share most words, by counting through the chunks of each
// word. Of chunks that have all their edges nothing is read.
func (st *nearStage) lexical(ctx context.Context, v *engine.View, ids []engine.NodeID, c *channel, k int, what *looks) error {
	if k == 0 {
		return nil
	}
	p, err := st.postings(v, ids)
	if err != nil || p == nil {
		return err
	}
	counts := make([]int32, len(ids))
	var touched []int32
	for n, i := range what.places {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.need(i); err != nil {
			return err
		}
		if len(c.old[i]) >= k {
			continue // complete; new chunks offer themselves
		}
		words, err := p.of(ids[i])
		if err != nil {
			return err
		}
		touched = touched[:0]
		for _, w := range words {
			list, err := p.chunksOf(w)
			if err != nil {
				return err
			}
			for _, j := range list {
				if counts[j] == 0 {
					touched = append(touched, j)
				}
				counts[j]++
			}
		}
		for _, j := range touched {
			n := counts[j]
			counts[j] = 0
			if int(j) == i {
				continue
			}
			c.offer(i, near{int(j), float32(n)}, k)
			if !what.all {
				if n < what.floors[j] {
					continue
				}
				if err := c.need(int(j)); err != nil {
					return err
				}
			}
			if !what.all || len(c.old[j]) >= k {
				c.offer(int(j), near{i, float32(n)}, k)
			}
		}
	}
	return nil
}

// Apply implements [method.Stage].
func (st *nearStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	var r nearResult
	if err := json.Unmarshal(result, &r); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	for _, c := range r.Changes {
		t, err := v.MakeEdgeType(c.Channel, true)
		if err != nil {
			return err
		}
		if c.Remove {
			err = v.RemoveEdge(engine.Edge{From: c.From, To: c.To, Type: t})
		} else {
			err = v.AddEdge(c.From, c.To, t, c.Sim)
		}
		if err != nil {
			return err
		}
	}
	b, err := v.MakeBucket(bucketNear)
	if err != nil {
		return err
	}
	if err := st.setState(v, b, &r); err != nil {
		return err
	}
	if err := b.Set([]byte(keyBy), w.Digest[:]); err != nil {
		return err
	}
	return b.Set([]byte(keyModel), []byte(st.model.Model))
}
