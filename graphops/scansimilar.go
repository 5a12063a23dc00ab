package graphops

import (
	"math"
	"slices"
)

// scanAnswer says whether the ends of an edge are alike.
type scanAnswer uint8

const (
	scanUnknown scanAnswer = iota
	scanYes
	scanNo
)

// start decides what degrees decide.
func (s *scanState) start() error {
	for u := range s.Len() {
		s.parent[u] = uint32(u)
		s.similar[u]++
		s.possible[u]++
		du := s.off[u+1] - s.off[u] + 1
		if err := s.look(int(du)); err != nil {
			return err
		}
		at, _ := slices.BinarySearch(s.to[s.off[u]:s.off[u+1]], uint32(u))
		for i := s.off[u] + uint32(at); i < s.off[u+1]; i++ {
			v := s.to[i]
			dv := s.off[v+1] - s.off[v] + 1
			answer := scanUnknown
			switch need := s.need(du, dv); {
			case need <= 2:
				answer = scanYes
				s.similar[u]++
				s.similar[v]++
			case need > min(du, dv):
				s.alike[i], s.alike[s.back[i]] = scanNo, scanNo
				continue
			}
			s.alike[i], s.alike[s.back[i]] = answer, answer
			s.possible[u]++
			s.possible[v]++
		}
	}
	return nil
}

// need returns how many nodes must be within one step of two nodes that have
// du and dv within one step, so that they are alike.
func (s *scanState) need(du, dv uint32) uint32 {
	root := math.Sqrt(float64(uint64(du) * uint64(dv)))
	c := uint32(s.epsilon * root)
	for c > 0 && float64(c-1)/root >= s.epsilon {
		c--
	}
	for float64(c)/root < s.epsilon {
		c++
	}
	return c
}

// compare decides whether u and the end of its entry i are alike.
func (s *scanState) compare(u, i uint32) error {
	v := s.to[i]
	a, b := s.to[s.off[u]:s.off[u+1]], s.to[s.off[v]:s.off[v+1]]
	s.compared++
	if err := s.look(len(a) + len(b)); err != nil {
		return err
	}
	// Each counts the other and itself.
	yes := shareAtLeast(a, b, int(s.need(uint32(len(a))+1, uint32(len(b))+1))-2)
	answer := scanNo
	if yes {
		answer = scanYes
	}
	for _, e := range [2]struct{ node, entry uint32 }{{u, i}, {v, s.back[i]}} {
		s.alike[e.entry] = answer
		if yes {
			s.similar[e.node]++
		} else {
			s.possible[e.node]--
		}
	}
	return nil
}

// shareAtLeast reports whether two ascending lists have need values in common.
func shareAtLeast(a, b []uint32, need int) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b) > 32*len(a) {
		return shareGalloping(a, b, need)
	}
	i, j := 0, 0
	spareA, spareB := len(a)-need, len(b)-need // how many may still be missed
	for need > 0 && spareA >= 0 && spareB >= 0 {
		if i == len(a) || j == len(b) {
			return false
		}
		switch x, y := a[i], b[j]; {
		case x < y:
			i++
			spareA--
		case x > y:
			j++
			spareB--
		default:
			i++
			j++
			need--
		}
	}
	return need <= 0
}

// shareGalloping is shareAtLeast for a much longer b.
func shareGalloping(a, b []uint32, need int) bool {
	for k, x := range a {
		if need <= 0 || need > len(a)-k {
			break
		}
		step := 1
		for step < len(b) && b[step] < x {
			step *= 2
		}
		at, found := slices.BinarySearch(b[:min(step+1, len(b))], x)
		b = b[at:]
		if found {
			need--
		}
	}
	return need <= 0
}
