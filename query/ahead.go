package query

import (
	"context"
	"maps"

	"github.com/ragdb/ragdb/engine"
)

// aheadItems is how many items' reads are gathered at once where a walk may end before
// the last of them. Each further group of a walk is twice as large.
const aheadItems = 64

// aheadSkipped is aheadItems of a walk that passes over what does not fit, and so comes to
// the last of them as a rule.
const aheadSkipped = 512

// Ahead gathers what n reads are going to read ([engine.Snapshot.Ahead]). read gets an
// Env with which it runs as far as it can, and must change nothing else.
func (e *Env) Ahead(ctx context.Context, n int, read func(e *Env, i int) error) error {
	if err := e.check(); err != nil {
		return err
	}
	if read == nil {
		return invalid("there is nothing to read ahead")
	}
	var own *Env
	return e.Snap.Ahead(ctx, n, func(s *engine.Snapshot, i int) error {
		if own == nil || own.Snap != s {
			own = e.readingAhead(s)
		}
		return read(own, i)
	})
}

// aheadFrom is Ahead of the group of items that begins with the i-th, if one does.
func (e *Env) aheadFrom(ctx context.Context, i int, items []Item, read func(e *Env, it Item) error) error {
	return e.aheadGroup(ctx, aheadItems, i, items, read)
}

// aheadGroup is aheadFrom with another size of the first group.
func (e *Env) aheadGroup(ctx context.Context, first, i int, items []Item, read func(e *Env, it Item) error) error {
	group := i/first + 1 // of the groups before there are one less, times the first's size
	if i%first != 0 || group&(group-1) != 0 {
		return nil
	}
	some := items[i:min(len(items), i+group*first)]
	return e.Ahead(ctx, len(some), func(e *Env, i int) error { return read(e, some[i]) })
}

// aheadEdges reads ahead the first edges of nodes.
func (l *lens) aheadEdges(items []Item, f engine.EdgeFilter) error {
	g, ctx := l.graph(), l.ctx
	return l.e.Ahead(ctx, len(items), func(e *Env, i int) error {
		l, err := e.lens(ctx, g)
		if err != nil {
			return err
		}
		n := 0
		err = l.edges(items[i].ID, f, func(engine.Edge) error {
			if n++; n == aheadItems {
				return errEnough
			}
			return nil
		})
		if err == errEnough {
			err = nil
		}
		return err
	})
}

// readingAhead returns the Env with another snapshot, for reads whose results are not kept.
func (e *Env) readingAhead(s *engine.Snapshot) *Env {
	own := *e
	own.Snap, own.Trace, own.coming = s, nil, nil
	own.sets, own.running, own.allowed, own.edges = maps.Clone(e.sets), maps.Clone(e.running), maps.Clone(e.allowed), maps.Clone(e.edges)
	own.types = map[engine.GraphID]map[engine.NodeID]engine.TypeID{}
	own.nodes, own.labels, own.degrees = map[Ref]engine.Node{}, nil, nil
	return &own
}
