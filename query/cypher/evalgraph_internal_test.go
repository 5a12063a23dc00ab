package cypher

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// TestGraphValues checks what expressions tell of nodes, edges and paths.
func TestGraphValues(t *testing.T) {
	run, _ := people(t)
	checkCases(t, run, []evalCase{
		{"ann.name", "'Ann'"}, {"ann.age + 1", "37"}, {"ann.height", "1.5"}, {"ann.none", "null"}, {"ann['name']", "'Ann'"}, {"ann['na' + 'me']", "'Ann'"},
		{"ann.tags", "['x', 'y']"}, {"ann.tags[0]", "'x'"}, {"'y' IN ann.tags", "true"}, {"ann.born.year", "1990"}, {"ann.key", "'ann'"}, {"none.name", "null"},
		{"ann[0]", "!TypeError"}, {"p.name", "!TypeError"},
		{"k.weight", "2.5"}, {"k.since", "2001"}, {"k['since']", "2001"}, {"k.none", "null"},
		{"ann:Person", "true"}, {"ann:Pet", "false"}, {"ann:Person|Pet", "true"}, {"ann:Person:Pet", "false"}, {"rex:Pet", "true"}, {"none:Person", "null"}, {"k:KNOWS", "true"}, {"k:FRIEND", "false"}, {"k:FRIEND|KNOWS", "true"},
		{"p:Person", "!TypeError"},
		{"ann = ann", "true"}, {"ann = bob", "false"}, {"ann <> bob", "true"}, {"ann = none", "null"}, {"ann = 1", "false"}, {"k = k", "true"}, {"k = f", "false"}, {"f = back", "true"}, {"p = p", "true"}, {"bob IN [ann, bob]", "true"}, {"bob IN nodes(p)", "true"}, {"back IN relationships(p)", "true"},
		{"ann < bob", "true"}, {"ann < 1", "null"},
		{"labels(ann)", "['Person']"}, {"labels(none)", "null"}, {"labels(k)", "!TypeError"}, {"type(k)", "'KNOWS'"}, {"type(ann)", "!TypeError"}, {"type(none)", "null"},
		{"keys(ann)", "['age', 'born', 'height', 'key', 'name', 'tags']"}, {"keys(k)", "['since', 'weight']"}, {"properties(bob)", "{key: 'bob', age: 30, name: 'Bob'}"}, {"properties(k)", "{since: 2001, weight: 2.5}"}, {"properties(1)", "!TypeError"},
		{"startNode(k) = ann", "true"}, {"endNode(k).name", "'Bob'"}, {"startNode(ann)", "!TypeError"}, {"endNode(none)", "null"},
		{"length(p)", "2"}, {"size(nodes(p))", "3"}, {"nodes(p)[-1].name", "'Cy'"}, {"[n IN nodes(p) | n.name]", "['Ann', 'Bob', 'Cy']"}, {"[r IN relationships(p) | type(r)]", "['KNOWS', 'FRIEND']"}, {"length([1])", "!TypeError"}, {"nodes(ann)", "!TypeError"}, {"relationships(none)", "null"},
		{"id(ann) < id(bob)", "true"}, {"id(k)", "81"}, {"id(none)", "null"},
		{"elementId(ann)", "'town/Person/ann'"}, {"elementId(cy)", "'town/Person/cy%2Fd'"}, {"elementId(k)", "'town/KNOWS/Person/ann/Person/bob'"}, {"elementId(f) = elementId(back)", "true"}, {"elementId(1)", "!TypeError"},
		{"ann {.name, .age}", "{age: 36, name: 'Ann'}"}, {"bob {.*, x: 1}", "{key: 'bob', age: 30, name: 'Bob', x: 1}"}, {"k {.since}", "{since: 2001}"}, {"none {.name}", "null"},
		{"bob", "(:Person {key: 'bob', age: 30, name: 'Bob'})"}, {"rex", "(:Pet {key: 'rex'})"}, {"k", "[:KNOWS {since: 2001, weight: 2.5}]"}, {"f", "[:FRIEND]"},
		{"exists(ann.name)", "true"}, {"exists(ann.none)", "false"}, {"ann.none IS NULL", "true"}, {"size(ann)", "!TypeError"},
		{"toString(ann)", "!TypeError"}, {"ann + 1", "!TypeError"}, {"ann + [1] = [ann, 1]", "true"},
	})
}

func TestPathText(t *testing.T) {
	run, g := people(t)
	ids := run.row[7].AsPath().Nodes
	p := run.row[7].AsPath()
	if got, want := path(p).String(), "(:Person {key: 'ann', age: 36, born: 1990-02-03T04:05:06.789Z, height: 1.5, name: 'Ann', tags: ['x', 'y']})"+
		"-[:KNOWS {since: 2001, weight: 2.5}]->(:Person {key: 'bob', age: 30, name: 'Bob'})-[:FRIEND]-(:Person {key: 'cy/d', name: 'Cy'})"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	reversed := &Path{Nodes: []engine.NodeID{ids[1], ids[0]}, Edges: p.Edges[:1], graph: g}
	if got := path(reversed).String(); !strings.Contains(got, "})<-[:KNOWS {since: 2001, weight: 2.5}]-(:Person") {
		t.Errorf("against its direction: %s", got)
	}
}

