package vecindex_test

import (
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// TestViewBeforeRepair opens a view of a commit after a repair has taken out of the graph
// what was deleted since: it shows what the commit had, and so does one opened after the
// next repair, whose slots others have got meanwhile.
func TestViewBeforeRepair(t *testing.T) {
	for _, kind := range []vecindex.Kind{vecindex.HNSW, vecindex.CHNSW} {
		t.Run(kind.String(), func(t *testing.T) {
			s := newSurvivor(t, kind, vecindex.L2)
			s.put(1, span(0, 900)...)
			s.must(s.ix.Flush(t.Context(), commitTo(s.st)))
			type commit struct {
				seq  uint64
				snap kv.Snapshot
				now  state
			}
			var commits []commit
			for round := range uint64(2) {
				snap, err := s.st.Snapshot(t.Context())
				s.must(err)
				defer snap.Close()
				now := state{}
				for id, e := range s.now {
					now[id] = e
				}
				commits = append(commits, commit{s.seq, snap, now})
				s.delete(span(300*round, 300*round+300)...)
				s.must(s.ix.Flush(t.Context(), commitTo(s.st)))
				if st, err := s.ix.Stats(t.Context()); err != nil || st.Dead != 0 {
					t.Fatalf("%d dead vectors after a repair, %v", st.Dead, err)
				}
				for _, c := range commits {
					v, err := s.ix.At(t.Context(), c.snap, c.seq)
					s.must(err)
					q := vecindex.Search{Vector: s.shape.draw(s.rng), K: 900, Ef: 2000}
					got, err := v.Search(t.Context(), q, nil)
					s.must(err)
					res, err := judge(s.metric, 1e-3, c.now, q, got)
					v.Close()
					if err != nil {
						t.Fatalf("round %d, commit %d: %v", round, c.seq, err)
					}
					if res.found < res.wanted*95/100 || len(got) < len(c.now)*95/100 {
						t.Errorf("round %d, commit %d of %d vectors: %d of %d found", round, c.seq, len(c.now), res.found, res.wanted)
					}
				}
				s.put(1, span(1000+300*round, 1300+300*round)...)
				s.must(s.ix.Flush(t.Context(), commitTo(s.st)))
			}
		})
	}
}
