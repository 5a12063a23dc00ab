package rag

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/link"
	"github.com/ragdb/ragdb/rag/method"
)

// reread takes the documents that are to be read again out of the graphs that have read
// them, each in one commit. The next run reads them. A method that is not among methods
// is left for another time.
func (c *Corpus) reread(ctx context.Context, methods method.Methods) error {
	var due []corpus.Reread
	err := c.DB().View(ctx, func(s *engine.Snapshot) (err error) {
		due, err = c.Rereads(s.Graph(c.Base()))
		return err
	})
	if err != nil || len(due) == 0 {
		return err
	}
	for len(due) > 0 {
		n := 1
		for n < len(due) && due[n].Doc == due[0].Doc {
			n++
		}
		if err := again(func() error { return c.leave(ctx, methods, due[:n]) }); err != nil {
			return err
		}
		due = due[n:]
	}
	return nil
}

// leave takes one document out of the graphs of some methods.
func (c *Corpus) leave(ctx context.Context, methods method.Methods, of []corpus.Reread) error {
	m, err := c.newRemover(ctx, methods)
	if err != nil {
		return err
	}
	m.graphs = nil
	var inPlace []*method.System
	m.systems = slices.DeleteFunc(m.systems, func(s *method.System) bool {
		if !slices.ContainsFunc(of, func(r corpus.Reread) bool { return r.Instance == s.Instance() }) {
			return true
		}
		if s.Reread != nil {
			inPlace = append(inPlace, s)
		}
		return s.Reread != nil
	})
	r, err := m.prepare(ctx, of[0].Doc)
	gone := errors.Is(err, engine.ErrNotFound)
	if err != nil && !gone {
		return err
	}
	return c.DB().Update(ctx, func(tx *engine.Tx) error {
		base := tx.Graph(c.Base())
		if gone {
			return left(base, of, methods)
		}
		if err := base.ExpectNode(r.doc.ID, r.doc.Epoch); err != nil {
			return err
		}
		if err := r.fromGraphs(ctx, tx); err != nil {
			return err
		}
		for _, sys := range slices.Concat(m.systems, inPlace) { // the document's nodes stay, and are below the frontiers
			if g := sys.Graph(); g != nil {
				if err := queue.ForgetFrontiers(tx.Graph(g)); err != nil {
					return err
				}
			}
		}
		for _, sys := range inPlace {
			if err := sys.Reread(tx, r.chunksOf[corpus.ChunkType(sys.ChunkSet())]); err != nil {
				return fmt.Errorf("%s: %w", sys.Instance(), err)
			}
		}
		return left(base, of, methods)
	})
}

// left notes that a document has left the graphs of the methods that are known, those
// among them that are not there any more.
func left(base *engine.TxView, of []corpus.Reread, methods method.Methods) error {
	for _, x := range of {
		if spec, err := method.ParseInstance(x.Instance); err == nil && methods[spec.Name] == nil {
			continue
		}
		if err := corpus.PutReread(base, x, false); err != nil {
			return err
		}
	}
	return nil
}

// UnmergeUnsaid has names read as themselves again that no chunk has any more, or that
// are read as names which no chunk has: then nothing tells of a name that only removed
// documents had. It reads all chunks if there are merged names. What holds for
// [Corpus.Unmerge] holds for it.
func (c *Corpus) UnmergeUnsaid(ctx context.Context, methods method.Methods) (*link.Change, error) {
	all, err := c.Merged(ctx)
	if err != nil || len(all) == 0 {
		return &link.Change{Aliases: []link.Alias{}}, err
	}
	said := map[string]bool{}
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base()).WithContext(ctx)
		for _, t := range v.NodeTypes() {
			set, ok := chunkSetOf(v.NodeTypeName(t))
			if !ok {
				continue
			}
			for ch, err := range c.Chunks(v, set) {
				if err != nil {
					return err
				}
				spelled := knowledge.Spell(ch.Text)
				for _, a := range all {
					said[a.Key] = said[a.Key] || knowledge.Holds(spelled, a.Key)
					said[a.IntoKey] = said[a.IntoKey] || knowledge.Holds(spelled, a.IntoKey)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, phase.Errorf("merged names: %w", err)
	}
	var names []string
	for _, a := range all {
		if !said[a.Key] || !said[a.IntoKey] {
			names = append(names, a.Key)
		}
	}
	return c.unmerge(ctx, methods, "", names)
}
