package vecindex

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/ivf"
)

// A list that is too long makes way for two about its halves, one that is too short
// for none. Its vectors are placed again, and so are those of the lists around that
// are nearer to a new one than to their own.

// around is the number of lists around a divided one whose vectors are looked at.
const around = 8

// remaking is the work of one list.
type remaking struct {
	*lister
	r       kv.Reader
	old     ivf.List // with its row
	entries []entry
	before  []placed // lists of entries
	vectors []float32
}

// remake divides a list or gives it up. It adds the lists that got or lost postings
// to touched.
func (l *lister) remake(id uint32, touched map[uint32]bool) error {
	return l.ix.snapshot(l.ctx, func(r kv.Reader, _ meta) error {
		m := &remaking{lister: l, r: r}
		m.old, _ = l.now.router.Find(l.where[id])
		if err := m.members(id); err != nil {
			return err
		}
		return m.run(touched)
	})
}

// members reads the vectors of a list, by node.
func (m *remaking) members(list uint32) error {
	t := m.turners.get()
	defer m.turners.put(t)
	ps, err := m.postings(list, t.coder)
	if err != nil {
		return err
	}
	return m.add(ps)
}

// postings returns the postings of a list, ordered by node, with their codes.
func (m *remaking) postings(list uint32, coder *ivf.Coder) (out []posting, err error) {
	prefix := m.ix.cfg.Table.Links(m.record.edition, postingLevel, list)
	err = m.overPostings(m.r, func(it kv.Iterator) error {
		for ok := it.SeekGE(prefix); ok && bytes.HasPrefix(it.Key(), prefix); ok = it.Next() {
			p, err := readPosting(it.Key(), it.Value(), coder)
			if err != nil {
				return err
			}
			p.code = bytes.Clone(p.code)
			out = append(out, p)
		}
		return it.Err()
	})
	slices.SortFunc(out, func(a, b posting) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.slot, b.slot)) })
	return out, err
}

// add adds vectors to those that are placed again, but for those that died.
func (m *remaking) add(ps []posting) error {
	d, table := m.ix.cfg.Dim, m.ix.cfg.Table
	slots := make([]uint32, len(ps))
	keys := make([][]byte, len(ps))
	for i, p := range ps {
		slots[i] = p.slot
		keys[i] = table.Slot(layout.TagVector, p.slot)
	}
	places, err := m.placesOf(m.r, slots)
	if err != nil {
		return err
	}
	rows := make([]float32, len(ps)*d)
	lives := make([]bool, len(ps))
	err = m.r.MultiGet(m.ctx, keys, func(i int, b []byte) error {
		if b == nil {
			return nil
		}
		lives[i] = true
		return m.ix.cfg.Element.read(keys[i], b, rows[i*d:i*d+d])
	})
	if err != nil {
		return err
	}
	for i, p := range ps {
		if !lives[i] {
			continue
		}
		if places[i].n == 0 {
			return corrupt(table.Links(m.record.edition, placeLevel, p.slot), "a posting of a slot that is in no list")
		}
		m.entries = append(m.entries, entry{slot: p.slot, rec: slotRecord{id: p.id, layer: m.old.Layer}})
		m.before = append(m.before, places[i])
		m.vectors = append(m.vectors, rows[i*d:i*d+d]...)
	}
	return nil
}

func (m *remaking) run(touched map[uint32]bool) error {
	var fresh []ivf.List
	if m.counts[m.old.ID] > m.longest() {
		if fresh = m.halves(); fresh == nil {
			return nil // its vectors are alike
		}
	}
	// The router as it will be; the lists are stored with the vectors' new places.
	was := m.now
	now := *m.now
	now.router = m.now.router.With([]ivf.List{m.old}, fresh)
	m.now = &now
	if len(fresh) > 0 {
		if err := m.neighbours(fresh); err != nil {
			m.now = was
			return err
		}
	}
	m.replace()
	m.now = was
	// A commit of new places is as large as the list and a little of those around.
	change := map[uint32]int{}
	err := m.change([]ivf.List{m.old}, fresh, func(b kv.Batch) {
		clear(change)
		for i := range m.entries {
			m.move(b, &m.entries[i], m.before[i], change)
		}
	})
	if err != nil {
		return err
	}
	known := map[uint32]bool{}
	for list := range change {
		if _, ok := m.where[list]; ok {
			touched[list] = true
			if _, ok := m.counts[list]; ok {
				known[list] = true
			}
		}
	}
	for list := range known {
		m.counts[list] += change[list]
	}
	return nil
}

