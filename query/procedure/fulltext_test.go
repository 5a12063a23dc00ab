package procedure_test

import (
	"strings"
	"testing"
)

// TestFulltextOfEdges finds edges by words, parallel ones too, whatever writes them
// after the index or before.
func TestFulltextOfEdges(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	for _, x := range []struct{ text, want string }{
		{"CREATE (a:P {key: 'a'})-[:SAID {text: 'The old stone mill', year: 1}]->(b:P {key: 'b'}), (a)-[:SAID {text: 'a mill, a mill, two mills'}]->(b), (b)-[:WROTE {notes: ['stones', 'red']}]->(a), (b)-[:SAID]->(a)", ""},
		{"CREATE FULLTEXT INDEX said IF NOT EXISTS FOR ()-[r:SAID|WROTE]-() ON EACH [r.text, r.notes]", ""},
		{"SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties WHERE name = 'said'", "said FULLTEXT RELATIONSHIP ['SAID', 'WROTE'] ['text', 'notes']"},
		{"CALL db.index.fulltext.queryRelationships('said', 'mill') YIELD relationship AS r, score RETURN r.text, score > 0", "a mill, a mill, two mills true|The old stone mill true"},
		{"CALL db.index.fulltext.queryRelationships('said', 'stone mill', {limit: 2}) YIELD relationship AS r RETURN type(r), r.text", "SAID The old stone mill|SAID a mill, a mill, two mills"},
		{"CALL db.index.fulltext.queryRelationships('said', 'stone') YIELD relationship AS r RETURN type(r) ORDER BY type(r)", "SAID|WROTE"},
		{"CALL db.index.fulltext.queryRelationships('said', 'river') YIELD relationship RETURN relationship", ""},
		{"CALL db.index.fulltext.queryRelationships('said', '') YIELD relationship RETURN relationship", ""},
		{"MATCH ()-[r:SAID {year: 1}]->() SET r.text = 'a river'", ""},
		{"MATCH ()-[r:WROTE]->() REMOVE r.notes", ""},
		{"MATCH (b:P {key: 'b'}) CREATE (b)-[:SAID {text: 'A river of stone'}]->(b)", ""},
		{"CALL db.index.fulltext.queryRelationships('said', 'river') YIELD relationship AS r RETURN r.text ORDER BY r.text", "A river of stone|a river"},
		{"CALL db.index.fulltext.queryRelationships('said', 'stone') YIELD relationship AS r RETURN r.text", "A river of stone"},
		{"MATCH ()-[r:SAID {text: 'A river of stone'}]->() DELETE r", ""},
		{"CALL db.index.fulltext.queryRelationships('said', 'stone') YIELD relationship AS r RETURN r.text", ""},
		{"CALL db.check({full: true})", ""},
		{"DROP INDEX said", ""},
		{"CALL db.check({full: true})", ""},
	} {
		if got := strings.Join(run(t, s, x.text), "|"); got != x.want {
			t.Errorf("%s: %s, want %s", x.text, got, x.want)
		}
	}
	for text, want := range map[string]string{
		"CALL db.index.fulltext.queryRelationships('said', 'x') YIELD score RETURN score": `there is no fulltext index "said" of edges; there are "ways"`,
		"CALL db.index.fulltext.queryRelationships(1, 'x') YIELD score RETURN score":      "the argument indexName is of the type string, not integer",
	} {
		if _, err := tryRun(t.Context(), s, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	run(t, s, "CREATE FULLTEXT INDEX texts FOR (n:P) ON EACH [n.text]")
	if _, err := tryRun(t.Context(), s, "CALL db.index.fulltext.queryRelationships('texts', 'x') YIELD score RETURN score"); err == nil || !strings.Contains(err.Error(), `the fulltext index "texts" is not of edges: call db.index.fulltext.queryNodes`) {
		t.Error(err)
	}
}
