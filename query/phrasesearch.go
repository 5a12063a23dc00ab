package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
)

// PhraseSearch finds the nodes of some types in whose words in a field a
// phrase stands, whole words one after the other, whatever the case: "paris"
// finds the University of Paris, and "pari" does not. Nodes score 1 and are in
// order of id; each has a step for every phrase that found it. A phrase
// without words finds nothing.
//
// It is the accurate search of NodeRAG (Xu et al. 2025, section 2.4), which
// takes names in the question for phrases, and differs from its code in that
// words have no punctuation.
type PhraseSearch struct {
	Graph *engine.Graph
	// Field is a field with the analyzer [text.Exact] and positions; if the
	// graph lacks it, nothing is found.
	Field   string
	Phrases []string
	// Types are the names of the node types; nil is all.
	Types []string
	// Whole takes the nodes that have no other word than a phrase's, if there are
	// any.
	Whole bool
	// Most bounds the nodes of each phrase: those of the fewest words, of
	// equally many those of the least id; 0 is all.
	Most   int
	Source string
}

// Run implements [Op].
func (o *PhraseSearch) Run(ctx context.Context, e *Env) (Set, error) {
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	ok, err := checkNames(l, o.Field)
	if err != nil || !ok {
		return Set{}, err
	}
	types := l.nodeTypes(o.Types)
	if err := e.Ahead(ctx, len(o.Phrases), func(e *Env, i int) error { return o.ahead(ctx, e, o.Phrases[i]) }); err != nil {
		return Set{}, err
	}
	var out Set
	at := map[engine.NodeID]int{}
	for _, phrase := range o.Phrases {
		if err := ctx.Err(); err != nil {
			return Set{}, err
		}
		words := exactWords(phrase)
		found, err := l.phrase(o.Field, words)
		if err != nil {
			return Set{}, err
		}
		if o.Types != nil {
			if err := types.keep(found); err != nil {
				return Set{}, err
			}
		}
		if o.Whole || o.Most > 0 {
			if err := o.shortest(l, words, found); err != nil {
				return Set{}, err
			}
		}
		for it := found.Iterator(); it.HasNext(); {
			id := engine.NodeID(it.Next())
			i, ok := at[id]
			if !ok {
				i = len(out.Items)
				at[id] = i
				out.Items = append(out.Items, Item{Graph: o.Graph.ID(), ID: id, Score: 1})
			}
			why := &out.Items[i].Why
			*why = append(*why, Step{Op: "name", Note: fmt.Sprintf("%q", phrase), Score: 1})
		}
	}
	slices.SortFunc(out.Items, byScore)
	return out, nil
}

// ahead reads the nodes that have a phrase, and their types.
func (o *PhraseSearch) ahead(ctx context.Context, e *Env, phrase string) error {
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return err
	}
	found, err := l.phrase(o.Field, exactWords(phrase))
	if err != nil || o.Types == nil {
		return err
	}
	return l.nodeTypes(o.Types).keep(found)
}

// shortest keeps of the nodes that have a phrase what Whole and Most say.
func (o *PhraseSearch) shortest(l *lens, words []string, found *roaring.Bitmap) error {
	if found.IsEmpty() {
		return nil
	}
	type length struct {
		id    engine.NodeID
		words uint32
	}
	var all []length
	for p, err := range l.postings(o.Field, words[0]) {
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

// checkNames refuses a field that names cannot be looked up in; ok is false if
// the graph has no such field.
func checkNames(l *lens, field string) (ok bool, err error) {
	info, err := l.FieldInfo(field)
	if isMissing(err) {
		return false, nil
	}
	if want := (text.Exact{}).Name(); err == nil && (info.Analyzer != want || !info.Positions) {
		err = fmt.Errorf("%w: field %q has the analyzer %s, positions %t; names need %s and positions",
			engine.ErrInvalid, field, info.Analyzer, info.Positions, want)
	}
	return err == nil, err
}

// exactWords returns the folded words of a text.
func exactWords(s string) (words []string) {
	for w := range text.Words(s) {
		words = append(words, w.Text)
	}
	return words
}
