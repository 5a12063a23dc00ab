package baseline_test

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/baseline"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

var update = flag.Bool("update", false, "write the golden files anew")

// corpus are the documents of the tests, in the order in which they are read.
func corpus(seed uint64, n int) []ragtest.Doc {
	docs := ragtest.Docs(seed, n)
	slices.SortFunc(docs, func(a, b ragtest.Doc) int { return cmp.Compare(a.Key, b.Key) })
	return docs
}

// retrievesNothing are the baselines that ask a model alone.
var retrievesNothing = []string{"zeroshot", "cot"}

// TestConformance says of every baseline what holds for all methods: it finds
// the document that a question names, cites chunks that are there, stays within
// the budget, and shows nothing of documents that are filtered out; and a
// document that came and went has left no trace.
func TestConformance(t *testing.T) {
	t.Parallel()
	const n = 8
	docs := corpus(91, n+1)
	for _, name := range baseline.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := open(t)
			c.Index(t, name, docs[:n]...)
			before := c.Canonical(t)
			q := method.Question{Text: "What did " + docs[4].Hero + " of " + docs[4].Place + " do?", Budget: 1500}
			found(t, c, name, q, docs[4])
			filtered(t, c, name, q, docs[4])
			c.Index(t, name, docs[n])
			if c.Canonical(t) == before {
				t.Fatal("nothing came")
			}
			c.Remove(t, docs[n].Key)
			c.Index(t, name)
			if left := ragtest.Find(t, c.Store, docs[n].Code); len(left) > 0 {
				t.Errorf("%d keys tell of the removed document, such as %s", len(left), left[0])
			}
			ragtest.Same(t, "added and removed", c.Canonical(t), before)
			ragtest.Check(t, c.DB())
			if r := c.Index(t, name); len(r.Stages) > 0 {
				t.Errorf("a run without news did %+v", r.Stages)
			}
		})
	}
}

// TestReplaced says that a document in another version is indexed as if it had
// always been the other one.
func TestReplaced(t *testing.T) {
	t.Parallel()
	docs := corpus(92, 6)
	changed := slices.Clone(docs)
	for i := range changed {
		if changed[i].Key == docs[3].Key {
			changed[i] = ragtest.Document(92, index(92, docs[3].Key), 1)
		}
	}
	for _, name := range baseline.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, fresh := open(t), open(t)
			c.Index(t, name, docs...)
			c.Index(t, name, changed...)
			c.Index(t, name)
			fresh.Index(t, name, changed...)
			a, b := retrieve(t, c, name, method.Question{Text: "Who is " + changed[3].Hero + "?"}), retrieve(t, fresh, name, method.Question{Text: "Who is " + changed[3].Hero + "?"})
			if x, y := keysOf(a), keysOf(b); !slices.Equal(x, y) {
				t.Errorf("replaced: %v, built anew: %v", x, y)
			}
			ragtest.Check(t, c.DB())
		})
	}
}

// index is the number of the document of a key.
func index(seed uint64, key string) int {
	return slices.IndexFunc(ragtest.Docs(seed, 20), func(d ragtest.Doc) bool { return d.Key == key })
}

func retrieve(t *testing.T, c *ragtest.Corpus, name string, q method.Question) *rag.Evidence {
	t.Helper()
	ev := c.Evidence(t, name, q)
	if ev.Tokens > max(q.Budget, 1) && q.Budget > 0 {
		t.Errorf("%d tokens of %d", ev.Tokens, q.Budget)
	}
	return ev
}

