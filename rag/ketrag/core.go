package ketrag

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/method"
)

// coreStage chooses the core (spec B2.4): the chunks of highest PageRank among
// the near edges, taken without direction and weight. A chunk that enters gets
// a skeleton node, from which knowledge is extracted; one that leaves loses it
// with all that only it supported.
//
// All chunks are weighed if many came or went since that was last done (the parameter
// slack); otherwise the new ones alone are placed, by an estimate (choice.go).
type coreStage struct {
	graph.Stage
	s *system
}

// uniformSeed is the seed of the random core, the reference's.
const uniformSeed = 42

// Items implements [method.Stage]: one item, pending while the near edges are not
// those that the core was chosen by.
func (st *coreStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		digest, err := st.digest(s.Graph(st.s.g).WithContext(ctx))
		yield(method.WorkItem{Key: "all", Digest: digest}, err)
	}
}

// digest identifies the chunks and, by the item that found them, the near edges.
func (st *coreStage) digest(v *engine.View) ([32]byte, error) {
	by, err := v.Bucket(bucketNear).Get([]byte(keyBy), nil)
	if err != nil && !graph.IsMissing(err) {
		return [32]byte{}, err
	}
	return st.s.chunkDigest(v, "core", fmt.Sprint(st.s.p.Beta), st.s.p.Core, fmt.Sprint(st.s.p.Compat), string(by))
}

// nearTypes returns the types of the edges between near chunks, those that there are.
func (s *system) nearTypes(v engine.Reader) []engine.EdgeType {
	var out []engine.EdgeType
	for _, name := range []string{edgeLexical, edgeVector} {
		if t, ok := v.EdgeType(name); ok {
			out = append(out, t)
		}
	}
	return out
}

