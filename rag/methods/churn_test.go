package methods_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// keptBucket says that a bucket of the base graph may hold something when all
// documents are removed.
type keptBucket struct {
	why string
	// most is how many bytes there may be, a fixed number and one for each
	// cycle, keys included.
	most, perCycle int
}

// keptBuckets are all such buckets. A bucket that is not among them is empty.
func keptBuckets() map[string]keptBucket {
	return map[string]keptBucket{
		"methods":    {"by what the corpus is indexed", 1 << 10, 0},
		"models":     {"the embedding model", 128, 0},
		"runs":       {"a record of each index run, its times and its cost", 0, 2 << 10},
		"traces":     {"questions that no document answered; at most 256", 0, 512},
		"replies":    {"paid replies to questions, until cache prune", 4 << 10, 0},
		"embeddings": {"paid vectors of questions, until cache prune", 4 << 10, 0},
		"reply-uses": {"what the two were paid for", 4 << 10, 0},
	}
}

// keptKeys are the families, other than that of buckets, that may have keys when
// all documents are removed, and why.
func keptKeys() map[layout.Tag]string {
	return map[layout.Tag]string{
		layout.TagMeta: "the database", layout.TagDirectory: "its graphs", layout.TagGraphMeta: "their versions and next ids",
		layout.TagCatalog: "names that were ever given", layout.TagName: "names that were ever given",
		layout.TagSpace: "vector spaces", layout.TagIndexMeta: "what their indexes know of themselves",
	}
}

// churned is a database through which documents pass.
type churned struct {
	dir    string
	method string
	models func(context.Context, *rag.Corpus) (*rag.Models, error)
}

