package interchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/temporal"
)

// open opens a graph in memory.
func open(t *testing.T) (*engine.DB, *engine.Graph) {
	t.Helper()
	db, err := engine.Open(t.Context(), engine.Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	ns, err := db.Namespace(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	g, err := ns.Graph(t.Context(), "g")
	if err != nil {
		t.Fatal(err)
	}
	return db, g
}

// lines writes all nodes and edges of a graph for comparison.
func lines(t *testing.T, db *engine.DB, g *engine.Graph) []string {
	t.Helper()
	var out []string
	err := db.View(t.Context(), func(s *engine.Snapshot) error {
		src := &Source{View: s.Graph(g)}
		for n, err := range src.Nodes(t.Context()) {
			if err != nil {
				return err
			}
			labels := ""
			for _, l := range n.Labels {
				labels += ":" + l
			}
			out = append(out, fmt.Sprintf("%s %s%s %s %v", n.ID, n.Type, labels, n.Key, typed(t, n.Props)))
		}
		for e, err := range src.Edges(t.Context()) {
			if err != nil {
				return err
			}
			ends := []string{e.From, e.To}
			if !e.Directed {
				slices.Sort(ends) // which of them has the lower id is history
			}
			out = append(out, fmt.Sprintf("%v %s %v %v %v", ends, e.Type, e.Directed, e.Weight, typed(t, e.Props)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// typed writes properties with the types of their values, but text and integers.
func typed(t *testing.T, props []Prop) string {
	t.Helper()
	parts := make([]string, len(props))
	for i, p := range props {
		parts[i] = "{" + p.Name + " " + p.Value.String()
		if of := typeOf(p.Value); of != typeString && of != typeInt {
			b, err := json.Marshal(p.Value)
			if err != nil {
				t.Fatal(err)
			}
			parts[i] += " " + of + " " + string(b)
		}
		parts[i] += "}"
	}
	return "[" + strings.Join(parts, " ") + "]"
}

func temporalValue(t *testing.T, kind temporal.Kind, text string) engine.Value {
	t.Helper()
	v, err := kind.Parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Temporal(v)
}

func listOf(t *testing.T, list ...engine.Value) engine.Value {
	t.Helper()
	v, err := engine.ListOf(list)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// texts are names and values that formats could take for their own.
var texts = []string{"plain", "ünïcode 日本", `quote " and '`, "a,b;c", "line\nbreak", "<tag>&amp;", "`tick`", `back\slash`, "key", "  spaces  "}

// fill makes a random graph.
func fill(t *testing.T, db *engine.DB, g *engine.Graph, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	err := db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		var ids []engine.NodeID
		for i := range 40 {
			nt, err := v.MakeNodeType([]string{"town", "chunk:cl100k/150/0", "ferry boat"}[r.IntN(3)])
			if err != nil {
				return err
			}
			props := engine.Props{}
			for _, p := range []struct {
				name string
				v    engine.Value
			}{
				{"people", engine.Int(r.Int64() - 1<<62)}, {"height", engine.Float(r.NormFloat64())}, {"old", engine.Bool(r.IntN(2) == 0)},
				{"says", engine.String(texts[r.IntN(len(texts))])},
				{"born", temporalValue(t, temporal.KindDate, "-0044-03-15")}, {"opens", temporalValue(t, temporal.KindLocalTime, "09:30:00.5")}, {"rings", temporalValue(t, temporal.KindTime, "12:00-05:00")},
				{"built", temporalValue(t, temporal.KindLocalDateTime, "1912-04-14T23:40")}, {"met", temporalValue(t, temporal.KindDateTime, "2024-07-01T07:05+02:00[Europe/Vienna]")},
				{"lasts", temporalValue(t, temporal.KindDuration, "P1M-2DT3.5S")}, {"at", engine.Point{SRID: 4979, X: 15.4, Y: -47.1, Z: 353}.Value()}, {"on", engine.Point{SRID: 7203, X: r.NormFloat64()}.Value()},
				{"tags", engine.Strings(texts[:r.IntN(4)]...)}, {"names", engine.Strings("", "[a]", texts[r.IntN(len(texts))])}, {"marks", listOf(t, engine.Int(r.Int64()), engine.Int(2))},
				{"sizes", listOf(t, engine.Float(r.NormFloat64()), engine.Float(2))}, {"flags", listOf(t, engine.Bool(true), engine.Bool(false))},
				{"days", listOf(t, temporalValue(t, temporal.KindDate, "2024-02-29"), temporalValue(t, temporal.KindDate, "2024-03-01"))}, {"places", listOf(t, engine.Point{SRID: 9157, Z: 1}.Value())}, {"odd name", engine.String("x")},
			} {
				if r.IntN(2) == 0 {
					props[p.name] = p.v
				}
			}
			id, _, err := v.PutNode(nt, fmt.Sprint(texts[i%len(texts)], i), props)
			if err != nil {
				return err
			}
			switch r.IntN(4) {
			case 0:
				err = v.SetLabels(id, nil)
			case 1:
				var more engine.TypeID
				if more, err = v.MakeNodeType([]string{"old", "new town"}[r.IntN(2)]); err == nil {
					err = v.SetLabels(id, []engine.TypeID{nt, more})
				}
			}
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		for range 120 {
			directed := r.IntN(2) == 0
			et, err := v.MakeEdgeType(map[bool]string{true: "leads to", false: "near"}[directed], directed)
			if err != nil {
				return err
			}
			from, to := ids[r.IntN(len(ids))], ids[r.IntN(len(ids))]
			made, err := v.AddParallel(from, to, et, float32(r.NormFloat64()))
			if err != nil {
				return err
			}
			if r.IntN(3) == 0 {
				made, err = v.AddParallel(from, to, et, 1)
				if err != nil {
					return err
				}
			}
			if r.IntN(3) == 0 {
				if err := v.SetEdgeProps(made, engine.Props{"since": engine.Int(int64(r.IntN(100)))}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRoundTrip holds that a graph comes back from GraphML and CSV as it was.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		db, g := open(t)
		fill(t, db, g, seed)
		var xml, nodes, edges bytes.Buffer
		err := db.View(t.Context(), func(s *engine.Snapshot) error {
			src := &Source{View: s.Graph(g)}
			return errors.Join(WriteGraphML(t.Context(), &xml, src), WriteCSV(t.Context(), &nodes, &edges, src))
		})
		if err != nil {
			t.Fatal(err)
		}
		want := lines(t, db, g)
		for name, read := range map[string]func(Reader) error{
			"graphml": func(to Reader) error { return ReadGraphML(bytes.NewReader(xml.Bytes()), to) },
			"csv": func(to Reader) error {
				return ReadCSV(bytes.NewReader(nodes.Bytes()), bytes.NewReader(edges.Bytes()), to)
			},
		} {
			db2, g2 := open(t)
			loaded, err := Load(t.Context(), db2, g2, read)
			if err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			if loaded.Nodes != 40 {
				t.Errorf("%s: %d nodes", name, loaded.Nodes)
			}
			if got := lines(t, db2, g2); !slices.Equal(got, want) {
				for i := range want {
					if i >= len(got) || got[i] != want[i] {
						t.Fatalf("%s, seed %d: line %d is %q, want %q", name, seed, i, got[min(i, len(got)-1)], want[i])
					}
				}
			}
		}
	}
}

// TestCypher holds the script of a small graph.
func TestCypher(t *testing.T) {
	t.Parallel()
	db, g := open(t)
	err := db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		town, _ := v.MakeNodeType("town")
		chunk, _ := v.MakeNodeType("chunk:x")
		near, _ := v.MakeEdgeType("near by", false)
		a, _, err := v.PutNode(town, `it's "K"`+"\n", engine.Props{
			"people": engine.Int(3), "height": engine.Float(2), "tags": engine.Strings("a", "b"),
			"since": engine.Time(time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)),
			"at":    engine.Point{SRID: 7203, X: 1}.Value(), "days": listOf(t, temporalValue(t, temporal.KindDate, "2024-02-29")),
		})
		if err != nil {
			return err
		}
		b, _, err := v.PutNode(chunk, "c", nil)
		if err != nil {
			return err
		}
		return v.AddEdge(a, b, near, 0.5)
	})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	err = db.View(t.Context(), func(s *engine.Snapshot) error {
		return WriteCypher(t.Context(), &got, &Source{View: s.Graph(g)})
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `// graph g
CREATE (:town {key: 'it\'s "K"\n', at: point({x: 1.0, y: 0.0, crs: 'cartesian'}), days: [date('2024-02-29')], height: 2.0, people: 3, since: datetime('2025-01-02T03:04:05Z'), tags: ['a', 'b']});
CREATE (:` + "`chunk:x`" + ` {key: 'c'});
MATCH (a:town {key: 'it\'s "K"\n'}), (b:` + "`chunk:x`" + ` {key: 'c'}) CREATE (a)-[:` + "`near by`" + ` {weight: 0.5}]->(b);
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// TestForeign reads what other programs write.
func TestForeign(t *testing.T) {
	t.Parallel()
	const head = `<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">`
	for name, c := range map[string]struct{ in, want string }{
		"lightrag": {head + `<key id="d0" for="node" attr.name="entity_type" attr.type="string"/><key id="d1" for="node" attr.name="description" attr.type="string"/><key id="d2" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="undirected"><node id="ACME"><data key="d0">organization</data><data key="d1">Makes pumps</data></node><node id="KARROW"/><edge source="ACME" target="KARROW"><data key="d2">2.5</data></edge></graph></graphml>`,
			`[node:KARROW organization:ACME] edge false 2.5 []|node:KARROW node KARROW []|organization:ACME organization ACME [{description Makes pumps}]`},
		"neo4j": {head + `<key id="labels" for="node" attr.name="labels"/><key id="label" for="edge" attr.name="label"/><key id="age" for="node" attr.name="age" attr.type="int"/>
<graph id="G" edgedefault="directed"><node id="n0" labels=":Person"><data key="labels">:Person:Admin</data><data key="age">41</data></node><node id="n1"><data key="labels">:Person</data></node><edge id="e0" source="n0" target="n1" label="KNOWS"><data key="label">KNOWS</data></edge></graph></graphml>`,
			`Person:n0 Person:Admin n0 [{age 41}]|Person:n1 Person n1 []|[Person:n0 Person:n1] KNOWS true 1 []`},
		"presets": {head + `<key id="d0" for="node" attr.name="colour" attr.type="string"><default>yellow</default></key>
<graph edgedefault="undirected"><node id="a"><data key="d0">green</data></node><node id="b"/></graph></graphml>`,
			`node:a node a [{colour green}]|node:b node b [{colour yellow}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, g := open(t)
			if _, err := Load(t.Context(), db, g, func(to Reader) error { return ReadGraphML(strings.NewReader(c.in), to) }); err != nil {
				t.Fatal(err)
			}
			want := strings.Split(c.want, "|")
			slices.Sort(want)
			if got := lines(t, db, g); !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

// TestRefused holds that a wrong file is named with its line and changes
// nothing.
func TestRefused(t *testing.T) {
	t.Parallel()
	graphML := func(s string) func(Reader) error {
		return func(to Reader) error { return ReadGraphML(strings.NewReader(s), to) }
	}
	table := func(nodes, edges string) func(Reader) error {
		return func(to Reader) error { return ReadCSV(strings.NewReader(nodes), strings.NewReader(edges), to) }
	}
	const edges = ":START_ID,:END_ID,:TYPE\n"
	for name, c := range map[string]struct {
		read func(Reader) error
		want string
	}{
		"no xml":     {graphML("hello"), "line 1: there is no graph in it"},
		"cut short":  {graphML("<graphml><graph>\n<node id='a'>"), "line 2: it is not XML"},
		"long names": {graphML("<graphml><graph><node id='a'/><node id='" + strings.Repeat("é", 1<<20) + "'/></graph></graphml>"), "a key has 1 to 4096 bytes"},
		"long data":  {graphML("<graphml><graph><node id='a'><data key='" + strings.Repeat("x", 1<<20) + "'>1</data></node></graph></graphml>"), "there is no key"},
		"long tag":   {graphML("<graphml><graph><node id='a'></" + strings.Repeat("x", 1<<20) + "></graph></graphml>"), "it is not XML"},
		"no id":      {graphML("<graphml><graph>\n<node/></graph></graphml>"), "line 2: a node has no id"},
		"dangling":   {graphML("<graphml><graph><node id='a'/><edge source='a' target='b'/></graph></graphml>"), `the node "b", which does not come before it`},
		"twice":      {graphML("<graphml><graph><node id='a'/><node id='a'/></graph></graphml>"), `two nodes have the id "a"`},
		"key":        {graphML("<graphml><graph><node id='a'><data key='x'>1</data></node></graph></graphml>"), `there is no key "x"`},
		"number":     {graphML("<graphml><key id='x' for='node' attr.name='n' attr.type='int'/><graph><node id='a'><data key='x'>one</data></node></graph></graphml>"), `n: "one" is not a whole number`},
		"two graphs": {graphML("<graphml><graph/><graph/></graphml>"), "several graphs"},
		"entity":     {graphML("<!DOCTYPE x [<!ENTITY a 'aaaa'>]><graphml><graph><node id='&a;'/></graph></graphml>"), "it is not XML"},
		"directions": {graphML("<graphml><graph edgedefault='directed'><node id='a'/><node id='b'/><edge source='a' target='b'/><edge source='b' target='a' directed='false'/></graph></graphml>"), "give those with a direction another type"},
		"no header":  {table("", edges), "nodes: line 1: there is no header"},
		"no :ID":     {table("name\nx\n", edges), "nodes: line 1: the header has no column :ID"},
		"csv number": {table(":ID,age:int\na,\nb,x\n", edges), `nodes: line 3: age: "x" is not a whole number`},
		"csv cells":  {table(":ID,age:int\na\n", edges), "nodes: line 2: wrong number of fields"},
		"csv weight": {table(":ID\na\n", ":START_ID,:END_ID,weight\na,a,heavy\n"), `edges: line 2: weight "heavy" is not a number`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, g := open(t)
			epoch := db.Epoch()
			_, err := Load(t.Context(), db, g, c.read)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %.300v, want %q", err, c.want)
			}
			if err != nil && len(err.Error()) > 600 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if db.Epoch() != epoch {
				t.Error("something was written")
			}
		})
	}
}

// FuzzGraphML reads anything: it may be refused, and never panics.
func FuzzGraphML(f *testing.F) {
	f.Add(`<graphml><key id="k" for="node" attr.name="n" attr.type="double"/><graph edgedefault="directed"><node id="a"><data key="k">1</data></node><edge source="a" target="a"/></graph></graphml>`)
	f.Add("<?xml version='1.0' encoding='GBK'?><graphml><graph><node id='\xc4\xa5'/><node id='\xc4'/></graph></graphml>")
	f.Add("\xff\xfe<\x00g\x00>\x00\x3d\xd8")
	f.Fuzz(func(t *testing.T, s string) {
		_ = ReadGraphML(strings.NewReader(s), Reader{Node: func(Node) error { return nil }, Edge: func(Edge) error { return nil }})
	})
}

// FuzzCSV reads anything as tables.
func FuzzCSV(f *testing.F) {
	f.Add(":ID,:LABEL,age:int\na,town,1\n", ":START_ID,:END_ID,:TYPE\na,a,near\n")
	f.Fuzz(func(t *testing.T, nodes, edges string) {
		_ = ReadCSV(strings.NewReader(nodes), strings.NewReader(edges), Reader{Node: func(Node) error { return nil }, Edge: func(Edge) error { return nil }})
	})
}

// TestCancel holds that a load ends with its context.
func TestCancel(t *testing.T) {
	t.Parallel()
	db, g := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Load(ctx, db, g, func(to Reader) error {
		for i := range 10_000 {
			if err := to.Node(Node{ID: fmt.Sprint(i), Type: "n", Key: fmt.Sprint(i)}); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
