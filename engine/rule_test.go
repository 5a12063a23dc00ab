package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
)

// ruleWorld is a small graph whose indexes and constraints are compared with what
// reading all of it says.
type ruleWorld struct {
	t     *testing.T
	rnd   *rand.Rand
	g     *engine.Graph
	nodes map[string]engine.Props    // by "type/key"
	edges map[[2]string]engine.Props // of the type knows, by the ends
	rules []engine.Rule
}

var ruleTypes = []string{"person", "place"}

// ruleValues are the values that properties of the world have.
func ruleValues() []engine.Value {
	long := strings.Repeat("l\x00ng ", 80)
	return []engine.Value{
		engine.Int(0), engine.Int(1), engine.Float(1), engine.Float(-2.5), engine.Int(1<<60 + 1), engine.Int(1 << 60), engine.Float(1 << 60),
		engine.String(""), engine.String("a"), engine.String("a\x00"), engine.String("ab"), engine.String(long), engine.String(long + "x"),
		engine.String(strings.Repeat("very long text of mills ", 99)), engine.Bool(true), engine.Bool(false),
		engine.Strings("a", "b"), engine.Strings(), engine.Bytes([]byte{0, 1}), engine.Time(time.Unix(9, 0)), engine.Time(time.Unix(-9, 0)),
		engine.Point{SRID: 7203, X: 1, Y: 2}.Value(), {},
	}
}

// equalStored reports whether two values are equal as the language compares them.
func equalStored(a, b engine.Value) bool {
	number := func(v engine.Value) bool { return v.Kind() == engine.KindInt || v.Kind() == engine.KindFloat }
	if !number(a) || !number(b) {
		return a.Equal(b)
	}
	if a.Kind() == b.Kind() {
		return a.AsFloat() == b.AsFloat() && a.AsInt() == b.AsInt()
	}
	return a.AsFloat() == b.AsFloat() && (a.AsInt() == b.AsInt())
}

// things returns what a rule is about: the properties of each node or edge.
func (w *ruleWorld) things(r *engine.Rule) map[string]engine.Props {
	out := map[string]engine.Props{}
	if r.Edges {
		for ends, p := range w.edges {
			out[ends[0]+"-"+ends[1]] = p
		}
		return out
	}
	for name, p := range w.nodes {
		if kind, _, _ := strings.Cut(name, "/"); slices.Contains(r.Types, kind) {
			out[name] = p
		}
	}
	return out
}

// holds reports whether the world holds for a rule.
func (w *ruleWorld) holds(r *engine.Rule) bool {
	things := slices.Collect(maps.Values(w.things(r)))
	for i, a := range things {
		for _, name := range r.Properties {
			if (r.Kind == engine.NotNull || r.Kind == engine.UniqueKey) && a[name].IsNull() {
				return false
			}
			if k := a[name].Kind(); r.Kind == engine.OfType && !a[name].IsNull() && k != engine.KindString && k != engine.KindText {
				return false
			}
		}
		if r.Kind != engine.Unique && r.Kind != engine.UniqueKey {
			continue
		}
		for _, b := range things[:i] {
			same := true
			for _, name := range r.Properties {
				same = same && !a[name].IsNull() && equalStored(a[name], b[name])
			}
			if same {
				return false
			}
		}
	}
	return true
}

func (w *ruleWorld) copyOf() *ruleWorld {
	c := *w
	c.nodes, c.edges = map[string]engine.Props{}, map[[2]string]engine.Props{}
	for k, p := range w.nodes {
		c.nodes[k] = maps.Clone(p)
	}
	for k, p := range w.edges {
		c.edges[k] = maps.Clone(p)
	}
	return &c
}

func (w *ruleWorld) props() engine.Props {
	p := engine.Props{}
	for _, name := range []string{"p", "q"} {
		if v := pick(w.rnd, ruleValues()); !v.IsNull() {
			p[name] = v
		}
	}
	return p
}

func (w *ruleWorld) name() string {
	return fmt.Sprintf("%s/%d", pick(w.rnd, ruleTypes), w.rnd.IntN(8))
}

