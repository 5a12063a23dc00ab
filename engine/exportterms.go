package engine

import (
	"fmt"

	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/layout"
)

type exportField struct {
	Name      string `json:"name"`
	Analyzer  string `json:"analyzer"`
	Positions bool   `json:"positions,omitempty"`
}

// exportTerms are the terms of one node in one field: the engine does not
// know the analyzer that made them, so they are not derivable from the text.
type exportTerms struct {
	Field string       `json:"field"`
	Ref   exportRef    `json:"ref"`
	Terms []exportTerm `json:"terms"`
}

// exportTerm is a term with its positions, or with its frequency if the
// field keeps none.
type exportTerm struct {
	Text      exportText `json:"t"`
	Positions []uint32   `json:"at,omitempty"`
	Freq      uint32     `json:"n,omitempty"`
}

// fieldLines writes the fields, in a canonical export those that are in use.
func (x *exporter) fieldLines() error {
	return x.eachField(func(_ uint32, name string, o FieldOptions) error {
		return x.out.write(&exportLine{Field: &exportField{name, o.Analyzer, o.Positions}})
	})
}

func (x *exporter) eachField(fn func(id uint32, name string, o FieldOptions) error) error {
	for _, name := range x.Fields() {
		id, o, err := x.field(name)
		if err != nil {
			return err
		}
		if x.o.Canonical {
			used := false
			for _, err := range scan(x.ctx, x.kv, fieldTerms(x.g, id)) {
				if err != nil {
					return err
				}
				used = true
				break
			}
			if !used {
				continue
			}
		}
		if err := fn(id, name, o); err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
	}
	return nil
}

// fieldTerms returns the prefix of the forward lists of a field.
func fieldTerms(g, field uint32) []byte {
	k := layout.TermsOf(g, field, 0)
	return k[:len(k)-8]
}

// termLines writes the terms of each field in the order of nodes.
func (x *exporter) termLines() error {
	return x.eachField(func(id uint32, name string, o FieldOptions) error {
		// A block of nodes is read at a time: what its terms need is bounded,
		// and with positions one scan of the field's postings serves them all.
		block := termBlock{x: x, field: id, name: name, positions: o.Positions}
		limit := max(1<<20, int(x.graph.ns.db.opts.MemoryBudget/64))
		err := x.eachNode(func(t named, key string, node NodeID) error {
			k := layout.TermsOf(x.g, id, uint64(node))
			b, err := x.kv.Get(x.ctx, k, nil)
			if isNotFound(err) {
				return nil
			}
			if err != nil {
				return err
			}
			terms, words, err := decodeForward(b)
			if err != nil {
				return corrupt(k, err)
			}
			block.add(newRef(t.name, key), node, terms)
			if block.words += int(words); block.words < limit {
				return nil
			}
			return block.write()
		})
		if err != nil {
			return err
		}
		return block.write()
	})
}

// termBlock is a run of nodes whose terms are written together.
type termBlock struct {
	x         *exporter
	field     uint32
	name      string
	positions bool
	words     int
	lines     []exportTerms
	// at is the place in lines of each node of the block, and next of the term
	// whose positions are read next: postings come in the order of terms too.
	at   map[NodeID]int
	next []int
}

func (b *termBlock) add(ref exportRef, node NodeID, terms []TermFreq) {
	line := exportTerms{Field: b.name, Ref: ref, Terms: make([]exportTerm, len(terms))}
	for i, t := range terms {
		line.Terms[i] = exportTerm{Text: exportText(t.Term), Freq: t.Freq}
	}
	if b.at == nil {
		b.at = map[NodeID]int{}
	}
	b.at[node] = len(b.lines)
	b.next = append(b.next, 0)
	b.lines = append(b.lines, line)
}

func (b *termBlock) write() error {
	if b.positions && len(b.lines) > 0 {
		if err := b.readPositions(); err != nil {
			return err
		}
	}
	for i := range b.lines {
		if err := b.x.out.write(&exportLine{Terms: &b.lines[i]}); err != nil {
			return err
		}
	}
	b.lines, b.next, b.words = b.lines[:0], b.next[:0], 0
	clear(b.at)
	return nil
}

// readPositions puts the positions from the postings in place of the
// frequencies.
func (b *termBlock) readPositions() error {
	x := b.x
	var ps []layout.Posting
	for p, err := range scan(x.ctx, x.kv, layout.PostingsPrefix(x.g, b.field)) {
		if err != nil {
			return err
		}
		if ps, err = layout.ReadPostings(p.value, ps[:0], true); err != nil {
			return corrupt(p.key, err)
		}
		_, term, container := layout.PostingsOf(p.key)
		for i := range ps {
			at, ok := b.at[NodeID(container<<16|ps[i].Node)]
			if !ok {
				continue
			}
			k, terms := b.next[at], b.lines[at].Terms
			if k == len(terms) || string(terms[k].Text) != term || terms[k].Freq != ps[i].Freq {
				return corrupt(p.key, fmt.Errorf("posting of node %d is not in its list of terms", container<<16|ps[i].Node))
			}
			terms[k].Positions = ps[i].ReadPositions(make([]uint32, 0, ps[i].Freq))
			terms[k].Freq = 0
			b.next[at]++
		}
	}
	for i := range b.lines {
		if b.next[i] != len(b.lines[i].Terms) {
			return corrupt(layout.PostingsPrefix(x.g, b.field), fmt.Errorf("no posting of %q for node %q", b.lines[i].Terms[b.next[i]].Text, b.lines[i].Ref))
		}
	}
	return nil
}

// maxImportWords bounds what a line of terms may ask for with frequencies,
// which are short to write.
const maxImportWords = 1 << 22

func importTerms(v *TxView, x *exportTerms) error {
	id, err := x.Ref.resolve(v)
	if err != nil {
		return err
	}
	var terms []text.Term
	for _, t := range x.Terms {
		if len(terms)+len(t.Positions)+int(t.Freq) > maxImportWords {
			return phase.Mark(ErrInvalid, "more than %d words", maxImportWords)
		}
		for _, at := range t.Positions {
			terms = append(terms, text.Term{Text: string(t.Text), Pos: at})
		}
		for range t.Freq {
			terms = append(terms, text.Term{Text: string(t.Text)})
		}
	}
	return v.PutTerms(x.Field, id, terms)
}