// halves returns the two lists that a list is divided into. Of its vectors those that it
// is the nearest of decide.
func (m *remaking) halves() []ivf.List {
	d := m.ix.cfg.Dim
	t := m.turners.get()
	defer m.turners.put(t)
	own := ivf.NewRows(d, len(m.entries))
	for pass := range 2 {
		for i := range m.entries {
			if pass == 0 && m.before[i].lists[0] != m.old.ID {
				continue
			}
			t.turn(m.vectors[i*d : i*d+d])
			own.Add(t.row)
		}
		if own.Len() >= 8 {
			break
		}
		own = ivf.NewRows(d, len(m.entries))
	}
	if own.Len() < 2 {
		return nil
	}
	a, b, ok := ivf.Two(own, uint64(m.old.ID))
	if !ok {
		return nil
	}
	out := make([]ivf.List, 2)
	for i, c := range [][]float32{a, b} {
		row := ivf.Row{Q: make([]int8, d)}
		row.Set(c)
		out[i] = ivf.List{ID: m.record.nextList + uint32(i), Group: m.old.Group, Layer: m.old.Layer, Row: row}
	}
	return out
}

// neighbours adds the vectors of the lists around that are nearer to a new list than to
// their own, by their codes.
func (m *remaking) neighbours(fresh []ivf.List) error {
	t := m.turners.get()
	defer m.turners.put(t)
	ip := m.ix.cfg.Metric == InnerProduct
	have := make(map[uint32]bool, len(m.entries))
	for i := range m.entries {
		have[m.entries[i].slot] = true
	}
	query := t.coder.NewQuery()
	for _, n := range m.now.router.Nearest(&t.route, m.old.Row, false, m.old.Layer, around+len(fresh), placeGroups, nil) {
		if slices.ContainsFunc(fresh, func(x ivf.List) bool { return x.ID == n.ID }) {
			continue
		}
		ps, err := m.postings(n.ID, t.coder)
		if err != nil {
			return err
		}
		// What an estimate of inner products lacks of a squared distance is the same for
		// all centroids but for their lengths.
		own, nearer := make([]float32, len(ps)), make([]bool, len(ps))
		for i, x := range append([]ivf.List{n.List}, fresh...) {
			x.Row.Vector(t.centroid)
			query.Set(t.centroid)
			for _, p := range ps {
				query.Add(p.code)
			}
			base, more := x.Row.Distance(n.Row, ip), float32(0)
			if ip {
				more = x.Row.Norm
			}
			query.Estimates(base, func(j int, dist, _ float32) {
				if dist += more; i == 0 {
					own[j] = dist
				} else if dist < own[j] {
					nearer[j] = true
				}
			})
		}
		var near []posting
		for j, p := range ps {
			if nearer[j] && !have[p.slot] {
				have[p.slot] = true
				near = append(near, p)
			}
		}
		if err := m.add(near); err != nil {
			return err
		}
	}
	return nil
}

// replace finds the lists of all entries.
func (m *remaking) replace() {
	d := m.ix.cfg.Dim
	m.ix.each(len(m.entries), func(next func() (int, bool)) {
		t := m.turners.get()
		defer m.turners.put(t)
		for i, ok := next(); ok; i, ok = next() {
			t.turn(m.vectors[i*d : i*d+d])
			m.fill(t, &m.entries[i], m.before[i])
		}
	})
}

// move writes that an entry is in other lists than before.
func (m *remaking) move(b kv.Batch, e *entry, before placed, change map[uint32]int) {
	t, edition := m.ix.cfg.Table, m.record.edition
	for _, list := range before.lists[:before.n] {
		if e.at.has(list) || list == m.old.ID {
			continue
		}
		b.Delete(t.Posting(edition, list, e.slot))
		change[list]--
	}
	for _, list := range e.at.lists[:e.at.n] {
		if !before.has(list) {
			change[list]++
		}
	}
	if e.at != before {
		m.set(b, e)
	}
}
