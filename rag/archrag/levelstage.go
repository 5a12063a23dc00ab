package archrag

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/community"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// levelStage makes the communities of a level (spec A2.2 to A2.4). If there
// is a whole clustering from before, it is brought up to date; a whole one is
// made if there is none, if the vectors' model was another, if there are
// twice or half the entities since, and if the level below got one.
type levelStage struct {
	graph.Stage
	s     *system
	n     int
	model llm.SpaceInfo
}

// Items implements [method.Stage]: one item, pending while the level's graph is
// not the one that was clustered.
func (st *levelStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		lv, err := st.s.readLevel(ctx, v, st.n)
		w := method.WorkItem{Key: "all"}
		if err == nil {
			var of string
			if of, err = st.of(v); err == nil {
				w.Digest = lv.digest("level", of, st.s.runOf(s))
			}
		}
		yield(w, err)
	}
}

// runOf names a run that finds all communities again; it is "" for another run.
func (s *system) runOf(snap *engine.Snapshot) string {
	if !s.whole {
		return ""
	}
	return fmt.Sprint("anew ", snap.Epoch())
}

// of identifies what the level's whole clustering is to be made by.
func (st *levelStage) of(v engine.Reader) (string, error) {
	below := ""
	if st.n > 1 {
		b, err := readBase(v, st.n-1)
		if err != nil {
			return "", err
		}
		if b != nil {
			below = b.id()
		}
	}
	return fmt.Sprintf("%s %x", st.model.Model, hashOf(below)), nil
}

// leveled is what a level comes to.
type leveled struct {
	Base        *base     `json:"base,omitempty"`
	Communities []planned `json:"communities"`
}

// planned is a community that there is to be.
type planned struct {
	Key     string          `json:"key"`
	Members []engine.NodeID `json:"members"`
}

// Do implements [method.Stage].
func (st *levelStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	lv, err := st.s.readLevel(ctx, v, st.n)
	if err != nil {
		return nil, err
	}
	if len(lv.ids) == 0 {
		return json.Marshal(leveled{})
	}
	st.Looked(len(lv.ids), len(lv.edges))
	b, err := readBase(v, st.n)
	if err != nil {
		return nil, err
	}
	of, err := st.of(v)
	if err != nil {
		return nil, err
	}
	space := nodeSpace(st.model.Model)
	m, err := lv.matrix(ctx, v, space)
	if err != nil {
		return nil, err
	}
	var g *grown
	if b == nil || st.s.whole || b.Of != of || st.n == 1 && community.Outgrown(len(b.Nodes), len(lv.ids)) {
		if b, g, err = st.whole(ctx, lv, m, space, of); err != nil {
			return nil, err
		}
	} else if b.Stopped {
		g = &grown{}
	} else if g, err = st.s.grow(ctx, lv, m, space, b); err != nil {
		return nil, err
	}
	b.Now = state{Nodes: len(lv.ids), Moved: g.moved}
	if !b.Stopped {
		if b.Now.Modularity, err = graphops.Modularity(g.graph, &g.part, st.s.p.Resolution); err != nil {
			return nil, err
		}
		if g.whole {
			b.Modularity = b.Now.Modularity
		}
	}
	if b.Links = nil; st.s.p.Next == "augmented" && !b.Stopped {
		b.Links = linksOf(g)
	}
	out := leveled{Base: b, Communities: []planned{}}
	for c, members := range membersOf(g.part) {
		p := planned{Key: g.names[c]}
		for _, u := range members {
			p.Members = append(p.Members, lv.ids[u])
		}
		out.Communities = append(out.Communities, p)
	}
	return json.Marshal(out)
}

// whole clusters the level as a whole.
func (st *levelStage) whole(ctx context.Context, lv *level, m graphops.Matrix, space, of string) (*base, *grown, error) {
	a, err := st.s.augment(ctx, lv, m, space)
	if err != nil {
		return nil, nil, err
	}
	weighed, err := st.s.weighed(a.graph)
	if err != nil {
		return nil, nil, err
	}
	part, err := st.s.cluster(ctx, weighed)
	if err != nil {
		return nil, nil, err
	}
	b := st.s.newBase(lv, a, part, of)
	if b.Stopped = part.Count < st.s.p.MinClusters; b.Stopped {
		return b, &grown{}, nil
	}
	return b, &grown{graph: weighed, part: part, names: b.Names, whole: true}, nil
}

// Apply implements [method.Stage]: members move, communities come, and those that
// nothing is left of go.
func (st *levelStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var out leveled
	if err := json.Unmarshal(result, &out); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	typ, err := v.MakeNodeType(typeCommunity)
	if err != nil {
		return err
	}
	part, err := v.MakeEdgeType(edgePart, true)
	if err != nil {
		return err
	}
	before := &level{}
	if err := before.read(v, typeCommunity, communityPrefix(st.n)); err != nil {
		return err
	}
	below := &level{}
	if st.n == 1 {
		err = below.read(v, typeEntity, "")
	} else {
		err = below.read(v, typeCommunity, communityPrefix(st.n-1))
	}
	if err != nil {
		return err
	}
	wanted := map[engine.NodeID]string{}
	now := map[string]bool{}
	for _, p := range out.Communities {
		now[p.Key] = true
		for _, id := range p.Members {
			wanted[id] = p.Key
		}
	}
	// Nodes leave their communities before others join: a community that loses all
	// its members goes.
	var joining []engine.NodeID
	for _, id := range below.ids {
		parent, err := graph.Neighbors(v, id, edgePart, engine.Out)
		if err != nil {
			return err
		}
		if len(parent) > 0 {
			n, err := v.Node(parent[0])
			if err != nil {
				return err
			}
			if n.Key == wanted[id] {
				continue
			}
			if _, err := v.Withdraw(id); err != nil {
				return err
			}
		}
		if wanted[id] != "" {
			joining = append(joining, id)
		}
	}
	for _, id := range joining {
		node, _, err := v.DeriveNode(typ, wanted[id])
		if err != nil {
			return err
		}
		if err := v.Contribute(id, engine.EdgeTarget(id, node, part), engine.Contribution{Count: 1}); err != nil {
			return err
		}
	}
	for _, key := range before.keys {
		if !now[key] {
			if err := method.ForgetJobs(v, communityItem(key)); err != nil {
				return err
			}
		}
	}
	bucket, err := v.MakeBucket(bucketLevels)
	if err != nil {
		return err
	}
	if out.Base == nil {
		return bucket.Delete(levelKey(st.n))
	}
	return encoded.Put(bucket, levelKey(st.n), out.Base)
}
