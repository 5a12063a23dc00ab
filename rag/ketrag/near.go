package ketrag

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

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
// Of more than exactChunks chunks the vector index finds the nearest (nearvector.go).
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
	var list strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&list, "%d,", id)
	}
	return method.Digest(append(parts, list.String())...), nil
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

// Do implements [method.Stage].
func (st *nearStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	ids, err := graph.Of(v, method.ChunkNodeType)
	if err != nil {
		return nil, err
	}
	lexical, err := st.load(v, edgeLexical, ids)
	if err != nil {
		return nil, err
	}
	vector, err := st.load(v, edgeVector, ids)
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
	if err := st.lexical(ctx, v, ids, lexical, per); err != nil {
		return nil, err
	}
	if err := st.vector(ctx, s, ids, vector, lexical, st.s.p.K-per); err != nil {
		return nil, err
	}
	return json.Marshal(append(lexical.changes(ids), vector.changes(ids)...))
}

// load reads the stored edges of a channel.
func (st *nearStage) load(v *engine.View, name string, ids []engine.NodeID) (*channel, error) {
	c := &channel{name: name, stored: make([][]near, len(ids)), now: make([][]near, len(ids))}
	c.old = c.stored
	t, ok := v.EdgeType(name)
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
func (st *nearStage) lexical(ctx context.Context, v *engine.View, ids []engine.NodeID, c *channel, k int) error {
	if k == 0 {
		return nil
	}
	p, err := st.postings(v, ids)
	if err != nil || p == nil {
		return err
	}
	counts := make([]int32, len(ids))
	var touched []int32
	for i, id := range ids {
		if len(c.old[i]) >= k {
			continue // complete; new chunks offer themselves
		}
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		words, err := p.of(id)
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
		slices.Sort(touched)
		for _, j := range touched {
			if int(j) != i {
				c.offer(i, near{int(j), float32(counts[j])}, k)
				if len(c.old[j]) >= k {
					c.offer(int(j), near{i, float32(counts[j])}, k)
				}
			}
			counts[j] = 0
		}
	}
	return nil
}

// Apply implements [method.Stage].
func (st *nearStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var changes []nearChange
	if err := json.Unmarshal(result, &changes); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	for _, c := range changes {
		t, err := v.MakeEdgeType(c.Channel, true)
		if err != nil {
			return err
		}
		if c.Remove {
			err = v.RemoveEdge(c.From, c.To, t)
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
	return b.Set([]byte(keyModel), []byte(st.model.Model))
}
