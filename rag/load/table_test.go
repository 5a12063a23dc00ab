package load_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/parquet-go/parquet-go"

	"github.com/ragdb/ragdb/rag/load"
)

// town is a row of the tests' table, with the kinds of columns that pandas
// writes.
type town struct {
	ID       string   `parquet:"id,optional"`
	People   int64    `parquet:"people"`
	Area     *float32 `parquet:"area,optional"`
	Streets  []string `parquet:"streets,list"`
	Findings []struct {
		Summary string `parquet:"summary,optional"`
		Score   int32  `parquet:"score"`
	} `parquet:"findings,list"`
	Raw []byte `parquet:"raw,optional"`
}

func parquetFile(t testing.TB, towns []town) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[town](&b, parquet.Compression(&parquet.Zstd))
	_, err := w.Write(towns)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func file(data string) fs.FS { return fstest.MapFS{"x": &fstest.MapFile{Data: []byte(data)}} }

// all reads a table.
func all(t testing.TB, fsys fs.FS, name string) (out []load.Record, err error) {
	t.Helper()
	for r, err := range load.Records(t.Context(), fsys, name) {
		if err != nil {
			return out, err
		}
		out = append(out, r)
	}
	return out, nil
}

// TestRecords reads one table in each format.
func TestRecords(t *testing.T) {
	t.Parallel()
	area := float32(2.5)
	towns := []town{{ID: "a", People: 12, Area: &area, Streets: []string{"Mill", "Quay"}, Raw: []byte("ö")}, {People: -1}}
	towns[0].Findings = append(towns[0].Findings, struct {
		Summary string `parquet:"summary,optional"`
		Score   int32  `parquet:"score"`
	}{"wet", 7})
	for range 200 { // more than are read at a time
		towns = append(towns, town{ID: "more"})
	}
	lines := `{"id":"a","people":12,"area":2.5,"streets":["Mill","Quay"],"findings":[{"summary":"wet","score":7}],"raw":"ö"}` + "\r\n\n" +
		`{"id":null,"people":-1,"streets":[],"findings":[]}` + "\n" + strings.Repeat(`{"id":"more","people":0,"streets":[],"findings":[]}`+"\n", 200)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(lines))
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{{
		"id": "a", "people": int64(12), "area": 2.5, "streets": []any{"Mill", "Quay"}, "raw": "ö",
		"findings": []any{map[string]any{"summary": "wet", "score": int64(7)}},
	}, {"people": int64(-1), "streets": []any{}, "findings": []any{}}}
	fsys := fstest.MapFS{
		"t.parquet":  {Data: parquetFile(t, towns)},
		"t.jsonl":    {Data: []byte("\ufeff" + lines)},
		"t.JSONL.gz": {Data: packed.Bytes()},
	}
	for _, name := range []string{"t.parquet", "t.jsonl", "t.JSONL.gz"} {
		got, err := all(t, fsys, name)
		if err != nil || len(got) != 202 {
			t.Fatalf("%s: %d rows, %v", name, len(got), err)
		}
		for i, w := range want {
			if !reflect.DeepEqual(got[i].Fields, w) {
				t.Errorf("%s: row %d: %#v, want %#v", name, i, got[i].Fields, w)
			}
		}
		if line := got[1].Line; line != 2 && (line != 3 || name == "t.parquet") {
			t.Errorf("%s: row 1 is line %d", name, line)
		}
	}
	for r := range load.Records(t.Context(), fsys, "t.parquet") {
		if r.Line > 1 {
			t.Fatal("it goes on after a break")
		}
		break
	}
}

// TestBadRecords names file and line of what is wrong, in one sentence.
func TestBadRecords(t *testing.T) {
	t.Parallel()
	good := parquetFile(t, []town{{ID: "a"}, {ID: "b"}})
	for name, x := range map[string]struct {
		data string
		line int
		why  string
	}{
		"a.jsonl":    {"{}\n[1]\n", 2, "array"},
		"b.jsonl":    {"{}\n\n{\"id\":", 3, "cut off"},
		"c.jsonl":    {"{} {}\n", 1, "more behind"},
		"d.jsonl":    {"null\n", 1, "null"},
		"e.jsonl":    {"{\"id\":\"\xff\"}\n", 1, "UTF-8"},
		"f.jsonl.gz": {"{} and more of it", 0, "gzip"},
		"g.csv":      {"a,b\n", 0, "table"},
		"h.parquet":  {"{}", 0, "Parquet"},
		"i.parquet":  {"PAR1" + strings.Repeat("x", 100) + "PAR1", 0, "Parquet"},
		"j.parquet":  {string(good[:len(good)-9]), 0, "Parquet"},
		"k.jsonl":    {"", -1, ""},
	} {
		got, err := all(t, fstest.MapFS{name: {Data: []byte(x.data)}}, name)
		if x.line < 0 {
			if err != nil || len(got) > 0 {
				t.Errorf("%s: %v %v", name, got, err)
			}
			continue
		}
		var bad *load.FileError
		if !errors.As(err, &bad) || bad.Path != name || bad.Line != x.line || !strings.Contains(err.Error(), x.why) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := all(t, file(""), "none.jsonl"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestDamagedParquet changes and cuts bytes of a file: there are rows or an
// error, and never a panic.
func TestDamagedParquet(t *testing.T) {
	t.Parallel()
	good := parquetFile(t, []town{{ID: "a", Streets: []string{"x"}}, {ID: "b"}})
	for i := range good {
		for _, bit := range []byte{1, 0x10, 0x80} {
			bad := bytes.Clone(good)
			bad[i] ^= bit
			_, err := all(t, fstest.MapFS{"x.parquet": {Data: bad}}, "x.parquet")
			var file *load.FileError
			if err != nil && !errors.As(err, &file) {
				t.Fatalf("byte %d: %v", i, err)
			}
		}
		if _, err := all(t, fstest.MapFS{"x.parquet": {Data: good[:i]}}, "x.parquet"); err == nil {
			t.Fatalf("%d bytes of %d are no file", i, len(good))
		}
	}
}

// TestRecordFields reads fields by name and kind.
func TestRecordFields(t *testing.T) {
	t.Parallel()
	r := load.Record{Path: "t.jsonl", Line: 4, Fields: map[string]any{
		"s": "a\r\nb", "n": int64(3), "f": 2.5, "l": []any{"x", int64(9)}, "bad": []any{map[string]any{}}, "nul": "a\x00b", "blank": " ",
	}}
	text := func(want string, names ...string) {
		t.Helper()
		if got, err := r.Text(names...); got != want || err != nil {
			t.Errorf("%v: %q, %v", names, got, err)
		}
	}
	text("a\nb", "s")
	text("3", "none", "n", "s")
	text("2.5", "f")
	text("", "none")
	if n, err := r.Number("n"); n != 3 || err != nil {
		t.Error(n, err)
	}
	if n, err := r.Number("none", "f"); n != 2.5 || err != nil {
		t.Error(n, err)
	}
	if l, err := r.Texts("l"); !reflect.DeepEqual(l, []string{"x", "9"}) || err != nil {
		t.Error(l, err)
	}
	for _, err := range []error{
		second(r.Text("l")), second(r.Text("nul")), second(r.Number("s")), second(r.Texts("s")), second(r.Texts("bad")), second(r.Need("none")), second(r.Need("blank")),
	} {
		var bad *load.FileError
		if !errors.As(err, &bad) || bad.Line != 4 || !strings.HasPrefix(err.Error(), "t.jsonl:4: has ") {
			t.Error(err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
