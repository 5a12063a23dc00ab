package rag

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/method"
)

// idleSystem is a system in a run of its stages, which has nothing to do if nothing
// changed since a run that came to its end: no node or edge of the documents or of the
// system's graph, no mark, no model. Every commit that changes a node or an edge moves
// the version of its graph, so nothing has to be noted for a change, and a crash cannot
// lose one.
type idleSystem struct {
	c     *Corpus
	sys   *method.System
	name  string
	steps []queue.Step
	m     *Models
	// documents is the version of the documents at the start.
	documents uint64
}

func (c *Corpus) idleSystem(sys *method.System, m *Models) *idleSystem {
	return &idleSystem{c: c, sys: sys, name: sys.Name() + " " + sys.Instance(), steps: sys.Stages(m), m: m}
}

// graph returns the graph whose bucket has the record; nil if the system has no stages.
func (i *idleSystem) graph() *engine.Graph {
	if len(i.steps) == 0 {
		return nil
	}
	return i.sys.Graph()
}

// state identifies all that decides whether there is work.
func (i *idleSystem) state(ctx context.Context, s *engine.Snapshot) (string, error) {
	base, own := s.Graph(i.c.Base()), s.Graph(i.graph())
	uuid, err := s.UUID(ctx)
	if err != nil {
		return "", err
	}
	if i.documents, err = base.Version(); err != nil {
		return "", err
	}
	version, err := own.Version()
	if err != nil {
		return "", err
	}
	tagger, err := models.TaggerOf(base)
	if err != nil {
		return "", err
	}
	space := i.m.DocumentSpace()
	parts := []string{"idle", string(uuid[:]), fmt.Sprint(i.graph().ID(), i.documents, version), i.name, tagger, space.Model, fmt.Sprint(space.Dim), i.m.All().Prompts}
	if p := i.m.Provider(); p != nil {
		parts = append(parts, p.Name())
	}
	for _, st := range i.steps {
		parts = append(parts, st.Name())
	}
	return fmt.Sprintf("%x", corpus.Digest(parts...)), nil
}

// begin reports whether there is nothing to do, and which stages have items that were
// set aside. If there may be work, the graph keeps what changes from now on, and what was kept of an earlier run is removed first: a
// run that is interrupted leaves nothing that says it came to its end.
func (i *idleSystem) begin(ctx context.Context, anyway bool) (idle bool, failed []queue.IdleStage, err error) {
	if i.graph() == nil {
		return false, nil, nil
	}
	var kept queue.Idle
	var state string
	var changes bool
	err = i.c.DB().View(ctx, func(s *engine.Snapshot) (err error) {
		if kept, err = queue.ReadIdle(s.Graph(i.graph()).WithContext(ctx), i.name); err == nil {
			state, err = i.state(ctx, s)
		}
		if err == nil {
			changes, err = queue.KeepsChanges(s.Graph(i.graph()).WithContext(ctx), i.steps)
		}
		return err
	})
	switch {
	case err != nil || kept.State == "" && changes:
		return false, nil, err
	case kept.State == state && !anyway:
		return true, kept.Failed, nil
	}
	return false, nil, i.c.DB().Update(ctx, func(tx *engine.Tx) error {
		if err := queue.KeepChanges(tx.Graph(i.graph()), i.steps); err != nil {
			return err
		}
		return queue.SetIdle(tx.Graph(i.graph()), i.name, queue.Idle{})
	})
}

// end keeps that all stages have run, if the documents are those from the start. If the
// commit is lost the next run looks at everything; so it is not waited for.
func (i *idleSystem) end(ctx context.Context, failed []queue.IdleStage) error {
	if i.graph() == nil {
		return nil
	}
	before := i.documents
	var state string
	err := i.c.DB().View(ctx, func(s *engine.Snapshot) (err error) {
		state, err = i.state(ctx, s)
		return err
	})
	if err != nil || i.documents != before {
		return err
	}
	return i.c.DB().UpdateWith(ctx, kv.NoSync, func(tx *engine.Tx) error {
		if err := queue.KeepChanges(tx.Graph(i.graph()), i.steps); err != nil {
			return err
		}
		return queue.SetIdle(tx.Graph(i.graph()), i.name, queue.Idle{State: state, Failed: failed})
	})
}
