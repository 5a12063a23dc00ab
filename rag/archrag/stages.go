package archrag

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
	first := []method.Step{
		s.extract().Step(), s.describer().Step(), s.embed(typeEntity, model).Step(), s.embed(typeRelation, model).Step(),
	}
	var out []method.Stage
	for n := 1; n <= s.p.Levels; n++ {
		out = append(out,
			&levelStage{graph.NewWholeStage(fmt.Sprintf("level %d", n), s.g), s, n, model},
			&reportStage{Stage: graph.NewStage(fmt.Sprintf("reports %d", n), s.g), s: s, n: n, model: model})
	}
	return append(first, s.steps(model, out)...)
}

// extract reads entities and relations from all chunks (spec A2.1).
func (s *system) extract() *knowledge.Extract {
	return &knowledge.Extract{
		Reader: knowledge.Reader{Corpus: s.c, System: &s.Identity, Profile: s.p.Profile},
		Layer:  knowledge.Layer{RelationNodes: true, Forget: forgetChunk},
	}
}

// describer makes one description of the several that an entity or relation has
// (spec A2.1, A6).
func (s *system) describer() *knowledge.Describer {
	return &knowledge.Describer{
		Corpus: s.c, System: &s.Identity, Nodes: []string{typeEntity, typeRelation}, When: s.p.Describe,
	}
}

// forget takes back, for [method.System.Changed], what was made of the texts of chunks
// that leave: united descriptions, reports, and their vectors. The next run makes them
// of what is left.
func forget(v *engine.TxView, chunks []engine.NodeID) error {
	for _, id := range chunks {
		if err := forgetChunk(v, id); err != nil {
			return err
		}
	}
	return nil
}

// forgetChunk takes back what was made of what a chunk said.
func forgetChunk(v *engine.TxView, chunk engine.NodeID) error {
	entity, _ := v.NodeType(typeEntity)
	var said []engine.NodeID
	for t, err := range v.ContributedBy(chunk) {
		if err != nil {
			return err
		}
		ends := []engine.NodeID{t.Node}
		if t.Type != 0 {
			ends = []engine.NodeID{t.From, t.To} // reports tell of it
		}
		said = append(said, ends...)
	}
	seen := map[engine.NodeID]bool{}
	for _, id := range said {
		if seen[id] {
			continue
		}
		seen[id] = true
		n, err := v.Node(id)
		if err != nil {
			return err
		}
		if err := method.ForgetJobs(v, graph.NodeItem(id)); err != nil {
			return err
		}
		if err := v.SetProps(id, engine.Props{knowledge.PropDescription: {}, knowledge.PropOf: {}}); err != nil {
			return err
		}
		if n.Type != entity {
			continue
		}
		// Its communities, and those that their reports are told in.
		for at := id; ; {
			parents, err := graph.Neighbors(v, at, edgePart, engine.Out)
			if err != nil {
				return err
			}
			if len(parents) == 0 || seen[parents[0]] {
				break
			}
			at = parents[0]
			seen[at] = true
			if err := forgetReport(v, at); err != nil {
				return err
			}
		}
	}
	return nil
}
