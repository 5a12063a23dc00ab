package service

import "github.com/ragdb/ragdb/engine"

// Memory tells which vectors do not fit into memory.
type Memory struct {
	BudgetBytes int64         `json:"budget_bytes"`
	Beyond      []BeyondSpace `json:"beyond"`
}

// BeyondSpace is a vector space that does not fit into memory, or takes more than its
// bound.
type BeyondSpace struct {
	Name    string `json:"name"` // namespace/graph/space
	Vectors int    `json:"vectors"`
	// Source is where the next search reads: walk, codes, disk, or memory.
	Source string `json:"source"`
	Why    string `json:"why"`
}

func BeyondMemory(s *engine.Stats) Memory {
	r := Memory{BudgetBytes: s.Memory.BudgetBytes, Beyond: []BeyondSpace{}}
	for _, x := range s.Memory.Indexes {
		if x.Why != "" {
			r.Beyond = append(r.Beyond, BeyondSpace{x.Name, x.Vectors, x.Source, x.Why})
		}
	}
	return r
}