// change does a few random things in a transaction and to a copy of the world.
func (w *ruleWorld) change(v *engine.TxView, next *ruleWorld) error {
	id := func(name string) (engine.NodeID, error) {
		kind, key, _ := strings.Cut(name, "/")
		t, err := v.MakeNodeType(kind)
		if err != nil {
			return 0, err
		}
		return v.Lookup(t, key)
	}
	knows, err := v.MakeEdgeType("knows", true)
	if err != nil {
		return err
	}
	for range 1 + w.rnd.IntN(5) {
		name, other, props := w.name(), w.name(), w.props()
		_, have := next.nodes[name]
		_, haveOther := next.nodes[other]
		ends := [2]string{name, other}
		switch op := w.rnd.IntN(10); {
		case op < 3 || !have || op < 7 && !haveOther:
			kind, key, _ := strings.Cut(name, "/")
			t, err := v.MakeNodeType(kind)
			if err != nil {
				return err
			}
			if _, _, err := v.PutNode(t, key, props); err != nil {
				return err
			}
			next.nodes[name] = props
		case op < 4:
			n, err := id(name)
			if err != nil {
				return err
			}
			if props["p"].IsNull() {
				props["p"] = engine.Value{}
				delete(next.nodes[name], "p")
			}
			if err := v.SetProps(n, props); err != nil {
				return err
			}
			for k, x := range props {
				if !x.IsNull() {
					next.nodes[name][k] = x
				}
			}
		case op < 7:
			a, errA := id(name)
			b, errB := id(other)
			if err := errors.Join(errA, errB, v.AddEdge(a, b, knows, 2)); err != nil {
				return err
			}
			if _, ok := next.edges[ends]; !ok {
				next.edges[ends] = engine.Props{}
			}
			if w.rnd.IntN(5) > 0 {
				if err := v.SetEdgeProps(engine.Edge{From: a, To: b, Type: knows}, props); err != nil {
					return err
				}
				next.edges[ends] = props
			}
		case op < 8 && haveOther:
			a, errA := id(name)
			b, errB := id(other)
			if err := errors.Join(errA, errB, v.RemoveEdge(engine.Edge{From: a, To: b, Type: knows})); err != nil {
				return err
			}
			delete(next.edges, ends)
		default:
			n, err := id(name)
			if err != nil {
				return err
			}
			if _, err := v.DeleteNode(n); err != nil {
				return err
			}
			delete(next.nodes, name)
			maps.DeleteFunc(next.edges, func(e [2]string, _ engine.Props) bool { return e[0] == name || e[1] == name })
		}
	}
	return nil
}

// step changes the world, or a rule of it.
func (w *ruleWorld) step() {
	ctx := context.Background()
	db := w.g.DB()
	if w.rnd.IntN(6) == 0 {
		w.changeRule(ctx, db)
		return
	}
	next := w.copyOf()
	err := db.Update(ctx, func(tx *engine.Tx) error { return w.change(tx.Graph(w.g), next) })
	broken := ""
	for _, r := range w.rules {
		if !next.holds(&r) {
			broken = r.Name
		}
	}
	var violation *engine.ViolationError
	switch {
	case errors.As(err, &violation):
		i := slices.IndexFunc(w.rules, func(r engine.Rule) bool { return r.Name == violation.Rule.Name })
		if i < 0 || next.holds(&w.rules[i]) {
			w.t.Fatalf("%v, but it holds", err)
		}
	case err != nil:
		w.t.Fatal(err)
	case broken != "":
		w.t.Fatalf("the constraint %s does not hold after the commit", broken)
	default:
		w.nodes, w.edges = next.nodes, next.edges
	}
}

