package engine

import (
	"bytes"
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// MakeRule makes an index or a constraint, for the nodes or edges that there are
// and from now on, in a commit of its own. It is the writer until it ends, sorts the
// entries with the memory of Options.LoadBytes, and readers never wait for it.
// A name that is taken is [ErrExists]. If the data does not hold for a constraint
// nothing changes, and the error is a [*ViolationError].
func (db *DB) MakeRule(ctx context.Context, g *Graph, r Rule) error {
	err := db.alone(ctx, func() error { return db.makeRule(ctx, g.in(db), r) })
	if err != nil {
		return phase.Errorf("make rule %.64q: %w", r.Name, err)
	}
	return nil
}

// alone calls fn as the writer.
func (db *DB) alone(ctx context.Context, fn func() error) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.leave()
	if db.ReadOnly(ctx) {
		return ErrReadOnly
	}
	if err := db.lockWriter(ctx); err != nil {
		return err
	}
	defer db.unlockWriter()
	return fn()
}

func (db *DB) makeRule(ctx context.Context, g *Graph, r Rule) (err error) {
	if r, err = checkRule(r); err != nil {
		return err
	}
	tx, err := db.begin(ctx)
	if err != nil {
		return err
	}
	v := tx.Graph(g)
	l := newLoader(v, db.opts.LoadBytes)
	defer func() { err = firstError(err, l.close(), tx.end()) }()
	if v.noted != nil {
		v.noted.missed = false // no node and no edge changes
	}
	if err := v.check(); err != nil {
		return err
	}
	switch _, err := v.rule(r.Name); {
	case err == nil:
		return ErrExists
	case !isNotFound(err):
		return err
	}
	x, err := v.nameRule(r)
	if err != nil {
		return err
	}
	if x.Edges {
		err = l.fillEdges(x)
	} else {
		err = l.fillNodes(x)
	}
	if err != nil {
		return err
	}
	return l.commit()
}

// nameRule adds a rule to the catalog, with the names that it needs.
func (v *TxView) nameRule(r Rule) (*ruleState, error) {
	x := &ruleState{Rule: r}
	for _, name := range r.Types {
		if !r.Edges {
			t, err := v.MakeNodeType(name)
			if err != nil {
				return nil, err
			}
			x.types = append(x.types, uint32(t))
			continue
		}
		t, ok := v.EdgeType(name)
		if !ok {
			var err error
			if t, err = v.MakeEdgeType(name, true); err != nil {
				return nil, err
			}
		}
		x.types = append(x.types, uint32(t))
	}
	for _, name := range r.Properties {
		id, err := v.property(name)
		if err != nil {
			return nil, err
		}
		x.props = append(x.props, id)
	}
	if r.Kind == FulltextIndex && !r.Edges {
		if err := v.makeField(r.Field(), FieldOptions{Analyzer: r.Analyzer}); err != nil {
			return nil, err
		}
	}
	x.id = v.addName(layout.KindRule, r.Name, func(n uint32) (uint32, uint32) { return layout.RuleID(n), 0 }, x.options())
	v.rulesKnown = false
	return x, nil
}

// fillNodes sorts the entries of the nodes that there are, and verifies them. A node
// with several of the labels counts once.
func (l *Loader) fillNodes(x *ruleState) error {
	v := l.v
	set := roaring.New()
	for _, t := range x.types {
		some, err := v.union(layout.NodesOfTypePrefix(v.g, t))
		if err != nil {
			return err
		}
		set.Or(some)
	}
	ids := make([]NodeID, 0, refPage)
	for it := set.Iterator(); it.HasNext(); {
		if ids = append(ids, NodeID(it.Next())); len(ids) == refPage || !it.HasNext() {
			if err := l.fillPage(x, ids); err != nil {
				return err
			}
			ids = ids[:0]
		}
	}
	return nil
}

