package engine

import (
	"bytes"
	"errors"
	"hash/maphash"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
)

// nodeIndexKeys returns the keys of all index entries of a node, in order.
func (r *reader) nodeIndexKeys(id NodeID, rec *record) ([][]byte, error) {
	out := r.indexKeysOf(id, rec.props)
	rules, err := r.rules()
	labels := rec.types()
	for _, x := range rules {
		if x.Edges || !x.Indexed() || !x.covers(labels) {
			continue
		}
		key, _, err := x.indexKey(r.g, rec.props, r.textReader(id))
		if err != nil {
			return nil, err
		}
		if key != nil {
			out = append(out, layout.AppendContainer(key, layout.Container(uint64(id))))
		}
	}
	return out, err
}

// checkRules verifies that the data holds for the constraints, and that the
// indexes of words are those of the nodes.
func (c *checker) checkRules(v *View) error {
	rules, err := v.rules()
	if err != nil || len(rules) == 0 {
		return err
	}
	for _, x := range rules {
		if x.unique() {
			if err := c.checkUnique(v, x); err != nil {
				return err
			}
		}
	}
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagNode, v.g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagNode); err != nil {
			return err
		}
		rec, err := decodeRecord(p.value, true)
		if err != nil {
			continue // found by checkKeys
		}
		labels, id := rec.types(), NodeID(layout.NodeID(p.key))
		for _, x := range rules {
			if x.Edges || !x.covers(labels) {
				continue
			}
			if property, value := x.missing(rec.props); property != "" {
				if err := c.find(p.key, fix{}, "%s does not hold: the node %s", x.ruleText(), x.lacks(property, value)); err != nil {
					return err
				}
			}
			if x.Kind == FulltextIndex {
				if err := c.checkWords(v, x, id, &rec); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkUnique finds the values that a unique index has twice.
func (c *checker) checkUnique(v *View, x *ruleState) error {
	var last []byte
	n := 0
	for p, err := range validKeys(v.ctx, v.kv, x.prefix(v.g)) {
		if err != nil {
			return err
		}
		value := layout.TuplePrefix(p.key, len(x.props))
		if !bytes.Equal(value, last) {
			last, n = append(last[:0], value...), 0
		}
		some, err := x.entries(p)
		if err != nil || layout.TupleHasGap(p.key[:len(value)+2]) {
			continue // damage is found by checkKeys
		}
		before := n
		if n += some; before < 2 && n > 1 {
			if err := c.find(p.key, fix{}, "%s does not hold: %d have the value", x.ruleText(), n); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkWords compares the words of a node in a fulltext index with its properties.
func (c *checker) checkWords(v *View, x *ruleState, id NodeID, rec *record) error {
	field, _, err := v.field(x.Field())
	if err != nil {
		return c.find(layout.Catalog(v.g, layout.KindRule, x.id), fix{}, "the index has no field")
	}
	list, err := v.wordsOf(x, id, rec.props)
	if err != nil {
		return err
	}
	var want []byte
	if len(list.terms) > 0 {
		want = appendForward(nil, list.terms)
	}
	key := layout.TermsOf(v.g, field, uint64(id))
	have, err := v.kv.Get(v.ctx, key, nil)
	if err != nil && !isNotFound(err) {
		return err
	}
	if bytes.Equal(have, want) {
		return nil
	}
	return c.find(key, c.fixable(layout.TagNode, func(v *TxView) error {
		list, err := v.wordsOf(x, id, rec.props)
		if err != nil {
			return err
		}
		return v.replaceTerms(field, id, list)
	}), "the words of node %d are not those of its properties", id)
}

// checkEdgeIndexes compares the indexes of edges with the properties of edges, and
// verifies that the constraints on edges hold. First by a sum of hashes, entry by entry
// only if that differs.
func (c *checker) checkEdgeIndexes(v *View) error {
	empty, err := v.emptyFamily(layout.TagEdgeIndex)
	if err != nil {
		return err
	}
	rules, err := v.rules()
	if err != nil || empty && !slices.ContainsFunc(rules, func(x *ruleState) bool { return x.Edges }) {
		return err
	}
	seed := maphash.MakeSeed()
	var want, have uint64
	err = c.eachEdgeKey(v, rules, func(key []byte) error { want += maphash.Bytes(seed, key); return nil })
	if err != nil {
		return err
	}
	prefix := layout.GraphPrefix(layout.TagEdgeIndex, v.g)
	for p, err := range validKeys(v.ctx, v.kv, prefix) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagEdgeIndex); err != nil {
			return err
		}
		have += maphash.Bytes(seed, p.key)
	}
	if err := c.checkEdgesHold(v, rules); err != nil || want == have {
		return err
	}
	err = c.eachEdgeKey(v, rules, func(key []byte) error {
		switch _, err := v.kv.Get(v.ctx, key, nil); {
		case err == nil:
			return nil
		case !isNotFound(err):
			return err
		}
		key = bytes.Clone(key)
		return c.find(key, c.fixable(layout.TagEdge, func(v *TxView) error {
			v.transact.overlay.Set(key, nil)
			return nil
		}), "an edge has the value, but is not in the index")
	})
	if err != nil {
		return err
	}
	for p, err := range validKeys(v.ctx, v.kv, prefix) {
		if err != nil {
			return err
		}
		ok, err := v.hasEdgeKey(rules, p.key)
		if err != nil {
			return err
		}
		if ok {
			continue
		}
		key := bytes.Clone(p.key)
		err = c.find(key, c.fixable(layout.TagEdge, func(v *TxView) error {
			v.transact.overlay.Delete(key)
			return nil
		}), "an edge is in the index, but does not have the value")
		if err != nil {
			return err
		}
	}
	return nil
}

// eachEdgeKey calls fn with every entry that the properties of edges make.
func (c *checker) eachEdgeKey(v *View, rules []*ruleState, fn func(key []byte) error) error {
	for _, t := range v.EdgeTypes() {
		of := slices.DeleteFunc(slices.Clone(rules), func(x *ruleState) bool {
			return !x.Edges || !x.covers([]uint32{uint32(t)})
		})
		if len(of) == 0 {
			continue
		}
		err := v.eachEdgeRow(t, func(row edgeRow) error {
			if err := c.step(layout.TagEdge); err != nil {
				return err
			}
			for _, x := range of {
				keys, _, err := x.edgeKeys(v.g, row.props)
				for _, key := range keys {
					err = firstError(err, fn(layout.AppendEdgeEntry(key, row.at.entry())))
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrCorrupt) { // damage is found by checkKeys
			return err
		}
	}
	return nil
}

// hasEdgeKey reports whether an entry of an index of edges is that of the edge that
// it names.
func (r *reader) hasEdgeKey(rules []*ruleState, key []byte) (bool, error) {
	value, e := layout.CutEdgeEntry(key)
	for _, x := range rules {
		if x.id != layout.IndexOf(key) || !x.Edges || !x.covers([]uint32{e.Type}) {
			continue
		}
		props, err := r.edgeRecord(edgeAt(e))
		if err != nil {
			return true, nil // damage is found by checkKeys
		}
		keys, _, err := x.edgeKeys(r.g, props)
		_, ok := slices.BinarySearchFunc(keys, value, bytes.Compare)
		return ok, err
	}
	return false, nil
}

// checkEdgesHold finds the edges that break a rule.
func (c *checker) checkEdgesHold(v *View, rules []*ruleState) error {
	for _, x := range rules {
		if !x.Edges || !x.required() && x.Kind != OfType {
			continue
		}
		t := EdgeType(x.types[0])
		for l, err := range v.lists(Out, 0, 0, EdgeFilter{Types: []EdgeType{t}}) {
			if err != nil {
				return err
			}
			for _, to := range l.Others {
				edges, err := v.Parallel(l.Node, []Edge{{From: l.Node, To: NodeID(to), Type: t}})
				if err != nil {
					continue // found by checkKeys
				}
				for _, e := range edges {
					props, err := v.edgeRecord(e)
					if err != nil {
						continue // likewise
					}
					if property, value := x.missing(props); property != "" {
						err = c.find(v.recordKey(e), fix{}, "%s does not hold: the edge %s", x.ruleText(), x.lacks(property, value))
					}
					if err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}
