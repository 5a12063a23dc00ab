package safetensors_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm/encoder/internal/safetensors"
)

// file puts the length before a header and data behind it.
func file(header string, data int) []byte {
	b := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	for i := range data {
		b = append(b, byte(i*37))
	}
	return b
}

func open(t testing.TB, content []byte) (*safetensors.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Open(path)
	if err == nil {
		t.Cleanup(func() { _ = f.Close() })
	}
	return f, err
}

func entry(name, kind, shape string, from, to int) string {
	return fmt.Sprintf(`%q:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]}`, name, kind, shape, from, to)
}

func TestTypes(t *testing.T) {
	header := `{"__metadata__":{"format":"pt"},` + strings.Join([]string{
		entry("f32", "F32", "[2,2]", 0, 16), entry("f16", "F16", "[3]", 16, 22), entry("bf16", "BF16", "[1]", 22, 24),
		entry("f64", "F64", "[1]", 24, 32), entry("i64", "I64", "[1]", 32, 40), entry("none", "F32", "[0,5]", 40, 40),
		entry("one", "F32", "[]", 40, 44),
	}, ",") + "}"
	content := file(header, 44)
	data := content[len(content)-44:]
	for i, f := range []float32{1, -2, .5, float32(math.Inf(1))} {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(f))
	}
	copy(data[16:], []byte{0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0x80, 0x3f}) // 1, -2, 2^-24; 1
	binary.LittleEndian.PutUint64(data[24:], math.Float64bits(.1))
	binary.LittleEndian.PutUint64(data[32:], uint64(1<<40))
	f, err := open(t, content)
	if err != nil {
		t.Fatal(err)
	}
	if f.Len() != 7 || string(f.Header()) != header {
		t.Errorf("%d tensors, header %s", f.Len(), f.Header())
	}
	for name, want := range map[string][]float32{
		"f32": {1, -2, .5, float32(math.Inf(1))}, "f16": {1, -2, 0x1p-24}, "bf16": {1}, "f64": {.1}, "none": {},
	} {
		x, ok := f.Tensor(name)
		if !ok || x.Len() != len(want) || !x.Float() {
			t.Fatalf("tensor %s: %v, %d elements", name, ok, x.Len())
		}
		got := make([]float32, len(want))
		x.Floats(got, 0)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("tensor %s is %v, want %v", name, got, want)
		}
		if v, ok := x.View(); ok && fmt.Sprint(v) != fmt.Sprint(want) {
			t.Errorf("view of %s is %v, want %v", name, v, want)
		}
	}
	if x, _ := f.Tensor("i64"); x.Float() || x.Int64(0) != 1<<40 {
		t.Error("tensor i64 is wrong")
	}
	x, _ := f.Tensor("f32")
	part := make([]float32, 2)
	if x.Floats(part, 1); part[0] != -2 || part[1] != .5 {
		t.Errorf("elements 1 and 2 are %v", part)
	}
	f.Release()
	if v, ok := x.View(); ok && v[0] != 1 {
		t.Error("a view is lost after Release")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func TestWrongFiles(t *testing.T) {
	huge := binary.LittleEndian.AppendUint64(nil, 1<<62)
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"empty":            {nil, "it has 0 bytes"},
		"seven bytes":      {make([]byte, 7), "it has 7 bytes"},
		"huge header":      {append(huge, "{}"...), "its header is said to have 4611686018427387904 bytes"},
		"long header":      {file("{}"+strings.Repeat(" ", 5<<20), 0), "at most 4194304 are read"},
		"no header":        {file("", 0), "not a JSON object"},
		"zip":              {[]byte("PK\x03\x04\x00\x00\x00\x00 and more"), "its header is said"},
		"list":             {file("[1]", 0), "not a JSON object"},
		"cut header":       {file(`{"a":{"dtype":"F32","shape":[1],`, 4), "does not describe"},
		"cut after entry":  {file("{"+entry("a", "F32", "[1]", 0, 4), 4), "ends in the middle"},
		"text as entry":    {file(`{"a":"b"}`, 4), "does not describe"},
		"type":             {file("{"+entry("a", "F31", "[1]", 0, 4)+"}", 4), `unknown type "F31"`},
		"passes the end":   {file("{"+entry("a", "F32", "[2]", 0, 8)+"}", 4), "the file is cut"},
		"begins behind":    {file("{"+entry("a", "F32", "[1]", 8, 4)+"}", 12), "the file is cut"},
		"negative":         {file("{"+entry("a", "F32", "[1]", -4, 0)+"}", 12), "the file is cut"},
		"too few bytes":    {file("{"+entry("a", "F32", "[3]", 0, 8)+"}", 12), "its shape [3] takes 12"},
		"overflow":         {file("{"+entry("a", "F32", "[4294967296,4294967296,4]", 0, 0)+"}", 4), "impossible shape"},
		"negative shape":   {file("{"+entry("a", "F32", "[-1,-4]", 0, 4)+"}", 4), "impossible shape"},
		"long shape":       {file("{"+entry("a", "F32", "["+strings.Repeat("1,", 200)+"1]", 0, 4)+"}", 4), "has a shape of 403 characters"},
		"shape of text":    {file("{"+entry("a", "F32", `"1"`, 0, 4)+"}", 4), "has no shape"},
		"no shape":         {file(`{"a":{"dtype":"F32","data_offsets":[0,4]}}`, 4), "has no shape"},
		"twice":            {file("{"+entry("a", "F32", "[1]", 0, 4)+","+entry("a", "F32", "[1]", 4, 8)+"}", 8), "twice"},
		"overlap":          {file("{"+entry("a", "F32", "[2]", 0, 8)+","+entry("b", "F32", "[1]", 4, 8)+"}", 8), "lie over one another"},
		"the same bytes":   {file("{"+entry("a", "F32", "[1]", 0, 4)+","+entry("b", "F32", "[1]", 0, 4)+"}", 8), "lie over one another"},
		"offset of number": {file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,1e40]}}`, 4), "does not describe"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := open(t, c.content)
			if !errors.Is(err, safetensors.ErrFormat) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if err != nil && len(err.Error()) > 600 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
	if _, err := safetensors.Open(t.TempDir()); !errors.Is(err, safetensors.ErrFormat) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := safetensors.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// FuzzSafetensors opens what the fuzzer writes, and reads every tensor that the
// file then has. What Open allocates is bounded by the file.
func FuzzSafetensors(f *testing.F) {
	f.Add(file("{"+entry("a", "F32", "[2,2]", 0, 16)+","+entry("b", "F16", "[4]", 16, 24)+"}", 24))
	f.Add(file(`{"__metadata__":{"x":[1,{"y":2}]},`+entry("a", "BF16", "[1,2,3]", 0, 12)+"}", 12))
	f.Add(file("{}", 0))
	path := filepath.Join(f.TempDir(), "model.safetensors")
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		file, err := safetensors.Open(path)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 32<<10+32*uint64(len(content)) {
			t.Errorf("a file of %d bytes makes Open allocate %d", len(content), n)
		}
		if err != nil {
			if !errors.Is(err, safetensors.ErrFormat) {
				t.Errorf("error %v", err)
			}
			return
		}
		defer file.Close()
		for _, name := range []string{"a", "b"} {
			if x, ok := file.Tensor(name); ok && x.Float() {
				x.Floats(make([]float32, x.Len()), 0)
				x.View()
			}
		}
	})
}
