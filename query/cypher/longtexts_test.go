package cypher_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
)

// TestLongTexts puts a million bytes in each place of a statement and of its parameters: an
// error repeats little of them.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	s := newSession(t, nil, cypher.Options{})
	digits, letters := strings.Repeat("9", 1_000_000), strings.Repeat("é", 500_000)
	refused := 0
	texts := []string{
		"RETURN " + digits, "RETURN -" + digits + ".5e" + digits, "RETURN 0x" + digits, letters, "RETURN " + letters, "RETURN '" + letters, "RETURN `" + letters,
		"RETURN " + letters + "()", "CALL " + letters + "()", "USE " + letters + " RETURN 1", "MATCH (n:" + letters + ")-[" + letters, "RETURN $" + letters, "RETURN $p." + letters,
		"RETURN 1 AS a, 2 AS a" + letters + letters, "MATCH (n) RETURN n ORDER BY " + letters, "RETURN toInteger($m)", "RETURN date($p)", "RETURN datetime('" + letters + "')",
		"RETURN 1 + $m", "RETURN $p =~ '(" + letters + "'", "RETURN 'a' =~ $q", "RETURN duration($p)", "RETURN [1][$p]", "RETURN {a: 1}[$l]", "RETURN $p < ", "RETURN point({" + letters + ": 1})",
		"RETURN sqrt($p)", "RETURN substring($p, -1)", "CREATE (n:x {key: $p})", "MERGE (n:" + letters + " {key: 1})", "CREATE CONSTRAINT " + letters + " FOR", "LOAD CSV FROM $p AS row RETURN row",
		"CALL db.createGraph($p)", "CALL text.search($p)", "CALL graph.pagerank({" + letters + ": 1})", "CALL graph.pagerank({top: $p})", "DROP INDEX " + letters, "/* " + letters,
	}
	for _, text := range texts {
		res, err := s.Run(t.Context(), text, map[string]cypher.Value{"p": cypher.String(letters), "q": cypher.String("(" + letters), "l": cypher.ListOf([]cypher.Value{cypher.String(letters)}), "m": cypher.MapOf(map[string]cypher.Value{letters: cypher.String(letters)})})
		if err == nil {
			for _, rerr := range res.Rows() {
				err = errors.Join(err, rerr)
			}
			err = errors.Join(err, res.Close())
		}
		if err == nil {
			continue
		}
		refused++
		var syntax *cypher.SyntaxError
		if n := len(err.Error()); n > 1200 {
			t.Errorf("%.60s: an error of %d bytes: %.200s", text, n, err)
		} else if errors.As(err, &syntax) && len(syntax.Caret()) > 1200 {
			t.Errorf("%.60s: a caret of %d bytes", text, len(syntax.Caret()))
		}
	}
	if refused < len(texts)*2/3 {
		t.Errorf("%d of %d were refused", refused, len(texts))
	}
}
