package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
)

// programBytes is about what the program's own pages take.
const programBytes = 48 << 20

// heapBeside is how many bytes the heap of a server may have beyond --memory before the
// collector runs more often: all of the budget may be work that statements hold.
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
// opened, and has the collector keep the process within it. GOMEMLIMIT and GOGC go before.
func (a *app) boundHeap(db *engine.DB) {
	if a.held != nil || a.memoryWith != nil {
		return
	}
	db.Memory().Standing(a.folders.bytes)
	if a.dir != here {
		return
	}
	if a.env["GOMEMLIMIT"] == "" {
		if a.serves {
			debug.SetMemoryLimit(db.MemoryBudget() + heapBeside)
		} else {
			keepWithin(db.MemoryBudget())
		}
	}
	if db.MemoryBudget() < fewBytes && a.env["GOGC"] == "" {
		debug.SetGCPercent(50)
	}
}

// keepWithin bounds the heap to what the rest of the process leaves of budget, now and
// after each collection: the rest grows with the store's caches and the models' files. A
// tenth stays free for what is allocated while the collector runs. If the rest takes
// most of the budget, the heap has three eighths all the same.
func keepWithin(budget int64) {
	debug.SetMemoryLimit(max(budget-budget/10-besideHeap(), budget*3/8))
	runtime.AddCleanup(new([64]byte), keepWithin, budget)
}

// besideHeap returns the bytes of memory that the process takes beside what the collector
// rules over: pages of files, the program's own among them, and what C allocates. If the
// system does not tell, it is what the program's pages take.
func besideHeap() int64 {
	var size, resident, files int64
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return programBytes
	}
	if _, err := fmt.Sscan(string(b), &size, &resident, &files); err != nil {
		return programBytes
	}
	heap := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(heap)
	page := int64(os.Getpagesize())
	return files*page + max(0, (resident-files)*page-int64(heap[0].Value.Uint64()-heap[1].Value.Uint64()))
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
