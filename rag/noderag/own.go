package noderag

import (
	"context"
	"encoding/json"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// own has a model take the chunks of a text apart, each by itself, in place of reading
// what all methods read (spec A.2.3): units are paraphrased events with their own
// entities, times and relations. Malformed relations are repaired as others are.
func (st *extractStage) own(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	r, in, err := st.Open(ctx, s, w)
	if err != nil {
		return nil, err
	}
	docs := []string{method.DocOf(r.Keys[0])}
	found := make([]llm.Decomposition, len(r.Keys))
	var all llm.Extraction
	for i := range r.Keys {
		in.Text = r.Texts[i]
		if err := m.DoJSON(ctx, st.s.Item(w), docs, llm.Task{Kind: llm.Decompose, Lang: r.Lang, Input: in}, &found[i]); err != nil {
			return nil, err
		}
		for j := range found[i].Units {
			e := &found[i].Units[j]
			x := extraction(*e)
			if x.Relations, err = st.repaired(ctx, m, w, r, i, x); err != nil {
				return nil, err
			}
			e.Relations = nil
			for _, s := range x.Relations {
				e.Relations = append(e.Relations, llm.Stated{Source: s.Source, Relation: s.Description, Target: s.Target})
			}
			all.Entities, all.Relations = append(all.Entities, x.Entities...), append(all.Relations, x.Relations...)
		}
	}
	st.Found(r, all)
	var out []decomposed
	for i, key := range r.Keys {
		d := events(r.Tokens[i], found[i]).as(r.Aliases)
		d.Chunk = key
		out = append(out, d)
	}
	return json.Marshal(out)
}

// extraction is what an event names and states, as all methods read it.
func extraction(e llm.Event) (x llm.Extraction) {
	for _, name := range e.Entities {
		x.Entities = append(x.Entities, llm.Entity{Name: name})
	}
	for _, r := range e.Relations {
		x.Relations = append(x.Relations, llm.Relation{Source: r.Source, Description: r.Relation, Target: r.Target, Strength: 1})
	}
	return x
}
