package pgkv

import (
	"regexp"
	"strings"
	"testing"
)

// The statements have no word that CockroachDB or YugabyteDB lacks or takes for something
// else. pg_export_snapshot and SET TRANSACTION SNAPSHOT are sent to PostgreSQL alone.
func TestDialect(t *testing.T) {
	t.Parallel()
	all := []string{createTable("t", false), allColumns("t")}
	for s := range statements {
		q := s.sql(`"a"."b"`)
		if q == "" || strings.ContainsAny(q, "{}") {
			t.Errorf("statement %d: %q", s, q)
		}
		all = append(all, q)
	}
	forbidden := regexp.MustCompile(`(?i)\b(do \$|plpgsql|function|trigger|extension|lock|advisory|copy|temp|temporary|unlogged|merge|lateral|ctid|xmin|oid|regclass|using|tablesample|listen|notify|skip locked|for update|nowait|storage|collate|with \(|asc\b|nulls|savepoint|returning \*|export_snapshot|snapshot|deferrable|pg_\w+)\b`)
	for _, q := range all {
		if w := forbidden.FindString(q); w != "" {
			t.Errorf("%q in %s", w, q)
		}
	}
	if !strings.Contains(createTable("t", true), "PRIMARY KEY (key ASC)") {
		t.Error("YugabyteDB would spread the keys")
	}
}
