package engine

import (
	"bytes"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/layout"
)

// ruleWork is what a transaction has to verify of the rules before it commits.
type ruleWork struct {
	// nodes and edges broke a rule when they were last written: they may have
	// been written halfway.
	nodes *roaring.Bitmap
	edges map[Edge]struct{} // by identity
	// claims are the values, as prefixes of keys, that a unique index got something
	// more under.
	claims map[string]*ruleState
}

// reindexNode brings all indexes from a node's old record to its new one, and
// notes what the rules are to be asked about it. An empty record is that of no node.
// The old long strings must still be there.
func (v *TxView) reindexNode(id NodeID, old, now *record) error {
	if err := v.reindex(id, old.props, now.props); err != nil {
		return err
	}
	rules, err := v.rules()
	if err != nil || len(rules) == 0 {
		return err
	}
	was, is := old.types(), now.types()
	broken := false
	for _, x := range rules {
		had, has := !x.Edges && x.covers(was), !x.Edges && x.covers(is)
		switch {
		case !had && !has:
		case x.Kind == FulltextIndex:
			if err := v.reword(x, id, old, now, had, has); err != nil {
				return err
			}
		case x.Indexed():
			if err := v.rekey(x, id, old, now, had, has); err != nil {
				return err
			}
		}
		if has {
			property, _ := x.missing(now.props)
			if broken = broken || property != ""; broken && v.loads {
				return v.nodeViolation(x, id, now)
			}
		}
	}
	if broken {
		if v.work.nodes == nil {
			v.work.nodes = roaring.New()
		}
		v.work.nodes.Add(uint32(id))
	} else if v.work.nodes != nil {
		v.work.nodes.Remove(uint32(id))
	}
	return nil
}

// rekey moves a node in the index of a rule that it was or is under.
func (v *TxView) rekey(x *ruleState, id NodeID, old, now *record, had, has bool) error {
	var from, to []byte
	var whole bool
	var err error
	if had {
		if from, _, err = x.indexKey(v.g, old.props, v.textReader(id)); err != nil {
			return err
		}
	}
	if has {
		if to, whole, err = x.indexKey(v.g, now.props, v.textReader(id)); err != nil {
			return err
		}
	}
	if bytes.Equal(from, to) {
		return nil
	}
	o, low, container := v.transact.overlay, uint64(id)&0xFFFF, layout.Container(uint64(id))
	if from != nil {
		key := layout.AppendContainer(from, container)
		o.Merge(key, layout.AppendRemove(nil, low))
		v.shrunk[string(key)] = struct{}{}
	}
	if to != nil {
		if x.unique() && whole {
			v.claimValue(to, x)
		}
		o.Merge(layout.AppendContainer(to, container), layout.AppendAdd(nil, low, 1))
	}
	return nil
}

// claimValue notes that a value of a unique index got one more node or edge. A load
// looks at its own when they are sorted.
func (v *TxView) claimValue(prefix []byte, x *ruleState) {
	if v.loads {
		return
	}
	if v.work.claims == nil {
		v.work.claims = map[string]*ruleState{}
	}
	v.work.claims[string(prefix)] = x
}

// textReader returns what reads the long strings of a node.
func (r *reader) textReader(id NodeID) func(p prop) (Value, error) {
	return func(p prop) (Value, error) {
		s, err := r.externalText(id, p.id, p.value.Size())
		return String(s), err
	}
}

// reword gives a node its words in the field of a fulltext index.
func (v *TxView) reword(x *ruleState, id NodeID, old, now *record, had, has bool) error {
	if had && has && slices.EqualFunc(x.texts(old.props), x.texts(now.props), Value.Equal) {
		return nil
	}
	field, _, err := v.field(x.Field())
	if err != nil {
		return err
	}
	list := &nodeTerms{}
	if has {
		if list, err = v.wordsOf(x, id, now.props); err != nil {
			return err
		}
	}
	return v.replaceTerms(field, id, list)
}

