package engine_test

import (
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// inField returns what a read of a field gives: ErrNotFound, or what the model
// has in the state that is searched.
func (g *graphOps) inField(field string, read func(m *modelGraph) string) string {
	if _, ok := g.m.fields[field]; !ok {
		return fault(engine.ErrNotFound)
	}
	return read(g.m.searched())
}

func (g *graphOps) readTerms(field string, q []string, o engine.TermsOptions) step {
	want := g.inField(field, func(m *modelGraph) string { return showAll(m.rank(field, q, o), showScored) })
	return g.readStep(fmt.Sprintf("terms %s %q %+v", field, q, o), want, func(r graphReader) string {
		hits, err := r.Terms(field, q, o)
		return outcome(err, "%s", showAll(hits, showScored))
	})
}

func (g *graphOps) readPhrase(field string, q []string) step {
	want := g.inField(field, func(m *modelGraph) string {
		if len(q) > 1 && !g.m.fields[field].Positions {
			return fault(engine.ErrInvalid)
		}
		return showAll(m.phrase(field, q), showNode)
	})
	return g.readStep(fmt.Sprintf("phrase %s %q", field, q), want, func(r graphReader) string {
		return showSet(r.Phrase(field, q))
	})
}

func (g *graphOps) readTerm(field, term string) step {
	want := g.inField(field, func(m *modelGraph) string {
		return fmt.Sprint(m.termStats(field, term), m.fieldStats(field), showAll(m.postings(field, term), showPosting))
	})
	return g.readStep(fmt.Sprintf("term %s %q", field, term), want, func(r graphReader) string {
		s, err := r.TermStats(field, term)
		if err != nil {
			return fault(err)
		}
		f, err := r.FieldStats(field)
		return outcome(err, "%s", fmt.Sprint(s, f, collect(r.Postings(field, term), showPosting)))
	})
}

func (g *graphOps) readVocabulary(field string) step {
	show := func(term string, s engine.TermStats) string { return fmt.Sprintf("%q:%v", term, s) }
	want := g.inField(field, func(m *modelGraph) string {
		return showAll(m.vocabulary(field), func(term string) string { return show(term, m.termStats(field, term)) })
	})
	return g.readStep("vocabulary "+field, want, func(r graphReader) string {
		return collect(r.EachTerm(field), func(e engine.TermEntry) string { return show(e.Term, e.TermStats) })
	})
}

func (g *graphOps) readTermsOf(field string, id engine.NodeID) step {
	want := g.inField(field, func(m *modelGraph) string { return fmt.Sprint(m.termFreqs(field, id)) })
	return g.readStep(fmt.Sprintf("terms of %s %d", field, id), want, func(r graphReader) string {
		terms, err := r.TermsOf(field, id)
		return outcome(err, "%v", terms)
	})
}

func (g *graphOps) readWhere(p engine.Predicate) step {
	want := ""
	if missing := g.unindexed(p); missing {
		want = fault(engine.ErrNoIndex)
	} else {
		want = showAll(g.m.where(p), showNode)
	}
	return g.readStep("where "+p.String(), want, func(r graphReader) string { return showSet(r.Where(p)) })
}

// unindexed reports whether a predicate names a property without an index.
func (g *graphOps) unindexed(p engine.Predicate) bool {
	switch p := p.(type) {
	case engine.Comparison:
		return !g.m.indexes[p.Property]
	case engine.And:
		return slices.ContainsFunc(p, g.unindexed)
	case engine.Or:
		return slices.ContainsFunc(p, g.unindexed)
	case engine.Not:
		return g.unindexed(p.Predicate)
	}
	return false
}

// inSpace returns what a read of a space gives: ErrNotFound, or what the model
// has in the state that is searched.
func (g *graphOps) inSpace(space string, read func(m *modelGraph) string) string {
	if _, ok := g.m.spaces[space]; !ok {
		return fault(engine.ErrNotFound)
	}
	m := g.m.searched()
	if _, ok := m.spaces[space]; !ok || m.dropped[space] != g.m.dropped[space] {
		m = newModelGraph(g.m.id) // made in this transaction
		m.spaces[space] = g.m.spaces[space]
	}
	return read(m)
}

func (g *graphOps) readNearest(space string, q vecindex.Search) step {
	want := g.inSpace(space, func(m *modelGraph) string { return showAll(m.nearest(space, q), showHit) })
	return g.readStep(fmt.Sprintf("nearest %s %+v", space, q), want, func(r graphReader) string {
		v, err := r.Vectors(space)
		if err != nil {
			return fault(err)
		}
		hits, err := v.Search(background, q, nil)
		return outcome(err, "%s", showAll(hits, showHit))
	})
}

// readVectors reads all vectors of a space, the scores of some nodes and one
// node's own.
func (g *graphOps) readVectors(space string, query []float32, ids []uint64) step {
	show := func(id uint64, layer uint8, v []float32) string {
		if len(v) > 16 {
			return fmt.Sprintf("%d/%d:%d elements %08x", id, layer, len(v), crc32.ChecksumIEEE(fmt.Append(nil, v)))
		}
		return fmt.Sprintf("%d/%d:%v", id, layer, v)
	}
	want := g.inSpace(space, func(m *modelGraph) string {
		metric := m.spaces[space].Metric
		var all []string
		for _, id := range m.nodesOf(engine.AnyType) {
			if x, ok := m.vectors[modelPlace{space, id}]; ok {
				all = append(all, show(uint64(id), x.layer, scaled(metric, x.v)))
			}
		}
		var scores []float32
		for _, id := range ids {
			s := float32(math.Inf(-1))
			if x, ok := m.vectors[modelPlace{space, engine.NodeID(id)}]; ok {
				s = score(metric, scaled(metric, query), scaled(metric, x.v))
			}
			scores = append(scores, s+0)
		}
		return fmt.Sprint(len(all), all, scores)
	})
	return g.readStep(fmt.Sprintf("vectors %s %v", space, ids), want, func(r graphReader) string {
		v, err := r.Vectors(space)
		if err != nil {
			return fault(err)
		}
		var all []string
		for e, err := range v.All(background) {
			if err != nil {
				return fault(err)
			}
			one, err := v.Vector(background, e.ID, nil)
			if err != nil || !slices.Equal(one, e.Vector) {
				return fmt.Sprintf("the vector of %d is %v (%v) and %v", e.ID, one, err, e.Vector)
			}
			all = append(all, show(e.ID, e.Layer, e.Vector))
		}
		scores, err := v.Score(background, query, ids, nil)
		for i := range scores {
			scores[i] += 0
		}
		return outcome(err, "%s", fmt.Sprint(v.Len(), all, scores))
	})
}

func (g *graphOps) readEntry(e modelEntry) step {
	v, ok := g.m.entries[e]
	want := fmt.Sprintf("%t %q", ok, v)
	return g.readStep(fmt.Sprintf("entry %q", e), want, func(r graphReader) string {
		b := r.Bucket(e.bucket)
		has, err := b.Has([]byte(e.key))
		if err != nil {
			return fault(err)
		}
		v, err := b.Get([]byte(e.key), nil)
		if !has && fault(err) == fault(engine.ErrNotFound) {
			err = nil
		}
		return outcome(err, "%t %q", has, v)
	})
}

// readEntries scans a bucket between two keys, or over a prefix where hi is
// nil and lo is not.
func (g *graphOps) readEntries(bucket string, lo, hi []byte, prefix bool) step {
	show := func(k, v string) string { return fmt.Sprintf("%q=%q", k, v) }
	keys := g.m.scan(bucket, string(lo), string(hi))
	if prefix {
		keys = slices.DeleteFunc(g.m.scan(bucket, "", ""), func(k string) bool { return !strings.HasPrefix(k, string(lo)) })
	}
	want := showAll(keys, func(k string) string { return show(k, g.m.entries[modelEntry{bucket, k}]) })
	return g.readStep(fmt.Sprintf("entries %s %q %q %t", bucket, lo, hi, prefix), want, func(r graphReader) string {
		seq := r.Bucket(bucket).Scan(lo, hi)
		if prefix {
			seq = r.Bucket(bucket).Prefix(lo)
		}
		return collect(seq, func(e engine.Entry) string { return show(string(e.Key), string(e.Value)) })
	})
}

func (g *graphOps) readNames() step {
	var spaces []string
	for _, name := range g.m.made {
		if _, ok := g.m.spaces[name]; ok {
			spaces = append(spaces, name)
		}
	}
	want := fmt.Sprint(sortedKeys(g.m.indexes), sortedKeys(g.m.fields), spaces)
	return g.readStep("names", want, func(r graphReader) string {
		return fmt.Sprint(r.Indexes(), r.Fields(), r.Spaces())
	})
}
