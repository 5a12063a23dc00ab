package layout_test

import (
	"encoding/hex"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
)

// TestWorkedExample compares the table of section 9 of docs/format.md with what
// the package writes.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n## 9. ")
	if !ok {
		t.Fatal("docs/format.md has no section 9")
	}
	section, _, _ = strings.Cut(section, "\n## ")

	key := layout.Adjacency(layout.Out, 1, 5, 2)
	list := layout.AppendSet(nil, []uint64{7, 9, 300}, []float32{1, 0.5, 1})
	operand := layout.AppendAdd(nil, 300, 0.5)
	fold := layout.NewFold(key, list)
	fold.Newer(operand)
	folded := fold.Finish(true)
	three, err := layout.AppendFloat([]byte{2}, 3)
	if err != nil {
		t.Fatal(err)
	}
	postings := layout.NewFold(layout.Postings(1, 1, "pier", 0), layout.AppendPostingsDelta(nil,
		[]layout.Posting{{Node: 3, Freq: 2, Words: 9, Positions: layout.AppendPositions(nil, []uint32{4, 7})}}, nil))
	want := [][]byte{
		key, list, layout.AppendSet(nil, []uint64{7, 9, 300}, nil), operand, folded,
		layout.Adjacency(layout.In, 1, 300, 2), layout.AppendAdd(nil, 5, 0.5),
		layout.SetIndex(1, 4, three, 0),
		layout.Postings(1, 1, "pier", 0), postings.Finish(true),
		layout.LexSum(1, 1, "pier"), layout.AppendSum(nil, 1, 2),
	}
	rows := regexp.MustCompile("(?m)^\\| `([0-9A-F ]+)` \\|").FindAllStringSubmatch(section, -1)
	if len(rows) != len(want) {
		t.Fatalf("section 9 has %d rows of bytes, want %d", len(rows), len(want))
	}
	for i, row := range rows {
		if got := strings.ToUpper(hex.EncodeToString(want[i])); got != strings.ReplaceAll(row[1], " ", "") {
			t.Errorf("row %d says %s, the package writes %s", i+1, row[1], got)
		}
	}
	if got := layout.Format(key); got != "out(g1,5,e2)" {
		t.Errorf("the key prints as %s", got)
	}
	if got := layout.Split(key); got != 13 {
		t.Errorf("the Split prefix has %d bytes", got)
	}
}
