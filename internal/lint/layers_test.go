package lint_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/ragdb/ragdb"

// layers lists the packages from the top down: a package may import what stands on a
// later line. A name covers its subtree but for packages that have a line of their own;
// within what one name covers, a package and those below it may import each other.
var layers = [][]string{
	{"cmd/ragdb", "bench"},
	{"."}, // package ragdb
	{"internal/api"},
	{"internal/service"},
	{"rag/ragtest"},
	{"rag/methods"},
	{"rag/eval", "rag/importer"},
	{"rag/baseline"}, // some methods read what ketrag and hirag built
	{"rag/archrag", "rag/bridge", "rag/erarag", "rag/hirag", "rag/ketrag", "rag/linearrag", "rag/noderag"},
	{"rag/internal/ragtest"}, // for tests
	{"rag"},
	{"rag/link"},
	{"rag/internal/community", "rag/internal/knowledge"},
	{"rag/internal/graph"},
	{"rag/method"},
	{"rag/internal/queue"},
	{"rag/internal/models"},
	{"rag/ledger", "rag/internal/crew", "rag/internal/words"},
	{"rag/internal/corpus"},
	{"rag/cost", "rag/prompts", "rag/llm/local", "rag/llm/openai", "rag/llm/replay"},
	{"rag/llm", "rag/load"},
	{"rag/text", "rag/internal/selection"},
	{"rag/internal/text", "rag/internal/encoded", "rag/internal/pdf", "rag/internal/pdftest"},
	{"rag/internal/varint"},
	{"internal/llmtest"}, // a server that stands in for models, in tests
	{"query"},
	{"graphops"},
	{"engine"},
	{"vecindex"},
	{"kv"},
	{"internal/layout"},
}

// leaves may be imported by any layer and import nothing of the project.
var leaves = []string{"engine/text", "engine/temporal", "internal/column", "internal/distance", "internal/evaldata", "internal/topk", "internal/damagetest", "internal/growthtest", "internal/functionword", "internal/buildinfo", "internal/unfinished", "internal/fault", "internal/memorybound", "internal/plain", "internal/memory", "internal/holder", "internal/pgtest"}

// exceptions are the arrows that the list alone would forbid, with the reason.
var exceptions = map[string]string{
	"internal/llmtest -> rag/llm":        "it answers the tasks that package llm defines",
	"internal/llmtest -> rag/llm/openai": "its test speaks to it as a client",
	"internal/llmtest -> rag/prompts":    "it reads the prompts that the tasks become",
	"internal/layout -> kv":              "layout gives kv its Schema and Fold, and names them by kv's types",
}

// homes lists the external modules and the packages that may import them. A
// name covers its subtree.
var homes = map[string][]string{
	"github.com/cockroachdb/pebble/v2":    {"kv/pebblekv"},
	"github.com/tidwall/btree":            {"kv/memkv"},
	"github.com/jackc/pgx/v5":             {"kv/pgkv", "internal/pgtest"},
	"github.com/RoaringBitmap/roaring":    {"internal/layout", "engine", "vecindex", "graphops", "query", "rag", "cmd/ragdb", "bench"},
	"github.com/klauspost/compress":       {"engine", "rag"},
	"github.com/google/flatbuffers":       {"engine"},
	"github.com/sashabaranov/go-openai":   {"rag/llm"},
	"github.com/parquet-go/parquet-go":    {"rag/load"},
	"github.com/yuin/goldmark":            {"rag/load"},
	"golang.org/x/net":                    {"rag/load"},
	"github.com/tiktoken-go/tokenizer":    {"rag/internal/text"},
	"github.com/clipperhouse/uax29":       {"rag/internal/text", "engine/text", "rag/llm/encoder"},
	"github.com/blevesearch/snowballstem": {"engine/text", "rag/eval"},
	"github.com/spf13/cobra":              {"cmd/ragdb"},
	"github.com/spf13/pflag":              {"cmd/ragdb"},
	"github.com/mattn/go-runewidth":       {"cmd/ragdb"},
	"github.com/bmatcuk/doublestar/v4":    {"rag/load"},
	"github.com/peterh/liner":             {"cmd/ragdb"},
	"github.com/fsnotify/fsnotify":        {"cmd/ragdb"},
	"gopkg.in/yaml.v3":                    {"cmd/ragdb"},
	"go.yaml.in/yaml/v3":                  {"cmd/ragdb", "rag/load"},
	"gonum.org/v1/plot":                   {"bench"},
	"gonum.org/v1/gonum":                  {"graphops", "bench"},
	"go.etcd.io/bbolt":                    {"bench"},
	"github.com/dgraph-io/badger":         {"bench"},
	"modernc.org/sqlite":                  {"bench"},
	"golang.org/x/sync":                   {"kv", "vecindex", "engine", "graphops", "query", "rag", "cmd/ragdb", "bench"},
	"golang.org/x/sys":                    {"internal/holder", "kv/pebblekv", "internal/distance", "vecindex", "rag/llm/encoder", "cmd/ragdb"},
	"golang.org/x/text":                   {"engine", "query/cypher", "rag", "cmd/ragdb"},
	"golang.org/x/term":                   {"cmd/ragdb"},
	"github.com/rogpeppe/go-internal":     {"cmd/ragdb"},

	"github.com/modelcontextprotocol/go-sdk": {"cmd/ragdb/internal/mcpserver"},
}

