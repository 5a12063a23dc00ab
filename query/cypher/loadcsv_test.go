package cypher_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
)

func TestLoadCSV(t *testing.T) {
	files := memoryFiles{
		"people.csv":      bytes.NewBufferString("\xef\xbb\xbfname,age,tag\nAnn,36,\"a, \"\"b\"\"\"\nBob,,x\n"),
		"sub/semi.csv":    bytes.NewBufferString("a;1\r\nb;2;more\r\n"),
		"bad.csv":         bytes.NewBufferString("a,b\n1,2\n1,2,3\n"),
		"quote.csv":       bytes.NewBufferString("a,b\n\"1,2\n"),
		"twice.csv":       bytes.NewBufferString("a,a\n1,2\n"),
		"encoding.csv":    bytes.NewBufferString("a\n\xff\n"),
		"empty.csv":       bytes.NewBufferString(""),
		"/etc/secret.csv": bytes.NewBufferString("a\n"),
	}
	s := newSession(t, stores["memkv"], cypher.Options{Files: files})
	want(t, s, "LOAD CSV WITH HEADERS FROM 'people.csv' AS row RETURN row.name AS n, toInteger(row.age) AS a, row.tag AS t", "n | a | t",
		"'Ann' | 36 | 'a, \"b\"'", "'Bob' | null | 'x'")
	want(t, s, "LOAD CSV FROM 'file:///sub/semi.csv' AS row FIELDTERMINATOR ';' RETURN row", "row", "['a', '1']", "['b', '2', 'more']")
	want(t, s, "LOAD CSV FROM 'empty.csv' AS row RETURN row", "row")
	want(t, s, "LOAD CSV FROM 'people.csv' AS row RETURN row[0] AS n LIMIT 1", "n", "'name'")
	want(t, s, "UNWIND ['people.csv', null] AS f LOAD CSV WITH HEADERS FROM f AS row RETURN count(*) AS n", "n", "2")
	give(t, s, "LOAD CSV WITH HEADERS FROM 'people.csv' AS row CALL (row) { MERGE (:Person {key: row.name}) } IN TRANSACTIONS OF 1 ROW;")
	want(t, s, "MATCH (p:Person) RETURN p.key AS k ORDER BY k", "k", "'Ann'", "'Bob'")
	for text, part := range map[string]string{
		"LOAD CSV FROM '/etc/secret.csv' AS row RETURN row":                 "below the working directory",
		"LOAD CSV FROM '../people.csv' AS row RETURN row":                   "below the working directory",
		"LOAD CSV FROM 'http://example.org/a.csv' AS row RETURN row":        "download it first",
		"LOAD CSV WITH HEADERS FROM 'bad.csv' AS row RETURN row":            "line 3: 3 cells",
		"LOAD CSV FROM 'quote.csv' AS row RETURN row":                       "line 2",
		"LOAD CSV WITH HEADERS FROM 'twice.csv' AS row RETURN row":          "the column \"a\"",
		"LOAD CSV FROM 'encoding.csv' AS row RETURN row":                    "not UTF-8",
		"LOAD CSV FROM 'none.csv' AS row RETURN row":                        "not exist",
		"LOAD CSV FROM 7 AS row RETURN row":                                 "name of a file",
		"LOAD CSV FROM 'people.csv' AS row FIELDTERMINATOR 'ab' RETURN row": "one character",
		"LOAD CSV FROM 'people.csv' AS row FIELDTERMINATOR '\"' RETURN row": "one character",
		"LOAD CSV FROM 'people.csv' AS row":                                 "RETURN is missing",
	} {
		if _, _, err := outcome(s, text, nil); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %s", text, err, part)
		}
	}
	s = newSession(t, stores["memkv"], cypher.Options{Files: files, AnyFile: true})
	want(t, s, "LOAD CSV FROM '/etc/secret.csv' AS row RETURN row", "row", "['a']")
	want(t, s, "LOAD CSV FROM 'file:///etc/secret.csv' AS row RETURN row", "row", "['a']")
}
