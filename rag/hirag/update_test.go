package hirag_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

func sorted(docs []ragtest.Doc) []ragtest.Doc {
	return slices.SortedFunc(slices.Values(docs), func(a, b ragtest.Doc) int { return strings.Compare(a.Key, b.Key) })
}

// index indexes what is there, with some workers.
func index(t testing.TB, c *ragtest.Corpus, spec string, workers int, docs ...ragtest.Doc) *rag.IndexResult {
	t.Helper()
	x := rag.Indexer{
		Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, spec)},
		Options: rag.IndexOptions{Workers: workers},
	}
	var in []rag.Input
	if len(docs) > 0 {
		in = []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}
	}
	r, err := x.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// evidence returns the evidence for a question as text.
func evidence(t testing.TB, c *ragtest.Corpus, spec, question string, budget int) (string, *rag.Evidence) {
	t.Helper()
	ev := c.Evidence(t, spec, method.Question{Text: question, Budget: budget})
	var b strings.Builder
	for _, s := range ev.Sections {
		fmt.Fprintln(&b, "==", s.Name)
		for _, it := range s.Items {
			fmt.Fprintln(&b, it.Kind, it.Score, it.Keys, it.Text)
		}
	}
	return b.String(), ev
}

// TestDeterminism says that it does not matter how many workers indexed, and
// that the same question has the same context.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(66, 16)
	var exports, contexts []string
	for _, workers := range []int{1, 5} {
		c := open(t)
		index(t, c, "hirag", workers, docs...)
		exports = append(exports, c.Canonical(t))
		for range 2 {
			text, _ := evidence(t, c, "hirag", "Who was at Karrow?", 6000)
			contexts = append(contexts, text)
		}
		ragtest.Check(t, c.DB())
		if r := index(t, c, "hirag", workers); len(r.Stages) != 0 {
			t.Errorf("left to do: %+v", r.Stages)
		}
	}
	ragtest.Same(t, "export", exports[1], exports[0])
	for _, text := range contexts[1:] {
		ragtest.Same(t, "context", text, contexts[0])
	}
	if !strings.Contains(contexts[0], "== bridge\nrelation") || !strings.Contains(contexts[0], "== reports\ncommunity") {
		t.Errorf("no bridge or no report in %.2000s", contexts[0])
	}
}

// TestOrder says that the order in which documents come does not matter: not
// for entities and relations, nor for the hierarchy and the communities.
func TestOrder(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(67, 12)
	var exports []string
	for _, reverse := range []bool{false, true} {
		c := open(t)
		c.Methods["bm25"] = bm25
		in := slices.Clone(docs)
		if reverse {
			slices.Reverse(in)
		}
		for _, d := range in {
			c.Index(t, "bm25", d)
		}
		c.Index(t, "hirag")
		exports = append(exports, c.Canonical(t))
	}
	ragtest.Same(t, "export", exports[1], exports[0])
}

// withoutReports returns a canonical export without the reports' texts.
func withoutReports(t testing.TB, export string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(export) {
		var l map[string]map[string]any
		if strings.HasPrefix(line, `{"ragdb"`) || strings.HasPrefix(line, `{"end"`) {
			continue
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		for _, of := range l {
			if props, ok := of["props"].(map[string]any); ok && of["type"] == "community" {
				for _, name := range []string{"title", "report", "rating", "tokens"} {
					delete(props, name)
				}
			}
		}
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(b, '\n'))
	}
	return out.String()
}

// TestAddAndRemove says that documents which come and go again leave nothing:
// entities, hierarchy, communities and reports are what they were before, and
// nothing of them is left to do.
func TestAddAndRemove(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"hirag", "hirag:hiindex=off,glean=0", "hirag:size=6,unit=150"} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			docs := sorted(ragtest.Docs(51, 20))
			c := open(t)
			c.Index(t, spec, docs[:16]...)
			before := c.Canonical(t)
			calls := []int{}
			for _, d := range docs[16:] {
				calls = append(calls, c.Index(t, spec, d).Usage.Calls)
			}
			if c.Canonical(t) == before {
				t.Fatal("nothing was added")
			}
			for _, d := range docs[16:] {
				c.Remove(t, d.Key)
			}
			c.Index(t, spec)
			after := c.Canonical(t)
			ragtest.Same(t, "without reports", withoutReports(t, after), withoutReports(t, before))
			ragtest.Same(t, "with reports", after, before)
			ragtest.Check(t, c.DB())
			if left := ragtest.Find(t, c.Store, docs[16].Code, docs[18].Hero); len(left) > 0 {
				t.Errorf("%d keys tell of documents that left, the first are %v", len(left), left[:min(len(left), 8)])
			}
			t.Log("calls for a document each:", calls)
		})
	}
}

// TestRemovedAtOnce says that the text of a document is gone with it, before
// anything is made anew.
func TestRemovedAtOnce(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(53, 14))
	c := open(t)
	c.Use(ragtest.Fixed)
	c.Index(t, "hirag", docs...)
	gone := docs[5]
	if len(ragtest.Find(t, c.Store, gone.Code)) == 0 {
		t.Fatal("nothing tells of the document")
	}
	c.Remove(t, gone.Key)
	for _, k := range ragtest.Find(t, c.Store, gone.Code, gone.Hero, gone.Place) {
		if !strings.HasPrefix(k, "bucket(") { // the words of the corpus
			t.Errorf("right after the removal: %s", k)
		}
	}
	ragtest.Check(t, c.DB())
	if text, _ := evidence(t, c, "hirag", "What did "+gone.Hero+" do?", 4000); strings.Contains(text, gone.Hero) {
		t.Error("the context tells of a document that left")
	}
}

