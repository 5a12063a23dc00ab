package cypher_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
)

// callQuery makes CALL { } of a query that sees some variables.
func (g *bruteGen) callQuery(depth int) bruteClause {
	outer := g.vars
	var seen []bruteVar
	for _, v := range outer {
		if g.chance(0.6) {
			seen = append(seen, v)
		}
	}
	names := make([]string, len(seen))
	for i, v := range seen {
		names[i] = v.name
	}
	g.vars = seen[:len(seen):len(seen)]
	text := ""
	switch {
	case len(seen) == len(outer) && len(seen) > 0 && g.chance(0.3):
		text = "CALL (*) { "
	case g.chance(0.5):
		text = "CALL (" + strings.Join(names, ", ") + ") { "
	case len(seen) > 0:
		text = "CALL { WITH " + strings.Join(names, ", ") + " "
	default:
		text = "CALL { "
	}
	var clauses []bruteClause
	if g.chance(0.8) {
		clauses = append(clauses, g.match(depth, true))
	}
	r := g.projection("RETURN", depth, nil)
	clauses = append(clauses, r)
	for _, c := range clauses {
		text += c.text + " "
	}
	made := g.vars
	g.vars = append(slices.Clone(outer), made...)
	return bruteClause{text + "}", func(in []env) []env {
		var out []env
		for _, e := range in {
			rows := []env{{}}
			for _, v := range seen {
				rows[0][v.name] = e[v.name]
			}
			for _, c := range clauses {
				rows = c.rows(rows)
			}
			for _, row := range rows {
				in := e
				for _, v := range made {
					in = in.with(v.name, row[v.name])
				}
				out = append(out, in)
			}
			if len(out) > bruteRows {
				panic(tooMany{})
			}
		}
		return out
	}}
}

// part makes a row of clauses that ends with RETURN of columns of some kinds.
func (g *bruteGen) part(kinds []byte) bruteClause {
	g.vars = nil
	var clauses []bruteClause
	for range 1 + g.IntN(4) {
		switch g.IntN(9) {
		case 0, 1, 2, 3:
			clauses = append(clauses, g.match(2, len(clauses) > 0))
		case 4:
			clauses = append(clauses, g.unwind(2))
		case 5, 6:
			if len(clauses) > 0 {
				clauses = append(clauses, g.projection("WITH", 2, nil))
			}
		case 7:
			clauses = append(clauses, g.callQuery(1))
		}
	}
	clauses = append(clauses, g.projection("RETURN", 2, kinds))
	var texts []string
	for _, c := range clauses {
		texts = append(texts, c.text)
	}
	return bruteClause{strings.Join(texts, " "), func(in []env) []env {
		for _, c := range clauses {
			in = c.rows(in)
		}
		return in
	}}
}

// query makes a query, of two parts now and then.
func (g *bruteGen) query() (text string, rows func() []string) {
	kinds := make([]byte, 1+g.IntN(3))
	for i := range kinds {
		kinds[i] = pick(g, []byte("iiisbnl"))
	}
	columns := make([]bruteColumn, len(kinds))
	for i, k := range kinds {
		columns[i].bruteVar = bruteVar{fmt.Sprintf("c%d", i), k}
	}
	parts := []bruteClause{g.part(kinds)}
	text = parts[0].text
	merge := false
	if g.chance(0.15) {
		merge = !slices.Contains(kinds, 'l') && g.chance(0.5)
		parts = append(parts, g.part(kinds))
		text += map[bool]string{true: " UNION ", false: " UNION ALL "}[merge] + parts[1].text
	}
	return text, func() []string {
		out := []string{}
		for _, p := range parts {
			for _, e := range p.rows([]env{{}}) {
				out = append(out, rowText(columns, e))
			}
		}
		slices.Sort(out)
		if merge {
			out = slices.Compact(out)
		}
		return out
	}
}

// shownValue is shownBrute of a value of the language.
func shownValue(v cypher.Value) (string, error) {
	switch v.Kind() {
	case cypher.KindString:
		return "'" + v.AsString() + "'", nil
	case cypher.KindList:
		var parts []string
		for _, x := range v.AsList() {
			text, err := shownValue(x)
			if err != nil {
				return "", err
			}
			parts = append(parts, text)
		}
		slices.Sort(parts)
		return "[" + strings.Join(parts, " ") + "]", nil
	case cypher.KindNode, cypher.KindEdge:
		b, err := v.MarshalJSON()
		if err != nil {
			return "", err
		}
		var m struct{ Properties struct{ ID int } }
		err = json.Unmarshal(b, &m)
		return fmt.Sprintf("#%d", m.Properties.ID), err
	}
	return v.String(), nil
}

// run returns the rows of a query as texts.
func runBrute(s *cypher.Session, text string) ([]string, error) {
	res, err := s.Run(context.Background(), text, nil)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	out := []string{}
	for row, err := range res.Rows() {
		if err != nil {
			return nil, err
		}
		parts := make([]string, len(row))
		for i, v := range row {
			if parts[i], err = shownValue(v); err != nil {
				return nil, err
			}
		}
		out = append(out, strings.Join(parts, " | "))
	}
	slices.Sort(out)
	return out, nil
}

// bruteForce computes the rows of a query by brute force; ok is false if there are too
// many.
func bruteForce(rows func() []string) (out []string, ok bool) {
	defer func() {
		if x := recover(); x != nil {
			if _, is := x.(tooMany); !is {
				panic(x)
			}
			out, ok = nil, false
		}
	}()
	return rows(), true
}

// TestRandomQueries compares random queries over small graphs with brute force.
func TestRandomQueries(t *testing.T) {
	queries := 2000
	switch {
	case *long:
		queries = 100_000
	case testing.Short():
		queries = 500
	}
	const each = 20 // queries of a graph
	compared, some := 0, 0
	for seed := range uint64(queries / each) {
		r := rand.New(rand.NewPCG(seed, 5))
		graph := randomBrute(r)
		s := newSession(t, stores["memkv"], cypher.Options{})
		give(t, s, graph.statement())
		for range each {
			g := &bruteGen{Rand: r, g: graph}
			text, rows := g.query()
			want, ok := bruteForce(rows)
			if !ok {
				continue
			}
			got, err := runBrute(s, text)
			if err == nil && compared%4 == 0 { // once more, as it was parsed before
				got, err = runBrute(s, text)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s\n%s\nis %v\n%s\nand should be\n%s", seed, graph.statement(), text, err, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			compared++
			if len(want) > 0 {
				some++
			}
		}
	}
	if compared < queries*8/10 || some < compared/3 {
		t.Errorf("of %d queries %d were compared, and %d had rows", queries, compared, some)
	}
}