func (w *ruleWorld) changeRule(ctx context.Context, db *engine.DB) {
	if len(w.rules) > 4 || len(w.rules) > 0 && w.rnd.IntN(4) == 0 {
		i := w.rnd.IntN(len(w.rules))
		if err := db.DropRule(ctx, w.g, w.rules[i].Name); err != nil {
			w.t.Fatal(err)
		}
		w.rules = slices.Delete(w.rules, i, i+1)
		return
	}
	r := engine.Rule{Kind: engine.RuleKind(1 + w.rnd.IntN(6)), Types: []string{pick(w.rnd, ruleTypes)}, Properties: []string{"p"}}
	if r.Edges = w.rnd.IntN(3) == 0; r.Edges {
		r.Types = []string{"knows"}
	}
	switch {
	case r.Kind == engine.OfType:
		r.ValueType = "STRING"
	case r.Kind != engine.NotNull && w.rnd.IntN(2) == 0:
		r.Properties = []string{"q", "p"}
	}
	if r.Kind == engine.FulltextIndex && !r.Edges {
		r.Types = ruleTypes
	}
	r.Name = fmt.Sprint("r", w.rnd.IntN(6))
	err := db.MakeRule(ctx, w.g, r)
	var violation *engine.ViolationError
	switch taken := slices.ContainsFunc(w.rules, func(o engine.Rule) bool { return o.Name == r.Name }); {
	case taken:
		if !errors.Is(err, engine.ErrExists) {
			w.t.Fatalf("a rule twice: %v", err)
		}
	case !w.holds(&r):
		if !errors.As(err, &violation) {
			w.t.Fatalf("a rule that does not hold: %v", err)
		}
	case err != nil:
		w.t.Fatal(err)
	default:
		w.rules = append(w.rules, r)
	}
}

// verify compares the indexes with the world.
func (w *ruleWorld) verify() {
	view(w.t, w.g, func(v *engine.View) {
		for i := range w.rules {
			switch r := &w.rules[i]; {
			case r.Kind == engine.FulltextIndex:
				w.verifyWords(v, r)
			case r.Indexed():
				w.verifyIndex(v, r)
			}
		}
	})
}

func (w *ruleWorld) verifyWords(v *engine.View, r *engine.Rule) {
	for _, word := range []string{"a", "mill", "ab"} {
		term := text.Standard{}.Terms(word + " x")[0].Text
		found := 0
		if r.Edges {
			got, err := v.IndexedEdgeTerms(r.Name, []string{term, term}, 100, nil)
			if found = len(got); err != nil {
				w.t.Fatal(err)
			}
		} else {
			got, err := v.Terms(r.Field(), []string{term}, engine.TermsOptions{K: 100})
			if found = len(got); err != nil {
				w.t.Fatal(err)
			}
		}
		want := 0
		for _, props := range w.things(r) {
			has := false
			for _, name := range r.Properties {
				for _, s := range props[name].AsStrings() {
					for _, t := range (text.Standard{}).Terms(s) {
						has = has || t.Text == term
					}
				}
			}
			if has {
				want++
			}
		}
		if found != want {
			w.t.Fatalf("fulltext %v: %q in %d, not %d", *r, word, found, want)
		}
	}
}

func (w *ruleWorld) verifyIndex(v *engine.View, r *engine.Rule) {
	for range 12 {
		var span engine.Span
		n := w.rnd.IntN(len(r.Properties) + 1)
		for range n {
			if x := pick(w.rnd, ruleValues()); !x.IsNull() {
				span.Equal = append(span.Equal, x)
			}
		}
		if n = len(span.Equal); n == 0 || n < len(r.Properties) && w.rnd.IntN(2) == 0 {
			span.Bounds = []engine.Bound{{Op: engine.OpExists}}
			if x := pick(w.rnd, ruleValues()); x.Kind() == engine.KindInt || x.Kind() == engine.KindFloat {
				span.Bounds = []engine.Bound{{Op: pick(w.rnd, []engine.Op{engine.OpLess, engine.OpLessEqual, engine.OpGreater, engine.OpGreaterEqual}), Value: x}}
			}
		}
		want := []string{}
		for name, props := range w.things(r) {
			ok := !props[r.Properties[0]].IsNull()
			for i, x := range span.Equal {
				ok = ok && equalStored(props[r.Properties[i]], x)
			}
			for _, b := range span.Bounds {
				c := engine.Comparison{Op: b.Op}
				if b.Op != engine.OpExists {
					c.Values = []engine.Value{b.Value}
				}
				ok = ok && c.Holds(props[r.Properties[n]])
			}
			if ok {
				want = append(want, name)
			}
		}
		got := w.found(v, r, span)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			w.t.Fatalf("%v: %v finds %v, not %v", *r, span, got, want)
		}
		count, err := v.IndexedCount(r.Name, span, 1000)
		if err != nil || count != len(want) {
			w.t.Fatalf("%v: %v counts %d, %v, not %d", *r, span, count, err, len(want))
		}
	}
}

