package local_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/load"
)

// A labelled section is a part of a document of bench/real between two headings, with
// the names that a person read in it.
type labelledSection struct {
	half    string
	names   [][]string      // for each its keys that are right
	concept map[string]bool // words: an entity of these alone is neither right nor wrong
}

// labelledSections reads bench/real/names.tsv: by corpus, document and the start of the
// SHA-256 of the headings that a section stands under.
func labelledSections(t *testing.T) map[string]*labelledSection {
	t.Helper()
	b, err := os.ReadFile("../../../bench/real/names.tsv")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*labelledSection{}
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n")[1:] {
		f := strings.Split(line, "\t")
		at := strings.Join(f[1:4], "\t")
		s := out[at]
		if s == nil {
			s = &labelledSection{half: f[0], concept: map[string]bool{}}
			out[at] = s
		}
		for name := range strings.SplitSeq(f[5], ";") {
			var keys []string
			for surface := range strings.SplitSeq(name, "|") {
				keys = append(keys, text.Key(surface))
			}
			switch {
			case f[4] != "concept":
				s.names = append(s.names, keys)
			default:
				for w := range strings.FieldsSeq(keys[0]) {
					s.concept[w] = true
				}
			}
		}
	}
	return out
}

// measure compares entities of the section with its labels. Two entities for one name are
// one right and one wrong.
func (s *labelledSection) measure(found []string) (sum score, wrong, missed []string) {
	for _, keys := range s.names {
		if slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(found, k) }) {
			sum.right++
		} else {
			sum.missed++
			missed = append(missed, keys[0])
		}
	}
	seen := map[int]bool{}
	for _, key := range found {
		i := slices.IndexFunc(s.names, func(keys []string) bool { return slices.Contains(keys, key) })
		isConcept := !slices.ContainsFunc(strings.Fields(key), func(w string) bool { return !s.concept[w] && !lex.IsStop(w) })
		if i < 0 && !isConcept || i >= 0 && seen[i] {
			sum.wrong++
			wrong = append(wrong, key)
		}
		seen[i] = true
	}
	return sum, wrong, missed
}

// TestNamesReal measures how many of the names in the sections of bench/real/names.tsv are
// found as entities, and how many entities are none: of the half for choices, and with
// -long of the other, too. Dates do not count, and neither do the concepts of a section.
func TestNamesReal(t *testing.T) {
	root := os.Getenv("RAGDB_REAL")
	if root == "" {
		t.Skip("RAGDB_REAL names no folder of data sets: bench/real/corpora.py makes them")
	}
	labels := labelledSections(t)
	total := map[string]score{}
	for _, name := range []string{"hugo", "gimpde", "policy", "git"} {
		docs := os.DirFS(filepath.Join(root, name, "docs"))
		cases := &text.CaseStats{}
		sections := func(each func(d *load.Document, o *corpus.Outline, starts []int)) {
			for d, err := range load.Walk(t.Context(), docs, ".", nil) {
				if err == nil {
					o := corpus.OutlineOf(d)
					var starts []int
					for _, p := range o.Parts() {
						if p.Kind == text.Heading {
							starts = append(starts, p.Start)
						}
					}
					each(d, o, append(starts, len(d.Text)))
				}
			}
		}
		sections(func(d *load.Document, _ *corpus.Outline, starts []int) {
			for i := range starts[1:] {
				cases.Add(d.Text[starts[i]:starts[i+1]])
			}
		})
		p := local.New(local.Options{Names: cases})
		sections(func(d *load.Document, o *corpus.Outline, starts []int) {
			for i := range starts[1:] {
				sum := sha256.Sum256([]byte(o.Place(starts[i]).Heading))
				at := fmt.Sprintf("%s\t%s\t%x", name, d.Key, sum[:4])
				s := labels[at]
				if s == nil || s.half == "2" && !*long {
					continue
				}
				x := do[llm.Extraction](t, p, llm.Extract, llm.ExtractInput{Text: d.Text[starts[i]:starts[i+1]], Title: d.Title})
				var found []string
				for _, e := range x.Entities {
					if e.Type != "date" {
						found = append(found, text.Key(e.Name))
					}
				}
				one, wrong, missed := s.measure(found)
				for _, group := range []string{s.half, s.half + " " + name} {
					g := total[group]
					total[group] = score{g.right + one.right, g.wrong + one.wrong, g.missed + one.missed}
				}
				if s.half == "1" {
					t.Logf("%s: wrong %q, missed %q", at, wrong, missed)
				}
				delete(labels, at)
			}
		})
	}
	for at, s := range labels {
		if s.half == "1" || *long {
			t.Errorf("%s is not in its corpus", at)
		}
	}
	for _, group := range slices.Sorted(maps.Keys(total)) {
		s := total[group]
		t.Logf("half %s: %d names, precision %.3f, recall %.3f", group, s.right+s.missed, s.precision(), s.recall(s.right+s.missed))
	}
	if s := total["1"]; s.precision() < 0.74 || s.recall(s.right+s.missed) < 0.78 {
		t.Errorf("precision %.3f and recall %.3f are not 0.74 and 0.78", s.precision(), s.recall(s.right+s.missed))
	}
}
