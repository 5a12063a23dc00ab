package rag

import (
	"context"
	"errors"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/method"
)

// Owed tells of work that was begun and is not done, since its process was killed or is
// still at it. remove are the keys of documents that are to be removed: the next removal or
// [Indexer.Run] does it. merge says that names are read as others, or as themselves again,
// and that graphs have not followed: an [Indexer.Run] of all methods does it. purge says
// that files may hold what is to be in none: [Corpus.Purge] does it, after such a run.
func (c *Corpus) Owed(ctx context.Context) (remove []string, merge, purge bool, err error) {
	if err := c.ready(); err != nil {
		return nil, false, false, err
	}
	err = c.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base())
		w, docs, err := corpus.ReadOwed(v)
		if err != nil {
			return err
		}
		for _, d := range docs {
			remove = append(remove, d.Doc)
		}
		due, err := c.Rereads(v)
		merge, purge = w.Index || len(due) > 0, w.Purge
		return err
	})
	if err != nil {
		return nil, false, false, phase.Errorf("what is owed: %w", err)
	}
	return remove, merge, purge, nil
}

// mostOwed is how many documents are noted at once, in one transaction.
const mostOwed = 10_000

// RemoveAll removes documents, each as [Corpus.Remove] does. If one is missing it is
// [engine.ErrNotFound], and none is removed. The commit that removes the first notes the
// others, ten thousand at a time: whatever ends the process, the next call, [Indexer.Run]
// or [Indexer.Sync] removes those first that are left. A document whose removal fails is
// not tried again by itself. The results are those of all
// documents that it removed, also beside an error.
func (c *Corpus) RemoveAll(ctx context.Context, methods method.Methods, docs []string, o RemoveOptions) ([]*RemoveResult, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	end, err := c.begin(ctx)
	if err != nil {
		return nil, phase.Errorf("remove: %w", err)
	}
	defer end()
	work, owed, rest, err := c.toRemove(ctx, docs, &o)
	if err != nil {
		return nil, err
	}
	if len(owed)+len(rest) == 0 && o.Purge && !o.DryRun {
		return nil, c.changeWork(ctx, func(w *corpus.Work) { *w = work })
	}
	x := &removing{c: c, methods: methods, dry: o.DryRun}
	var out []*RemoveResult
	for len(owed)+len(rest) > 0 {
		n := min(len(rest), mostOwed)
		note := func(base *engine.TxView) error {
			return errors.Join(corpus.PutWork(base, work), corpus.PutOwed(base, rest[:n]))
		}
		r, err := x.removeOwed(ctx, slices.Concat(owed, rest[:n]), note)
		out = append(out, r...)
		if err != nil {
			return out, err
		}
		owed, rest = nil, rest[n:]
	}
	return out, nil
}

// toRemove compares what is asked for with what is there and what is owed. It returns the
// work to be noted, what is owed, and the other documents that are to be removed.
func (c *Corpus) toRemove(ctx context.Context, docs []string, o *RemoveOptions) (work corpus.Work, owed, rest []corpus.OwedRemoval, err error) {
	err = c.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base())
		if work, owed, err = corpus.ReadOwed(v); err != nil {
			return err
		}
		same := false
		if len(o.Asked) > 0 {
			asked := removalBy(o.Asked)
			same, work.Asked = asked == work.Asked, asked
		}
		work.Purge = work.Purge || o.Purge
		met := map[string]bool{}
		if o.DryRun {
			owed = nil
		}
		for _, d := range owed {
			met[d.Doc] = true
		}
		for _, doc := range docs {
			if met[doc] {
				continue
			}
			met[doc] = true
			_, err := c.Document(v, doc)
			switch {
			case err == nil:
				rest = append(rest, corpus.OwedRemoval{Doc: doc, KeepCache: o.KeepCache})
			case !corpus.IsMissing(err):
				return phase.Errorf("remove %s: %w", doc, err)
			case !same:
				return phase.Errorf("remove: %w", err) // which names the document
			}
		}
		return nil
	})
	return work, owed, rest, err
}