// friends finds the pattern (x)-->(y) for every x and y of a list of nodes
// before them; it stands for the planner.
func friends(run evalRun, edges map[int][]int) func(*compiler, []*pattern, expr) (patternMatcher, error) {
	return func(c *compiler, ps []*pattern, where expr) (patternMatcher, error) {
		from, _ := c.scope.slot(ps[0].Nodes[0].Variable)
		wide := c.scope.fork()
		to := wide.add(ps[0].Nodes[1].Variable)
		whole := -1
		if ps[0].Variable != "" {
			whole = wide.add(ps[0].Variable)
		}
		in := *c
		in.scope = wide
		passes := func(*exec, row) (bool, error) { return true, nil }
		if where != nil {
			holds, err := in.condition(where)
			if err != nil {
				return patternMatcher{}, err
			}
			passes = holds
		}
		return patternMatcher{scope: wide, match: func(x *exec, r row, found func(row) (bool, error)) error {
			for _, i := range edges[from] {
				next := widen(r, max(to, whole))
				next[to] = run.row[i]
				if whole >= 0 {
					next[whole] = run.row[7]
				}
				ok, err := passes(x, next)
				if err != nil {
					return err
				}
				if !ok {
					continue
				}
				if more, err := found(next); err != nil || !more {
					return err
				}
			}
			return nil
		}}, nil
	}
}

// TestPatterns checks what is made of the matches of patterns.
func TestPatterns(t *testing.T) {
	run, _ := people(t)
	pattern := friends(run, map[int][]int{0: {1, 2}, 1: {2}})
	for _, tc := range []evalCase{
		{"EXISTS { MATCH (ann)-->(y) }", "true"},
		{"EXISTS { MATCH (cy)-->(y) }", "false"},
		{"EXISTS { MATCH (ann)-->(y) WHERE y.name = 'Cy' }", "true"},
		{"EXISTS { MATCH (ann)-->(y) WHERE y.name = 'Rex' }", "false"},
		{"NOT EXISTS { MATCH (cy)-->(y) }", "true"},
		{"COUNT { MATCH (ann)-->(y) }", "2"},
		{"COUNT { MATCH (ann)-->(y) WHERE y.age > 1 } + 1", "2"},
		{"[(ann)-->(y) | y.name]", "['Bob', 'Cy']"},
		{"[(ann)-->(y) WHERE y.name < 'C' | y.name]", "['Bob']"},
		{"[(cy)-->(y) | y.name]", "[]"},
		{"[q = (bob)-->(y) | length(q)]", "[2]"},
		{"[x IN [1, 2] | [(bob)-->(y) | y.name + x]]", "[['Cy1'], ['Cy2']]"},
		{"length(shortestPath((ann)-[*]->(y)))", "2"},
		{"shortestPath((cy)-[*]->(y))", "null"},
		{"size(allShortestPaths((ann)-[*]->(y)))", "2"},
		{"allShortestPaths((cy)-[*]->(y))", "[]"},
	} {
		e, err := parseExpr(tc.expr)
		if err != nil {
			t.Errorf("%s: %v", tc.expr, err)
			continue
		}
		c := &compiler{scope: &scope{names: run.names}, pattern: pattern}
		ev, err := c.expr(e)
		must(t, err)
		v, err := ev(&exec{ctx: context.Background()}, run.row)
		if got := ListOf([]Value{v}).String(); err != nil || got != "["+tc.want+"]" {
			t.Errorf("%s = %s, %v; want %s", tc.expr, got, err, tc.want)
		}
	}
}

// TestErrorsWithinPatterns checks that errors come out of matches.
func TestErrorsWithinPatterns(t *testing.T) {
	run, _ := people(t)
	for _, expr := range []string{
		"EXISTS { MATCH (ann)-->(y) WHERE y.name }", "[(ann)-->(y) | y.name - 1]", "COUNT { MATCH (ann)-->(y) WHERE 1 / 0 = 1 }",
	} {
		e, err := parseExpr(expr)
		must(t, err)
		c := &compiler{scope: &scope{names: run.names}, pattern: friends(run, map[int][]int{0: {1}})}
		ev, err := c.expr(e)
		must(t, err)
		var failed *EvalError
		if _, err := ev(&exec{ctx: context.Background()}, run.row); !errors.As(err, &failed) {
			t.Errorf("%s: %v", expr, err)
		}
	}
}
