package procedure_test

import (
	"os"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/query/procedure"
)

// TestDocs holds that docs/query.md lists every procedure as it is.
func TestDocs(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../docs/query.md")
	if err != nil {
		t.Fatal(err)
	}
	docs := string(b)
	r := &cypher.Registry{}
	if err := procedure.Add(r); err != nil {
		t.Fatal(err)
	}
	for _, name := range r.Names() {
		p := r.Get(name)
		base, variant := name, ""
		for _, v := range []string{".stats", ".write", ".estimate"} {
			if stem, ok := strings.CutSuffix(name, v); ok && r.Get(stem+".write") != nil {
				base, variant = stem, v
			}
		}
		var args, columns []string
		for _, a := range r.Get(base).Args {
			if a.Optional {
				a.Name += "?"
			}
			args = append(args, a.Name)
		}
		for _, c := range r.Get(base).Columns {
			columns = append(columns, c.Name)
		}
		row := "| `" + base + "(" + strings.Join(args, ", ") + ")` | " + strings.Join(columns, ", ") + " | "
		_, rest, ok := strings.Cut(docs, row)
		if !ok {
			t.Errorf("docs/query.md has no row %s", row)
			continue
		}
		line, _, _ := strings.Cut(rest, "\n")
		if variant != "" && !strings.Contains(line, "`"+variant+"`") {
			t.Errorf("docs/query.md does not say that %s has %s", base, variant)
		}
		if variant == "" && !strings.HasPrefix(line, p.Doc) {
			t.Errorf("docs/query.md says of %s %q, and its Doc %q", name, line, p.Doc)
		}
	}
}
