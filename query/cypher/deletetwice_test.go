package cypher_test

import (
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
)

// A node that two clauses of a statement delete is deleted once, and that is no
// error, as in openCypher.
func TestDeletedTwice(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"MATCH (a:P) DELETE a DELETE a", "MATCH (a:P) DETACH DELETE a DETACH DELETE a", "MATCH (a:P), (b:P) DELETE a, b",
		"MATCH (a:P) WITH a DELETE a WITH a DELETE a",
	} {
		s := newSession(t, stores["memkv"], cypher.Options{})
		give(t, s, "CREATE (:P {key: 'a'}), (:P {key: 'b'}), (:Q {key: 'c'});")
		if _, _, err := outcome(s, text, nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		want(t, s, "MATCH (n) RETURN count(*)", "count(*)", "1")
	}
}
