package archrag_test

import (
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestClusterings says that every clustering and augmentation gives levels that
// hold to the rules, and that they are not all the same.
func TestClusterings(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(75, 7))
	met := map[string]string{}
	for _, extra := range []string{"", ",cluster=spectral", ",cluster=node2vec", ",augment=off", ",weight=distance"} {
		spec := small + extra
		c := open(t)
		c.Index(t, spec, docs...)
		check(t, c, spec, 6)
		h := readHierarchy(t, c, spec)
		all := ""
		for _, e := range h.entities {
			all += h.parent[e] + " "
		}
		if other, ok := met[all]; ok {
			t.Errorf("%s clusters as %s does", spec, other)
		}
		met[all] = spec
	}
}

// TestStop says that a level of fewer than min_clusters communities is not made,
// nor one above levels.
func TestStop(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(76, 7))
	for spec, want := range map[string]int{
		"archrag:cap=6,glean=0,min_clusters=1000":       0,
		"archrag:cap=6,glean=0,min_clusters=2,levels=1": 1,
	} {
		c := open(t)
		c.Index(t, spec, docs...)
		if want > 0 {
			if got := check(t, c, spec, 6); got != want {
				t.Errorf("%s: %d levels", spec, got)
			}
		} else if h := readHierarchy(t, c, spec); len(h.communities) > 0 {
			t.Errorf("%s: %d communities", spec, len(h.communities))
		}
	}
}

// TestWorkers says that the index does not depend on how many work at once.
func TestWorkers(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(77, 7))
	want := ""
	for _, workers := range []int{1, 5} {
		c := open(t)
		x := rag.Indexer{
			Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, small)},
			Options: rag.IndexOptions{Workers: workers},
		}
		if _, err := x.Run(t.Context(), []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}); err != nil {
			t.Fatal(err)
		}
		if got := c.Canonical(t); want == "" {
			want = got
		} else {
			ragtest.Same(t, "with 5 workers", got, want)
		}
	}
}

// TestRemoved says that of a removed document nothing is left at once, in no
// report and no reply.
func TestRemoved(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(78, 7))
	c := open(t)
	c.Learn(false) // words are the corpus's own
	c.Index(t, small, docs...)
	d := docs[2]
	if len(ragtest.Find(t, c.Store, d.Code)) < 10 {
		t.Fatal("the document is hardly there")
	}
	c.Remove(t, d.Key)
	if left := ragtest.Find(t, c.Store, d.Code); len(left) > 0 {
		t.Errorf("%d keys hold %s: %q", len(left), d.Code, left[:min(len(left), 5)])
	}
	c.Index(t, small)
	if left := ragtest.Find(t, c.Store, d.Code); len(left) > 0 {
		t.Errorf("%d keys hold %s after a run: %q", len(left), d.Code, left[:min(len(left), 5)])
	}
	check(t, c, small, 6)
}
