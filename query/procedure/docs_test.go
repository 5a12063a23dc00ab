package procedure_test

import (
	"os"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/query/procedure"
)

// TestDocs holds that docs/query.md names every procedure, those with variants with a
// star, and that db.procedures() has a description for each.
func TestDocs(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../docs/query.md")
	if err != nil {
		t.Fatal(err)
	}
	r := &cypher.Registry{}
	if err := procedure.Add(r); err != nil {
		t.Fatal(err)
	}
	for _, name := range r.Names() {
		if r.Get(name).Doc == "" {
			t.Errorf("%s has no description", name)
		}
		want := "`" + name + "`"
		for _, v := range []string{".stats", ".write", ".estimate"} {
			if stem, ok := strings.CutSuffix(name, v); ok && r.Get(stem+".write") != nil {
				want = "`" + stem + "`*"
			}
		}
		if !strings.Contains(string(b), want) {
			t.Errorf("docs/query.md does not name %s", want)
		}
	}
}
