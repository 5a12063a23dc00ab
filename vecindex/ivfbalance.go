package vecindex

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/ivf"
)

// change replaces lists by others in one commit, to which more adds the rest.
func (l *lister) change(gone, fresh []ivf.List, more func(b kv.Batch)) error {
	ix, t := l.ix, l.ix.cfg.Table
	next := l.record
	next.state++
	next.made = next.state
	next.flags |= listsImpure
	for _, x := range fresh {
		next.nextList, next.nextGroup = max(next.nextList, x.ID+1), max(next.nextGroup, x.Group+1)
	}
	now := &routed{record: next, codec: l.now.codec, router: l.now.router.With(gone, fresh)}
	err := l.commit(l.ctx, func(b kv.Batch) error {
		for _, x := range gone {
			prefix := t.Links(next.edition, postingLevel, x.ID)
			b.DeleteRange(prefix, layout.Next(prefix))
			b.Delete(t.Code(next.edition, x.ID))
		}
		for i := range fresh {
			b.Set(t.Code(next.edition, fresh[i].ID), appendList(nil, &fresh[i]))
		}
		more(b)
		if !l.hidden {
			b.Set(t.Meta(listsName), appendLists(nil, &next))
			ix.route(now)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write lists: %w", err)
	}
	for _, x := range gone {
		delete(l.where, x.ID)
		delete(l.counts, x.ID)
	}
	for _, x := range fresh {
		l.where[x.ID] = ivf.List{ID: x.ID, Group: x.Group, Layer: x.Layer}
		if _, ok := l.counts[x.ID]; !ok {
			l.counts[x.ID] = 0
		}
	}
	l.now, l.record = now, next
	return nil
}

// balance divides the lists among some that are too long, and gives up those that are
// too short.
func (l *lister) balance(touched map[uint32]bool) error {
	// A list of vectors that are alike may be long or short for good.
	for left := 64 + 8*len(touched); len(touched) > 0; {
		if err := l.count(touched); err != nil {
			return err
		}
		due := slices.Sorted(maps.Keys(touched))
		clear(touched)
		for _, list := range due {
			if !l.unfit(list) || left == 0 {
				continue
			}
			left--
			if err := l.remake(list, touched); err != nil {
				return err
			}
		}
	}
	for _, layer := range l.now.router.Layers() {
		if l.now.router.Crowded(layer) {
			if err := l.regroup(layer); err != nil {
				return err
			}
		}
	}
	return nil
}

// young reports whether the lists are made again when their vectors have doubled.
func (r *listsRecord) young() bool { return r.madeOf <= smallLists }

// doubled reports whether young lists are to be made again.
func (r *listsRecord) doubled(waiting int) bool {
	n := waiting + int(r.listed)
	return r.young() && n > 0 && n >= 2*int(r.madeOf)
}

// longest returns the postings above which a list is divided.
func (l *lister) longest() int {
	if l.record.young() && !l.hidden {
		return youngList * longList
	}
	return longList
}

// unfit reports whether a list that was counted is too long or too short.
func (l *lister) unfit(list uint32) bool {
	x, ok := l.where[list]
	n := l.counts[list]
	return ok && (n > l.longest() || n < shortList && l.now.router.Count(x.Layer) > 1)
}

// regroup makes the groups of a layer's lists again.
func (l *lister) regroup(layer uint8) error {
	all := l.now.router.All(layer)
	slices.SortFunc(all, func(a, b ivf.List) int { return cmp.Compare(a.ID, b.ID) })
	rows := ivf.NewRows(l.ix.cfg.Dim, len(all))
	for _, x := range all {
		rows.Add(x.Row)
	}
	base := l.record.nextGroup
	groups := ivf.Groups(rows, uint64(len(all)), l.ix.listers())
	step := max(1, commitBytes/(l.ix.cfg.Dim+64))
	for from := 0; from < len(all); from += step {
		some := all[from:min(from+step, len(all))]
		fresh := slices.Clone(some)
		for i := range fresh {
			fresh[i].Group = base + groups[from+i]
		}
		t, edition := l.ix.cfg.Table, l.record.edition
		if err := l.regrouped(some, fresh, func(b kv.Batch) {
			for i := range fresh {
				b.Set(t.Code(edition, fresh[i].ID), appendList(nil, &fresh[i]))
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// regrouped is change for lists that stay.
func (l *lister) regrouped(old, fresh []ivf.List, write func(b kv.Batch)) error {
	now := *l.now
	now.router = now.router.With(old, nil)
	l.now = &now
	counts := map[uint32]int{}
	for _, x := range old {
		if n, ok := l.counts[x.ID]; ok {
			counts[x.ID] = n
		}
		delete(l.counts, x.ID)
	}
	err := l.change(nil, fresh, write)
	for _, x := range old {
		if n, ok := counts[x.ID]; ok {
			l.counts[x.ID] = n
		} else {
			delete(l.counts, x.ID)
		}
	}
	return err
}
