package tck_test

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// key is what the list of the passed names a scenario by.
type key struct {
	file, name string
	example    int
}

func (s *scenario) key() key { return key{s.file, s.name, s.example} }

// readPassed reads a list of scenarios: a line with the feature file, then a line for
// each of its scenarios, indented, with the examples of an outline after a tab.
func readPassed(file string) (map[key]bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	passed := map[key]bool{}
	var at key
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, indented := strings.CutPrefix(lines.Text(), "\t")
		if !indented {
			at.file = name
			continue
		}
		name, examples, outline := strings.Cut(name, "\t")
		at.name, at.example = name, 0
		if !outline {
			passed[at] = true
			continue
		}
		for _, part := range strings.Fields(examples) {
			from, to, ok := strings.Cut(part, "-")
			if !ok {
				to = from
			}
			first, err := strconv.Atoi(from)
			if err != nil {
				return nil, err
			}
			last, err := strconv.Atoi(to)
			if err != nil {
				return nil, err
			}
			for at.example = first; at.example <= last; at.example++ {
				passed[at] = true
			}
		}
	}
	return passed, lines.Err()
}

// writePassed writes the list of the passed.
func writePassed(file string, passed []key) error {
	slices.SortFunc(passed, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(number(a.name), number(b.name)), cmp.Compare(a.name, b.name), a.example-b.example)
	})
	var b strings.Builder
	for i := 0; i < len(passed); {
		k := passed[i]
		if i == 0 || k.file != passed[i-1].file {
			b.WriteString(k.file + "\n")
		}
		b.WriteString("\t" + k.name)
		if k.example == 0 {
			b.WriteByte('\n')
			i++
			continue
		}
		sep := "\t"
		for i < len(passed) && passed[i].file == k.file && passed[i].name == k.name {
			first := passed[i].example
			last := first
			for i++; i < len(passed) && passed[i].file == k.file && passed[i].name == k.name && passed[i].example == last+1; i++ {
				last++
			}
			if b.WriteString(sep + strconv.Itoa(first)); last > first {
				fmt.Fprintf(&b, "-%d", last)
			}
			sep = " "
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// number returns the number in brackets that a scenario's name begins with.
func number(name string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(name[:max(strings.Index(name, "]"), 0)], "["))
	return n
}