func (l *Loader) fillPage(x *ruleState, ids []NodeID) error {
	v := l.v
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = layout.Node(v.g, uint64(id))
	}
	err := v.transact.base.MultiGet(v.ctx, keys, func(i int, b []byte) error {
		if b == nil {
			return nil // found by a check
		}
		rec, err := decodeRecord(b, true)
		if err != nil {
			return corrupt(keys[i], err)
		}
		if property, _ := x.missing(rec.props); property != "" {
			return v.nodeViolation(x, ids[i], &rec)
		}
		if x.Kind == FulltextIndex {
			return v.reword(x, ids[i], &record{}, &rec, false, true)
		}
		if !x.Indexed() {
			return nil
		}
		key, _, err := x.indexKey(v.g, rec.props, v.textReader(ids[i]))
		if err != nil || key == nil {
			return err
		}
		l.ops.Merge(layout.AppendContainer(key, layout.Container(uint64(ids[i]))), layout.AppendAdd(nil, uint64(ids[i])&0xFFFF, 1))
		return l.ops.err
	})
	if err != nil {
		return err
	}
	return l.drainTerms(l.limit)
}

// drainTerms moves buffered postings to be sorted if they take more than some bytes.
func (l *Loader) drainTerms(limit int) error {
	v := l.v
	if v.terms.buffer.empty() || v.terms.bytes <= min(limit, v.transact.db.opts.MaxTxBytes/(2*spillShare)) {
		return l.ops.err
	}
	v.terms.listed = nil // later postings of the same terms merge with these
	if err := v.flushPostings(); err != nil {
		return err
	}
	if err := v.appendPostings(&l.ops); err != nil {
		return err
	}
	return l.drain()
}