// removeOwed removes documents. If note is set it is called in the first commit, and notes
// them.
func (x *removing) removeOwed(ctx context.Context, docs []corpus.OwedRemoval, note func(base *engine.TxView) error) (out []*RemoveResult, err error) {
	for _, d := range docs {
		also := func(base *engine.TxView) error {
			if note != nil {
				if err := note(base); err != nil {
					return err
				}
			}
			return corpus.DropOwed(base, d.Doc)
		}
		r, err := x.remove(ctx, d.Doc, d.KeepCache, also)
		if corpus.IsMissing(err) && !x.dry { // something else has removed it
			err = x.c.DB().Update(ctx, func(tx *engine.Tx) error { return also(tx.Graph(x.c.Base())) })
		}
		if err != nil && x.m != nil && !x.dry && ctx.Err() == nil {
			// The document cannot be removed: it must not keep every later run from its work.
			_ = x.c.DB().Update(ctx, func(tx *engine.Tx) error { return corpus.DropOwed(tx.Graph(x.c.Base()), d.Doc) })
		}
		if err != nil {
			return out, err
		}
		if r != nil {
			out = append(out, r)
		}
		note = nil
	}
	return out, nil
}

// settle does what a removal or a change of names has left when it was interrupted, and
// returns how many documents it removed. What only a method can do that is not among
// methods is left for another time.
func (c *Corpus) settle(ctx context.Context, methods method.Methods) (removed int, err error) {
	_, owed, err := c.work(ctx)
	if err != nil {
		return 0, err
	}
	gone, err := (&removing{c: c, methods: methods}).removeOwed(ctx, owed, nil)
	if err != nil {
		return len(gone), err
	}
	return len(gone), c.reread(ctx, methods)
}

// work returns the last work, and the documents that are still to be removed.
func (c *Corpus) work(ctx context.Context) (w corpus.Work, docs []corpus.OwedRemoval, err error) {
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		w, docs, err = corpus.ReadOwed(s.Graph(c.Base()))
		return err
	})
	return w, docs, err
}

// AskedLast reports whether names are those that the last [Corpus.RemoveAll] was asked by.
func (c *Corpus) AskedLast(ctx context.Context, names []string) (bool, error) {
	if err := c.ready(); err != nil {
		return false, err
	}
	w, _, err := c.work(ctx)
	return w.Asked == removalBy(names), err
}

// removalBy is what a removal that was asked for by some names is noted by.
func removalBy(names []string) string {
	return corpus.AskedBy(append([]string{"remove"}, names...)...)
}

// indexed notes that all methods of the corpus have been run, if a change of names waits
// for it and these systems are all.
func (c *Corpus) indexed(ctx context.Context, methods method.Methods, systems []*method.System) error {
	work, _, err := c.work(ctx)
	if err != nil || !work.Index {
		return err
	}
	all, err := c.systems(ctx, methods)
	if err != nil {
		return err
	}
	for _, s := range all {
		if !slices.ContainsFunc(systems, func(have *method.System) bool { return have.Instance() == s.Instance() }) {
			return nil
		}
	}
	return c.changeWork(ctx, func(w *corpus.Work) { w.Index = false })
}

// Purge rewrites all files of the database, so that none holds what was removed. It comes
// after the removal and an [Indexer.Run] of all methods, which renews what was computed of
// the whole corpus. When it has come to its end it is owed no more.
func (c *Corpus) Purge(ctx context.Context) error {
	if err := c.ready(); err != nil {
		return err
	}
	if err := c.DB().Compact(ctx); err != nil {
		return err
	}
	if err := c.changeWork(ctx, func(w *corpus.Work) { w.Purge = false }); err != nil {
		return phase.Errorf("purge: %w", err)
	}
	return nil
}

// changeWork changes what is noted of the last work.
func (c *Corpus) changeWork(ctx context.Context, change func(w *corpus.Work)) error {
	return c.DB().Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(c.Base())
		w, _, err := corpus.ReadOwed(v)
		if err != nil {
			return err
		}
		change(&w)
		return corpus.PutWork(v, w)
	})
}
