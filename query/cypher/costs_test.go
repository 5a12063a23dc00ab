package cypher_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/query/procedure"
)

// once are the productions whose cost was found to grow with the square of
// their number, or faster: they are measured in every run. With -long all are.
var once = map[string]bool{
	"nodes of MATCH": true, "UNWIND": true, "CREATE": true, "MERGE": true, "ON CREATE SET": true, "keys of a group": true,
	"ORDER BY of DISTINCT": true, "+ of constants that fail": true, "+ of a variable": true, "named nodes of CREATE": true,
}

// maxGrowth returns what twice as much of a production may cost more: 2.5, of which
// 2.1 is that of sorting and the rest is left to caches and to maps that grow. What
// costs less than 4 ms, as in a run without -long or where the language bounds the
// size, is only told from a square, which is 4.
func maxGrowth(cost time.Duration) float64 {
	if cost < 4*time.Millisecond || !*long {
		return 3.5
	}
	return 2.5
}

// TestCosts: twice as many of a production in a statement cost at most
// [maxGrowth] times the processor time, from the text to the last row. With
// -long it prints a table.
func TestCosts(t *testing.T) {
	if cpuTime() == 0 {
		t.Skip("the processor time is not known here")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	enough := 4 * time.Millisecond
	if *long {
		enough = 16 * time.Millisecond
	}
	for _, p := range grammar() {
		if !*long && !once[p.name] {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			checkGrowth(t, p.name, p.square, enough, p.most, func(n int) time.Duration { return p.cost(t, n) })
		})
	}
}

// checkGrowth measures something at a size that costs enough, or at half of what
// is possible at most, and at twice the size. With square, which says why the
// cost grows with the square, the growth is only printed.
func checkGrowth(t *testing.T, name, square string, enough time.Duration, most int, cost func(n int) time.Duration) {
	t.Helper()
	n := 64
	if most > 0 {
		n = min(n, most/2)
	}
	for cost(n) < enough && n < 1<<19 && (most == 0 || 4*n <= most) {
		n *= 2
	}
	one, two, growth := time.Duration(0), time.Duration(0), math.Inf(1)
	for try := 0; try < 12 && growth > maxGrowth(one); try++ {
		a, b := cost(n), cost(2*n)
		if g := float64(b) / float64(a); g < growth {
			one, two, growth = a, b, g
		}
	}
	if square == "" && growth > maxGrowth(one) && two > time.Millisecond {
		t.Errorf("%d cost %v and %d cost %v: %.2f times as much", n, one, 2*n, two, growth)
	}
	if *long {
		fmt.Printf("%-45s %7d %9.2f ms %9.2f ms %6.2f %s\n", name, n, one.Seconds()*1e3, two.Seconds()*1e3, growth, square)
	}
}

// cost returns the least processor time of a few runs of a statement with n of a
// production.
func (p production) cost(t *testing.T, n int) time.Duration {
	t.Helper()
	text := p.text(n)
	least := time.Duration(math.MaxInt64)
	for range 4 {
		s := newSession(t, stores["memkv"], cypher.Options{Procedures: allProcedures(t)})
		give(t, s, "CREATE (:X {key: 'n0'});")
		runtime.GC()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		before := cpuTime()
		err := drain(ctx, s, text)
		least = min(least, cpuTime()-before)
		late := ctx.Err()
		cancel()
		if late != nil {
			t.Fatalf("%d take more than 20 s", n)
		}
		if wrong := p.wrong; (err != nil) != (wrong != "") || wrong != "" && !strings.Contains(err.Error(), wrong) {
			t.Fatalf("%d: the error is %.200v", n, err)
		}
	}
	return max(least, time.Microsecond)
}

func allProcedures(t *testing.T) *cypher.Registry {
	t.Helper()
	r := &cypher.Registry{}
	if err := procedure.Add(r); err != nil {
		t.Fatal(err)
	}
	return r
}
