// Package tck_test runs openCypher's compatibility kit. No text of the kit is part of
// the project but the names of its scenarios.
package tck_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

var (
	update = flag.Bool("update", false, "rewrite the list of the scenarios that pass")
	only   = flag.String("only", "", "run the scenarios whose file and name match a regular expression, and show all that fail")
)

const passedFile = "testdata/passed.txt"

// excluded are the scenarios that do not pass on purpose, with the reason, by file and
// name. docs/query.md lists them too. There may be 30 of them.
var excluded = map[key]string{
	{"expressions/temporal/Temporal2.feature", "[6] Should parse date time with named time zone from string", 5}: "the kit has the mean time of Berlin for Stockholm in 1818; Go's database of zones has Stockholm's",
}

// scenarios is how many the kit has.
const scenarios = 3897

// findKit returns the folder of the kit.
func findKit(t *testing.T) string {
	kit := os.Getenv("RAGDB_TCK")
	if kit == "" {
		kit = filepath.FromSlash("../../../../shared/peers/tck/kit")
	}
	if _, err := os.Stat(filepath.Join(kit, "features")); err != nil {
		t.Skip("openCypher's kit is not here: RAGDB_TCK names the folder that has its features and graphs")
	}
	return kit
}

func readKit(t *testing.T, kit string) []*scenario {
	var all []*scenario
	root := filepath.Join(kit, "features")
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".feature") {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		some, err := parseFeature(filepath.ToSlash(rel), string(b))
		all = append(all, some...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// outcome is what became of a scenario.
type outcome struct {
	query string
	err   *failure
}

// runAll runs scenarios side by side.
func runAll(kit string, all []*scenario) []outcome {
	out := make([]outcome, len(all))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), 4) {
		wg.Go(func() {
			for i := range next {
				q, err := runScenario(kit, all[i])
				out[i].query = q
				if err != nil && !errors.As(err, &out[i].err) {
					out[i].err = &failure{harness, err.Error()}
				}
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	wg.Wait()
	return out
}

// TestConformance fails if a scenario fails that passed before.
func TestConformance(t *testing.T) {
	kit := findKit(t)
	all := readKit(t, kit)
	if len(all) != scenarios {
		t.Errorf("the kit has %d scenarios, not %d", len(all), scenarios)
	}
	if *only != "" {
		match := regexp.MustCompile(*only)
		all = slices.DeleteFunc(all, func(s *scenario) bool { return !match.MatchString(s.id()) })
	}
	before, err := readPassed(passedFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	out := runAll(kit, all)
	var passed []key
	var news []string
	for i, sc := range all {
		o := out[i]
		switch was := before[sc.key()]; {
		case o.err == nil:
			if passed = append(passed, sc.key()); !was {
				news = append(news, sc.id())
			}
			if reason := excluded[sc.key()]; reason != "" {
				t.Errorf("%s passes, though it is excluded: %s", sc.id(), reason)
			}
			continue
		case was && !*update:
			t.Errorf("%s\npassed before:\n%s\n%v", sc.id(), o.query, o.err)
		case *only != "":
			t.Logf("%s\n%s\n%v", sc.id(), o.query, o.err)
		}
		if o.err.status == crash || o.err.status == harness {
			t.Errorf("%s\n%s\n%v", sc.id(), o.query, o.err)
		}
	}
	if *only == "" {
		t.Log("\n" + table(all, out))
		checkDocs(t, folders(all, out))
	}
	switch {
	case *update && *only == "":
		if err := writePassed(passedFile, passed); err != nil {
			t.Fatal(err)
		}
	case len(news) > 0:
		t.Logf("%d more pass than %s has; go test ./query/cypher/tck -update adds them:\n%s", len(news), passedFile, strings.Join(news[:min(len(news), 20)], "\n"))
	}
	if t.Failed() {
		t.Log("-only REGEXP runs some scenarios; go test ./query/cypher/tck -update rewrites the list, if a scenario has to go")
	}
	if len(excluded) > 30 {
		t.Errorf("%d scenarios are excluded, more than 30", len(excluded))
	}
}

// docsFile says how many scenarios pass.
const docsFile = "../../../docs/query.md"

// checkDocs fails if the docs lack a table.
func checkDocs(t *testing.T, table string) {
	b, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), table) {
		t.Errorf("%s lacks the table\n%s", docsFile, table)
	}
}

// folders is the table of the docs: how many scenarios of each folder pass.
func folders(all []*scenario, out []outcome) string {
	passed, of := map[string]int{}, map[string]int{}
	for i, sc := range all {
		for _, row := range []string{path.Dir(sc.file), "~"} {
			of[row]++
			if out[i].err == nil {
				passed[row]++
			}
		}
	}
	var b strings.Builder
	b.WriteString("| folder | pass | of |\n|---|--:|--:|\n")
	for _, row := range slices.Sorted(maps.Keys(of)) {
		name := row
		if row == "~" {
			name = "all"
		}
		fmt.Fprintf(&b, "| %s | %d | %d |\n", name, passed[row], of[row])
	}
	return b.String()
}

// table counts outcomes by folder.
func table(all []*scenario, out []outcome) string {
	statuses := []string{pass, refused, wrong, effects, noError, errDiff, failed, crash, harness}
	count := map[string]map[string]int{}
	add := func(row, status string) {
		if count[row] == nil {
			count[row] = map[string]int{}
		}
		count[row][status]++
	}
	for i, sc := range all {
		status := pass
		if out[i].err != nil {
			status = out[i].err.status
		}
		add(path.Dir(sc.file), status)
		add("~", status)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-40s %6s", "folder", "all")
	for _, s := range statuses {
		fmt.Fprintf(&b, " %8s", s)
	}
	for _, row := range slices.Sorted(maps.Keys(count)) {
		name, n := row, 0
		if row == "~" {
			name = "all"
		}
		for _, c := range count[row] {
			n += c
		}
		fmt.Fprintf(&b, "\n%-40s %6d", name, n)
		for _, s := range statuses {
			fmt.Fprintf(&b, " %8d", count[row][s])
		}
	}
	return b.String()
}
