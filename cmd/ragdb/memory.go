package main

import (
	"runtime/debug"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
)

// heapBeside is how many bytes the heap may have beyond --memory before the collector runs
// more often. They are for what the budget does not count.
const heapBeside = 32 << 20

// fewBytes is the --memory below which garbage is collected when it is half of what is in
// use, and not as much: the process then takes a quarter less, for 1 to 2 % of time.
const fewBytes = 256 << 20

// bytes returns what the models of folders take.
func (f *modelFolders) bytes() (n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.open {
		n += int64(m.Bytes())
	}
	return n
}

// boundHeap counts the models of this process in the memory budget of a database that it has
// opened, and has the collector keep the process near it. GOMEMLIMIT and GOGC go before.
func (a *app) boundHeap(db *engine.DB) {
	if a.held != nil || a.memoryWith != nil {
		return
	}
	db.Memory().Standing(a.folders.bytes)
	if a.dir != here {
		return
	}
	if a.env["GOMEMLIMIT"] == "" {
		debug.SetMemoryLimit(db.MemoryBudget() + heapBeside)
	}
	if db.MemoryBudget() < fewBytes && a.env["GOGC"] == "" {
		debug.SetGCPercent(50)
	}
}

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
