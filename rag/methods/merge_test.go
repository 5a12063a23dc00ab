package methods_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/link"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// mergeable are methods that read entities, each kind of graph once.
func mergeable() []string {
	return []string{"archrag", "hirag", "ketrag:chunks=cl100k/150/0/paragraph", "noderag", "hipporag", "lightrag-hybrid", "linearrag", "hirag:glean=1,unit=150"}
}

// documentsOf returns the documents that support an entity.
func documentsOf(t testing.TB, c *ragtest.Corpus, spec, key string) (docs []string) {
	t.Helper()
	c.View(t, spec, func(v *engine.View) error {
		typ, _ := v.NodeType(knowledge.TypeEntity)
		id, err := v.Lookup(typ, key)
		if errors.Is(err, engine.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		for said, err := range v.Contributions(engine.NodeTarget(id)) {
			if err != nil {
				return err
			}
			n, err := v.Node(said.Source)
			if err != nil {
				return err
			}
			doc, _, _ := strings.Cut(n.Key, "#")
			docs = append(docs, doc)
		}
		return nil
	})
	slices.Sort(docs)
	return slices.Compact(docs)
}

// recluster does what is left, and makes the communities again.
func recluster(t testing.TB, c *ragtest.Corpus, spec string) {
	t.Helper()
	x := rag.Indexer{
		Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, spec)},
		Options: rag.IndexOptions{Recluster: true},
	}
	if _, err := x.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

// TestMerge says that a merged name is read as the other one, by documents that are
// there and by those that come later, without a reading that is paid; that documents
// which come and go leave the merged graph as it was; and that undoing a merge leaves
// what there was before it.
func TestMerge(t *testing.T) {
	t.Parallel()
	for _, spec := range mergeable() {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			c := ragtest.Open(t, methods.All(), methods.Encodings()...)
			c.Use(ragtest.Fixed)
			docs := ragtest.Docs(17, 11)
			slices.SortFunc(docs, func(a, b ragtest.Doc) int { return strings.Compare(a.Key, b.Key) })
			c.Index(t, spec, docs[:9]...)
			before := c.Canonical(t)
			a, b := documentsOf(t, c, spec, "karrow"), documentsOf(t, c, spec, "tarn")
			both := slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
			if len(a) == 0 || len(b) == 0 {
				t.Fatalf("%d documents have the one, %d the other", len(a), len(b))
			}

			change, err := c.Merge(t.Context(), methods.All(), []link.Alias{{Name: "KARROW", Into: "Tarn"}})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(change.Documents, both) {
				t.Errorf("%v are read again, want %v", change.Documents, both)
			}
			r := c.Index(t, spec)
			for _, s := range r.Spent {
				if (s.Stage == "extract" || s.Stage == "decompose") && s.Calls > 0 {
					t.Errorf("%d calls to read what was read", s.Calls)
				}
			}
			merged := c.Canonical(t)
			if got := documentsOf(t, c, spec, "karrow"); got != nil {
				t.Errorf("the merged name is an entity of %v", got)
			}
			if got := documentsOf(t, c, spec, "tarn"); !slices.Equal(got, both) {
				t.Errorf("the other one is of %v, want %v", got, both)
			}
			if read, err := c.Docs().ReadAs(t.Context(), []string{"karrow", "selby"}); err != nil || !slices.Equal(read, []string{"tarn", "selby"}) {
				t.Errorf("a question's names are read as %v, %v", read, err)
			}
			ragtest.Check(t, c.DB())

			c.Index(t, spec, docs[9:]...)
			if got := documentsOf(t, c, spec, "karrow"); got != nil {
				t.Errorf("the merged name is an entity of %v, which came later", got)
			}
			for _, d := range docs[9:] {
				c.Remove(t, d.Key)
			}
			c.Index(t, spec)
			ragtest.Same(t, "documents that came and went", c.Canonical(t), merged)

			if _, err := c.Unmerge(t.Context(), methods.All(), []string{"karrow"}); err != nil {
				t.Fatal(err)
			}
			if spec == "noderag" { // its communities grow, and do not shrink to what they were
				recluster(t, c, spec)
			} else {
				c.Index(t, spec)
			}
			ragtest.Same(t, "undone", c.Canonical(t), before)
			ragtest.Check(t, c.DB())
		})
	}
}

// TestMergeRefuses says what is no merge, and that it changes nothing.
func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All())
	c.Use(ragtest.Fixed)
	if _, err := c.Merge(t.Context(), methods.All(), []link.Alias{{Name: "a", Into: "b"}}); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("in an empty corpus: %v", err)
	}
	c.Index(t, "hirag", ragtest.Docs(17, 9)...)
	before := c.Canonical(t)
	for _, bad := range []struct {
		name, into, want string
		is               error
	}{
		{"Karow", "Tarn", `no entity is named "Karow"; did you mean "Karrow"?`, engine.ErrNotFound},
		{"Karrow", "Xyzzyplugh", `no entity is named "Xyzzyplugh"`, engine.ErrNotFound},
		{"Karrow", "karrow", "are one name", rag.ErrArgument},
		{"", "Tarn", `no entity is named ""`, engine.ErrNotFound},
	} {
		_, err := c.Merge(t.Context(), methods.All(), []link.Alias{{Name: bad.name, Into: bad.into}})
		if !errors.Is(err, bad.is) || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%q into %q: %v", bad.name, bad.into, err)
		}
	}
	if _, err := c.Unmerge(t.Context(), methods.All(), []string{"Karrow"}); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("undone without a merge: %v", err)
	}
	ragtest.Same(t, "after refusals", c.Canonical(t), before)
	if _, err := c.Merge(t.Context(), methods.All(), []link.Alias{{Name: "Karrow", Into: "Tarn"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Merge(t.Context(), methods.All(), []link.Alias{{Name: "Karrow", Into: "Selby"}}); !errors.Is(err, rag.ErrArgument) {
		t.Errorf("merged twice: %v", err)
	}
	if _, err := c.Merge(t.Context(), methods.All(), []link.Alias{{Name: "Tarn", Into: "Karrow"}}); !errors.Is(err, rag.ErrArgument) {
		t.Errorf("in a circle: %v", err)
	}
}
