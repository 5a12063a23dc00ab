package tck_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/ragdb/ragdb/query/cypher"
)

// state is what the kit counts side effects by.
type state struct{ nodes, rels, props, labels map[string]bool }

func (w *world) snapshot() (*state, error) {
	s := &state{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	add := func(id string, m map[string]*val) {
		for k, v := range m {
			s.props[id+"."+k+"="+v.canon(false)] = true
		}
	}
	_, rows, err := w.exec("MATCH (n) RETURN n", nil)
	if err != nil {
		return nil, failf(harness, "the nodes: %v", err)
	}
	for _, r := range rows {
		s.nodes[r[0].id] = true
		add("n"+r[0].id, r[0].m)
		for _, l := range r[0].labels {
			s.labels[l] = true
		}
	}
	if _, rows, err = w.exec("MATCH ()-[r]->() RETURN r", nil); err != nil {
		return nil, failf(harness, "the edges: %v", err)
	}
	for _, r := range rows {
		s.rels[r[0].id] = true
		add("r"+r[0].id, r[0].m)
	}
	return s, nil
}

// effects compares what the statement changed.
func (w *world) effects(want map[string]int) error {
	if w.err != nil {
		return refusal(w.err)
	}
	after, err := w.snapshot()
	if err != nil {
		return err
	}
	got := map[string]int{}
	diff := func(name string, a, b map[string]bool) {
		for k := range b {
			if !a[k] {
				got["+"+name]++
			}
		}
		for k := range a {
			if !b[k] {
				got["-"+name]++
			}
		}
	}
	diff("nodes", w.before.nodes, after.nodes)
	diff("relationships", w.before.rels, after.rels)
	diff("properties", w.before.props, after.props)
	diff("labels", w.before.labels, after.labels)
	for k, n := range want {
		if n == 0 {
			delete(want, k)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return failf(effects, "side effects %v, not %v", got, want)
	}
	return nil
}

var signature = regexp.MustCompile(`^([\w.]+)\((.*?)\) :: \((.*?)\) ?:?$`)

// procedure adds a procedure that is a table.
func (w *world) procedure(text string, table [][]string) error {
	m := signature.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return failf(harness, "procedure %s", text)
	}
	p := &cypher.Procedure{Name: m[1], Doc: "a table of the kit"}
	for _, a := range names(m[2]) {
		p.Args = append(p.Args, cypher.Arg{Name: a[0], Type: a[1]})
	}
	for _, c := range names(m[3]) {
		p.Columns = append(p.Columns, cypher.Column{Name: c[0], Type: c[1]})
	}
	var rows [][]*val
	for i, r := range table {
		if i == 0 {
			continue
		}
		var line []*val
		for _, c := range r {
			v, err := parseVal(c)
			if err != nil {
				return failf(harness, "%v", err)
			}
			line = append(line, v)
		}
		rows = append(rows, line)
	}
	p.Run = func(_ context.Context, c *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
		for _, r := range rows {
			same := true
			for i, a := range c.Args {
				v, err := fromValue(a)
				if err != nil {
					return err
				}
				if v.kind == "int" && r[i].kind == "float" {
					same = same && float64(v.i) == r[i].f
					continue
				}
				same = same && v.canon(false) == r[i].canon(false)
			}
			if !same {
				continue
			}
			var line []cypher.Value
			for _, v := range r[len(c.Args):] {
				line = append(line, v.param())
			}
			if err := yield(line); err != nil {
				return err
			}
		}
		return nil
	}
	if err := w.reg.Add(p); err != nil {
		return failf(harness, "%v", err)
	}
	return nil
}

// names reads pairs of a name and a type.
func names(s string) (out [][2]string) {
	for _, part := range strings.Split(s, ",") {
		if name, typ, ok := strings.Cut(part, "::"); ok {
			out = append(out, [2]string{strings.TrimSpace(name), strings.TrimSpace(typ)})
		}
	}
	return out
}
