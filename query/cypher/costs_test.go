package cypher_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/growthtest"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/query/procedure"
)

// once are the productions whose cost was found to grow with the square of
// their number, or faster: they are measured in every run. With -long all are.
var once = map[string]bool{
	"nodes of MATCH": true, "UNWIND": true, "CREATE": true, "MERGE": true, "ON CREATE SET": true, "keys of a group": true,
	"ORDER BY of DISTINCT": true, "+ of constants that fail": true, "+ of a variable": true, "named nodes of CREATE": true,
}

// TestCosts: what a statement costs, from the text to the last row, grows with
// the number of a production, and not with its square. With -long it measures all
// productions at larger sizes and prints a table.
func TestCosts(t *testing.T) {
	for _, p := range grammar() {
		if !*long && !once[p.name] {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			checkGrowth(t, p.name, p.square, p.most, func(n int) time.Duration { return p.cost(t, n) })
		})
	}
}

// checkGrowth measures something at sizes up to a most, 0 for any. With square,
// which says why the cost grows with the square, the growth is only printed.
func checkGrowth(t *testing.T, name, square string, most int, cost func(n int) time.Duration) {
	t.Helper()
	if growthtest.CPUTime() == 0 {
		t.Skip("the processor time is not known here")
	}
	sizes := growthtest.Sizes{To: most}
	if *long {
		sizes.Enough = 8 * time.Millisecond
	}
	r := growthtest.Measure(sizes, cost)
	if square == "" && r.Growth() > growthtest.Most {
		t.Errorf("%d cost %v and %d cost %v: %.2f times as much", r.N, r.One, growthtest.Times*r.N, r.Big, r.Growth())
	}
	if *long {
		fmt.Printf("%-45s %7d %9.2f ms %9.2f ms %6.2f %s\n", name, r.N, r.One.Seconds()*1e3, r.Big.Seconds()*1e3, r.Growth(), square)
	}
}

// cost returns the processor time of a statement with n of a production.
func (p production) cost(t *testing.T, n int) time.Duration {
	t.Helper()
	text := p.text(n)
	s := newSession(t, stores["memkv"], cypher.Options{Procedures: allProcedures(t)})
	give(t, s, "CREATE (:X {key: 'n0'});")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var err error
	cost := growthtest.Cost(func() { err = drain(ctx, s, text) })
	if ctx.Err() != nil {
		t.Fatalf("%d take more than a minute", n)
	}
	if wrong := p.wrong; (err != nil) != (wrong != "") || wrong != "" && !strings.Contains(err.Error(), wrong) {
		t.Fatalf("%d: the error is %.200v", n, err)
	}
	return cost
}

func allProcedures(t *testing.T) *cypher.Registry {
	t.Helper()
	r := &cypher.Registry{}
	if err := procedure.Add(r); err != nil {
		t.Fatal(err)
	}
	return r
}
