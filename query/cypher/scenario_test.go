package cypher_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/query/cypher"
)

// scenario is a graph, a statement on it and what must come of it. They stand
// in testdata/scenarios, one file for each area of the language:
//
//	# what is shown
//	given
//	  statements that make the graph, each ended by a semicolon
//	params {"name": value}
//	when
//	  the statement
//	then
//	  column | column
//	  value | value
//
// Without given the graph is that of the scenario before, newly made. Then may
// be "then in order", "then writes" with the counts that are not 0, "then error"
// with a part of the message, or "then nothing".
type scenario struct {
	name, given, params, when string
	kind                      string
	want                      []string
	line                      int
}

func readScenarios(t *testing.T, path string) []*scenario {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return parseScenarios(t, path, string(text))
}

func parseScenarios(t testing.TB, path, text string) []*scenario {
	t.Helper()
	var out []*scenario
	var s *scenario
	part, given := "", ""
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "# "):
			s = &scenario{name: line[2:], given: given, line: i + 1}
			out = append(out, s)
			part = ""
		case line == "":
		case s == nil:
			t.Fatalf("%s:%d: no scenario yet", path, i+1)
		case line == "given":
			part, given, s.given = "given", "", ""
		case line == "when":
			part = "when"
		case strings.HasPrefix(line, "params "):
			s.params = line[len("params "):]
		case line == "then" || strings.HasPrefix(line, "then "):
			part = "then"
			s.kind = strings.TrimSpace(strings.TrimPrefix(line, "then"))
		case strings.HasPrefix(line, "  "):
			switch part {
			case "given":
				given += line[2:] + "\n"
				s.given = given
			case "when":
				s.when += line[2:] + "\n"
			case "then":
				s.want = append(s.want, strings.TrimSpace(line))
			default:
				t.Fatalf("%s:%d: of no part", path, i+1)
			}
		default:
			t.Fatalf("%s:%d: %q", path, i+1, line)
		}
	}
	return out
}

// stores are the storage engines that scenarios run on.
var stores = map[string]*engine.Options{
	"pebble": {NoBackground: true},
	"memkv": {NoBackground: true, OpenStore: func(_ context.Context, _ string, s *kv.Schema) (kv.Store, error) {
		return memkv.New(s), nil
	}},
}

func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		area := strings.TrimSuffix(filepath.Base(file), ".txt")
		for _, s := range readScenarios(t, file) {
			for store, o := range stores {
				t.Run(area+"/"+s.name+"/"+store, func(t *testing.T) {
					t.Parallel()
					s.run(t, o)
				})
			}
		}
	}
}

// newSession returns a session on an empty graph of an empty database.
func newSession(t testing.TB, eo *engine.Options, o cypher.Options) *cypher.Session {
	t.Helper()
	ctx := context.Background()
	db, err := engine.Open(ctx, engine.Memory, eo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ns.Graph(ctx, "town"); err != nil {
		t.Fatal(err)
	}
	o.DB, o.Namespace, o.Graph = db, ns, "town"
	s, err := cypher.NewSession(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// give runs the statements of a script.
func give(t testing.TB, s *cypher.Session, script string) {
	t.Helper()
	pieces, _, complete := cypher.Split(script)
	if !complete {
		t.Fatalf("a statement of the script is not ended: %s", script)
	}
	for _, p := range pieces {
		res, err := s.Run(context.Background(), p.Text, nil)
		if err != nil {
			t.Fatalf("%s: %v", p.Text, err)
		}
		if err := res.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// outcome runs a statement and returns its columns and rows as lines.
func outcome(s *cypher.Session, text string, params map[string]cypher.Value) (lines []string, counts cypher.Counts, err error) {
	res, err := s.Run(context.Background(), text, params)
	if err != nil {
		return nil, counts, err
	}
	defer res.Close()
	lines = append(lines, strings.Join(res.Columns, " | "))
	for row, err := range res.Rows() {
		if err != nil {
			return lines, counts, err
		}
		var cells []string
		for _, v := range row {
			one := cypher.ListOf([]cypher.Value{v}).String() // strings in quotes
			cells = append(cells, one[1:len(one)-1])
		}
		lines = append(lines, strings.Join(cells, " | "))
	}
	return lines, res.Counts, nil
}

func (sc *scenario) run(t *testing.T, o *engine.Options) {
	s := newSession(t, o, cypher.Options{})
	give(t, s, sc.given)
	var params map[string]cypher.Value
	if sc.params != "" {
		var m map[string]any
		d := json.NewDecoder(strings.NewReader(sc.params))
		d.UseNumber()
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		v, err := cypher.ValueOf(m)
		if err != nil {
			t.Fatal(err)
		}
		params = v.AsMap()
	}
	lines, counts, err := outcome(s, sc.when, params)
	if sc.kind == "error" {
		if err == nil {
			t.Fatalf("line %d: no error, but\n%s", sc.line, strings.Join(lines, "\n"))
		}
		for _, w := range sc.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("line %d: the error is %q, not %q", sc.line, err, w)
			}
		}
		return
	}
	if err != nil {
		t.Fatalf("line %d: %v", sc.line, err)
	}
	switch sc.kind {
	case "nothing":
		if len(lines) > 1 || counts.Any() {
			t.Errorf("line %d: %s %+v", sc.line, strings.Join(lines, "\n"), counts)
		}
		return
	case "writes":
		if got := countsText(counts); got != strings.Join(sc.want, " ") {
			t.Errorf("line %d: wrote %s, not %s", sc.line, got, strings.Join(sc.want, " "))
		}
		return
	case "":
		slices.Sort(lines[1:])
		slices.Sort(sc.want[1:])
	case "in order":
	default:
		t.Fatalf("line %d: then %s", sc.line, sc.kind)
	}
	if !slices.Equal(lines, sc.want) {
		t.Errorf("line %d: got\n  %s\nnot\n  %s", sc.line, strings.Join(lines, "\n  "), strings.Join(sc.want, "\n  "))
	}
}

// countsText lists the counts that are not 0.
func countsText(c cypher.Counts) string {
	var out []string
	for _, f := range []struct {
		name string
		n    int
	}{
		{"+nodes", c.NodesCreated}, {"-nodes", c.NodesDeleted}, {"+edges", c.EdgesCreated}, {"-edges", c.EdgesDeleted},
		{"properties", c.PropertiesSet}, {"vectors", c.VectorsSet}, {"+indexes", c.IndexesAdded}, {"-indexes", c.IndexesRemoved},
		{"+constraints", c.ConstraintsAdded}, {"-constraints", c.ConstraintsRemoved},
	} {
		if f.n != 0 {
			out = append(out, fmt.Sprint(f.name, " ", f.n))
		}
	}
	return strings.Join(out, " ")
}
