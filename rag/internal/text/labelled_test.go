package text_test

import (
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// labelledTexts returns the texts of a file, which lines of ==== part.
func labelledTexts(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(b), "\n====\n")
}

// boundaries returns after how many characters that are not blank each span
// ends.
func boundaries(s string, spans []text.Span) map[int]bool {
	at := map[int]bool{}
	n, next := 0, 0
	for i, r := range s {
		for next < len(spans) && spans[next].End <= i {
			at[n] = true
			next++
		}
		if !unicode.IsSpace(r) {
			n++
		}
	}
	if next < len(spans) {
		at[n] = true
	}
	return at
}

// A broken bar marks where a sentence of the file ends.
func TestSentencesLabelled(t *testing.T) {
	right, wrong, missed := 0, 0, 0
	for _, marked := range labelledTexts(t, "sentences.txt") {
		s := strings.ReplaceAll(marked, "¦", "")
		var want []text.Span
		end := 0
		for part := range strings.SplitSeq(strings.TrimRight(marked, "¦\n"), "¦") {
			end += len(part)
			want = append(want, text.Span{End: end})
		}
		gold, got := boundaries(s, want), boundaries(s, text.Sentences(s))
		bad := false
		for at := range got {
			if gold[at] {
				right++
			} else {
				wrong++
				bad = true
			}
		}
		for at := range gold {
			if !got[at] {
				missed++
				bad = true
			}
		}
		if bad {
			t.Logf("differs:\n%s", strings.Join(cut(s, text.Sentences(s)), " ¦ "))
		}
	}
	precision := float64(right) / float64(right+wrong)
	recall := float64(right) / float64(right+missed)
	t.Logf("%d boundaries: precision %.3f, recall %.3f", right+missed, precision, recall)
	if right+missed < 150 || precision < 0.98 || recall < 0.98 {
		t.Errorf("precision %.3f and recall %.3f of %d boundaries are not 0.98 of 150", precision, recall, right+missed)
	}
}
