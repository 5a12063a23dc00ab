package main

import (
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

const sample = `package p

import "errors"

const most = 3

func f(a, b int, err error) (int, error) {
	if err != nil || errors.Is(err, nil) {
		return 0, err
	}
	if a < b && b >= 10 {
		a++
	}
	return a * 2, nil
}

func g() bool { return most == 4 }
`

// TestMutants lists the mutants of a small file: nothing of errors, nil, zero and
// imports is changed, and each change is Go.
func TestMutants(t *testing.T) {
	ms, err := mutantsOfFile("p/p.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range ms {
		got = append(got, m.String())
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", m.source([]byte(sample)), 0); err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
	want := []string{
		"p/p.go:5:14 -#1 3 + 1",
		"p/p.go:8:16 f#1 || -> &&",
		"p/p.go:11:5 f#2 if false",
		"p/p.go:11:11 f#3 && -> ||",
		"p/p.go:11:7 f#4 < -> <=",
		"p/p.go:11:16 f#5 >= -> >",
		"p/p.go:11:19 f#6 10 + 1",
		"p/p.go:12:4 f#7 ++ -> --",
		"p/p.go:14:11 f#8 * -> /",
		"p/p.go:14:13 f#9 2 + 1",
		"p/p.go:17:29 g#1 == -> !=",
		"p/p.go:17:32 g#2 4 + 1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// TestReach: a test reaches a mutant if it ran the block that holds it, or its function
// if no block does; what stands outside of functions may be reached by any test.
func TestReach(t *testing.T) {
	ran := test{reaches: map[string][]block{"p.go": {{1, 10, 3, 2, true}, {3, 10, 5, 2, false}}}}
	for _, x := range []struct {
		m    mutant
		want bool
	}{
		{mutant{file: "p.go", fn: "f", line: 2, fnFrom: 1, fnTo: 5}, true},
		{mutant{file: "p.go", fn: "f", line: 3, col: 2, fnFrom: 1, fnTo: 5}, true},
		{mutant{file: "p.go", fn: "f", line: 4, fnFrom: 1, fnTo: 5}, false},
		{mutant{file: "p.go", fn: "f", line: 3, col: 5, fnFrom: 1, fnTo: 5}, true},
		{mutant{file: "p.go", fn: "g", line: 8, fnFrom: 7, fnTo: 9}, false},
		{mutant{file: "q.go", fn: "f", line: 2, fnFrom: 1, fnTo: 5}, false},
		{mutant{file: "q.go", line: 2}, true},
	} {
		if got := ran.reach(x.m); got != x.want {
			t.Errorf("%+v: %v", x.m, got)
		}
	}
}
