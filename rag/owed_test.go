package rag_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/link"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// owed is what [rag.Corpus.Owed] tells.
type owed struct {
	Remove       []string
	Merge, Purge bool
}

// owedBy returns what a corpus owes, nil if nothing.
func owedBy(t *testing.T, c *rag.Corpus) *owed {
	t.Helper()
	var o owed
	var err error
	if o.Remove, o.Merge, o.Purge, err = c.Owed(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(o.Remove) == 0 && !o.Merge && !o.Purge {
		return nil
	}
	return &o
}

// stopping is a store that takes some commits and then no more.
type stopping struct {
	kv.Store
	kv.Maintainer
	left *int
}

var errStopped = errors.New("stopped")

// Apply implements [kv.Store].
func (s stopping) Apply(ctx context.Context, b kv.Batch, d kv.Durability) error {
	if *s.left == 0 {
		return errStopped
	}
	*s.left--
	return s.Store.Apply(ctx, b, d)
}

// within opens a database whose store takes some commits, and calls fn.
func within(t *testing.T, dir string, commits int, fn func(c *rag.Corpus) error) error {
	t.Helper()
	left := -1
	db, err := engine.Open(t.Context(), dir, &engine.Options{Encodings: methods.Encodings(), OpenStore: func(ctx context.Context, path string, s *kv.Schema) (kv.Store, error) {
		p, err := pebblekv.Open(ctx, path, s, nil)
		return stopping{p, p, &left}, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := ragtest.OpenIn(t, db)
	left = commits
	err = fn(c)
	left = -1
	if cerr := db.Close(); cerr != nil {
		t.Fatal(cerr)
	}
	return err
}

// TestOwed ends removals, purges and merges at some of their commits, with -long at each. Then what is owed
// is told, the same call succeeds, or an index run goes on, and the graphs are those of a
// call that was not interrupted; then nothing is owed.
func TestOwed(t *testing.T) {
	t.Parallel()
	docs, specs := ragtest.Docs(17, 9), []string{"hirag"}
	made := filepath.Join(t.TempDir(), "made")
	index := func(c *rag.Corpus) error {
		systems, err := openSystems(t.Context(), c, methods.All(), specs...)
		if err != nil {
			return err
		}
		x := rag.Indexer{Corpus: c, Methods: methods.All(), Systems: systems}
		_, err = x.Run(t.Context(), nil)
		return err
	}
	keys := []string{docs[4].Key, docs[1].Key, docs[7].Key}
	pair := []link.Alias{{Name: "Karrow", Into: "Tarn"}}
	remove := func(purge bool) func(c *rag.Corpus) error {
		return func(c *rag.Corpus) error {
			_, err := c.RemoveAll(t.Context(), methods.All(), keys, rag.RemoveOptions{Asked: keys, Purge: purge})
			if err != nil || !purge {
				return err
			}
			if _, err := c.UnmergeUnsaid(t.Context(), methods.All()); err != nil {
				return err
			}
			return errors.Join(index(c), c.Purge(t.Context()))
		}
	}
	merge := func(c *rag.Corpus) error {
		if _, err := c.Merge(t.Context(), methods.All(), pair); err != nil {
			return err
		}
		return index(c)
	}
	undo := func(c *rag.Corpus) error {
		if _, err := c.Unmerge(t.Context(), methods.All(), []string{"karrow"}); err != nil {
			return err
		}
		return index(c)
	}
	err := within(t, made, -1, func(c *rag.Corpus) error {
		indexRemote(t, c, methods.All(), specs, docs...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	merged := filepath.Join(t.TempDir(), "merged")
	copyTo := func(t *testing.T, from, to string) {
		t.Helper()
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	copyTo(t, made, merged)
	if err := within(t, merged, -1, merge); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, from string
		call       func(c *rag.Corpus) error
		// owes is what is told after an interruption.
		owes func(o *owed) bool
		most int // commits that are tried
	}{
		{"remove", made, remove(false), func(o *owed) bool { return len(o.Remove) > 0 && !o.Merge && !o.Purge }, 9},
		{"purge", made, remove(true), func(o *owed) bool { return o.Purge && !o.Merge }, 999},
		{"merge", made, merge, func(o *owed) bool { return o.Merge && !o.Purge }, 999},
		{"undo", merged, undo, func(o *owed) bool { return o.Merge && !o.Purge }, 999},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			want, told := "", 0
			state := func(dir string) (content string, owed *owed) {
				err := within(t, dir, -1, func(c *rag.Corpus) error {
					ragtest.Check(t, c.DB())
					content = ragtest.Export(t, c.DB(), rag.CanonicalExport())
					owed = owedBy(t, c)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				return content, owed
			}
			for n := -1; n < x.most; n++ {
				if n > 2 && n%31 != 0 && !*long {
					continue
				}
				dir := filepath.Join(t.TempDir(), fmt.Sprint("db", n))
				copyTo(t, x.from, dir)
				err := within(t, dir, n, x.call)
				if n < 0 {
					if err != nil {
						t.Fatal(err)
					}
					if err := within(t, dir, -1, index); err != nil {
						t.Fatal(err)
					}
					want, _ = state(dir)
					continue
				}
				if err != nil && !errors.Is(err, errStopped) {
					t.Fatalf("after %d commits: %v", n, err)
				}
				_, owed := state(dir)
				switch {
				case err == nil && owed != nil, err != nil && n == 0 && owed != nil:
					t.Fatalf("after %d commits, %v: %+v is owed", n, err, owed)
				case owed != nil && !x.owes(owed):
					t.Fatalf("after %d commits: %+v is owed", n, owed)
				case owed != nil:
					told++
				case err != nil && n > 0 && x.name != "remove":
					t.Errorf("after %d commits: nothing is owed", n)
				}
				// An index run ends what was begun, but for a purge.
				if n%3 == 1 && owed != nil {
					if err := within(t, dir, -1, index); err != nil {
						t.Fatal(err)
					}
					content, owed := state(dir)
					if content != want || owed != nil && (len(owed.Remove) > 0 || owed.Merge) {
						t.Errorf("after %d commits and an index run: %+v is owed", n, owed)
					}
				}
				err2 := within(t, dir, -1, func(c *rag.Corpus) error {
					if err := x.call(c); err != nil {
						return err
					}
					if owed := owedBy(t, c); owed != nil {
						t.Errorf("after %d commits and the same call %+v is owed", n, owed)
					}
					return index(c) // of what removals leave to it
				})
				if err2 != nil {
					t.Fatalf("after %d commits the same call fails: %v", n, err2)
				}
				content, _ := state(dir)
				ragtest.Same(t, fmt.Sprintf("after %d commits", n), content, want)
				if err == nil {
					break
				}
			}
			if told == 0 {
				t.Error("nothing was ever owed")
			}
			t.Logf("%d times something was owed", told)
		})
	}
}

// TestRemoveFails: a document that cannot be removed is told once, and does not keep later
// runs from their work. Those behind it stay owed.
func TestRemoveFails(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(24, 6)
	c.Index(t, "naive", docs...)
	odd, bad, all := errors.New("odd"), docs[1].Key, methods.All()
	open := all["naive"]
	all["naive"] = func(ctx context.Context, d *corpus.Corpus, params map[string]string) (*method.System, error) {
		s, err := open(ctx, d, params)
		if err != nil {
			return nil, err
		}
		s.Changed = func(_ context.Context, _ *rag.Models, gone []method.Chunk) (func(context.Context, *engine.Tx) error, error) {
			if len(gone) > 0 && strings.HasPrefix(gone[0].Key, bad+"#") {
				return nil, odd
			}
			return nil, nil
		}
		return s, nil
	}
	keys := []string{docs[0].Key, bad, docs[2].Key}
	r, err := c.RemoveAll(t.Context(), all, keys, rag.RemoveOptions{Asked: keys})
	if len(r) != 1 || !errors.Is(err, odd) {
		t.Fatalf("removed %d, %v", len(r), err)
	}
	if o := owedBy(t, c.Corpus); o == nil || !slices.Equal(o.Remove, keys[2:]) {
		t.Errorf("%+v is owed, want %q", o, keys[2:])
	}
	// A dry run tells of what it is asked for, and not of what is owed.
	r, err = c.RemoveAll(t.Context(), all, []string{docs[3].Key}, rag.RemoveOptions{DryRun: true})
	if err != nil || len(r) != 1 || !slices.Equal(r[0].Documents, []string{docs[3].Key}) {
		t.Errorf("a dry run: %+v, %v", r, err)
	}
	c.Methods = all
	if r := c.Index(t, "naive"); r.Removed != 1 || r.Documents != 4 {
		t.Errorf("an index run: %+v", r)
	}
	if o := owedBy(t, c.Corpus); o != nil {
		t.Errorf("%+v is owed", o)
	}
	if _, err := c.RemoveAll(t.Context(), methods.All(), keys, rag.RemoveOptions{Asked: keys}); err != nil {
		t.Errorf("asked again: %v", err)
	}
	ragtest.Check(t, c.DB())
}

// TestRemoveSeveral removes several documents or none, and knows what it was asked for last.
func TestRemoveSeveral(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(24, 6)
	c.Index(t, "naive", docs...)
	remove := func(o rag.RemoveOptions, keys ...string) (out []string, err error) {
		r, err := c.RemoveAll(t.Context(), c.Methods, keys, o)
		for _, x := range r {
			out = append(out, x.Documents...)
		}
		return out, err
	}
	a, b := docs[0].Key, docs[1].Key
	asked := rag.RemoveOptions{Asked: []string{a, b}}
	for _, bad := range [][]string{{a, "none"}, {"none", a}} {
		if out, err := remove(rag.RemoveOptions{Asked: bad}, bad...); !errors.Is(err, engine.ErrNotFound) || out != nil {
			t.Errorf("%q: removed %q, %v", bad, out, err)
		}
	}
	dry := asked
	dry.DryRun = true
	for _, o := range []rag.RemoveOptions{dry, asked} {
		if out, err := remove(o, a, b, a); err != nil || !slices.Equal(out, []string{a, b}) {
			t.Errorf("%+v: removed %q, %v", o, out, err)
		}
	}
	if same, err := c.AskedLast(t.Context(), []string{a, b}); err != nil || !same {
		t.Errorf("asked last: %v, %v", same, err)
	}
	if out, err := remove(asked, a, b); err != nil || out != nil {
		t.Errorf("asked again: removed %q, %v", out, err)
	}
	for _, o := range []rag.RemoveOptions{{}, {Asked: []string{a}}, {Asked: []string{b, a}}} {
		if _, err := remove(o, a); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("asked otherwise, %q: %v", o.Asked, err)
		}
	}
	if owed := owedBy(t, c.Corpus); owed != nil {
		t.Errorf("%+v is owed", owed)
	}
	if _, err := remove(rag.RemoveOptions{Purge: true}); err != nil {
		t.Error(err)
	}
	if owed := owedBy(t, c.Corpus); owed == nil || !owed.Purge || owed.Remove != nil || owed.Merge {
		t.Errorf("%+v is owed", owed)
	}
	ragtest.Check(t, c.DB())
}

// TestPurgeStaysOwed: a purge that is owed is not forgotten by removals without one, and a
// dry run neither does nor forgets what is owed.
func TestPurgeStaysOwed(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(24, 6)
	c.Index(t, "naive", docs...)
	remove := func(key string, o rag.RemoveOptions) {
		t.Helper()
		if _, err := c.RemoveAll(t.Context(), c.Methods, []string{key}, o); err != nil {
			t.Fatal(err)
		}
		if _, _, purge, err := c.Owed(t.Context()); err != nil || !purge {
			t.Errorf("after %s the purge is owed: %v, %v", key, purge, err)
		}
	}
	remove(docs[0].Key, rag.RemoveOptions{Purge: true})
	remove(docs[1].Key, rag.RemoveOptions{})
	remove(docs[2].Key, rag.RemoveOptions{DryRun: true})
}

// TestOwedKeepsCache: a removal with KeepCache keeps the paid replies of all its documents,
// also of one that a later run removes. Without KeepCache a removal keeps none.
func TestOwedKeepsCache(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{true, false} {
		c := ragtest.Open(t, methods.All(), methods.Encodings()...)
		c.Use(paidModels(io.Discard))
		docs := ragtest.Docs(24, 4)
		c.Index(t, "naive", docs...)
		before := cacheStats(t, c).Total
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		keys := []string{docs[0].Key, docs[1].Key}
		r, err := c.RemoveAll(ctx, meanwhile(func() {
			if calls++; calls == 2 {
				cancel()
			}
		}), keys, rag.RemoveOptions{KeepCache: keep})
		cancel()
		if o := owedBy(t, c.Corpus); len(r) != 1 || !errors.Is(err, context.Canceled) || o == nil || !slices.Equal(o.Remove, keys[1:]) {
			t.Fatalf("removed %d, %v; %+v is owed", len(r), err, o)
		}
		one := cacheStats(t, c).Total
		if r := c.Index(t, "naive"); r.Removed != 1 || r.Documents != 2 {
			t.Fatalf("an index run: %+v", r)
		}
		both := cacheStats(t, c).Total
		switch {
		case keep && (one.Entries != before.Entries || both.Entries != before.Entries || both.Unused <= one.Unused || one.Unused == 0),
			!keep && (one.Entries >= before.Entries || both.Entries >= one.Entries || both.Unused > 0):
			t.Errorf("keep: %v: %+v, with a document less %+v, with two less %+v", keep, before, one, both)
		}
	}
}