// nearEdges returns the edges between near chunks, of both kinds.
func (s *system) nearEdges(v *engine.View) ([]engine.Edge, error) {
	f := engine.EdgeFilter{Types: s.nearTypes(v)}
	var out []engine.Edge
	if len(f.Types) == 0 {
		return nil, nil
	}
	for e, err := range v.Edges(f) {
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// Do implements [method.Stage]: a [coreChange].
func (st *coreStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	ids, err := graph.Of(v, method.ChunkNodeType)
	if err != nil {
		return nil, err
	}
	last, err := st.chosen(v)
	if err != nil {
		return nil, err
	}
	var out *coreChange
	if slack := int(st.s.p.Slack * float64(len(ids))); last.aged(ids) > slack {
		out, err = st.weigh(ctx, v, ids, last, slack)
	} else {
		out, err = st.place(v, ids, last)
	}
	if err != nil {
		return nil, err
	}
	return out.append(nil), nil
}

// weigh chooses among all chunks.
func (st *coreStage) weigh(ctx context.Context, v *engine.View, ids []engine.NodeID, last choice, slack int) (*coreChange, error) {
	out := &coreChange{choice: choice{of: uint64(len(ids))}}
	if len(ids) > 0 {
		out.last, out.full = ids[len(ids)-1], ids[len(ids)-1]
	}
	n := coreSize(st.s.p.Beta, len(ids), st.s.p.Compat)
	rank, err := st.rank(ctx, v, ids, n, &out.choice)
	if err != nil {
		return nil, err
	}
	skeletons := map[string]engine.NodeID{}
	for n, err := range graph.ReadAll(v, typeSkeleton) {
		if err != nil {
			return nil, err
		}
		skeletons[n.Key] = n.ID
	}
	chunks, err := graph.Read(v, ids)
	if err != nil {
		return nil, err
	}
	before := make([]standing, len(ids))
	for i, id := range ids {
		if id > last.last {
			break
		}
		if before[i] = outside; skeletons[chunks[i].Key] != 0 {
			before[i] = inside
		}
	}
	for _, i := range cut(rank, n, slack, before) {
		if skeletons[chunks[i].Key] == 0 {
			out.enter = append(out.enter, ids[i])
		}
		delete(skeletons, chunks[i].Key)
	}
	slices.Sort(out.enter)
	for _, id := range skeletons {
		out.leave = append(out.leave, id)
	}
	slices.Sort(out.leave)
	return out, nil
}

// place places the chunks that are new; the others stay where they are.
func (st *coreStage) place(v *engine.View, ids []engine.NodeID, last choice) (*coreChange, error) {
	out := &coreChange{choice: last}
	first, found := slices.BinarySearch(ids, last.last)
	if found {
		first++
	}
	if first == len(ids) {
		return out, nil
	}
	out.last = ids[len(ids)-1]
	if st.s.p.Core == "uniform" {
		for place, i := range shuffled(len(ids)) {
			if i >= first && place < coreSize(st.s.p.Beta, len(ids), st.s.p.Compat) {
				out.enter = append(out.enter, ids[i])
			}
		}
		slices.Sort(out.enter)
		return out, nil
	}
	for _, id := range ids[first:] {
		x, err := st.estimate(v, id, last.degree)
		if err != nil {
			return nil, err
		}
		if x >= last.least {
			out.enter = append(out.enter, id)
		}
	}
	return out, nil
}

// shuffled returns the places of a random core's chunks.
func shuffled(n int) []int {
	rank := make([]int, n)
	for i := range rank {
		rank[i] = i
	}
	r := rand.New(rand.NewPCG(uniformSeed, 0))
	r.Shuffle(n, func(i, j int) { rank[i], rank[j] = rank[j], rank[i] })
	return rank
}

// rank returns the places of the chunks, the most central first, and notes what later
// ones are placed by if the first n are the core.
func (st *coreStage) rank(ctx context.Context, v *engine.View, ids []engine.NodeID, n int, c *choice) ([]int, error) {
	if st.s.p.Core == "uniform" || len(ids) == 0 {
		return shuffled(len(ids)), nil
	}
	edges, err := st.s.nearEdges(v)
	if err != nil {
		return nil, err
	}
	st.Looked(len(ids), len(edges))
	p, err := nearGraph(ids, edges)
	if err != nil {
		return nil, err
	}
	r, err := graphops.PageRank(ctx, p, graphops.PageRankOptions{})
	if err != nil {
		return nil, err
	}
	c.note(p, n)
	rank := make([]int, len(ids))
	for i := range rank {
		rank[i] = i
	}
	slices.SortFunc(rank, func(a, b int) int { return cmp.Or(cmp.Compare(r.Scores[b], r.Scores[a]), cmp.Compare(a, b)) })
	return rank, nil
}

// nearGraph returns the graph of chunks and near edges, without direction and weight.
func nearGraph(ids []engine.NodeID, edges []engine.Edge) (*graphops.Projection, error) {
	list := make([]graphops.WeightedEdge, 0, len(edges))
	for _, e := range edges {
		from, _ := slices.BinarySearch(ids, e.From)
		to, _ := slices.BinarySearch(ids, e.To)
		list = append(list, graphops.WeightedEdge{From: uint32(from), To: uint32(to), Weight: 1})
	}
	return graphops.FromEdges(len(ids), list, graphops.EdgeOptions{})
}

// Apply implements [method.Stage].
func (st *coreStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	c, err := readCoreChange(result)
	if err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	b, err := v.MakeBucket(bucketNear)
	if err != nil {
		return err
	}
	if err := b.Set([]byte(keyChosen), c.choice.append(nil)); err != nil {
		return err
	}
	skeleton, err := v.MakeNodeType(typeSkeleton)
	if err != nil {
		return err
	}
	entering, err := graph.Read(v, c.enter)
	if err != nil {
		return err
	}
	var moved, left []string
	for _, n := range entering {
		node, created, err := v.DeriveNode(skeleton, n.Key)
		if err != nil {
			return err
		}
		if !created {
			continue
		}
		moved = append(moved, n.Key)
		if err := v.Contribute(n.ID, engine.NodeTarget(node), engine.Contribution{Count: 1}); err != nil {
			return err
		}
	}
	leaving, err := graph.Read(v, c.leave)
	if err != nil {
		return err
	}
	for _, n := range leaving {
		said, err := graph.Contributed(v, n.ID)
		if err != nil {
			return err
		}
		if _, err := v.DeleteNode(n.ID); err != nil {
			return err
		}
		left = append(left, n.Key)
		if err := graph.ForgetGone(v, said, graph.Item); err != nil {
			return err
		}
	}
	extract := st.s.extract()
	if err := extract.ForgetTexts(tx, left); err != nil {
		return err
	}
	return st.reopen(tx, extract.Name(), append(moved, left...))
}

// reopen has the next run look at the texts of chunks that entered or left.
func (st *coreStage) reopen(tx *engine.Tx, stage string, chunks []string) error {
	base := tx.Graph(st.s.c.Base())
	t, ok := base.NodeType(method.ChunkType(st.s.p.Chunks))
	if !ok {
		return nil
	}
	var ids []engine.NodeID
	for _, key := range chunks {
		id, err := base.Lookup(t, key)
		if graph.IsMissing(err) {
			continue // it leaves
		}
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	return queue.Reopen(tx.Graph(st.s.g), stage, ids)
}
