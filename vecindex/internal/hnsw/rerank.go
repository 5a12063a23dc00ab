package hnsw

import (
	"slices"

	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// sigmas is how many standard deviations of an estimate's error a bound takes:
// measured to lose nothing that matters, not proven.
const sigmas = 3

func bound(q *quant.Query, code []byte, d float32) float32 {
	return sigmas*q.Sigma(code, d) + q.Slack(code)
}

// Refined is a candidate with a better distance.
type Refined struct {
	Slot     uint32
	Distance float32
}

// Codes has the codes of candidates; a [Version] does, and a [Source].
type Codes interface{ Code(slot uint32) []byte }

// Refine returns the k nearest of the candidates, which ascend, by the
// distances of both planes, ascending. It looks at no more candidates than can
// be among them. The graph must have low planes, or plain codes. low returns
// the low plane of a slot, valid until its next call; an error of it ends
// Refine. The result is valid until the next Refine.
func (s *Searcher) Refine(v Codes, q *quant.Query, all []Candidate, k int, low func(slot uint32) ([]int8, error)) ([]Refined, error) {
	s.refined = s.refined[:0]
	for i, c := range all {
		code := v.Code(c.Slot())
		if i >= k {
			est, worst := c.Distance(), s.refined[k-1].Distance
			e := bound(q, code, est)
			if est-1.5*e > worst {
				break
			}
			if est-e > worst {
				continue
			}
		}
		s.clearStep()
		s.addCode(c.Slot(), code)
		s.dot(q, 0, 1)
		plane, err := low(c.Slot())
		if err != nil {
			return nil, err
		}
		r := Refined{c.Slot(), q.Refine(code, plane, s.dots[0])}
		at, _ := slices.BinarySearchFunc(s.refined, r, compareRefined)
		if at == k {
			continue
		}
		if len(s.refined) < k {
			s.refined = append(s.refined, r)
		}
		copy(s.refined[at+1:], s.refined[at:])
		s.refined[at] = r
	}
	return s.refined, nil
}

func compareRefined(a, b Refined) int {
	switch {
	case a.Distance < b.Distance, a.Distance == b.Distance && a.Slot < b.Slot:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// Doubtful divides the candidates, which ascend, into those that are certainly
// among the k nearest, and those of which only the stored vectors can tell. The
// rest is certainly not. Both are valid until the next call.
func (s *Searcher) Doubtful(v Codes, q *quant.Query, all []Candidate, k int) (sure, doubt []Candidate) {
	s.sure, s.doubt = s.sure[:0], s.doubt[:0]
	if len(all) <= k {
		return append(s.sure, all...), nil
	}
	s.lower, s.upper = s.lower[:0], s.upper[:0]
	for _, c := range all {
		d := c.Distance()
		e := bound(q, v.Code(c.Slot()), d)
		s.lower = append(s.lower, d-e)
		s.upper = append(s.upper, d+e)
	}
	s.sorted = append(s.sorted[:0], s.lower...)
	slices.Sort(s.sorted)
	out := s.sorted[k] // the (k+1)-th lower bound: what is below is in
	s.sorted = append(s.sorted[:0], s.upper...)
	slices.Sort(s.sorted)
	in := s.sorted[k-1] // the k-th upper bound: what is above is out
	for i, c := range all {
		switch {
		case s.upper[i] < out:
			s.sure = append(s.sure, c)
		case s.lower[i] <= in:
			s.doubt = append(s.doubt, c)
		}
	}
	return s.sure, s.doubt
}
