package erarag

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/erarag/internal/runs"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
)

// loss is what a segment has lost since a model made its summary. Until that is more
// than the part Lag, its summary is made by rules, of what is left.
type loss struct {
	// of is the number of items that the model read.
	of uint64
	// part is how much of that has left, in parts of one. An item that is a summary
	// counts by the part that it has lost itself.
	part uint64
}

// whole is all that a segment has.
const whole = 1 << 40

// due reports whether a model is to make the summary.
func (l loss) due(lag float64) bool { return float64(l.part) > lag*whole }

// loss returns what a segment has lost; ok is false if a model has read all its items.
func (t *tree) loss(layer uint8, number uint64) (l loss, ok bool, err error) {
	b, err := t.Get(idKey('l', layer, number), nil)
	if graph.IsMissing(err) {
		return l, false, nil
	}
	if err == nil && len(b) != 16 {
		err = fmt.Errorf("the loss of a segment of %d bytes: %w", len(b), engine.ErrCorrupt)
	}
	if err != nil {
		return l, false, err
	}
	return loss{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}, true, nil
}

// lose notes that the segments above a leaf are to lose it. A segment without a summary
// that has lost nothing yet waits for its first one, which a model makes.
func (t *treeTx) lose(leaf runs.Item) error {
	if t.s.p.Lag == 0 {
		return nil
	}
	part := uint64(whole)
	g, ok, err := t.holding(1, leaf)
	for layer := uint8(1); ok && err == nil; layer++ {
		l, had, err := t.loss(layer, g.number)
		if err != nil {
			return err
		}
		if !had {
			l.of = uint64(len(g.items))
		}
		part /= max(1, l.of)
		l.part += part
		if had || g.summary != 0 {
			b := binary.BigEndian.AppendUint64(nil, l.of)
			if err := t.w.Set(idKey('l', layer, g.number), binary.BigEndian.AppendUint64(b, l.part)); err != nil {
				return err
			}
		}
		if g.summary != 0 {
			g, ok, err = t.holding(layer+1, runs.Item{ID: uint64(g.summary)})
		} else {
			g, ok, err = t.numbered(layer+1, g.parent)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// byRules reports whether a segment's summary is made by rules.
func (s *system) byRules(t *tree, layer uint8, number uint64) (bool, error) {
	if s.again {
		return false, nil
	}
	l, ok, err := t.loss(layer, number)
	return ok && !l.due(s.p.Lag), err
}

// summarise makes a summary of texts, by rules or by the model.
func (st *summaryStage) summarise(ctx context.Context, m *method.Models, w method.WorkItem, from, texts []string, rules bool) (string, error) {
	task := llm.Task{Kind: llm.Summarise, Input: llm.SummariseInput{Texts: texts, MaxTokens: st.s.p.Tokens}}
	var reply llm.Reply
	var err error
	if rules {
		reply, _, err = local.New(local.Options{Tokens: st.s.c.Tokens().Count}).Do(ctx, task)
	} else {
		reply, err = m.Do(ctx, st.s.Item(w), from, task)
	}
	return strings.TrimSpace(reply.Text), err
}

// digest is that of a segment's items, or another one if a model is to read them
// in place of rules.
func (st *summaryStage) digest(t *tree, g *segment) (d [32]byte, err error) {
	d = g.digest()
	if !st.s.again {
		return d, nil
	}
	if _, lost, err := t.loss(st.layer, g.number); err != nil || !lost {
		return d, err
	}
	return method.Digest("again", string(d[:])), nil
}

// recluster is [method.System.Recluster]: a model makes the summaries again that rules
// have made.
func (s *system) recluster() *method.System {
	again := *s
	again.again = true
	return again.system()
}

// stats is [method.System.Stats]: of each layer its summaries, and how many of them are
// made by rules.
func (s *system) stats(_ context.Context, v *engine.View) (out []method.Figure, err error) {
	names, err := trees(v)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		t := s.tree(v, name)
		for layer := uint8(1); int(layer) <= s.p.Layers; layer++ {
			st, err := t.layer(layer)
			if err != nil {
				return nil, err
			}
			if st.nodes == 0 {
				break
			}
			rules := 0
			if err := t.ids('l', layer, func(uint64, []byte) error { rules++; return nil }); err != nil {
				return nil, err
			}
			name := func(what string) string { return fmt.Sprintf("layer %d: %s", layer, what) }
			out = append(out,
				method.Figure{Name: name("summaries"), Value: float64(st.nodes), Unit: "summaries"},
				method.Figure{Name: name("by rules"), Value: float64(rules), Unit: "summaries"})
		}
	}
	return out, nil
}
