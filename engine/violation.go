package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// ViolationError is the error of a commit, a load or a new constraint for which
// the data does not hold.
type ViolationError struct {
	Rule Rule
	// What says who breaks the rule, and how.
	What string
}

// Error names the constraint and what breaks it.
func (e *ViolationError) Error() string {
	return fmt.Sprintf("the constraint %s does not hold: %s", e.Rule.Name, e.What)
}

// Is reports whether target is [ErrInvalid].
func (e *ViolationError) Is(target error) bool { return target == ErrInvalid }

// enforce returns a [*ViolationError] if what the transaction wrote breaks a rule.
func (v *TxView) enforce() error {
	w := &v.work
	if w.nodes != nil {
		for it := w.nodes.Iterator(); it.HasNext(); {
			id := NodeID(it.Next())
			rec, err := v.record(id, true)
			if isNotFound(err) {
				continue
			}
			if err != nil {
				return err
			}
			if err := v.enforceNode(id, &rec); err != nil {
				return err
			}
		}
	}
	for _, t := range slices.SortedFunc(maps.Keys(w.edges), compareEdges) {
		if err := v.enforceEdge(t); err != nil {
			return err
		}
	}
	return v.enforceUnique()
}

func compareEdges(a, b Edge) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Type, b.Type), cmp.Compare(a.To, b.To), cmp.Compare(a.N, b.N))
}

// enforceNode returns an error if a node lacks what a rule asks for.
func (r *reader) enforceNode(id NodeID, rec *record) error {
	rules, err := r.rules()
	if err != nil {
		return err
	}
	labels := rec.types()
	for _, x := range rules {
		if x.Edges || !x.covers(labels) {
			continue
		}
		if property, _ := x.missing(rec.props); property != "" {
			return r.nodeViolation(x, id, rec)
		}
	}
	return nil
}

func (r *reader) nodeViolation(x *ruleState, id NodeID, rec *record) error {
	property, value := x.missing(rec.props)
	return &ViolationError{x.Rule, fmt.Sprintf("the %s %.64q %s", x.Types[0], rec.key, x.lacks(property, value))}
}

// lacks says what is wrong with a property.
func (x *ruleState) lacks(property string, value Value) string {
	if value.IsNull() {
		return "has no " + property
	}
	return fmt.Sprintf("has the %s %s, which is %s and not of the type %s", property, value.shown(), value.typeName(), x.ValueType)
}

// enforceEdge returns an error if an edge lacks what a rule asks for.
func (v *TxView) enforceEdge(e Edge) error {
	rules, err := v.edgeRules(uint32(e.Type))
	if err != nil {
		return err
	}
	if _, ok, err := v.edge(e); err != nil || !ok {
		return err
	}
	props, err := v.edgeRecord(e)
	if err != nil {
		return err
	}
	for _, x := range rules {
		if property, value := x.missing(props); property != "" {
			return v.edgeViolation(x, uint64(e.From), uint64(e.To), property, value)
		}
	}
	return nil
}

func (r *reader) edgeViolation(x *ruleState, from, to uint64, property string, value Value) error {
	return &ViolationError{x.Rule, fmt.Sprintf("the %s from node %s to node %s %s",
		x.Types[0], r.nodeName(from), r.nodeName(to), x.lacks(property, value))}
}

// nodeName returns a node's key in quotes, for messages.
func (r *reader) nodeName(id uint64) string {
	rec, err := r.record(NodeID(id), false)
	if err != nil {
		return fmt.Sprint(id)
	}
	return fmt.Sprintf("%.64q", rec.key)
}

// enforceUnique returns an error if a value that the transaction wrote is there
// twice. It reads the claimed values in order with one iterator for each family.
func (v *TxView) enforceUnique() error {
	keys := slices.Sorted(maps.Keys(v.work.claims))
	for len(keys) > 0 {
		n := 1
		for n < len(keys) && keys[n][0] == keys[0][0] {
			n++
		}
		s := uniqueScan{r: &v.reader, kv: v.kv}
		for _, k := range keys[:n] {
			x := v.work.claims[k]
			twice, err := s.count(x, []byte(k))
			if err == nil && twice > 1 {
				err = v.twice(x, []byte(k))
			}
			if err != nil {
				return firstError(err, s.close())
			}
		}
		if err := s.close(); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// uniqueScan counts what unique indexes have under values, asked for in order.
type uniqueScan struct {
	r  *reader
	kv kv.Reader
	it kv.Iterator
}

// count returns how many nodes or edges have a value, and may stop at two.
func (s *uniqueScan) count(x *ruleState, prefix []byte) (n int, err error) {
	if s.it == nil {
		family := prefix[:1]
		if s.it, err = s.kv.Iter(s.r.ctx, prefix, layout.Next(family)); err != nil {
			return 0, err
		}
	}
	for ok := s.it.SeekGE(prefix); ok && n < 2 && bytes.HasPrefix(s.it.Key(), prefix); ok = s.it.Next() {
		if x.Edges {
			n++
			continue
		}
		some, err := layout.SetLen(s.it.Value())
		if err != nil {
			return 0, corrupt(s.it.Key(), err)
		}
		n += some
	}
	return n, s.it.Err()
}

func (s *uniqueScan) close() error {
	if s.it == nil {
		return nil
	}
	return s.it.Close()
}

// twice returns the error of a value that a unique index has twice. It reads
// the value from one of the nodes or edges, since the index may have its digest.
func (v *TxView) twice(x *ruleState, prefix []byte) error {
	var props []prop
	var err error
	if x.Edges {
		for p, scanErr := range scan(v.ctx, v.kv, prefix) {
			if err = scanErr; err == nil {
				_, e := layout.CutEdgeEntry(p.key)
				props, err = v.edgeRecord(edgeAt(e))
			}
			break
		}
	} else {
		set, unionErr := v.union(prefix)
		if err = unionErr; err == nil && !set.IsEmpty() {
			var rec record
			rec, err = v.record(NodeID(set.Maximum()), true)
			props = rec.props
		}
	}
	if err != nil {
		return err
	}
	return x.notUnique(props)
}

// notUnique returns the error of two nodes or edges with equal properties.
func (x *ruleState) notUnique(props []prop) error {
	var values []string
	for i, pid := range x.props {
		for _, p := range props {
			if p.id == pid {
				values = append(values, fmt.Sprintf("%s %s", x.Properties[i], p.value.shown()))
			}
		}
	}
	what := "nodes"
	if x.Edges {
		what = "edges"
	}
	if values == nil {
		values = []string{"same " + strings.Join(x.Properties, " and ")}
	}
	return &ViolationError{x.Rule, fmt.Sprintf("two %s %s have the %s", x.Types[0], what, strings.Join(values, " and "))}
}

// shown returns a value for messages: a string in quotes, no more than 64 bytes.
func (v Value) shown() string {
	if v.kind == KindString {
		return fmt.Sprintf("%.64q", v.str)
	}
	return fmt.Sprintf("%.64s", v)
}