// found returns the names of what an index finds, in order.
func (w *ruleWorld) found(v *engine.View, r *engine.Rule, span engine.Span) []string {
	name := func(id engine.NodeID) string {
		n, err := v.Node(id)
		if err != nil {
			w.t.Fatal(err)
		}
		return v.NodeTypeName(n.Type) + "/" + n.Key
	}
	var out []string
	if !r.Edges {
		set, err := v.IndexedNodes(r.Name, span)
		if err != nil {
			w.t.Fatal(err)
		}
		for it := set.Iterator(); it.HasNext(); {
			out = append(out, name(engine.NodeID(it.Next())))
		}
	}
	for e, err := range v.IndexedEdges(r.Name, span) {
		if err != nil && r.Edges {
			w.t.Fatal(err)
		}
		if err == nil {
			out = append(out, name(e.From)+"-"+name(e.To))
		}
	}
	slices.Sort(out)
	return out
}

// TestRules changes a graph and its rules at random. A commit passes if and only if
// the constraints hold, indexes find what reading everything finds, a full check finds
// nothing, and an export makes the same database.
func TestRules(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, o *engine.Options) {
		for seed := range uint64(12) {
			db := open(t, o)
			w := &ruleWorld{t: t, rnd: rand.New(rand.NewPCG(seed, 1)), g: graph(t, db, "g"), nodes: map[string]engine.Props{}, edges: map[[2]string]engine.Props{}}
			for i := range 60 {
				w.step()
				if i%6 == 5 {
					w.verify()
				}
			}
			for f, err := range db.Check(t.Context(), engine.CheckOptions{Full: true}) {
				t.Fatalf("seed %d: check: %v, %v", seed, f, err)
			}
			again := open(t, o)
			var first, second bytes.Buffer
			export := func(db *engine.DB, b *bytes.Buffer) {
				err := db.View(t.Context(), func(s *engine.Snapshot) error {
					return s.Export(t.Context(), "main", b, engine.ExportOptions{Canonical: true})
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			export(db, &first)
			ns, err := again.Namespace(t.Context(), "main")
			if err != nil {
				t.Fatal(err)
			}
			if err := ns.Import(t.Context(), bytes.NewReader(first.Bytes())); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			export(again, &second)
			if first.String() != second.String() {
				t.Fatalf("seed %d: an import of an export differs:\n%s\n%s", seed, first.String(), second.String())
			}
			w.g = graph(t, again, "g")
			w.verify()
		}
	})
}

// TestRulesOfLoad loads nodes under rules: the load keeps all indexes, and is
// refused as a whole if a constraint does not hold.
func TestRulesOfLoad(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, o *engine.Options) {
		db := open(t, o)
		g := graph(t, db, "g")
		ctx := t.Context()
		for _, r := range []engine.Rule{
			{Name: "mail", Kind: engine.Unique, Types: []string{"person"}, Properties: []string{"mail", "n"}},
			{Name: "words", Kind: engine.FulltextIndex, Types: []string{"person"}, Properties: []string{"text"}},
			{Name: "n", Kind: engine.NotNull, Types: []string{"person"}, Properties: []string{"n"}},
		} {
			if err := db.MakeRule(ctx, g, r); err != nil {
				t.Fatal(err)
			}
		}
		load := func(from, to int, props func(i int) engine.Props) error {
			return db.Load(ctx, g, func(l *engine.Loader) error {
				kind, err := l.MakeNodeType("person")
				if err != nil {
					return err
				}
				for i := from; i < to; i++ {
					if _, err := l.Node(kind, fmt.Sprint(i), props(i)); err != nil {
						return err
					}
				}
				return nil
			})
		}
		plain := func(i int) engine.Props {
			return engine.Props{"mail": engine.String(fmt.Sprint("m", i/2)), "n": engine.Int(int64(i % 2)), "text": engine.String(fmt.Sprintf("the mill number%d", i))}
		}
		const n = 3000
		if err := load(0, n, plain); err != nil {
			t.Fatal(err)
		}
		for what, props := range map[string]func(i int) engine.Props{
			"a value twice in the load":    func(i int) engine.Props { return engine.Props{"mail": engine.String("new"), "n": engine.Int(7)} },
			"a value that there is before": func(i int) engine.Props { return plain(i - n) },
			"no n":                         func(i int) engine.Props { return engine.Props{"mail": engine.String(fmt.Sprint("new", i))} },
		} {
			var violation *engine.ViolationError
			if err := load(n, n+10, props); !errors.As(err, &violation) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if err := load(n, n+10, func(i int) engine.Props { return engine.Props{"n": engine.Int(1)} }); err != nil {
			t.Errorf("no mail: %v", err)
		}
		view(t, g, func(v *engine.View) {
			set, err := v.IndexedNodes("mail", engine.Span{Equal: []engine.Value{engine.String("m7"), engine.Int(1)}})
			if err != nil {
				t.Fatal(err)
			}
			if n, err := v.Node(engine.NodeID(set.Minimum())); err != nil || set.GetCardinality() != 1 || n.Key != "15" {
				t.Errorf("m7: %v, %s", set, n.Key)
			}
			if got, err := v.Terms("fulltext:words", []string{"mill"}, engine.TermsOptions{K: 2 * n}); err != nil || len(got) != n {
				t.Errorf("%d nodes with mill, %v", len(got), err)
			}
		})
		for f, err := range db.Check(ctx, engine.CheckOptions{Full: true}) {
			t.Fatalf("check: %v, %v", f, err)
		}
	})
}