// TestReplace says that a replaced document is as if the new one had come in
// its place, with the last whole clustering as it is.
func TestReplace(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(54, 14))
	c := open(t)
	c.Index(t, "hirag", docs...)
	now := docs[3]
	now.Text = strings.ReplaceAll(now.Text, now.Code, "xqnewq")
	now.Text = strings.ReplaceAll(now.Text, strings.ToUpper(now.Code[:1])+now.Code[1:], "Xqnewq")
	if r := c.Index(t, "hirag", now); r.Replaced != 1 {
		t.Fatalf("%+v", r)
	}
	ragtest.Check(t, c.DB())
	if left := ragtest.Find(t, c.Store, docs[3].Hero, docs[3].Place); len(left) > 0 {
		t.Errorf("of the first version: %v", left)
	}
	// Where each came first makes no difference.
	want := open(t)
	want.Index(t, "hirag", docs...)
	want.Remove(t, docs[3].Key)
	want.Index(t, "hirag", now)
	ragtest.Same(t, "export", c.Canonical(t), want.Canonical(t))
}

// TestSupport says that each derived node rests on chunks in the end, and that
// the queue has no mark of a node that is gone.
func TestSupport(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(55, 14))
	c := open(t)
	c.Index(t, "hirag", docs[:10]...)
	c.Index(t, "hirag", docs...)
	for _, d := range docs[2:5] {
		c.Remove(t, d.Key)
	}
	c.Index(t, "hirag")
	c.View(t, "hirag", func(v *engine.View) error {
		items := map[string]bool{"communities": true}
		for _, typ := range []string{"entity", "summary", "cluster", "community", "kind"} {
			of := nodes(t, v, typ)
			if len(of) == 0 && typ != "kind" {
				t.Errorf("there is no %s", typ)
			}
			for key, n := range of {
				items[fmt.Sprintf("node:%d", n.ID)] = true
				items[typ+":"+key] = true
				set, err := v.Sources(engine.NodeTarget(n.ID))
				if err != nil {
					return err
				}
				if set.IsEmpty() {
					t.Errorf("%s %s rests on nothing", typ, key)
				}
			}
		}
		for key := range nodes(t, v, "chunk") {
			items["unit:"+key] = true
		}
		for e, err := range v.Bucket("jobs").Scan(nil, nil) {
			if err != nil {
				return err
			}
			item, stage, _ := strings.Cut(string(e.Key), "\x00")
			kind, _, _ := strings.Cut(item, ":")
			if !items[item] && kind != "stale" && kind != "layer" && kind != "relation" {
				t.Errorf("there is a mark of %s, %s", item, stage)
			}
		}
		for f, err := range c.Failures(v) {
			t.Errorf("failed: %+v, %v", f, err)
		}
		return nil
	})
}

// TestRemoveAll says that document after document can be removed, the layers
// above losing what they were of, until nothing is left. Each document is a
// cluster of its own, so that the last of them takes the layers above with it.
func TestRemoveAll(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"hirag:cluster=mixture,dim=5", "hirag:members=6"} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			removeAll(t, spec)
		})
	}
}

func removeAll(t *testing.T, spec string) {
	var texts []string
	for d := range 6 {
		var b strings.Builder
		for i := range 6 {
			w := fmt.Sprintf("word%d ", d)
			fmt.Fprintf(&b, "E name%d %d | thing | %s extra%d\n", d, i, strings.Repeat(w, 12), i)
			fmt.Fprintf(&b, "R name%d %d | name%d 0 | joined%d\n", d, i, d, d)
		}
		texts = append(texts, b.String())
	}
	c, _ := script(t, spec, texts...)
	clusters := 0
	c.View(t, spec, func(v *engine.View) error {
		for key := range nodes(t, v, "cluster") {
			if strings.HasPrefix(key, "0/") {
				clusters++
			} else if strings.HasPrefix(key, "1/") {
				clusters += 100
			}
		}
		return nil
	})
	if clusters < 103 {
		t.Fatalf("clusters of two layers: %d", clusters)
	}
	for d := range texts {
		c.Remove(t, fmt.Sprintf("d%d.txt", d))
	}
	c.View(t, spec, func(v *engine.View) error {
		for _, typ := range []string{"chunk", "entity", "summary", "cluster", "community", "kind"} {
			if left := nodes(t, v, typ); len(left) > 0 {
				t.Errorf("%d of %s are left", len(left), typ)
			}
		}
		for e, err := range v.Bucket("jobs").Scan(nil, nil) {
			if item := string(e.Key); err != nil || !strings.HasPrefix(item, "layer:") && !strings.HasPrefix(item, "communities") && !strings.HasPrefix(item, "stale:") {
				t.Errorf("there is a mark of %q, %v", item, err)
			}
		}
		return nil
	})
	ragtest.Check(t, c.DB())
}
