package cypher_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

// memoryFiles are files that a test keeps.
type memoryFiles map[string]*bytes.Buffer

func (m memoryFiles) Open(name string) (io.ReadCloser, error) {
	if m[name] == nil {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(m[name].Bytes())), nil
}

func (m memoryFiles) Create(name string) (io.WriteCloser, error) {
	m[name] = &bytes.Buffer{}
	return nopCloser{m[name]}, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func TestCopy(t *testing.T) {
	files := memoryFiles{
		"people.csv": bytes.NewBufferString("\xef\xbb\xbfkey,name,age:int,tags:strings\nann,\"Ann, A.\",36,x;y\nbob,Bob,,\n"),
		"pets.jsonl": bytes.NewBufferString("{\"key\":\"rex\",\"age\":3,\"v\":[1,2]}\n\n{\"key\":\"tom\",\"good\":true,\"v\":[0.5,1]}\n"),
		"owns.jsonl": bytes.NewBufferString("{\"from\":\"ann\",\"to\":\"rex\",\"weight\":2,\"since\":2001}\n{\"from\":\"bob\",\"to\":\"tom\"}\n"),
	}
	for store, o := range stores {
		t.Run(store, func(t *testing.T) {
			s := newSession(t, o, cypher.Options{Files: files})
			give(t, s, `CREATE VECTOR INDEX FOR (p:Pet) ON (p.v) OPTIONS {dimensions: 2, similarity: 'dot', kind: 'flat'};
				COPY Person FROM 'people.csv'; COPY Pet FROM 'pets.jsonl'; COPY OWNS FROM 'owns.jsonl' (FROM Person TO Pet);`)
			want(t, s, "MATCH (n:Person) RETURN n ORDER BY n.key", "n",
				"(:Person {key: 'ann', age: 36, name: 'Ann, A.', tags: ['x', 'y']})", "(:Person {key: 'bob', name: 'Bob'})")
			want(t, s, "MATCH (a)-[r:OWNS]->(b) RETURN a.key, r, b.v ORDER BY a.key", "a.key | r | b.v",
				"'ann' | [:OWNS {since: 2001, weight: 2.0}] | [1.0, 2.0]", "'bob' | [:OWNS] | [0.5, 1.0]")

			give(t, s, `COPY (MATCH (n:Person) RETURN n.key AS key, n.name AS name, n.age AS `+"`age:int`"+` ORDER BY key) TO 'out.csv';
				COPY (MATCH (n:Person) RETURN n.key AS key, n.tags AS tags ORDER BY key) TO 'out.jsonl';`)
			if got, want := files["out.csv"].String(), "key,name,age:int\nann,\"Ann, A.\",36\nbob,Bob,\n"; got != want {
				t.Errorf("wrote %q, not %q", got, want)
			}
			if got, want := files["out.jsonl"].String(), "{\"key\":\"ann\",\"tags\":[\"x\",\"y\"]}\n{\"key\":\"bob\",\"tags\":null}\n"; got != want {
				t.Errorf("wrote %q, not %q", got, want)
			}
		})
	}
}

// TestCopyErrors: an error names the file and the line, and leaves nothing of
// the file.
func TestCopyErrors(t *testing.T) {
	files := memoryFiles{
		"int.csv":    bytes.NewBufferString("key,age:int\nann,36\nbob,old\n"),
		"type.csv":   bytes.NewBufferString("key,age:years\n"),
		"short.csv":  bytes.NewBufferString("key,age\nann\n"),
		"twice.csv":  bytes.NewBufferString("key\nann\nbob\nann\n"),
		"there.csv":  bytes.NewBufferString("key\nnew\nrex\n"),
		"json.jsonl": bytes.NewBufferString("{\"key\":\"ann\"}\n{\"key\":\n"),
		"list.jsonl": bytes.NewBufferString("{\"key\":\"ann\",\"v\":[1,\"a\"]}\n"),
		"map.jsonl":  bytes.NewBufferString("{\"key\":\"ann\",\"v\":{\"a\":1}}\n"),
		"key.jsonl":  bytes.NewBufferString("{\"key\":7}\n"),
		"ends.jsonl": bytes.NewBufferString("{\"from\":\"rex\",\"to\":\"nobody\"}\n"),
		"noext":      bytes.NewBufferString("key\n"),
	}
	for _, c := range []struct{ text, want string }{
		{"COPY X FROM 'int.csv'", "int.csv: line 3: column age: \"old\" is not an integer"},
		{"COPY X FROM 'type.csv'", "line 1: the column \"age:years\" has an unknown type"},
		{"COPY X FROM 'short.csv'", "line 2: wrong number of fields"},
		{"COPY X FROM 'twice.csv'", "\"ann\""},
		{"COPY Pet FROM 'there.csv'", "line 3: there is a Pet with the key \"rex\" already"},
		{"COPY X FROM 'json.jsonl'", "line 2: no JSON object"},
		{"COPY X FROM 'list.jsonl'", "line 1: a property cannot be a list of values of several kinds"},
		{"COPY X FROM 'map.jsonl'", "line 1: a property cannot be a map"},
		{"COPY X FROM 'key.jsonl'", "line 1: a key is a string"},
		{"COPY T FROM 'ends.jsonl' (FROM Pet TO Pet)", "line 1: there is no Pet with the key \"nobody\""},
		{"COPY X FROM 'noext'", "the format of \"noext\" is not known"},
		{"COPY X FROM 'missing.csv'", "not exist"},
		{"COPY X FROM 'twice.csv' OPTIONS {header: true}", "no option header"},
		{"COPY (MATCH (n) DELETE n RETURN 1) TO 'x.csv'", "not supported"},
	} {
		t.Run(c.text, func(t *testing.T) {
			s := newSession(t, stores["pebble"], cypher.Options{Files: files})
			give(t, s, "CREATE (:Pet {key: 'rex'});")
			_, err := s.Run(context.Background(), c.text, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, not %s", err, c.want)
			}
			want(t, s, "MATCH (n) RETURN count(*)", "count(*)", "1")
		})
	}
	s := newSession(t, stores["pebble"], cypher.Options{})
	if _, err := s.Run(context.Background(), "COPY X FROM 'int.csv'", nil); err == nil || !strings.Contains(err.Error(), "no files") {
		t.Errorf("COPY without files: %v", err)
	}
	var line *engine.LineError
	s = newSession(t, stores["pebble"], cypher.Options{Files: files})
	if _, err := s.Run(context.Background(), "COPY X FROM 'int.csv'", nil); !errors.As(err, &line) || line.Line != 3 {
		t.Errorf("the error has no line: %v", err)
	}
}

// want compares the rows of a statement, in their order.
func want(t *testing.T, s *cypher.Session, text string, lines ...string) {
	t.Helper()
	got, _, err := outcome(s, text, nil)
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return
	}
	if strings.Join(got, "\n") != strings.Join(lines, "\n") {
		t.Errorf("%s: got\n%s\nnot\n%s", text, strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}
