package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ragdb/ragdb/engine"
)

// TestProcessWithinMemory has a process with --memory 256 MiB make much garbage beside 90
// MiB that the collector does not see, as the store's caches and the files of models are.
// The whole process stays within 256 MiB, or an eighth more if the machine is busy: without
// the bound it takes 400.
func TestProcessWithinMemory(t *testing.T) {
	const budget, beside, live = 256 << 20, 90 << 20, 40 << 20
	if os.Getenv("PROCESS_MEMORY_TEST") == "" {
		c := exec.Command(os.Args[0], "-test.run=^TestProcessWithinMemory$", "-test.v")
		c.Env = append(os.Environ(), "PROCESS_MEMORY_TEST=1", "GOGC=400", "GOMEMLIMIT=")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, rest, _ := strings.Cut(string(out), "VmHWM:")
		var kb int64
		if _, err := fmt.Sscan(rest, &kb); err != nil {
			t.Fatalf("no figure in %s", out)
		}
		if t.Logf("at most %d MiB", kb>>10); kb<<10 > budget*9/8 {
			t.Errorf("the process took %d MiB, more than %d", kb>>10, budget>>20)
		}
		return
	}
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{MemoryBudget: budget})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	(&app{env: map[string]string{}, dir: here, folders: &modelFolders{}}).boundHeap(db)
	pages, err := unix.Mmap(-1, 0, beside, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(pages)
	held := make([][]byte, live>>10)
	for i := range 40 * len(held) { // the pages come by and by
		at := i * (beside >> 12) / (40 * len(held)) << 12
		pages[at] = 1
		held[i*7919%len(held)] = make([]byte, 1<<10+i%512)
	}
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s %d", b, len(held))
}