// TestRulesOfLabels gives a node a label and takes it away: it enters and leaves the
// indexes of the label, and is under its constraints.
func TestRulesOfLabels(t *testing.T) {
	t.Parallel()
	db := open(t, nil)
	g := graph(t, db, "g")
	ctx := t.Context()
	var person, place engine.TypeID
	update(t, g, func(v *engine.TxView) {
		person, _ = v.MakeNodeType("person")
		place, _ = v.MakeNodeType("place")
		for i := range 2 {
			if _, _, err := v.PutNode(place, fmt.Sprint(i), engine.Props{"n": engine.Int(7), "text": engine.String(strings.Repeat("a mill ", 300))}); err != nil {
				t.Fatal(err)
			}
		}
	})
	for _, r := range []engine.Rule{
		{Name: "n", Kind: engine.UniqueKey, Types: []string{"person"}, Properties: []string{"n"}},
		{Name: "words", Kind: engine.FulltextIndex, Types: []string{"person"}, Properties: []string{"text"}},
	} {
		if err := db.MakeRule(ctx, g, r); err != nil {
			t.Fatal(err)
		}
	}
	label := func(id engine.NodeID, types ...engine.TypeID) error {
		return db.Update(ctx, func(tx *engine.Tx) error { return tx.Graph(g).SetLabels(id, types) })
	}
	has := func(want int) {
		t.Helper()
		view(t, g, func(v *engine.View) {
			set, err := v.IndexedNodes("n", engine.Span{Equal: []engine.Value{engine.Int(7)}})
			if err != nil || int(set.GetCardinality()) != want {
				t.Errorf("%v, %v, not %d", set, err, want)
			}
			if found, err := v.Terms("fulltext:words", []string{"mill"}, engine.TermsOptions{K: 9}); err != nil || len(found) != want {
				t.Errorf("%v, %v, not %d", found, err, want)
			}
		})
	}
	has(0)
	if err := label(1, place, person); err != nil {
		t.Fatal(err)
	}
	has(1)
	both := engine.Rule{Name: "both", Kind: engine.FulltextIndex, Types: []string{"person", "place"}, Properties: []string{"text"}}
	if err := db.MakeRule(ctx, g, both); err != nil { // of nodes of which one has both labels
		t.Fatal(err)
	}
	view(t, g, func(v *engine.View) {
		if found, err := v.Terms("fulltext:both", []string{"mill"}, engine.TermsOptions{K: 9}); err != nil || len(found) != 2 {
			t.Errorf("%v, %v, not each node once", found, err)
		}
	})
	var violation *engine.ViolationError
	if err := label(2, place, person); !errors.As(err, &violation) || !strings.Contains(err.Error(), "two person nodes have the n 7") {
		t.Errorf("a second 7: %v", err)
	}
	if err := label(1, place); err != nil {
		t.Fatal(err)
	}
	has(0)
	for f, err := range db.Check(ctx, engine.CheckOptions{Full: true}) {
		t.Errorf("check: %v, %v", f, err)
	}
}
