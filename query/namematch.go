package query

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
)

// NameMatch finds the nodes of some types whose names stand in a text as whole
// words, whatever the case, each with score 1, in the order of the text, those
// of one name in the order of Types, then id. From each word on the longest
// name is taken, and the search goes on behind it; a node that the query may
// not see hides no other.
//
// A node's name is its key, as [Env].Names reads the text, or all its words in
// Field. What a scan of all names would find is found by looking up the runs
// of words in the text: keys one by one, words of a field by the postings of
// each word of the text, read once.
//
// For the nodes whose names contain some words there is [PhraseSearch].
type NameMatch struct {
	Graph *engine.Graph
	// Types are the names of the node types; nil is all.
	Types []string
	// Field is the field of names, with the analyzer [text.Exact] and
	// positions; "" is the keys.
	Field  string
	Text   string
	Source string
}

// maxNameWords is how many words a name in a field may have to be found.
const maxNameWords = 16

// Run implements [Op].
func (o *NameMatch) Run(ctx context.Context, e *Env) (Set, error) {
	if o.Field == "" {
		return o.byKey(ctx, e)
	}
	return o.byField(ctx, e)
}

// byKey finds nodes by their keys.
func (o *NameMatch) byKey(ctx context.Context, e *Env) (Set, error) {
	if e.Names == nil {
		return Set{}, nil
	}
	v := e.view(ctx, o.Graph)
	types := v.NodeTypes()
	if o.Types != nil {
		types = nil
		for _, name := range o.Types {
			if t, ok := v.NodeType(name); ok {
				types = append(types, t)
			}
		}
	}
	var failed error
	ids := map[string][]engine.NodeID{}
	names := e.Names(o.Text, func(key string) bool {
		if key == "" || failed != nil {
			return false
		}
		have, ok := ids[key]
		if !ok {
			have, failed = o.lookup(ctx, e, v, types, key)
			ids[key] = have
		}
		return len(have) > 0
	})
	if failed != nil {
		return Set{}, failed
	}
	m := newMatches(o.Graph)
	for _, name := range names {
		for _, id := range ids[name] {
			m.add(id, name)
		}
	}
	return m.out, nil
}

// lookup returns the nodes with a key that the query may see.
func (o *NameMatch) lookup(ctx context.Context, e *Env, v *engine.View, types []engine.TypeID, key string) ([]engine.NodeID, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var out []engine.NodeID
	for _, t := range types {
		id, err := v.Lookup(t, key)
		if isMissing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		may, err := e.May(ctx, o.Graph, id)
		if err != nil {
			return nil, err
		}
		if may {
			out = append(out, id)
		}
	}
	return out, nil
}

// matches collects nodes with the names that they were found by.
type matches struct {
	out   Set
	graph engine.GraphID
	seen  map[engine.NodeID]bool
}

func newMatches(g *engine.Graph) *matches {
	return &matches{graph: g.ID(), seen: map[engine.NodeID]bool{}}
}

func (m *matches) add(id engine.NodeID, name string) {
	if m.seen[id] {
		return
	}
	m.seen[id] = true
	m.out.Items = append(m.out.Items, Item{
		Graph: m.graph, ID: id, Score: 1,
		Why: []Step{{Op: "name", Note: fmt.Sprintf("%q", name), Score: 1}},
	})
}

