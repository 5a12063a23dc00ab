package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/growthtest"
)

// importedLines are what an export is made of, n times; %d is which of them it
// is, and a before stands once.
var importedLines = []struct{ name, before, part, after string }{
	{"node types", "", `{"node_type":{"name":"t%d"}}` + "\n", ""},
	{"edge types", "", `{"edge_type":{"name":"t%d","directed":true}}` + "\n", ""},
	{"nodes", "", `{"node":{"ref":["t","k%d"],"props":{"i":%d}}}` + "\n", ""},
	{"nodes with an index", `{"index":{"property":"i"}}` + "\n", `{"node":{"ref":["t","k%d"],"props":{"i":%d}}}` + "\n", ""},
	{"properties of a node", `{"node":{"ref":["t","k"],"props":{"x":1`, `,"k%d":%d`, "}}}\n"},
	{"characters of a property", `{"node":{"ref":["t","k"],"props":{"x":"`, "x", "\"}}}\n"},
	{"escapes of a property", `{"node":{"ref":["t","k"],"props":{"x":"`, "\\u00e9", "\"}}}\n"},
	{"edges of one node", `{"node":{"ref":["t","h"]}}` + "\n", `{"node":{"ref":["t","k%d"]}}` + "\n" + `{"edge":{"from":["t","h"],"to":["t","k%d"],"type":"e","weight":1}}` + "\n", ""},
	{"edges to one node", `{"node":{"ref":["t","h"]}}` + "\n", `{"node":{"ref":["t","k%d"]}}` + "\n" + `{"edge":{"from":["t","k%d"],"to":["t","h"],"type":"e","weight":1,"props":{"i":%d}}}` + "\n", ""},
	{"one edge", `{"node":{"ref":["t","a"]}}` + "\n" + `{"node":{"ref":["t","b"]}}` + "\n", `{"edge":{"from":["t","a"],"to":["t","b"],"type":"e","weight":1}}` + "\n", ""},
	{"contributions", `{"node":{"ref":["t","a"]}}` + "\n", `{"node":{"ref":["t","k%d"]}}` + "\n" + `{"contribution":{"source":["t","k%d"],"of":["t","a"],"count":1,"texts":["x"]}}` + "\n", ""},
	{"vectors", `{"space":{"name":"v","dim":2,"model":"m","metric":0,"kind":0}}` + "\n", `{"node":{"ref":["t","k%d"]}}` + "\n" + `{"vector":{"space":"v","ref":["t","k%d"],"f32":"AACAPwAAAEA="}}` + "\n", ""},
	{"entries", "", `{"entry":{"bucket":"b","key":"%08d","value":"AAAA"}}` + "\n", ""},
	{"graphs", "", `{"graph":{"name":"g%d"}}` + "\n", ""},
	{"brackets", `{"node":{"ref":`, "[", "\n"},
	{"blanks", "", " ", "{}\n"},
}

// TestImportCosts: what an import costs grows with the export, and not with the
// square.
func TestImportCosts(t *testing.T) {
	for _, c := range importedLines {
		t.Run(c.name, func(t *testing.T) {
			growthtest.Check(t, growthtest.Sizes{From: 512}, func(n int) time.Duration {
				return importCost(t, exportOf(c.before, c.part, c.after, n))
			})
		})
	}
}

// exportOf is an export with n of a part.
func exportOf(before, part, after string, n int) string {
	var b strings.Builder
	b.WriteString(`{"ragdb":"export","v":1,"canonical":true}` + "\n" + `{"graph":{"name":"g"}}` + "\n" + `{"node_type":{"name":"t"}}` + "\n" +
		`{"edge_type":{"name":"e","directed":true}}` + "\n" + before)
	places := strings.Contains(part, "%08d")
	for i := range n {
		if places {
			b.WriteString(strings.ReplaceAll(part, "%08d", fmt.Sprintf("%08d", i)))
			continue
		}
		b.WriteString(strings.ReplaceAll(part, "%d", fmt.Sprint(i)))
	}
	b.WriteString(after)
	fmt.Fprintf(&b, `{"end":{"lines":%d}}`+"\n", strings.Count(b.String(), "\n"))
	return b.String()
}

// importCost returns the processor time of an import of a text.
func importCost(t *testing.T, text string) time.Duration {
	t.Helper()
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	ns, err := db.Namespace(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	cost := growthtest.Cost(func() {
		err = ns.Import(t.Context(), strings.NewReader(text)) // what is refused costs, too
	})
	if testing.Verbose() && err != nil {
		t.Logf("%.100v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return cost
}
