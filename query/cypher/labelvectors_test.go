package cypher_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
)

// TestLabelsMoveVectors: a list of numbers goes into a vector index with the label that
// the index is of, and comes out of it with its last value.
func TestLabelsMoveVectors(t *testing.T) {
	s := freshSession(t, freshDatabase(t), cypher.Options{})
	do := func(text string) string {
		t.Helper()
		res, err := s.Run(t.Context(), text, nil)
		if err != nil {
			return err.Error()
		}
		var out []string
		for row, err := range res.Rows() {
			if err != nil {
				return err.Error()
			}
			out = append(out, fmt.Sprint(row))
		}
		return strings.Join(out, " ")
	}
	const read = "MATCH (n {key: 'a'}) RETURN labels(n), n.face, keys(n)"
	for _, c := range []struct{ text, want string }{
		{"CREATE VECTOR INDEX FOR (p:Person) ON (p.face) OPTIONS {dimensions: 2, similarity: 'euclidean', kind: 'flat'}", ""},
		{"CREATE (:Cat {key: 'a', face: [1, 2.5]})", ""},
		{"MATCH (n:Cat) SET n:Person", ""},
		{read, "[['Cat', 'Person'] [1.0, 2.5] ['key']]"},
		{"MATCH (n:Cat) SET n.face = [3, 4]", ""},
		{"MATCH (n:Cat) REMOVE n:Person", ""},
		{read, "[['Cat'] [3.0, 4.0] ['face', 'key']]"},
		{"MATCH (n:Cat) SET n.face = 'none'", ""},
		{"MATCH (n:Cat) SET n:Person", "takes a list of numbers"},
		{"MATCH (n:Cat) SET n.face = [1, 2, 3]", ""},
		{"MATCH (n:Cat) SET n:Person", "3 elements, the index 2"},
		{read, "[['Cat'] [1, 2, 3] ['face', 'key']]"},
		{"CREATE (n:Person {face: [1, 1]}) REMOVE n:Person", "cannot change the labels"},
		{"MATCH (n:Person) RETURN count(*)", "[0]"},
	} {
		if got := do(c.text); got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}
