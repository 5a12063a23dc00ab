package main

import (
	"github.com/ragdb/ragdb/engine"
)

// memoryResult tells which vectors do not fit into memory.
type memoryResult struct {
	BudgetBytes int64         `json:"budget_bytes"`
	Beyond      []beyondSpace `json:"beyond"`
}

// beyondSpace is a vector space that does not fit into memory, or takes more than its
// bound.
type beyondSpace struct {
	Name    string `json:"name"` // namespace/graph/space
	Vectors int    `json:"vectors"`
	// Source is where the next search reads: walk, codes, disk, or memory.
	Source string `json:"source"`
	Why    string `json:"why"`
}

func beyondMemory(s *engine.Stats) memoryResult {
	r := memoryResult{BudgetBytes: s.Memory.BudgetBytes, Beyond: []beyondSpace{}}
	for _, x := range s.Memory.Indexes {
		if x.Why != "" {
			r.Beyond = append(r.Beyond, beyondSpace{x.Name, x.Vectors, x.Source, x.Why})
		}
	}
	return r
}

// printBeyondMemory tells how the vectors that do not fit into memory are searched, why, and
// what to do.
func (a *app) printBeyondMemory(r *memoryResult) {
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

// searched says how vectors are searched, by [beyondSpace].Source.
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
