package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

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
	Types []string
	// Whole takes of a phrase the nodes that have no other word, where there
	// are any.
	Whole bool
	// Most bounds the nodes of each phrase: those of the fewest words, of
	// equally many those of the least id; 0 is all.
	Most   int
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
	types := e.nodeTypes(v, o.Types)
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
		if o.Whole || o.Most > 0 {
			if err := o.shortest(v, words, found); err != nil {
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

// shortest keeps of the nodes that have a phrase what Whole and Most say.
func (o *PhraseSearch) shortest(v *engine.View, words []string, found *roaring.Bitmap) error {
	if found.IsEmpty() {
		return nil
	}
	type length struct {
		id    engine.NodeID
		words uint32
	}
	var all []length
	for p, err := range v.Postings(o.Field, words[0]) {
		if err != nil {
			return err
		}
		if found.Contains(uint32(p.ID)) {
			all = append(all, length{p.ID, p.Words})
		}
	}
	slices.SortFunc(all, func(a, b length) int {
		return cmp.Or(cmp.Compare(a.words, b.words), cmp.Compare(a.id, b.id))
	})
	if o.Whole && all[0].words == uint32(len(words)) {
		all = all[:slices.IndexFunc(append(all, length{}), func(x length) bool { return x.words != all[0].words })]
	}
	if o.Most > 0 {
		all = all[:min(o.Most, len(all))]
	}
	found.Clear()
	for _, x := range all {
		found.Add(uint32(x.id))
	}
	return nil
}

// Explain implements [Op].
func (o *PhraseSearch) Explain() Explanation {
	args := append(graphArgs(o.Graph, o.Types), arg("field", o.Field), arg("phrases", len(o.Phrases)))
	if o.Whole {
		args = append(args, "whole")
	}
	if o.Most > 0 {
		args = append(args, arg("most", o.Most))
	}
	return Explanation{Op: "PhraseSearch", Work: WorkOnTexts, Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *PhraseSearch) Inputs() []Op { return nil }
