package hirag

import (
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/method"
)

// stages is [method.System.Build].
func (s *system) stages(m *method.Models) []method.Step {
	model := m.DocumentSpace()
	nodes := func(name string, layer int) method.Step {
		return (&nodeStage{graph.NewStage(name, s.g), s, layer, model}).step()
	}
	out := []method.Step{s.extract().Step(), nodes("entities", 0), s.describer().Step()}
	if s.p.HiIndex {
		for layer := range s.p.Depth {
			clusters := &layerStage{Stage: graph.NewWholeStage(fmt.Sprint("layer ", layer), s.g), s: s, layer: layer, model: model}
			steps := method.Steps(clusters, &summaryStage{Stage: graph.NewStage(fmt.Sprint("summaries ", layer+1), s.g), s: s, layer: layer})
			steps[0].Whole = clusters.Whole()
			out = append(append(out, steps...), nodes(fmt.Sprint("vectors ", layer+1), layer+1))
		}
	}
	communities := &communityStage{Stage: graph.NewWholeStage("communities", s.g), s: s}
	last := []method.Stage{communities}
	for level := maxLevel; level >= 0; level-- {
		last = append(last, &reportStage{Stage: graph.NewStage(fmt.Sprint("reports ", level), s.g), s: s, level: level})
	}
	last = append(last, &staleStage{Stage: graph.NewStage("stale communities", s.g), s: s})
	steps := method.Steps(last...)
	steps[0].Whole = communities.Whole()
	return append(out, steps...)
}

// extract reads entities, their kinds and relations from all chunks (spec B.2.3 to
// 5).
func (s *system) extract() *knowledge.Extract {
	return &knowledge.Extract{
		Reader: knowledge.Reader{Corpus: s.c, System: &s.Identity, Profile: s.p.Profile},
		Layer:  knowledge.Layer{Kinds: true, Mentions: true},
	}
}

// forget takes back, for [method.System.Changed], what was made of what was said of the
// entities that chunks which leave have named: it may be theirs. Descriptions, the
// summaries of clusters and the reports of communities go at once; the next run makes
// them of what is left.
func forget(v *engine.TxView, chunks []engine.NodeID) error {
	u := &undoing{v: v, seen: map[engine.NodeID]bool{}}
	for _, id := range chunks {
		if err := u.chunk(id); err != nil {
			return err
		}
	}
	return u.undo()
}

// undoing takes back what was made of texts that leave.
type undoing struct {
	v           *engine.TxView
	seen        map[engine.NodeID]bool
	nodes       []engine.NodeID
	clusters    []engine.NodeID
	communities []engine.NodeID
}

// chunk notes what a chunk that leaves has said.
func (u *undoing) chunk(id engine.NodeID) error {
	said, err := graph.Contributed(u.v, id)
	if err != nil {
		return err
	}
	entity, _ := u.v.NodeType(typeEntity)
	for _, t := range said {
		if t.Type != 0 {
			if u.v.EdgeTypeName(t.Type) != edgeRelation {
				continue
			}
			if err := u.v.SetEdgeProps(engine.Edge{From: t.From, To: t.To, Type: t.Type}, nil); err != nil {
				return err
			}
			if err := method.ForgetJobs(u.v, graph.Item(t)); err != nil {
				return err
			}
			continue
		}
		n, err := u.v.Node(t.Node)
		if err != nil {
			return err
		}
		if n.Type != entity {
			continue
		}
		if err := u.node(t.Node); err != nil {
			return err
		}
	}
	return nil
}

// node notes what was made of an entity or summary.
func (u *undoing) node(id engine.NodeID) error {
	if u.seen[id] {
		return nil
	}
	u.seen[id] = true
	u.nodes = append(u.nodes, id)
	for level := 0; ; level++ {
		if _, ok := u.v.EdgeType(insideOf(level)); !ok {
			break // there are no deeper ones
		}
		in, err := graph.Neighbors(u.v, id, insideOf(level), engine.Out)
		if err != nil {
			return err
		}
		for _, c := range in {
			u.community(c)
		}
	}
	clusters, err := graph.Neighbors(u.v, id, edgeMember, engine.Out)
	if err != nil {
		return err
	}
	for _, c := range clusters {
		if err := u.cluster(c); err != nil {
			return err
		}
	}
	return nil
}

// undo removes what was noted.
func (u *undoing) undo() error {
	for _, id := range u.communities {
		n, err := u.v.Node(id)
		if err != nil {
			return err
		}
		if err := forgetRead(u.v, communityItem(n.Key)); err != nil {
			return err
		}
		if err := method.ForgetJobs(u.v, communityItem(n.Key)); err != nil {
			return err
		}
		if err := u.v.SetProps(id, engine.Props{propTitle: {}, propReport: {}, propRating: {}, propTokens: {}}); err != nil {
			return err
		}
	}
	for _, id := range u.nodes {
		if err := method.ForgetJobs(u.v, graph.NodeItem(id)); err != nil {
			return err
		}
		if err := u.v.SetProps(id, engine.Props{propName: {}, propKind: {}, propDescription: {}, propOf: {}}); err != nil {
			return err
		}
	}
	for _, id := range u.clusters {
		_, err := u.v.Node(id)
		if graph.IsMissing(err) {
			continue // it had no other members than summaries that are gone
		}
		if err == nil {
			_, err = u.v.Withdraw(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