// use opens the database for fn and closes it.
func (d *churned) use(t *testing.T, fn func(c *ragtest.Corpus)) {
	t.Helper()
	var store kv.Store
	db, err := engine.Open(t.Context(), d.dir, &engine.Options{OpenStore: func(ctx context.Context, path string, s *kv.Schema) (_ kv.Store, err error) {
		store, err = pebblekv.Open(ctx, path, s, nil)
		return store, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := &ragtest.Corpus{Corpus: ragtest.OpenIn(t, db), Store: store, Methods: methods.All()}
	c.Use(d.models)
	fn(c)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// contents is what a database holds without documents.
type contents struct {
	families map[layout.Tag]int
	buckets  map[string]int // bytes, by graph and name
	disk     int64          // bytes of all files, closed
}

// look returns what the database holds.
func (d *churned) look(t *testing.T) contents {
	t.Helper()
	out := contents{map[layout.Tag]int{}, map[string]int{}, 0}
	d.use(t, func(c *ragtest.Corpus) {
		ragtest.Check(t, c.DB())
		graphs, err := c.Namespace().Graphs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range graphs {
			g, err := c.Graph(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			err = c.DB().View(t.Context(), func(s *engine.Snapshot) error {
				for _, b := range s.Graph(g).Buckets() {
					for e, err := range s.Graph(g).Bucket(b).Scan(nil, nil) {
						if err != nil {
							return err
						}
						k := name + "/" + b
						out.buckets[k] += len(e.Key) + len(e.Value)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		it, err := c.Store.Iter(t.Context(), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for ok := it.First(); ok; ok = it.Next() {
			out.families[layout.Tag(it.Key()[0])]++
		}
		if err := it.Close(); err != nil {
			t.Fatal(err)
		}
		if err := c.DB().Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	err := filepath.WalkDir(d.dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			out.disk += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// docSets is how many sets of documents the cycles take in turn.
const docSets = 5

// cycle indexes documents, asks, and removes all of them in an order of its own.
func (d *churned) cycle(t *testing.T, n int) {
	t.Helper()
	docs := ragtest.Docs(uint64(n%docSets), 4)
	d.use(t, func(c *ragtest.Corpus) {
		c.Index(t, d.method, docs...)
		q := method.Question{Text: "Who knew " + docs[0].Hero + "?"}
		if _, err := c.Ask(t.Context(), c.System(t, d.method), c.OpenModels(t), q); err != nil {
			t.Fatal(err)
		}
		for i := range docs {
			c.Remove(t, docs[(i+n)%len(docs)].Key)
		}
		if err := c.DB().Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// compare says what of the documents of some cycles is left.
func (d *churned) compare(t *testing.T, cycles int, empty, first, now contents) {
	t.Helper()
	for tag, n := range now.families {
		if _, kept := keptKeys()[tag]; !kept && tag != layout.TagBucket && n > empty.families[tag] {
			t.Errorf("after %d cycles: %d keys of the family %s, %d in an empty database", cycles, n, tag, empty.families[tag])
		}
		if tag != layout.TagBucket && n != first.families[tag] {
			t.Errorf("after %d cycles: %d keys of the family %s, %d after one", cycles, n, tag, first.families[tag])
		}
	}
	if n, most := now.families[layout.TagIndexMeta], 3*now.families[layout.TagSpace]; n > most {
		t.Errorf("after %d cycles: %d keys of vector indexes, at most %d", cycles, n, most)
	}
	allowed := int64(0)
	for _, name := range slices.Sorted(maps.Keys(now.buckets)) {
		k, kept := keptBuckets()[filepath.Base(name)]
		most := k.most + cycles*k.perCycle
		if !kept || filepath.Dir(name) != "base" {
			most = empty.buckets[name]
		}
		if now.buckets[name] > most {
			t.Errorf("after %d cycles: %d bytes in the bucket %s, at most %d", cycles, now.buckets[name], name, most)
		}
		allowed += int64(cycles * k.perCycle)
	}
	if most := empty.disk + 64<<10 + allowed; now.disk > most {
		t.Errorf("after %d cycles: %d bytes on disk, at most %d", cycles, now.disk, most)
	}
}

// TestChurn passes documents through a database again and again: index, ask,
// remove all, compact, close. Then it has the keys of a database that was made
// for the same method and never held a document, and takes its room. What people
// asked to keep is named, with its bound, in keptBuckets and keptKeys.
func TestChurn(t *testing.T) {
	type model struct {
		name string
		open func(context.Context, *rag.Corpus) (*rag.Models, error)
	}
	local := model{"local", func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		return c.OpenLocal(ctx, true, rag.Parts{})
	}}
	paid := model{"paid", ragtest.Fixed}
	for _, name := range slices.Sorted(maps.Keys(methods.All())) {
		for _, m := range []model{local, paid} {
			cycles := []int{1, 5, 200}
			if m.name == "paid" {
				cycles = []int{1, 5, 20} // each reply is a commit
			}
			if !*long {
				switch cycles = nil; {
				case m.name == "local" && (name == "bridge" || name == "ketrag"):
					cycles = []int{1, 3}
				case m.name == "local" && slices.Contains([]string{"archrag", "erarag", "hirag", "linearrag", "noderag", "raptor", "zeroshot"}, name),
					m.name == "paid" && name == "ketrag":
					cycles = []int{1}
				}
			}
			if cycles == nil {
				continue
			}
			t.Run(name+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				d := &churned{dir: filepath.Join(t.TempDir(), "db"), method: name, models: m.open}
				d.use(t, func(c *ragtest.Corpus) { c.IndexFS(t, name, nil, false) })
				empty := d.look(t)
				var first contents
				for n, done := 0, 0; n < len(cycles); n++ {
					for ; done < cycles[n]; done++ {
						d.cycle(t, done)
					}
					now := d.look(t)
					if n == 0 || done == docSets {
						first = now // from now on no document brings a new name
					}
					d.compare(t, done, empty, first, now)
					t.Logf("%d cycles: %d keys, %d bytes on disk; empty: %d keys, %d bytes", done, total(now), now.disk, total(empty), empty.disk)
					if t.Failed() {
						t.FailNow()
					}
				}
			})
		}
	}
}

func total(c contents) (n int) {
	for _, k := range c.families {
		n += k
	}
	return n
}

// TestRefilledIsNew removes all documents, indexes others, and compares what is
// found then with what a new database finds: with the last document went all
// that was learnt from them.
func TestRefilledIsNew(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(7, 6)
	for _, name := range []string{"bridge", "ketrag", "erarag", "linearrag"} {
		find := func(before ...ragtest.Doc) (found []string) {
			d := &churned{dir: filepath.Join(t.TempDir(), "db"), method: name, models: func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
				return c.OpenLocal(ctx, true, rag.Parts{})
			}}
			d.use(t, func(c *ragtest.Corpus) {
				if len(before) > 0 {
					c.Index(t, name, before...)
					for _, doc := range before {
						c.Remove(t, doc.Key)
					}
				}
				c.Index(t, name, docs...)
				for _, doc := range docs {
					e := c.Evidence(t, name, method.Question{Text: "Who knew " + doc.Hero + "?"})
					for _, item := range e.Items() {
						keys := item.Keys
						if item.Kind == "summary" {
							keys = nil // of the ids that its chunks have
						}
						found = append(found, fmt.Sprintf("%s %s %.4f", item.Kind, keys, item.Score))
					}
				}
			})
			return found
		}
		if got, want := find(ragtest.Docs(8, 6)...), find(); len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s finds\n%s\nand a new database\n%s", name, got, want)
		}
	}
}
