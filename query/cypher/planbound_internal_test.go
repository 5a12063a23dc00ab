package cypher

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestReadingIsWatched: reading, checking and planning a long statement look at
// the context.
func TestReadingIsWatched(t *testing.T) {
	texts := map[string]string{
		"list":     "RETURN [" + strings.Repeat("1, ", 100_000) + "1]",
		"patterns": "CREATE " + strings.Repeat("(:X), ", 20_000) + "(:X)",
		"match":    "MATCH " + strings.Repeat("(), ", 20_000) + "() RETURN 1",
		"columns":  "RETURN " + strings.Repeat("1 + 1, ", 20_000) + "1",
	}
	for name, text := range texts {
		for looks := range 3 {
			w := &watch{ctx: &pollContext{context.Background(), looks}}
			st, err := parse(text, w)
			if err == nil {
				_, err = check(st, w)
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s after %d looks: the error is %v", name, looks, err)
			}
		}
		st, err := parse(text, nil)
		must(t, err)
		if _, err := check(st, &watch{ctx: &pollContext{context.Background(), 1}}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the error of the check is %v", name, err)
		}
	}
	c := &compiler{scope: &scope{}, watch: &watch{ctx: &pollContext{context.Background(), 1}}}
	e, err := parseExpr("[" + strings.Repeat("1 + $p, ", 4000) + "1]")
	must(t, err)
	if _, err := c.expr(e); !errors.Is(err, context.Canceled) {
		t.Errorf("the error of compiling is %v", err)
	}
}