// byField finds nodes by their words in a field.
func (o *NameMatch) byField(ctx context.Context, e *Env) (Set, error) {
	v := e.view(ctx, o.Graph)
	ok, err := checkNames(v, o.Field)
	if err != nil || !ok {
		return Set{}, err
	}
	allow, err := e.allow(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	words, surface := exactWords(o.Text)
	s := nameSearch{ctx: ctx, v: v, field: o.Field, allow: allow, words: words, of: map[string]*[maxNameWords + 1]*roaring.Bitmap{}}
	if o.Types != nil {
		s.types = e.nodeTypes(v, o.Types)
	}
	m := newMatches(o.Graph)
	for i := 0; i < len(words); {
		found, n, err := s.longest(i)
		if err != nil {
			return Set{}, err
		}
		if n == 0 {
			i++
			continue
		}
		for it := found.Iterator(); it.HasNext(); {
			m.add(engine.NodeID(it.Next()), o.Text[surface[i][0]:surface[i+n-1][1]])
		}
		i += n
	}
	return m.out, nil
}

// checkNames refuses a field that names cannot be looked up in; ok is false
// where the graph has no such field.
func checkNames(v *engine.View, field string) (ok bool, err error) {
	info, err := v.FieldInfo(field)
	if isMissing(err) {
		return false, nil
	}
	if want := (text.Exact{}).Name(); err == nil && (info.Analyzer != want || !info.Positions) {
		err = phase.Mark(engine.ErrInvalid, "field %q has the analyzer %s, positions %t; names need %s and positions", field, info.Analyzer, info.Positions, want)
	}
	return err == nil, err
}

// exactWords returns the words of a text and the bytes that each spans.
func exactWords(s string) (words []string, at [][2]int) {
	for w := range text.Words(s) {
		words, at = append(words, w.Text), append(at, [2]int{w.Start, w.End})
	}
	return words, at
}

// nameSearch looks for whole names among the words of a text.
type nameSearch struct {
	ctx   context.Context
	v     *engine.View
	field string
	allow *roaring.Bitmap // nil: all
	types *nodeTypes      // nil: all
	words []string
	// of has, for each word that was looked up, the nodes with it whose names
	// have a number of words.
	of map[string]*[maxNameWords + 1]*roaring.Bitmap
}

// longest returns the nodes with the longest name that begins at a word, and
// its number of words, 0 where there is none.
func (s *nameSearch) longest(i int) (*roaring.Bitmap, int, error) {
	for n := min(maxNameWords, len(s.words)-i); n > 0; n-- {
		words := s.words[i : i+n]
		found, err := s.having(words)
		if err != nil {
			return nil, 0, err
		}
		if found == nil {
			continue
		}
		if n > 1 {
			phrase, err := s.v.Phrase(s.field, words)
			if err != nil {
				return nil, 0, err
			}
			found = roaring.And(found, phrase)
		}
		if s.types != nil {
			if n == 1 {
				found = found.Clone()
			}
			if err := s.types.keep(found); err != nil {
				return nil, 0, err
			}
		}
		if !found.IsEmpty() {
			return found, n, nil
		}
	}
	return nil, 0, nil
}

// having returns the nodes whose names have as many words as are given and
// each of these, nil where there are none. The caller must not change it.
func (s *nameSearch) having(words []string) (*roaring.Bitmap, error) {
	var found *roaring.Bitmap
	for _, word := range words {
		sets, err := s.lengths(word)
		if err != nil {
			return nil, err
		}
		set := sets[len(words)]
		if set == nil {
			return nil, nil
		}
		if found == nil {
			found = set
		} else if found = roaring.And(found, set); found.IsEmpty() {
			return nil, nil
		}
	}
	return found, nil
}

// lengths reads the postings of a word.
func (s *nameSearch) lengths(word string) (*[maxNameWords + 1]*roaring.Bitmap, error) {
	sets := s.of[word]
	if sets != nil {
		return sets, nil
	}
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	sets = new([maxNameWords + 1]*roaring.Bitmap)
	for p, err := range s.v.Postings(s.field, word) {
		if err != nil {
			return nil, err
		}
		if p.Words > maxNameWords || s.allow != nil && !s.allow.Contains(uint32(p.ID)) {
			continue
		}
		if sets[p.Words] == nil {
			sets[p.Words] = roaring.New()
		}
		sets[p.Words].Add(uint32(p.ID))
	}
	s.of[word] = sets
	return sets, nil
}

// Explain implements [Op].
func (o *NameMatch) Explain() Explanation {
	args := graphArgs(o.Graph, o.Types)
	if o.Field != "" {
		args = append(args, arg("field", o.Field))
	}
	return Explanation{Op: "NameMatch", Work: WorkOnTexts, Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *NameMatch) Inputs() []Op { return nil }