// keysOf are the chunks of the evidence, in order of key.
func keysOf(ev *rag.Evidence) []string {
	var out []string
	for _, it := range ev.Items() {
		out = append(out, it.Chunks...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// found asks for a document.
func found(t *testing.T, c *ragtest.Corpus, name string, q method.Question, d ragtest.Doc) {
	t.Helper()
	ev := retrieve(t, c, name, q)
	if before, _, _ := strings.Cut(name, ":"); ev.Method != before {
		t.Errorf("the evidence is of %s", ev.Method)
	}
	if slices.Contains(retrievesNothing, name) {
		if len(ev.Items()) > 0 {
			t.Errorf("%d items", len(ev.Items()))
		}
		return
	}
	met := false
	err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		for _, it := range ev.Items() {
			if len(it.Chunks) == 0 || len(it.Spans) == 0 || it.Text == "" {
				t.Errorf("%s %v rests on %v at %v", it.Kind, it.Keys, it.Chunks, it.Spans)
			}
			for _, key := range it.Chunks {
				if _, err := c.ChunkByKey(s.Graph(c.Base()), c.System(t, name).ChunkSet(), key); err != nil {
					return err
				}
				met = met || method.DocOf(key) == d.Key
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !met {
		t.Errorf("%s is not among the evidence", d.Key)
	}
	ans, err := c.Ask(t.Context(), c.System(t, name), c.OpenModels(t), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range ans.Sources {
		if !strings.Contains(src.Chunk, "#") || src.Quote == "" {
			t.Errorf("source %+v", src)
		}
	}
}

// filtered asks for a document that is filtered out, and for nothing else.
func filtered(t *testing.T, c *ragtest.Corpus, name string, q method.Question, d ragtest.Doc) {
	t.Helper()
	team := func(op engine.Op) engine.Predicate {
		return engine.Comparison{Property: "team", Op: op, Values: []engine.Value{engine.String(d.Team)}}
	}
	q.Where = team(engine.OpNotEqual)
	for _, it := range retrieve(t, c, name, q).Items() {
		if strings.Contains(strings.ToLower(it.Text), d.Code) {
			t.Errorf("%s %v tells of a document that is filtered out: %s", it.Kind, it.Keys, it.Text)
		}
		for _, key := range it.Chunks {
			if method.DocOf(key) == d.Key {
				t.Errorf("%s %v rests on a document that is filtered out", it.Kind, it.Keys)
			}
		}
	}
	q.Where = team(engine.OpEqual)
	for _, it := range retrieve(t, c, name, q).Items() {
		for _, key := range it.Chunks {
			if method.DocOf(key) != d.Key {
				t.Errorf("%s %v rests on %s, which is filtered out", it.Kind, it.Keys, key)
			}
		}
	}
}

// TestExplain holds the plans to what is written of them in testdata.
func TestExplain(t *testing.T) {
	t.Parallel()
	c := open(t)
	for _, name := range baseline.Names() {
		t.Run(name, func(t *testing.T) {
			plan, err := c.System(t, name).Plan(t.Context(), c.OpenModels(t), method.Question{Text: "Who built the mill of Ada Kestrel?"})
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := query.Explain(&b, plan.Op()); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("the plan is not that of %s:\n%s", path, b.String())
			}
		})
	}
}

// TestParameters says that unknown parameters are refused with those that there
// are, and that chunk sets are everyone's.
func TestParameters(t *testing.T) {
	t.Parallel()
	c := open(t)
	for _, name := range baseline.Names() {
		t.Run(name, func(t *testing.T) {
			_, err := c.Methods.Open(t.Context(), c.Corpus.Docs(), method.Spec{Name: name, Params: map[string]string{"colour": "red"}})
			if !errors.Is(err, method.ErrMethod) || !strings.Contains(err.Error(), "chunks") || !strings.Contains(err.Error(), name) {
				t.Errorf("error %v", err)
			}
			sys := c.System(t, name+":chunks=cl100k/80/0/paragraph")
			if sys.ChunkSet().String() != "cl100k/80/0/paragraph" || sys.Params()["chunks"] != "cl100k/80/0/paragraph" {
				t.Errorf("chunk set %s, parameters %v", sys.ChunkSet(), sys.Params())
			}
			spec, err := method.ParseInstance(sys.Instance())
			if err != nil {
				t.Fatal(err)
			}
			again, err := c.Methods.Open(t.Context(), c.Corpus.Docs(), spec)
			if err != nil {
				t.Fatal(err)
			}
			if again.Instance() != sys.Instance() {
				t.Errorf("%s reads as %s", sys.Instance(), again.Instance())
			}
		})
	}
}
