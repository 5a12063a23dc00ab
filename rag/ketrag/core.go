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

// Do implements [method.Stage]: the choice, then the core's chunks as u64s, ascending.
func (st *coreStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	ids, err := graph.Of(v, method.ChunkNodeType)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return choice{}.append(nil), nil
	}
	rank, err := st.rank(ctx, v, ids)
	if err != nil {
		return nil, err
	}
	last, err := st.chosen(v)
	if err != nil {
		return nil, err
	}
	before, err := st.before(v, ids, last)
	if err != nil {
		return nil, err
	}
	slack := int(st.s.p.Slack * float64(len(ids)))
	now := choice{last: ids[len(ids)-1], full: last.full, of: last.of}
	if last.aged(ids) > slack {
		now.full, now.of = now.last, uint64(len(ids))
	} else {
		slack = len(ids) // nothing enters or leaves but what is new or gone
	}
	var core []engine.NodeID
	for _, i := range cut(rank, coreSize(st.s.p.Beta, len(ids), st.s.p.Compat), slack, before) {
		core = append(core, ids[i])
	}
	slices.Sort(core)
	out := now.append(nil)
	for _, id := range core {
		out = binary.BigEndian.AppendUint64(out, uint64(id))
	}
	return out, nil
}

// standing is where a chunk stood when the core was last chosen.
type standing uint8

const (
	unknown standing = iota // it was not there
	outside
	inside
)

// choice tells of when the core was chosen.
type choice struct {
	last engine.NodeID // the last chunk that there was
	// full is the last chunk when all chunks were last weighed, and of the number of
	// them then.
	full engine.NodeID
	of   uint64
}

const choiceSize = 24

func (c choice) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(c.last))
	dst = binary.BigEndian.AppendUint64(dst, uint64(c.full))
	return binary.BigEndian.AppendUint64(dst, c.of)
}

// readChoice reads what append wrote.
func readChoice(b []byte) choice {
	u := binary.BigEndian.Uint64
	return choice{last: engine.NodeID(u(b)), full: engine.NodeID(u(b[8:])), of: u(b[16:])}
}

// aged returns how many chunks came or went since all were last weighed.
func (c choice) aged(ids []engine.NodeID) int {
	old, found := slices.BinarySearch(ids, c.full)
	if found {
		old++
	}
	return len(ids) - old + int(c.of) - old
}

// chosen returns the last choice, or that of no chunks.
func (st *coreStage) chosen(v *engine.View) (choice, error) {
	raw, err := v.Bucket(bucketNear).Get([]byte(keyChosen), nil)
	if graph.IsMissing(err) || st.s.p.Slack == 0 {
		return choice{}, nil
	}
	if err != nil || len(raw) != choiceSize {
		return choice{}, errors.Join(err, errCore)
	}
	return readChoice(raw), nil
}

var errCore = errors.New("malformed core")

// before returns where the chunks stood when the core was last chosen.
func (st *coreStage) before(v *engine.View, ids []engine.NodeID, last choice) ([]standing, error) {
	out := make([]standing, len(ids))
	if last.last == 0 {
		return out, nil
	}
	core, err := st.s.coreChunks(v)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		if id > last.last {
			break
		}
		n, err := v.Node(id)
		if err != nil {
			return nil, err
		}
		if out[i] = outside; core[n.Key] {
			out[i] = inside
		}
	}
	return out, nil
}

// cut returns what makes the core, by a ranking of all chunks: of new chunks those among
// the first n, of those that were in it those among the first n+slack, and of the others
// those among the first n-slack. So near its cut a chunk stays where it is.
func cut(rank []int, n, slack int, before []standing) []int {
	var out []int
	for place, i := range rank {
		most := n
		switch before[i] {
		case inside:
			most = n + slack
		case outside:
			most = n - slack
		}
		if place < most {
			out = append(out, i)
		}
	}
	return out
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
	if len(result)%8 != 0 || len(result) < choiceSize {
		return errCore
	}
	v := tx.Graph(st.s.g)
	b, err := v.MakeBucket(bucketNear)
	if err != nil {
		return err
	}
	if err := b.Set([]byte(keyChosen), result[:choiceSize]); err != nil {
		return err
	}
	result = result[choiceSize:]
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
