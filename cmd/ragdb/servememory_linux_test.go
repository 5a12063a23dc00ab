package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestServeMemory sends 16 statements at once that each would take more than --memory. The
// server answers every one, stays within --memory and 100 MB, and has all of it again
// afterwards. The short form has 128 MiB, the long one the default of 512.
func TestServeMemory(t *testing.T) {
	p := newProcesses(t)
	budget, rounds := 128, 1
	if *long {
		budget, rounds = 512, 3
	}
	s := serveDemo(t, p, "--memory", fmt.Sprintf("%dMiB", budget), "--quiet")
	rows := budget << 10 // of some 500 bytes and more
	heavy := []string{
		"UNWIND range(1, %d) AS i RETURN size(collect({a: i, b: {c: i, d: [i, i, i]}}))",
		"UNWIND range(1, 4 * %d) AS i RETURN size(collect([i, i + 1, 'text ' + i]))",
		"UNWIND range(1, 4 * %d) AS i WITH DISTINCT i, 'a key of some length, with the number ' + i AS k RETURN count(*)",
		"UNWIND range(1, %d) AS i RETURN collect({a: i, b: {c: i, d: [i, i, i]}})",
		"UNWIND range(1, 4 * %d) AS i WITH i, 'a row with some text in it ' + i AS t ORDER BY t DESC RETURN count(t)",
		"UNWIND range(1, 4 * %d) AS i WITH i AS k, collect(i) AS l RETURN count(*)",
	}
	statuses := make(chan int, 16*rounds)
	for range rounds {
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				statement := fmt.Sprintf(heavy[i%len(heavy)], rows)
				status, body := s.query(statement, 5*time.Minute)
				switch status {
				case 200, 422, 503: // done, too large alone, too much at once
				default:
					t.Errorf("%s: %d %.200s", statement, status, body)
				}
				statuses <- status
			})
		}
		all.Wait()
	}
	close(statuses)
	count := map[int]int{}
	for status := range statuses {
		count[status]++
	}
	peak := s.resident("VmHWM")
	t.Logf("at most %d MB with --memory %d MiB: %v", peak, budget, count)
	if most := budget<<20/1_000_000 + 100; peak > most {
		t.Errorf("the server took %d MB, more than %d", peak, most)
	}
	if count[422]+count[503] == 0 {
		t.Error("nothing was refused: the statements are too small for this test")
	}
	// A fifth of the budget is there for one statement, in a list of some 40 bytes an item.
	status, body := s.query(fmt.Sprintf("UNWIND range(1, %d) AS i RETURN size(collect('text ' + i)) AS n", budget<<20/200), patience)
	if status != 200 || !strings.Contains(body, strconv.Itoa(budget<<20/200)) {
		t.Errorf("afterwards: %d %.300s", status, body)
	}
}

// query sends a statement within a time.
func (s *serving) query(statement string, within time.Duration) (int, string) {
	body, err := json.Marshal(map[string]string{"statement": statement})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.ask("POST", demoCorpus+"/query", string(body), within)
}

// resident returns a size of the server's memory, in MB.
func (s *serving) resident(name string) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	m := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(b)
	if m == nil {
		s.t.Fatalf("no %s in %s", name, b)
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		s.t.Fatal(err)
	}
	return n * 1024 / 1_000_000
}
