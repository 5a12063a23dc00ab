package ketrag

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// coreStage chooses the core (spec B2.4): the chunks of highest PageRank among
// the near edges, taken without direction and weight. A chunk that enters gets
// a skeleton node, from which knowledge is extracted; one that leaves loses it
// with all that only it supported.
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

func (st *coreStage) digest(v *engine.View) ([32]byte, error) {
	edges, err := st.s.nearEdges(v)
	if err != nil {
		return [32]byte{}, err
	}
	var list strings.Builder
	for _, e := range edges {
		fmt.Fprintf(&list, "%d-%d,", e.From, e.To)
	}
	return st.s.chunkDigest(v, "core", fmt.Sprint(st.s.p.Beta), st.s.p.Core, fmt.Sprint(st.s.p.Compat), list.String())
}

// nearEdges returns the edges between near chunks, of both kinds.
func (s *system) nearEdges(v *engine.View) ([]engine.Edge, error) {
	f := engine.EdgeFilter{Types: []engine.EdgeType{}}
	for _, name := range []string{edgeLexical, edgeVector} {
		if t, ok := v.EdgeType(name); ok {
			f.Types = append(f.Types, t)
		}
	}
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

// Do implements [method.Stage]: the core's chunks as u64s, ascending.
func (st *coreStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	ids, err := graph.Of(v, method.ChunkNodeType)
	if err != nil {
		return nil, err
	}
	rank, err := st.rank(ctx, v, ids)
	if err != nil {
		return nil, err
	}
	n := coreSize(st.s.p.Beta, len(ids), st.s.p.Compat)
	core := make([]engine.NodeID, 0, n)
	for _, i := range rank[:n] {
		core = append(core, ids[i])
	}
	slices.Sort(core)
	var out []byte
	for _, id := range core {
		out = binary.BigEndian.AppendUint64(out, uint64(id))
	}
	return out, nil
}

// coreSize is ceil(beta n), or with compat int(beta n) as the code rounds it.
func coreSize(beta float64, n int, compat bool) int {
	x := beta * float64(n)
	if compat {
		return int(x)
	}
	// 0.07 of 100 is 7.000000000000001 in floating point.
	return int(math.Ceil(x - 1e-9))
}

// rank returns the places of the chunks, the most central first.
func (st *coreStage) rank(ctx context.Context, v *engine.View, ids []engine.NodeID) ([]int, error) {
	rank := make([]int, len(ids))
	for i := range rank {
		rank[i] = i
	}
	if st.s.p.Core == "uniform" {
		r := rand.New(rand.NewPCG(uniformSeed, 0))
		r.Shuffle(len(rank), func(i, j int) { rank[i], rank[j] = rank[j], rank[i] })
		return rank, nil
	}
	edges, err := st.s.nearEdges(v)
	if err != nil || len(ids) == 0 {
		return rank, err
	}
	score, err := st.s.pageRank(ctx, ids, edges)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rank, func(a, b int) int { return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b)) })
	return rank, nil
}

// Apply implements [method.Stage].
func (st *coreStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	if len(result)%8 != 0 {
		return errors.New("malformed core")
	}
	v := tx.Graph(st.s.g)
	skeleton, err := v.MakeNodeType(typeSkeleton)
	if err != nil {
		return err
	}
	core := map[string]bool{}
	for ; len(result) > 0; result = result[8:] {
		id := engine.NodeID(binary.BigEndian.Uint64(result))
		chunk, err := v.Node(id)
		if err != nil {
			return err
		}
		core[chunk.Key] = true
		node, created, err := v.DeriveNode(skeleton, chunk.Key)
		if err != nil {
			return err
		}
		if !created {
			continue
		}
		if err := v.Contribute(id, engine.NodeTarget(node), engine.Contribution{Count: 1}); err != nil {
			return err
		}
	}
	have, err := graph.Of(v, typeSkeleton)
	if err != nil {
		return err
	}
	var left []string // the core
	for _, id := range have {
		n, err := v.Node(id)
		if err != nil {
			return err
		}
		if core[n.Key] {
			continue
		}
		said, err := graph.Contributed(v, id)
		if err != nil {
			return err
		}
		if _, err := v.DeleteNode(id); err != nil {
			return err
		}
		left = append(left, n.Key)
		if err := graph.ForgetGone(v, said, graph.Item); err != nil {
			return err
		}
	}
	return st.s.extract().ForgetTexts(tx, left)
}

// pageRank returns the PageRank of chunks by their near edges, without
// direction and weight, damping 0.85.
func (s *system) pageRank(ctx context.Context, ids []engine.NodeID, edges []engine.Edge) ([]float64, error) {
	list := make([]graphops.WeightedEdge, 0, len(edges))
	for _, e := range edges {
		from, _ := slices.BinarySearch(ids, e.From)
		to, _ := slices.BinarySearch(ids, e.To)
		list = append(list, graphops.WeightedEdge{From: uint32(from), To: uint32(to), Weight: 1})
	}
	p, err := graphops.FromEdges(len(ids), list, graphops.EdgeOptions{})
	if err != nil {
		return nil, err
	}
	r, err := graphops.PageRank(ctx, p, graphops.PageRankOptions{})
	if err != nil {
		return nil, err
	}
	return r.Scores, nil
}
