package vecindex

import (
	"context"

	"github.com/ragdb/ragdb/kv"
)

// tendLists is tend of an index with lists.
func (ix *Index) tendLists(ctx context.Context, commit Committer, all bool) error {
	end, err := ix.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	ix.beside = !all
	return ix.workLists(ctx, commit, all)
}

// workLists puts vectors into lists and takes dead ones out until none is left.
func (ix *Index) workLists(ctx context.Context, commit Committer, all bool) error {
	for {
		due, err := ix.listsDue(ctx)
		if err != nil {
			return err
		}
		makes := due.makes(all)
		if ix.cfg.Kind == Auto {
			makes = all && ix.outgrown(due)
		}
		switch {
		case makes:
			if err := ix.makeLists(ctx, commit); err != nil {
				return err
			}
			continue
		case due.rec == nil || due.waiting == 0 && !due.dead:
			return nil
		}
		n, err := ix.stepLists(ctx, commit, due.rec, all)
		if err != nil {
			ix.unroute()
			return err
		}
		if n == 0 {
			return nil
		}
	}
}

// listsDue is what there is to do about lists.
type listsDue struct {
	rec     *listsRecord // nil if there are no lists
	live    int
	waiting int  // vectors in no list; at least if they are more than the lists have
	dead    bool // vectors are to be taken out
}

// makes reports whether the lists of an IVF are to be made, or made again.
func (d *listsDue) makes(all bool) bool {
	if d.rec == nil {
		return d.waiting >= minGraph || d.waiting > 0 && all
	}
	return d.waiting > int(d.rec.listed) || d.rec.doubled(d.waiting)
}

func (ix *Index) listsDue(ctx context.Context) (d listsDue, err error) {
	err = ix.snapshot(ctx, func(r kv.Reader, m meta) error {
		if d.rec, _, err = ix.readListsRecord(ctx, r); err != nil {
			return err
		}
		d.live = int(m.live)
		most := minGraph
		switch {
		case d.rec != nil:
			most = int(d.rec.listed) + 1
		case ix.cfg.Kind == Auto:
			return nil // what waits is not marked
		}
		l := &loader{ix: ix, r: r, meta: m}
		marks, err := l.marks(ctx, 0, 0, most, nil)
		if err != nil {
			return err
		}
		d.waiting = len(marks)
		marks, err = l.marks(ctx, 1, 0, 1, nil)
		d.dead = len(marks) > 0
		return err
	})
	return d, err
}

// stepLists does one step of the work: the dead vectors first, then a group of new ones, then
// the lists that got too long or too short, which of an Auto index wait for a Flush. It returns how
// many vectors it was about.
func (ix *Index) stepLists(ctx context.Context, commit Committer, rec *listsRecord, all bool) (n int, err error) {
	now, err := ix.routing(ctx, ix.store, rec)
	if err != nil {
		return 0, err
	}
	l := ix.lister(ctx, commit, now, rec)
	defer func() {
		if err != nil {
			ix.lastLister = nil
		}
	}()
	touched, n, err := l.step()
	if err != nil || ix.cfg.Kind == Auto && !all {
		return n, err
	}
	if ix.cfg.Kind == Auto {
		for list := range l.counts {
			touched[list] = true
		}
	}
	return n, l.balance(touched)
}

// lister returns the lister of the last call if it knows the lists as they are.
func (ix *Index) lister(ctx context.Context, commit Committer, now *routed, rec *listsRecord) *lister {
	l := ix.lastLister
	if l == nil || !l.now.is(rec) {
		l = ix.newLister(ctx, commit, now)
	}
	l.ctx, l.commit, l.record = ctx, commit, *rec
	ix.lastLister = l
	return l
}
