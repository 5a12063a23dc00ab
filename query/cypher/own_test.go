package cypher_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

// freshSession opens a session that has chosen no graph.
func freshSession(t *testing.T, db *engine.DB, o cypher.Options) *cypher.Session {
	t.Helper()
	ns, err := db.Namespace(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	o.DB, o.Namespace = db, ns
	s, err := cypher.NewSession(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func freshDatabase(t *testing.T) *engine.DB {
	t.Helper()
	db, err := engine.Open(context.Background(), engine.Memory, stores["memkv"])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// addDocument puts a node into the base graph, as indexing does.
func addDocument(t *testing.T, s *cypher.Session) {
	t.Helper()
	base, err := s.Namespace().Graph(t.Context(), engine.Base)
	if err != nil {
		t.Fatal(err)
	}
	err = base.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(base)
		kind, err := v.MakeNodeType("document")
		if err == nil {
			_, _, err = v.PutNode(kind, "a.txt", nil)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOwnGraph: a fresh database takes what statements write, in a graph that
// every later session begins in, whatever is indexed beside it.
func TestOwnGraph(t *testing.T) {
	for _, text := range []string{
		"CREATE (:Person {key: 'ada', name: 'Ada'})", "MERGE (:Person {key: 'ada', name: 'Ada'})",
		"UNWIND ['ada'] AS k CREATE (:Person {key: k, name: 'Ada'})",
	} {
		db := freshDatabase(t)
		s := freshSession(t, db, cypher.Options{})
		if s.Graph() != engine.Base {
			t.Errorf("before: the session is in %s", s.Graph())
		}
		give(t, s, text+";")
		want(t, s, "MATCH (n) RETURN n.name", "n.name", "'Ada'")
		addDocument(t, s)
		for _, s := range []*cypher.Session{s, freshSession(t, db, cypher.Options{}), freshSession(t, db, cypher.Options{ReadOnly: true})} {
			want(t, s, "MATCH (n:Person) RETURN n.name", "n.name", "'Ada'")
			if s.Graph() != cypher.OwnGraph {
				t.Errorf("%s: the session is in %s", text, s.Graph())
			}
			want(t, s, "USE base MATCH (n) RETURN n.key", "n.key", "'a.txt'")
		}
	}
}

// TestOwnGraphOfIndexes: what belongs to data is made in the graph of the data.
func TestOwnGraphOfIndexes(t *testing.T) {
	s := freshSession(t, freshDatabase(t), cypher.Options{})
	give(t, s, "CREATE INDEX FOR (p:Person) ON (p.age); CREATE (:Person {age: 3});")
	want(t, s, "MATCH (p:Person {age: 3}) RETURN count(*)", "count(*)", "1")
	if s.Graph() != cypher.OwnGraph {
		t.Errorf("the session is in %s", s.Graph())
	}
}

// TestNoOwnGraph: no graph is made by what fails, only reads, or chose another.
func TestNoOwnGraph(t *testing.T) {
	db := freshDatabase(t)
	for _, c := range []struct {
		text string
		o    cypher.Options
		is   error
	}{
		{"CREATE (:Person {n: 1 / 0})", cypher.Options{}, nil},
		{"CREATE (:Person:`a:b`)", cypher.Options{}, nil},
		{"CREATE (:Person)", cypher.Options{ReadOnly: true}, engine.ErrReadOnly},
		{"CREATE (:Person)", cypher.Options{Graph: engine.Base}, engine.ErrReadOnly},
		{"USE base CREATE (:Person)", cypher.Options{}, engine.ErrReadOnly},
	} {
		s := freshSession(t, db, c.o)
		err := drain(t.Context(), s, c.text)
		if err == nil || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: the error is %v", c.text, err)
		}
		if all, err := s.Namespace().Graphs(t.Context()); err != nil || slices.Contains(all, cypher.OwnGraph) || s.Graph() != engine.Base {
			t.Errorf("%s: the graphs are %v, %v, and the session is in %s", c.text, all, err, s.Graph())
		}
	}
	s := freshSession(t, db, cypher.Options{})
	for _, text := range []string{"MATCH (n) RETURN n", "EXPLAIN CREATE (:X)", "DROP INDEX x IF EXISTS"} {
		_ = drain(t.Context(), s, text)
		if s.Graph() != engine.Base {
			t.Errorf("%s: the session is in %s", text, s.Graph())
		}
	}
}

// TestWritableGraphsAreNamed: where documents keep a graph, the error says which
// graphs take a statement, or how to make one.
func TestWritableGraphsAreNamed(t *testing.T) {
	s := freshSession(t, freshDatabase(t), cypher.Options{})
	addDocument(t, s)
	for _, step := range []struct{ make, want string }{
		{"", "make a graph of your own with CREATE GRAPH mine and write to it after USE mine"},
		{"mine", "write to mine after USE mine"},
		{"with space", "write to mine, with space after USE of it"},
	} {
		if step.make != "" {
			if _, err := s.Namespace().Graph(t.Context(), step.make); err != nil {
				t.Fatal(err)
			}
		}
		if err := drain(t.Context(), s, "CREATE (:X)"); !errors.Is(err, engine.ErrReadOnly) || !strings.Contains(err.Error(), step.want) {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestGraphStatements: CREATE GRAPH and DROP GRAPH make and remove graphs of the user's
// own, and no others.
func TestGraphStatements(t *testing.T) {
	db := freshDatabase(t)
	s := freshSession(t, db, cypher.Options{})
	for _, c := range []struct{ text, err string }{
		{"CREATE GRAPH mine", ""},
		{"CREATE GRAPH mine", `there is a graph "mine" already`},
		{"create graph mine if not exists", ""},
		{"CREATE GRAPH 'a b/c'", ""},
		{"CREATE GRAPH", "the name of a graph"},
		{"CREATE GRAPH a.b", "written in quotes"},
		{"EXPLAIN CREATE GRAPH x", "a plan of making a graph"},
		{"USE mine", ""},
		{"CREATE (:Person {name: 'Ada'})", ""},
		{"DROP GRAPH mine", "is the graph in use"},
		{"DROP GRAPH 'a b/c'", ""},
		{"DROP GRAPH 'a b/c'", `there is no graph "a b/c"`},
		{"DROP GRAPH 'a b/c' IF EXISTS", ""},
		{"DROP GRAPH base", "read-only"},
		{"USE base", ""},
		{"DROP GRAPH mine", ""},
	} {
		err := drain(t.Context(), s, c.text)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v, want %q", c.text, err, c.err)
		}
	}
	if all, err := s.Namespace().Graphs(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("the graphs are %v, %v", all, err)
	}
	only := freshSession(t, db, cypher.Options{ReadOnly: true})
	if err := drain(t.Context(), only, "CREATE GRAPH x"); !errors.Is(err, engine.ErrReadOnly) {
		t.Errorf("a session that only reads: %v", err)
	}
}

// TestNotices: a label, an edge type or a property that the graph does not have is told
// of, unless the statement may make it.
func TestNotices(t *testing.T) {
	s := freshSession(t, freshDatabase(t), cypher.Options{})
	if err := drain(t.Context(), s, "CREATE (:Person {surname: 'A'})-[:KNOWS {since: 1}]->(:Person)"); err != nil {
		t.Fatal(err)
	}
	const since, surname = "the graph own has no property sinc; did you mean since?", "the graph own has no property Surname; did you mean surname?"
	for _, c := range []struct {
		text string
		want []string
	}{
		{"MATCH (:Person)-[:KNOWS]->(n) RETURN n", nil},
		{"MATCH (:person)-[:KNOW]->(n:person) RETURN n", []string{
			"the graph own has no label person; did you mean Person?", "the graph own has no edge type KNOW; did you mean KNOWS?"}},
		{"MATCH (n:Person&!Zebra) RETURN n", []string{"the graph own has no label Zebra"}},
		{"MATCH (n:Person) WHERE EXISTS { (n)-[:LIKES]->() } RETURN n", []string{"the graph own has no edge type LIKES"}},
		{"CREATE (:Town) WITH 1 AS x MATCH (t:Town) RETURN t", nil},
		{"MERGE (:City)", nil},
		{"MATCH (n)-[r]->() RETURN n.surname, n.key, n.name, n.weight, r.since, n._x, properties(n).x", nil},
		{"MATCH (n)-[r]->() RETURN n.Surname, r.sinc, n.quite_else", []string{surname, since, "the graph own has no property quite_else"}},
		{"MATCH (n) WHERE n.Surname = 'A' RETURN count(*)", []string{surname}},
		{"MATCH (n {Surname: 'A'}) RETURN n", []string{surname}},
		{"MATCH (n) WHERE EXISTS { ()-[:KNOWS {sinc: 1}]->(n WHERE n.Surname = 'A') } RETURN n", []string{surname, since}},
		{"MATCH (n) WITH n AS m RETURN 1 AS one ORDER BY m.Surname", []string{surname}},
		{"MATCH (n) CALL (n) { MATCH (n)-[r]->() RETURN r.sinc AS x } RETURN x", []string{since}},
		{"MATCH (n) RETURN [(n)-[r]->() | r.sinc]", []string{since}},
		{"UNWIND [{a: 1}] AS n RETURN n.b, {c: 1}.d", nil},
		{"MATCH (n) SET n.new = 1 RETURN n.newer", nil},
	} {
		res, err := s.Run(t.Context(), c.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range res.Rows() {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(res.Notices, c.want) {
			t.Errorf("%s: %q", c.text, res.Notices)
		}
	}
}