func covers(name, pkg string) bool { return pkg == name || strings.HasPrefix(pkg, name+"/") }

// layerOf returns the layer of a package: that of the longest name that covers it, -1 if
// none does.
func layerOf(pkg string) int {
	layer, longest := -1, ""
	for i, names := range layers {
		for _, n := range names {
			if covers(n, pkg) && len(n) > len(longest) {
				layer, longest = i, n
			}
		}
	}
	return layer
}

func isLeaf(pkg string) bool {
	return slices.ContainsFunc(leaves, func(l string) bool { return covers(l, pkg) })
}

// TestLayers reads every import and fails on an arrow that goes up.
func TestLayers(t *testing.T) {
	root := repository(t)
	files := 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && p != root || d.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		files++
		pkg := path.Dir(filepath.ToSlash(rel))
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range f.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			if why := refuse(pkg, name, strings.HasSuffix(p, "_test.go")); why != "" {
				t.Errorf("%s imports %s: %s", rel, name, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Fatalf("only %d files were read", files)
	}
}

// refuse returns why a package may not import another, "" if it may.
func refuse(pkg, imp string, test bool) string {
	if imp == module {
		return refuseOwn(pkg, ".", test)
	}
	if rest, ok := strings.CutPrefix(imp, module+"/"); ok {
		return refuseOwn(pkg, rest, test)
	}
	if !strings.Contains(strings.Split(imp, "/")[0], ".") {
		return "" // the standard library
	}
	if test && strings.HasPrefix(imp, "github.com/cockroachdb/pebble/v2/vfs") &&
		(covers("engine", pkg) || covers("query/cypher", pkg) || pkg == "rag") {
		return "" // file systems that crash and fail, for tests of what is written
	}
	for mod, where := range homes {
		if covers(mod, imp) || strings.HasPrefix(imp, mod+"/") {
			if slices.ContainsFunc(where, func(h string) bool { return covers(h, pkg) }) {
				return ""
			}
			return "its home is " + strings.Join(where, ", ")
		}
	}
	return "the module has no home in internal/lint"
}

func refuseOwn(pkg, imp string, test bool) string {
	from, to := layerOf(pkg), layerOf(imp)
	switch {
	case isLeaf(imp), from == to && (covers(imp, pkg) || covers(pkg, imp)):
		return ""
	case isLeaf(pkg):
		return "a leaf imports nothing of the project"
	case exceptions[pkg+" -> "+imp] != "":
		return ""
	case pkg == "internal/lint" || from < 0:
		return "the package stands in no layer"
	case to < 0:
		return "the imported package stands in no layer"
	case test && (imp == "kv/kvtest" || imp == "kv/memkv" || covers("rag", pkg) && covers("rag", imp)):
		return ""
	case from > to:
		return "imports go down only"
	case from == to && !sameTree(pkg, imp):
		return "one layer's packages do not import each other"
	}
	return ""
}

// sameTree reports whether one name of a layer covers both packages.
func sameTree(a, b string) bool {
	return slices.ContainsFunc(layers[layerOf(a)], func(n string) bool { return covers(n, a) && covers(n, b) }) && !covers("cmd", a)
}

func TestRefuse(t *testing.T) {
	for _, c := range []struct {
		pkg, imp string
		ok       bool
	}{
		{"engine", module + "/kv", true},
		{"kv", module + "/engine", false},
		{"engine", module + "/graphops", false},
		{"vecindex", module + "/engine", false},
		{"kv/memkv", module + "/kv", true},
		{"vecindex", module + "/internal/distance", true},
		{"graphops", module + "/internal/distance", true},
		{"engine/text", module + "/kv", false},
		{"internal/layout", module + "/kv", true},
		{"internal/layout", module + "/engine", false},
		{"engine", "github.com/cockroachdb/pebble/v2", false},
		{"kv/pebblekv", "github.com/cockroachdb/pebble/v2/vfs", true},
		{"rag/load", "github.com/sashabaranov/go-openai", false},
		{"engine", "example.org/unknown", false},
		{"engine", "encoding/json", true},
		{"cmd/ragdb", module + "/bench", false},
		{"cmd/ragdb", module, true},
		{".", module + "/rag", true},
		{"rag", module, false},
		{"rag", module + "/rag/method", true},
		{"rag", module + "/rag/hirag", false},
		{"rag/method", module + "/rag", false},
		{"rag/method", module + "/rag/internal/graph", false},
		{"rag/hirag", module + "/rag/ketrag", false},
		{"rag/erarag", module + "/rag/erarag/internal/runs", true},
		{"rag/internal/corpus", module + "/rag/internal/models", false},
		{"rag/internal/models", module + "/rag/ledger", true},
		{"rag/cost", module + "/rag/internal/corpus", false},
	} {
		if why := refuse(c.pkg, c.imp, false); (why == "") != c.ok {
			t.Errorf("%s -> %s: %q", c.pkg, c.imp, why)
		}
	}
}

func repository(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal(err)
	return ""
}