// texts returns the values of the properties of a fulltext index.
func (x *ruleState) texts(props []prop) []Value {
	out := make([]Value, len(x.props))
	for _, p := range props {
		if i := slices.Index(x.props, p.id); i >= 0 {
			out[i] = p.value
		}
	}
	return out
}

// wordsOf returns the words of a node in a fulltext index: those of its strings and
// lists of strings.
func (r *reader) wordsOf(x *ruleState, id NodeID, props []prop) (*nodeTerms, error) {
	analyzer := analyzerOf(x.Analyzer)
	if analyzer == nil {
		return nil, phase.Mark(ErrInvalid, "rule %s: no analyzer %q", x.Name, x.Analyzer)
	}
	var terms []text.Term
	for _, value := range x.texts(props) {
		if value.kind == KindText {
			i := slices.IndexFunc(props, func(p prop) bool { return p.value.Equal(value) && slices.Contains(x.props, p.id) })
			var err error
			if value, err = r.textReader(id)(props[i]); err != nil {
				return nil, err
			}
		}
		for _, s := range value.AsStrings() {
			for _, t := range analyzer.Terms(s) {
				if len(t.Text) <= maxTermBytes {
					terms = append(terms, t)
				}
			}
		}
	}
	list := &nodeTerms{}
	return list, list.group(terms, false)
}

// edgeRules returns the rules over edges of a type.
func (r *reader) edgeRules(t uint32) ([]*ruleState, error) {
	all, err := r.rules()
	var out []*ruleState
	for _, x := range all {
		if x.Edges && slices.Contains(x.types, t) {
			out = append(out, x)
		}
	}
	return out, err
}

// reindexEdge brings the indexes of edges from an edge's old properties to its
// new ones; gone says that the edge goes.
func (v *TxView) reindexEdge(edge Edge, old, now []prop, gone bool) error {
	rules, err := v.edgeRules(uint32(edge.Type))
	if err != nil {
		return err
	}
	edge = edge.identity()
	e := edge.entry()
	o := v.transact.overlay
	for _, x := range rules {
		from, _, err := x.edgeKeys(v.g, old)
		if err != nil {
			return err
		}
		var to [][]byte
		whole := false
		if !gone {
			if to, whole, err = x.edgeKeys(v.g, now); err != nil {
				return err
			}
		}
		for _, key := range from {
			if _, keeps := slices.BinarySearchFunc(to, key, bytes.Compare); !keeps {
				o.Delete(layout.AppendEdgeEntry(key, e))
			}
		}
		for _, key := range to {
			if _, had := slices.BinarySearchFunc(from, key, bytes.Compare); had {
				continue
			}
			if x.unique() && whole {
				v.claimValue(key, x)
			}
			o.Set(layout.AppendEdgeEntry(key, e), nil)
		}
	}
	delete(v.work.edges, edge)
	if !gone {
		v.oweEdge(edge, rules, now)
	}
	return nil
}

// noText reads the long strings of edges, which are in their records.
func noText(p prop) (Value, error) { return p.value, nil }

// oweEdge notes an edge that breaks a rule as it is.
func (v *TxView) oweEdge(e Edge, rules []*ruleState, props []prop) {
	for _, x := range rules {
		if property, _ := x.missing(props); property != "" {
			if v.work.edges == nil {
				v.work.edges = map[Edge]struct{}{}
			}
			v.work.edges[e.identity()] = struct{}{}
			return
		}
	}
}

// edgeRecord returns the properties of an edge as they are stored.
func (r *reader) edgeRecord(e Edge) ([]prop, error) {
	k := r.recordKey(e)
	b, err := r.kv.Get(r.ctx, k, nil)
	if isNotFound(err) {
		props, _, err := r.blockProps(e.identity())
		return props, err
	}
	if err != nil {
		return nil, err
	}
	props, err := decodeEdge(b)
	if err != nil {
		return nil, corrupt(k, err)
	}
	return props, nil
}
