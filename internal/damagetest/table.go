package damagetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Outcome is what became of a fault.
type Outcome int

// The outcomes. Detected is an error that marks damage, Harmless the content that
// the database had, Silent anything else.
const (
	Detected Outcome = iota
	Harmless
	Silent
)

// Table counts outcomes by the age of a database and the kind of file.
type Table struct {
	counts map[[2]string]*[3]int
	ages   []string
}

// Count adds an outcome.
func (t *Table) Count(age, kind string, o Outcome) {
	if t.counts == nil {
		t.counts = map[[2]string]*[3]int{}
	}
	if !slices.Contains(t.ages, age) {
		t.ages = append(t.ages, age)
	}
	at := [2]string{age, kind}
	if t.counts[at] == nil {
		t.counts[at] = new([3]int)
	}
	t.counts[at][o]++
}

// String returns the table in Markdown, with detected / harmless / silent in its
// cells, and the sums below it.
func (t *Table) String() string {
	kinds := map[string]bool{}
	for at := range t.counts {
		kinds[at[1]] = true
	}
	heads := slices.Sorted(maps.Keys(kinds))
	var b strings.Builder
	var sum [3]int
	fmt.Fprintf(&b, "| age | %s |\n|---|%s\n", strings.Join(heads, " | "), strings.Repeat("---|", len(heads)))
	for _, age := range t.ages {
		fmt.Fprintf(&b, "| %s |", age)
		for _, kind := range heads {
			c := t.counts[[2]string{age, kind}]
			if c == nil {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(&b, " %d / %d / %d |", c[Detected], c[Harmless], c[Silent])
			for i := range sum {
				sum[i] += c[i]
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "detected %d, harmless %d, silent %d\n", sum[Detected], sum[Harmless], sum[Silent])
	return b.String()
}
