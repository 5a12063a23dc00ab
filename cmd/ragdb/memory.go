package main

import (
	"github.com/ragdb/ragdb/internal/service"
)

// printBeyondMemory tells how the vectors that do not fit into memory are searched, why, and
// what to do.
func (a *app) printBeyondMemory(r *service.Memory) {
	if len(r.Beyond) == 0 {
		return
	}
	t := &table{head: []string{"vectors beyond memory", "number", "searched", "because"}, right: []bool{false, true, false, false}}
	for _, x := range r.Beyond {
		t.add(x, x.Name, number(x.Vectors), searched(x.Source), x.Why)
	}
	a.out.print("\n")
	a.out.rows(t)
	a.out.note("the bound is %s; --memory SIZE gives another", size(r.BudgetBytes))
}

// searched says how vectors are searched, by [service.BeyondSpace].Source.
func searched(source string) string {
	switch source {
	case "walk":
		return "by walking the graph on disk"
	case "codes":
		return "by codes in memory"
	case "disk":
		return "one by one on disk"
	}
	return "in " + source
}
