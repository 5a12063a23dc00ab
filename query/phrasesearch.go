package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// PhraseSearch finds the nodes of some types in whose words in a field a
// phrase stands, whole words one after the other, whatever the case: "paris"
// finds the University of Paris, and "pari" does not. Nodes score 1 and are in
// order of id; each has a step for every phrase that found it. A phrase
// without words finds nothing.
//
// It is the accurate search of NodeRAG (Xu et al. 2025, section 2.4), which
// takes names in the question for phrases, and differs from its code in that
// punctuation is no part of words.
type PhraseSearch struct {
	Graph *engine.Graph
	// Field is a field with the analyzer [text.Exact] and positions; where the
	// graph lacks it, nothing is found.
	Field   string
	Phrases []string
	// Types are the names of the node types; nil is all.
	Types  []string
	Source string
}

// Run implements [Op].
func (o *PhraseSearch) Run(ctx context.Context, e *Env) (Set, error) {
	v := e.view(ctx, o.Graph)
	ok, err := checkNames(v, o.Field)
	if err != nil || !ok {
		return Set{}, err
	}
	allow, err := e.allow(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	types := newNodeTypes(v, o.Types)
	m := newMatches(o.Graph)
	at := map[engine.NodeID]int{}
	for _, phrase := range o.Phrases {
		if err := ctx.Err(); err != nil {
			return Set{}, err
		}
		words, _ := exactWords(phrase)
		found, err := v.Phrase(o.Field, words)
		if err != nil {
			return Set{}, err
		}
		if allow != nil {
			found.And(allow)
		}
		if o.Types != nil {
			if err := types.keep(found); err != nil {
				return Set{}, err
			}
		}
		for it := found.Iterator(); it.HasNext(); {
			id := engine.NodeID(it.Next())
			if i, ok := at[id]; ok {
				why := &m.out.Items[i].Why
				*why = append(*why, Step{Op: "name", Note: fmt.Sprintf("%q", phrase), Score: 1})
				continue
			}
			at[id] = len(m.out.Items)
			m.add(id, phrase)
		}
	}
	slices.SortFunc(m.out.Items, byScore)
	return m.out, nil
}

// Explain implements [Op].
func (o *PhraseSearch) Explain() Explanation {
	return Explanation{"PhraseSearch", append(walkArgs(o.Graph, o.Types), arg("field", o.Field), arg("phrases", len(o.Phrases))), o.Source}
}

// Inputs implements [Op].
func (o *PhraseSearch) Inputs() []Op { return nil }
