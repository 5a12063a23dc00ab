package cypher_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
)

// TestIDLookup: a node of an id is found by looking at it, and not at all
// nodes.
func TestIDLookup(t *testing.T) {
	t.Parallel()
	s, err := drawnGraph(500, 500)
	if err != nil {
		t.Fatal(err)
	}
	params := map[string]cypher.Value{"ids": cypher.ListOf([]cypher.Value{cypher.Int(7), cypher.Int(3), cypher.Int(7)})}
	for _, c := range []struct{ text, step, want string }{
		{"MATCH (n) WHERE id(n) = 7 RETURN id(n)", "IDLookup", "7"},
		{"MATCH (n) WHERE 7 = id(n) RETURN id(n)", "IDLookup", "7"},
		{"MATCH (n) WHERE id(n) IN $ids RETURN id(n)", "IDLookup", "7 3"},
		{"MATCH (n) WHERE id(n) > 499 RETURN id(n)", "ScanAll", "500"},
	} {
		res, err := s.Run(t.Context(), "EXPLAIN "+c.text, params)
		if err != nil {
			t.Fatal(err)
		}
		if first := res.Plan[0][0]; first.Name != c.step {
			t.Errorf("%s begins with %s", c.text, first)
		}
		if err := res.Close(); err != nil {
			t.Fatal(err)
		}
		if res, err = s.Run(t.Context(), c.text, params); err != nil {
			t.Fatal(err)
		}
		var got []string
		for row, err := range res.Rows() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(row[0]))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.text, got, c.want)
		}
	}
}
