package cypher

import (
	"fmt"
	"testing"
)

// TestLogic checks AND, OR, XOR and NOT against the tables of Kleene's logic.
func TestLogic(t *testing.T) {
	// false < null < true: AND is the least, OR the greatest.
	rank := map[string]int{"false": 0, "null": 1, "true": 2}
	values := []string{"false", "null", "true"}
	var cases []evalCase
	for _, a := range values {
		cases = append(cases, evalCase{"NOT " + a, values[2-rank[a]]})
		for _, b := range values {
			xor := fmt.Sprint(a != b)
			if a == "null" || b == "null" {
				xor = "null"
			}
			cases = append(cases,
				evalCase{a + " AND " + b, values[min(rank[a], rank[b])]},
				evalCase{a + " OR " + b, values[max(rank[a], rank[b])]},
				evalCase{a + " XOR " + b, xor})
		}
	}
	checkCases(t, evalRun{}, cases)
}

// TestLogicTypes checks operands that are no booleans. What one side decides
// needs no other.
func TestLogicTypes(t *testing.T) {
	run := evalRun{names: []string{"one", "s"}, row: row{Int(1), String("a")}}
	checkCases(t, run, []evalCase{
		{"one AND true", "!TypeError"},
		{"true AND one", "!TypeError"},
		{"true OR one", "true"},
		{"false AND one", "false"},
		{"null AND one", "!TypeError"},
		{"s XOR true", "!TypeError"},
		{"NOT one", "!TypeError"},
		{"one IS NULL", "false"},
		{"null IS NULL", "true"},
		{"null IS NOT NULL", "false"},
		{"[null] IS NULL", "false"},
		{"(one = null) IS NULL", "true"},
		{"NOT NOT (one = 1)", "true"},
	})
}

func TestCase(t *testing.T) {
	run := evalRun{names: []string{"x", "none"}, row: row{Int(2), Null}}
	checkCases(t, run, []evalCase{
		{"CASE x WHEN 1 THEN 'one' WHEN 2 THEN 'two' END", "'two'"},
		{"CASE x WHEN 2.0 THEN 'two' END", "'two'"},
		{"CASE x WHEN 3 THEN 'three' END", "null"},
		{"CASE x WHEN '2' THEN 'text' ELSE 'other' END", "'other'"},
		{"CASE none WHEN null THEN 'null' ELSE 'other' END", "'other'"},
		{"CASE WHEN x > 5 THEN 'big' WHEN x > 1 THEN 'some' ELSE 'few' END", "'some'"},
		{"CASE WHEN none THEN 1 WHEN x = 2 THEN 2 END", "2"},
		{"CASE WHEN x THEN 1 END", "!TypeError"},
		{"CASE WHEN x = 2 THEN 1 ELSE 1 / 0 END", "1"},
		{"CASE x WHEN 2 THEN CASE WHEN true THEN [1] END END", "[1]"},
	})
}
