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
	"github.com/ragdb/ragdb/rag/internal/mention"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// extractStage reads entities and relations from the core (spec B2.5). Core
// chunks of one document are read together, up to Unit tokens, in their order;
// a gap between two that do not follow each other is marked. What was found is
// contributed by the core chunks in which it stands.
type extractStage struct {
	s *system
	// met are the units that Items has yielded, without their texts.
	met map[string][]part
}

// gapMark stands in a unit where chunks between two of the core are left out.
const gapMark = "\n[…]\n"

// unitKey is the work item of the unit that begins with a chunk.
func unitKey(chunk string) string { return "unit:" + chunk }

// Name implements [method.Stage].
func (st *extractStage) Name() string { return "extract" }

// Graph implements [method.Stage].
func (st *extractStage) Graph() *engine.Graph { return st.s.g }

// part is a core chunk in a unit.
type part struct {
	skeleton engine.NodeID
	chunk    method.Chunk
}

// units returns the units of the core, in order of document and place.
func (st *extractStage) units(ctx context.Context, s *engine.Snapshot) ([][]part, error) {
	v, base := s.Graph(st.s.g).WithContext(ctx), s.Graph(st.s.c.Base()).WithContext(ctx)
	ids, err := st.s.nodes(v, typeSkeleton)
	if err != nil {
		return nil, err
	}
	parts := make([]part, 0, len(ids))
	for _, id := range ids {
		n, err := v.Node(id)
		if err != nil {
			return nil, err
		}
		ch, err := st.s.c.ChunkByKey(base, st.s.p.Chunks, n.Key)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{id, ch})
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.chunk.Doc, b.chunk.Doc), cmp.Compare(a.chunk.Order, b.chunk.Order))
	})
	var out [][]part
	tokens := 0
	for _, p := range parts {
		n := len(out)
		if n == 0 || out[n-1][0].chunk.Doc != p.chunk.Doc || tokens+p.chunk.Tokens > st.s.p.Unit {
			out, tokens, n = append(out, nil), 0, n+1
		}
		out[n-1] = append(out[n-1], p)
		tokens += p.chunk.Tokens
	}
	return out, nil
}

// Items implements [method.Stage].
func (st *extractStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		units, err := st.units(ctx, s)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		st.met = make(map[string][]part, len(units))
		items := make([]method.WorkItem, len(units))
		for i, u := range units {
			items[i] = workItem(u)
			for j := range u {
				u[j].chunk.Text = ""
			}
			st.met[items[i].Key] = u
		}
		for _, w := range items {
			if !yield(w, nil) {
				return
			}
		}
	}
}

func workItem(unit []part) method.WorkItem {
	digest := []string{"extract"}
	for _, p := range unit {
		digest = append(digest, p.chunk.Key, p.chunk.Text)
	}
	return method.WorkItem{Key: unitKey(unit[0].chunk.Key), Digest: method.Digest(digest...)}
}

// unit returns the parts of a work item that Items has yielded.
func (st *extractStage) unit(ctx context.Context, s *engine.Snapshot, w method.WorkItem) ([]part, error) {
	base := s.Graph(st.s.c.Base()).WithContext(ctx)
	unit := slices.Clone(st.met[w.Key])
	if len(unit) == 0 {
		return nil, fmt.Errorf("%s: %w", w.Key, engine.ErrNotFound)
	}
	for i := range unit {
		ch, err := st.s.c.Chunk(base, unit[i].chunk.ID)
		if err != nil {
			return nil, err
		}
		unit[i].chunk = ch
	}
	return unit, nil
}

// task is the model call for a unit.
func (st *extractStage) task(ctx context.Context, s *engine.Snapshot, unit []part) (llm.Task, error) {
	doc, err := st.s.c.Document(s.Graph(st.s.c.Base()).WithContext(ctx), unit[0].chunk.Doc)
	if err != nil {
		return llm.Task{}, err
	}
	var body strings.Builder
	for i, p := range unit {
		switch {
		case i == 0:
		case p.chunk.Order == unit[i-1].chunk.Order+1:
			body.WriteByte('\n')
		default:
			body.WriteString(gapMark)
		}
		body.WriteString(p.chunk.Text)
	}
	return llm.Task{
		Kind: llm.Extract, Lang: doc.Lang,
		Input: llm.ExtractInput{Text: body.String(), Title: doc.Title},
	}, nil
}

// found is an extraction with the parts that it concerns.
type found struct {
	Parts []engine.NodeID `json:"parts"`
	Keys  []string        `json:"keys"` // of the chunks
	Texts []string        `json:"texts"`
	llm.Extraction
}

// Do implements [method.Stage].
func (st *extractStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	unit, err := st.unit(ctx, s, w)
	if err != nil {
		return nil, err
	}
	t, err := st.task(ctx, s, unit)
	if err != nil {
		return nil, err
	}
	var f found
	if err := m.DoJSON(ctx, st.s.Item(w), []string{unit[0].chunk.Doc}, t, &f.Extraction); err != nil {
		return nil, err
	}
	for _, p := range unit {
		f.Parts = append(f.Parts, p.skeleton)
		f.Keys = append(f.Keys, p.chunk.Key)
		f.Texts = append(f.Texts, p.chunk.Text)
	}
	return json.Marshal(f)
}

// Apply implements [method.Stage].
func (st *extractStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var f found
	if err := json.Unmarshal(result, &f); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	entity, err := v.MakeNodeType(typeEntity)
	if err != nil {
		return err
	}
	relation, err := v.MakeEdgeType(edgeRelation, false)
	if err != nil {
		return err
	}
	var before []engine.Target
	for i, id := range f.Parts {
		// What an earlier reading of the part found does not count any more,
		// nor that it was once the first of a unit.
		said, err := graph.Contributed(v, id)
		if err != nil {
			return err
		}
		if len(said) > 0 {
			if _, err := v.Withdraw(id); err != nil {
				return err
			}
			before = append(before, said...)
		}
		if i == 0 {
			continue
		}
		if err := method.ForgetJobs(v, unitKey(f.Keys[i])); err != nil {
			return err
		}
	}
	if err := graph.ForgetGone(v, before, itemOf); err != nil {
		return err
	}
	names := mention.New(f.Texts)
	ids := map[string]engine.NodeID{}
	derive := func(key string) (engine.NodeID, error) {
		if id, ok := ids[key]; ok {
			return id, nil
		}
		id, _, err := v.DeriveNode(entity, key)
		ids[key] = id
		return id, err
	}
	for _, s := range mention.Unite(names.Entities(f.Extraction)) {
		id, err := derive(s.Target)
		if err != nil {
			return err
		}
		if err := v.Contribute(f.Parts[s.Part], engine.NodeTarget(id), s.Contribution); err != nil {
			return err
		}
	}
	for _, s := range mention.Unite(names.Relations(f.Extraction, "\x00")) {
		from, to, _ := strings.Cut(s.Target, "\x00")
		x, err := derive(from)
		if err != nil {
			return err
		}
		y, err := derive(to)
		if err != nil {
			return err
		}
		if err := v.Contribute(f.Parts[s.Part], engine.EdgeTarget(x, y, relation), s.Contribution); err != nil {
			return err
		}
	}
	return nil
}
