package archrag_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

func sorted(docs []ragtest.Doc) []ragtest.Doc {
	slices.SortFunc(docs, func(a, b ragtest.Doc) int { return cmp.Compare(a.Key, b.Key) })
	return docs
}

// TestHierarchy says what holds of the levels at any time: each node is in one
// community at most, of the level above its own; no community is empty or
// without a report; and none is of cap members that could be divided.
func TestHierarchy(t *testing.T) {
	t.Parallel()
	c := open(t)
	r := rand.New(rand.NewPCG(5, 1))
	docs := sorted(ragtest.Docs(71, 20))
	c.Index(t, small, docs[:14]...)
	levels := check(t, c, small, 6)
	if levels < 2 {
		t.Fatalf("%d levels: too few to test", levels)
	}
	live := slices.Clone(docs[:14])
	rest := docs[14:]
	for len(rest) > 0 {
		k := min(len(rest), 1+r.IntN(3))
		c.Index(t, small, rest[:k]...)
		live, rest = append(live, rest[:k]...), rest[k:]
		i := r.IntN(len(live))
		c.Remove(t, live[i].Key)
		live = slices.Delete(live, i, i+1)
		c.Index(t, small)
		check(t, c, small, 6)
	}
	ragtest.Check(t, c.DB())
}

// check checks the levels and returns how many there are.
func check(t *testing.T, c *ragtest.Corpus, spec string, limit int) (levels int) {
	t.Helper()
	h := readHierarchy(t, c, spec)
	levelOf := func(key string) int {
		var n int
		if _, err := fmt.Sscanf(key, "%d/", &n); err != nil {
			return 0 // an entity
		}
		return n
	}
	if len(h.communities) == 0 {
		t.Error("no communities")
	}
	for child, parent := range h.parent {
		if slices.Contains(h.entities, child) {
			if levelOf(parent) != 1 {
				t.Errorf("entity %s is in %s", child, parent)
			}
		} else if levelOf(parent) != levelOf(child)+1 {
			t.Errorf("%s is in %s", child, parent)
		}
	}
	large := 0
	for _, key := range h.communities {
		levels = max(levels, levelOf(key))
		if len(h.members[key]) == 0 {
			t.Errorf("%s is empty", key)
		}
		if h.reports[key] == "" {
			t.Errorf("%s has no report", key)
		}
		if len(h.members[key]) >= limit {
			large++
		}
	}
	if 4*large > len(h.communities) {
		t.Errorf("%d of %d communities have %d members or more", large, len(h.communities), limit)
	}
	failed(t, c, spec)
	return levels
}

func failed(t *testing.T, c *ragtest.Corpus, spec string) {
	t.Helper()
	c.View(t, spec, func(v *engine.View) error {
		for f, err := range c.Failures(v) {
			if err != nil {
				return err
			}
			t.Errorf("failed: %+v", f)
		}
		return nil
	})
}

// TestAddAndRemove says that documents which come and go again leave nothing:
// the canonical export is the one from before.
func TestAddAndRemove(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{small, small + ",augment=codicil", small + ",augment=off,cluster=scan", small + ",next=augmented"} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			docs := sorted(ragtest.Docs(72, 15))
			c := open(t)
			c.Index(t, spec, docs[:12]...)
			before := c.Canonical(t)
			h := readHierarchy(t, c, spec)
			if len(h.communities) == 0 {
				t.Fatal("no communities")
			}
			c.Index(t, spec, docs[12:]...)
			if grown := c.Canonical(t); grown == before {
				t.Fatal("nothing came")
			}
			for _, d := range docs[12:] {
				c.Remove(t, d.Key)
			}
			c.Index(t, spec)
			ragtest.Same(t, "added and removed", c.Canonical(t), before)
			// And the other way round: what goes and comes again.
			c.Remove(t, docs[3].Key)
			c.Index(t, spec)
			c.Index(t, spec, docs[3])
			after := readHierarchy(t, c, spec)
			for child, parent := range h.parent {
				if after.parent[child] != parent {
					t.Errorf("%s is in %q, not in %q", child, after.parent[child], parent)
				}
			}
			ragtest.Check(t, c.DB())
		})
	}
}

// TestLocal says that a new document changes few communities, and that those
// that it does not change are not reported on again.
func TestLocal(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(73, 19))
	c := open(t)
	c.Index(t, small, docs[:18]...)
	before := readHierarchy(t, c, small)
	r := c.Index(t, small, docs[18])
	after := readHierarchy(t, c, small)
	same, redone := 0, 0
	for _, key := range after.communities {
		if slices.Equal(before.members[key], after.members[key]) && before.reports[key] == after.reports[key] {
			same++
		}
	}
	for _, st := range r.Stages {
		if strings.HasPrefix(st.Stage, "reports") {
			redone += st.Done
		}
	}
	if all := len(after.communities); redone == 0 || redone > all/2 || redone < all-same {
		t.Errorf("%d of %d communities were reported on, %d are as before", redone, all, same)
	}
	// Nothing is left to do.
	if r := c.Index(t, small); len(r.Stages) > 0 {
		t.Errorf("a run without news did %+v", r.Stages)
	}
}

// TestRecluster says that a large change is noted, and that clustering anew
// settles it.
func TestRecluster(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(74, 18))
	c := open(t)
	c.Index(t, small, docs[:13]...)
	advice := func() []method.Advice {
		var out []method.Advice
		c.View(t, small, func(v *engine.View) (err error) {
			out, err = c.System(t, small).Advice(t.Context(), v)
			return err
		})
		return out
	}
	if a := advice(); len(a) > 0 {
		t.Errorf("of a new index: %v", a)
	}
	c.Index(t, small, docs[13:]...)
	if a := advice(); len(a) == 0 {
		t.Error("nothing is advised after a third came anew")
	}
	x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, small)}, Options: rag.IndexOptions{Recluster: true}}
	if _, err := x.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if a := advice(); len(a) > 0 {
		t.Errorf("after clustering anew: %v", a)
	}
	c.Index(t, small)
	whole := open(t)
	whole.Index(t, small, docs...)
	a, b := readHierarchy(t, c, small), readHierarchy(t, whole, small)
	slices.Sort(a.communities)
	slices.Sort(b.communities)
	if !slices.Equal(a.communities, b.communities) {
		t.Errorf("clustered anew there are %d communities, at once %d, and not the same", len(a.communities), len(b.communities))
	}
}
