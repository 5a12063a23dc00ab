package cypher_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
)

// procedures are some for tests.
func procedures(t testing.TB) *cypher.Registry {
	t.Helper()
	r := &cypher.Registry{}
	err := r.Add(
		&cypher.Procedure{
			Name: "test.range",
			Args: []cypher.Arg{{Name: "to", Type: "integer"}, {Name: "from", Type: "integer", Optional: true}},
			Columns: []cypher.Column{
				{Name: "i", Type: "integer"}, {Name: "square", Type: "integer"},
			},
			Run: func(_ context.Context, c *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
				row := make([]cypher.Value, 2)
				for i := max(1, c.Args[1].AsInt()); i <= c.Args[0].AsInt(); i++ {
					row[0], row[1] = cypher.Int(i), cypher.Int(i*i)
					if err := yield(row); err != nil {
						return err
					}
				}
				return nil
			},
			Plan: func(_ context.Context, c *cypher.ProcedureCall) (query.Op, error) {
				return &rangeOp{c.Args[0].AsInt()}, nil
			},
		},
		&cypher.Procedure{
			Name:    "test.nodes",
			Columns: []cypher.Column{{Name: "node", Type: "node"}},
			Run: func(_ context.Context, c *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
				for _, kind := range c.NodeTypes("N") {
					set, err := c.View.Nodes(kind)
					if err != nil {
						return err
					}
					for _, id := range set.ToArray() {
						if err := yield([]cypher.Value{c.Node(engine.NodeID(id))}); err != nil {
							return err
						}
					}
				}
				return nil
			},
		},
		&cypher.Procedure{
			Name: "test.fail",
			Run: func(context.Context, *cypher.ProcedureCall, func([]cypher.Value) error) error {
				return errors.New("it failed")
			},
		},
		&cypher.Procedure{
			Name: "test.mark", Writes: true,
			Args:    []cypher.Arg{{Name: "node", Type: "node"}},
			Columns: []cypher.Column{{Name: "marked", Type: "boolean"}},
			Run: func(_ context.Context, c *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
				if err := c.Tx.SetProps(c.Args[0].AsNode(), engine.Props{"mark": engine.Bool(true)}); err != nil {
					return err
				}
				return yield([]cypher.Value{cypher.Bool(true)})
			},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rangeOp is an operator to be explained.
type rangeOp struct{ to int64 }

func (o *rangeOp) Run(context.Context, *query.Env) (query.Set, error) { return query.Set{}, nil }
func (o *rangeOp) Inputs() []query.Op                                 { return nil }
func (o *rangeOp) Explain() query.Explanation {
	return query.Explanation{Op: "Range", Args: []string{fmt.Sprint("to=", o.to)}, Source: "eq. 1"}
}

func TestCall(t *testing.T) {
	s := newSession(t, stores["pebble"], cypher.Options{Procedures: procedures(t)})
	give(t, s, "CREATE (:N {key: 'a', n: 2}), (:N {key: 'b', n: 3}), (:M {key: 'c'});")
	want(t, s, "CALL test.range(2)", "i | square", "1 | 1", "2 | 4")
	want(t, s, "CALL test.range(3, 2) YIELD square AS q", "q", "4", "9")
	want(t, s, "CALL test.range(3) YIELD i, square WHERE square > 3 RETURN i ORDER BY i DESC", "i", "3", "2")
	want(t, s, "MATCH (n:N) CALL test.range(n.n) YIELD i RETURN n.key, collect(i) AS l ORDER BY n.key", "n.key | l", "'a' | [1, 2]", "'b' | [1, 2, 3]")
	want(t, s, "CALL test.range(1000000000) YIELD i RETURN i LIMIT 2", "i", "1", "2")
	want(t, s, "CALL test.nodes() YIELD node MATCH (m:M) RETURN node.key, m.key ORDER BY node.key", "node.key | m.key", "'a' | 'c'", "'b' | 'c'")
	want(t, s, "CALL test.range(0) YIELD i RETURN count(*)", "count(*)", "0")

	got, _, err := outcome(s, "CALL test.range", map[string]cypher.Value{"to": cypher.Int(1)})
	if err != nil || strings.Join(got, "\n") != "i | square\n1 | 1" {
		t.Errorf("arguments from parameters: %v, %v", got, err)
	}
	// A procedure that writes is part of the statement's transaction.
	want(t, s, "MATCH (n:N {key: 'a'}) CALL test.mark(n) YIELD marked RETURN n.mark", "n.mark", "true")
	if err := drain(t.Context(), s, "MATCH (n:N) CALL test.mark(n) YIELD marked WITH n RETURN 1 / (n.n - 3)"); err == nil {
		t.Error("no error")
	}
	want(t, s, "MATCH (n:N) WHERE n.mark RETURN n.key", "n.key", "'a'")

	for _, c := range []struct{ text, want string }{
		{"CALL test.rnge(1)", "there is no procedure test.rnge; did you mean test.range?"},
		{"CALL test.range()", "test.range(to :: integer, from? :: integer)"},
		{"CALL test.range(1, 2, 3)", "wrong number of arguments"},
		{"CALL test.range(null)", "the argument to is null"},
		{"CALL test.range(1) YIELD k", "yields no column k; it yields i, square"},
		{"CALL test.fail()", "it failed"},
		{"CALL test.range", "there is no $to"},
	} {
		if err := drain(t.Context(), s, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, not %s", c.text, err, c.want)
		}
	}
}

// TestExplain compares plans: what is known by its key is found first, indexes
// and counts decide, and conditions are applied as soon as they can be.
func TestExplain(t *testing.T) {
	s := newSession(t, stores["pebble"], cypher.Options{Procedures: procedures(t)})
	give(t, s, `UNWIND range(1, 200) AS i CREATE (:Many {key: 'm' + toString(i), i: i});
		UNWIND range(1, 5) AS i CREATE (:Few {key: 'f' + toString(i), i: i});
		MATCH (m:Many), (f:Few {key: 'f1'}) CREATE (m)-[:IN]->(f);
		CREATE INDEX FOR (m:Many) ON (m.i);
		CREATE INDEX FOR (n) ON (n.i);
		CREATE INDEX since FOR ()-[r:AT]-() ON (r.since);
		CREATE INDEX FOR (p:Pair) ON (p.a, p.b, p.c);
		UNWIND range(1, 300) AS i CREATE (:Pair {a: i % 7, b: i % 50, c: i})-[:AT {since: 2000 + i}]->(:End);`)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"MATCH (m:Many)-[:IN]->(f:Few) RETURN m", []string{
			"Scan (f:Few)", "Expand (f)<-[:IN]-(m:Many)", "Return m"}},
		{"MATCH (m:Many)-[:IN]->(f:Few) WHERE m.key = 'm7' RETURN f", []string{
			"KeyLookup (m:Many), m.key = 'm7'", "Expand (m)-[:IN]->(f:Few)", "Return f"}},
		{"MATCH (m:Many {i: 7})-[:IN]->(f) RETURN f", []string{
			"IndexScan (m:Many), index=Many.i, m.i = 7", "Filter m.i = 7", "Expand (m)-[:IN]->(f)", "Return f"}},
		{"MATCH (a:Many {key: 'm1'}), (b:Few {key: 'f1'}), (a)-[r]->(b) RETURN r", []string{
			"KeyLookup (a:Many), a.key = 'm1'", "KeyLookup (b:Few), b.key = 'f1'", "ExpandInto (a)-[r]->(b:Few)", "Return r"}},
		{"MATCH (a)-->(b)-->(c) WHERE a.i > 3 AND c.i < 3 RETURN count(*)", []string{
			"IndexScan (c), index=i, c.i < 3", "Filter c.i < 3", "Expand (c)<--(b)", "CountEdges (b)<--(a), a.i > 3", "Group count(*)", "Return count(*)"}},
		{"MATCH (p:Pair) WHERE p.b = 3 AND p.a = 2 AND p.c > 5 RETURN p", []string{
			"IndexScan (p:Pair), index=Pair.a.b.c, p.a = 2 AND p.b = 3 AND p.c > 5", "Filter p.b = 3", "Filter p.a = 2", "Filter p.c > 5", "Return p"}},
		{"MATCH (p:Pair {b: 3}) RETURN p", []string{"Scan (p:Pair), p.b = 3", "Return p"}},
		{"MATCH (p)-[r:AT {since: 2007}]->(e) RETURN p", []string{
			"EdgeIndexScan (p)-[r:AT]->(e), index=since, r.since = 2007", "Filter r.since = 2007", "Return p"}},
		{"MATCH (p:Pair)-[r:AT]->(e:End) WHERE r.since > 2290 RETURN e", []string{
			"EdgeIndexScan (p)-[r:AT]->(e:`End`), index=since, r.since > 2290", "Filter r.since > 2290", "Return e"}},
		{"MATCH (m:Many) RETURN count(*)", []string{"CountNodes (m:Many)", "Group count(*)", "Return count(*)"}},
		{"MATCH (f {key: 'f1'})<--(m) RETURN count(m)", []string{
			"KeyLookup (f), f.key = 'f1'", "CountEdges (f)<--(m)", "Group count(m)", "Return count(m)"}},
		{"MATCH (f:Few) OPTIONAL MATCH (f)<--(m) WITH f, count(m) AS n ORDER BY n DESC LIMIT 1 RETURN f.key", []string{
			"Scan (f:Few)", "Optional", "  Bound (f)", "  Expand (f)<--(m)", "Group f, count(m)", "With f, count(m) AS n",
			"Top n DESC", "Limit 1", "Return f.key"}},
		{"MATCH (f:Few) SET f.x = 1 WITH f MATCH (m:Many {key: 'm1'}) CREATE (f)-[:T]->(m)", []string{
			"Scan (f:Few)", "Eager", "Set", "Eager", "With f", "KeyLookup (m:Many), m.key = 'm1'", "Eager", "Create"}},
		{"CALL test.range(3) YIELD i RETURN i", []string{"Call test.range", "  Range to=3, [eq. 1]", "Return i"}},
	} {
		got, err := explain(s, c.text)
		if want := strings.Join(c.want, "\n") + "\n"; err != nil || got != want {
			t.Errorf("%s: got\n%s\nnot\n%s%v", c.text, got, want, err)
		}
	}
}

// TestProfile: the plan has the rows that each step made, and EXPLAIN runs
// nothing.
func TestProfile(t *testing.T) {
	s := newSession(t, stores["pebble"], cypher.Options{})
	completeGraph(t, s, 5)
	res, err := s.Run(t.Context(), "PROFILE MATCH (a:N)-->(b) WHERE a.i = 1 RETURN b.key LIMIT 3", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	var got []string
	for _, p := range res.Plan[0] {
		got = append(got, fmt.Sprint(p.Name, " ", p.Rows))
	}
	// The scan and the expansion stop when there are enough rows.
	if want := "Scan 1, Expand 3, Return 3, Limit 3"; strings.Join(got, ", ") != want {
		t.Errorf("the profile is %s, not %s", strings.Join(got, ", "), want)
	}
	for range res.Rows() {
		t.Error("PROFILE has rows")
	}
	for _, text := range []string{"EXPLAIN CREATE (:X)", "EXPLAIN MATCH (n) DETACH DELETE n"} {
		res, err := s.Run(t.Context(), text, nil)
		if err != nil || len(res.Plan) != 1 || res.Counts.Any() {
			t.Errorf("%s: %v, %v", text, res, err)
		}
		res.Close()
	}
	want(t, s, "MATCH (n) RETURN count(*)", "count(*)", "5")
	res, err = s.Run(t.Context(), "PROFILE CREATE (:X)", nil)
	if err != nil || res.Counts.NodesCreated != 1 || len(res.Plan) != 1 {
		t.Fatalf("PROFILE of a statement that writes: %v, %v", res, err)
	}
	res.Close()
}
