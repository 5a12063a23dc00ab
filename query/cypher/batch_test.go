package cypher_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
)

// TestBatchesStay: an error leaves what the transactions before it committed, all of
// their rows and none of the others.
func TestBatchesStay(t *testing.T) {
	for store, o := range stores {
		t.Run(store, func(t *testing.T) {
			s := newSession(t, o, cypher.Options{})
			give(t, s, "CREATE (:P {key: 'a', n: 1}), (:P {key: 'b', n: 2});")
			_, _, err := outcome(s, "UNWIND range(1, 10) AS i CALL (i) { CREATE (:N {i: i, x: 1 / (7 - i)}) } IN TRANSACTIONS OF 2 ROWS", nil)
			var eval *cypher.EvalError
			if !errors.As(err, &eval) || eval.Code != "ArithmeticError" || !strings.Contains(eval.Message, "3 transactions") {
				t.Fatalf("the error is %v", err)
			}
			want(t, s, "MATCH (n:N) RETURN count(n) AS n, max(n.i) AS most", "n | most", "6 | 6")
			// Values of rows before the transactions show what the transactions wrote.
			want(t, s, "MATCH (p:P) CALL (p) { SET p.n = p.n * 10 } IN TRANSACTIONS OF 1 ROW RETURN p.key AS k, p.n AS n ORDER BY k", "k | n", "'a' | 10", "'b' | 20")
			// Matching ends before the first transaction begins.
			want(t, s, "MATCH (p:P) CALL (p) { CREATE (:P {n: p.n}) } IN TRANSACTIONS OF 1 ROW RETURN count(*) AS n", "n", "2")
			want(t, s, "MATCH (p:P) RETURN count(*) AS n", "n", "4")
			// A LIMIT behind ends no transaction.
			want(t, s, "UNWIND range(1, 5) AS i CALL (i) { CREATE (m:M {i: i}) RETURN m } IN TRANSACTIONS OF 2 ROWS RETURN m.i AS i LIMIT 1", "i", "1")
			want(t, s, "MATCH (m:M) RETURN count(*) AS n", "n", "5")

			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := s.Run(ctx, "UNWIND range(1, 10) AS i CALL (i) { CREATE (:Q) } IN TRANSACTIONS OF 1 ROW", nil); !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
			want(t, s, "MATCH (q:Q) RETURN count(*) AS n", "n", "0")
		})
	}
	s := newSession(t, stores["memkv"], cypher.Options{ReadOnly: true})
	if _, err := s.Run(context.Background(), "CALL { CREATE (:N) } IN TRANSACTIONS", nil); err == nil || !strings.Contains(err.Error(), "only reads") {
		t.Errorf("a session that only reads: %v", err)
	}
}

// TestBatchesStayInOwnGraph: if the statement made the graph, an error leaves it with what
// is committed.
func TestBatchesStayInOwnGraph(t *testing.T) {
	db := freshDatabase(t)
	s := freshSession(t, db, cypher.Options{})
	if _, _, err := outcome(s, "UNWIND [1, 2, 0] AS i CALL (i) { CREATE (:N {i: 1 / i}) } IN TRANSACTIONS OF 1 ROW", nil); err == nil {
		t.Fatal("no error")
	}
	want(t, s, "MATCH (n:N) RETURN count(*) AS n", "n", "2")
	want(t, freshSession(t, db, cypher.Options{}), "MATCH (n:N) RETURN count(*) AS n", "n", "2")
}