// fillEdges sorts the entries of the edges that there are, and verifies them.
func (l *Loader) fillEdges(x *ruleState) error {
	v := l.v
	if x.required() {
		if err := v.requireOfAll(x); err != nil {
			return err
		}
	}
	before := reader{ctx: v.ctx, kv: v.transact.base, graph: v.graph, g: v.g}
	for _, t := range x.types {
		err := before.eachEdgeRow(EdgeType(t), func(row edgeRow) error {
			if property, value := x.missing(row.props); property != "" {
				return v.edgeViolation(x, uint64(row.at.From), uint64(row.at.To), property, value)
			}
			keys, _, err := x.edgeKeys(v.g, row.props)
			for _, key := range keys {
				l.ops.Set(layout.AppendEdgeEntry(key, row.at.entry()), nil)
			}
			return firstError(err, l.ops.err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// requireOfAll returns an error if an edge without any properties is under a rule that
// requires one.
func (v *TxView) requireOfAll(x *ruleState) error {
	before := View{reader{ctx: v.ctx, kv: v.transact.base, graph: v.graph, g: v.g, epoch: v.transact.epoch - 1}}
	t := EdgeType(x.types[0])
	for l, err := range before.lists(Out, 0, 0, EdgeFilter{Types: []EdgeType{t}}) {
		if err != nil {
			return err
		}
		for _, to := range l.Others {
			edges, err := before.Parallel(l.Node, []Edge{{From: l.Node, To: NodeID(to), Type: t}})
			if err != nil {
				return err
			}
			for _, e := range edges {
				props, err := v.edgeRecord(e)
				if err != nil {
					return err
				}
				if property, value := x.missing(props); property != "" {
					return v.edgeViolation(x, uint64(l.Node), to, property, value)
				}
			}
		}
	}
	return nil
}

// uniqueGuard refuses a load that puts two nodes or edges under one value of a
// unique index. It sees the sorted writes.
type uniqueGuard struct {
	l     *Loader
	rules map[uint32]*ruleState
	last  []byte // the value that was last seen
	base  uniqueScan
	tag   layout.Tag // of what base reads
}

// newUniqueGuard returns nil if no rule needs one.
func newUniqueGuard(l *Loader) (*uniqueGuard, error) {
	rules, err := l.v.rules()
	u := &uniqueGuard{l: l, rules: map[uint32]*ruleState{}}
	for _, x := range rules {
		if x.unique() {
			u.rules[x.id] = x
		}
	}
	if len(u.rules) == 0 {
		u = nil
	}
	return u, err
}

func (u *uniqueGuard) see(op *sortedOp) error {
	tag := layout.Tag(op.key[0])
	if tag != layout.TagSetIndex && tag != layout.TagEdgeIndex {
		return nil
	}
	x := u.rules[layout.IndexOf(op.key)]
	if x == nil {
		return nil
	}
	prefix, n := op.key[:len(op.key)-6], 1
	if tag == layout.TagEdgeIndex {
		prefix, _ = layout.CutEdgeEntry(op.key)
	} else {
		var err error
		if n, err = layout.SetLen(layout.NewFold(op.key, op.value).Finish(true)); err != nil {
			return corrupt(op.key, err)
		}
	}
	if layout.TupleHasGap(prefix) {
		return nil
	}
	if bytes.Equal(prefix, u.last) {
		n++
	}
	u.last = append(u.last[:0], prefix...)
	if u.l.first > 1 && n == 1 {
		if u.tag != tag {
			if err := u.base.close(); err != nil {
				return err
			}
			u.tag, u.base = tag, uniqueScan{r: &u.l.v.reader, kv: u.l.v.transact.base}
		}
		have, err := u.base.count(x, prefix)
		if err != nil {
			return err
		}
		n += have
	}
	if n > 1 {
		return x.notUnique(u.l.valuesAt(x, op))
	}
	return nil
}

// valuesAt returns the properties of one of the nodes or edges of an entry, none if
// they are of the load itself.
func (l *Loader) valuesAt(x *ruleState, op *sortedOp) []prop {
	if x.Edges {
		_, e := layout.CutEdgeEntry(op.key)
		props, _ := l.v.edgeRecord(edgeAt(e))
		return props
	}
	var set layout.Set
	if layout.ReadSet(layout.NewFold(op.key, op.value).Finish(true), &set) != nil || len(set.IDs) == 0 {
		return nil
	}
	id := layout.LastContainer(op.key)<<16 | set.IDs[0]
	rec, _ := l.v.record(NodeID(id), true)
	return rec.props
}

// DropRule removes an index or a constraint, in a commit of its own. A name that
// no rule has is [ErrNotFound].
func (db *DB) DropRule(ctx context.Context, g *Graph, name string) error {
	err := db.Update(ctx, func(tx *Tx) error {
		v := tx.Graph(g)
		if err := v.check(); err != nil {
			return err
		}
		x, err := v.rule(name)
		if err != nil {
			return err
		}
		return v.dropRule(x)
	})
	if err != nil {
		return phase.Errorf("drop rule: %w", err)
	}
	return nil
}

func (v *TxView) dropRule(x *ruleState) error {
	v.forgetName(layout.KindRule, x.id, x.Name)
	v.rulesKnown = false
	o := v.transact.overlay
	prefixes := [][]byte{x.prefix(v.g)}
	if x.Kind == FulltextIndex && !x.Edges {
		field, _, err := v.field(x.Field())
		if err != nil {
			return err
		}
		v.forgetName(layout.KindField, field, x.Field())
		prefixes = [][]byte{layout.PostingsPrefix(v.g, field), layout.LexSum(v.g, field, ""), fieldTerms(v.g, field)}
	}
	for _, prefix := range prefixes {
		o.DeleteRange(prefix, layout.Next(prefix))
	}
	return nil
}

// forgetName removes a name from the catalog.
func (v *TxView) forgetName(k layout.Kind, id uint32, name string) {
	v.unnamed = append(v.unnamed, kindID{k, id})
	o := v.transact.overlay
	o.Delete(layout.Catalog(v.g, k, id))
	o.Delete(layout.Name(v.g, k, name))
}
