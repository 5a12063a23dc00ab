package local_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// A namedText is a text with the names in it: for each its keys that are right.
// Entities that are made of the words in also are right, too, and not asked for.
type namedText struct {
	text  string
	names [][]string
	also  map[string]bool
}

// namedTexts reads a file of texts with their names.
func namedTexts(t *testing.T, file string) []namedText {
	t.Helper()
	b, err := os.ReadFile("../../internal/text/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out []namedText
	for part := range strings.SplitSeq(string(b), "\n====\n") {
		body, labels, _ := strings.Cut(part, "\n----\nnames: ")
		names, also, _ := strings.Cut(labels, "\nalso: ")
		x := namedText{text: body, also: map[string]bool{}}
		for name := range strings.SplitSeq(names, "; ") {
			var keys []string
			for surface := range strings.SplitSeq(name, "|") {
				keys = append(keys, text.Key(surface))
			}
			x.names = append(x.names, keys)
		}
		for word := range strings.FieldsFuncSeq(also, func(r rune) bool { return r == ';' || r == '\n' }) {
			x.also[text.Key(word)] = true
		}
		out = append(out, x)
	}
	return out
}

// A score counts entities that are right and wrong, and names that are missed.
type score struct {
	right, wrong, missed int
}

func (s score) precision() float64 { return float64(s.right) / float64(s.right+s.wrong) }

func (s score) recall(names int) float64 { return 1 - float64(s.missed)/float64(names) }

// entities returns the keys of the entities of a text that are not dates.
func entities(t *testing.T, p *local.Provider, s string) []string {
	t.Helper()
	x := do[llm.Extraction](t, p, llm.Extract, llm.ExtractInput{Text: s})
	var keys []string
	for _, e := range x.Entities {
		if e.Type != "date" {
			keys = append(keys, text.Key(e.Name))
		}
	}
	return keys
}

// labelledFiles are the files of texts with their names. The names of the first were
// looked at while the rules were made, those of the other were labelled before that
// and held back.
var labelledFiles = []string{"names.txt", "names-held.txt"}

// measureNames compares the names that find returns for the texts of a file with the
// labels.
func measureNames(t *testing.T, file string, find func(string) []string) (s score, names int) {
	t.Helper()
	for _, x := range namedTexts(t, file) {
		names += len(x.names)
		found := find(x.text)
		var wrong, missed []string
		for _, key := range found {
			isName := slices.ContainsFunc(x.names, func(keys []string) bool { return slices.Contains(keys, key) })
			isAlso := !slices.ContainsFunc(strings.Fields(key), func(w string) bool { return !x.also[w] })
			if isName || isAlso || x.also[key] {
				s.right++
			} else {
				s.wrong++
				wrong = append(wrong, key)
			}
		}
		for _, keys := range x.names {
			if !slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(found, k) }) {
				s.missed++
				missed = append(missed, keys[0])
			}
		}
		if len(wrong)+len(missed) > 0 {
			t.Logf("%.40q: wrong %q, missed %q", x.text, wrong, missed)
		}
	}
	return s, names
}

// labelledCases are the case statistics of all labelled texts.
func labelledCases(t *testing.T) *text.CaseStats {
	var stats text.CaseStats
	for _, file := range labelledFiles {
		for _, x := range namedTexts(t, file) {
			stats.Add(x.text)
		}
	}
	return &stats
}

func TestNamesLabelled(t *testing.T) {
	p := local.New(local.Options{Names: labelledCases(t)})
	total := 0
	for _, file := range labelledFiles {
		s, names := measureNames(t, file, func(text string) []string { return entities(t, p, text) })
		total += names
		t.Logf("%s: %d names, precision %.3f, recall %.3f", file, names, s.precision(), s.recall(names))
		if s.precision() < 0.9 || s.recall(names) < 0.8 {
			t.Errorf("%s: precision %.3f and recall %.3f are not 0.9 and 0.8", file, s.precision(), s.recall(names))
		}
	}
	if total < 300 {
		t.Errorf("%d names are not 300", total)
	}
}
