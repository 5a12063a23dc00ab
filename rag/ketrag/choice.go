package ketrag

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/graph"
)

// standing is where a chunk stood when the core was last chosen.
type standing uint8

const (
	unknown standing = iota // it was not there
	outside
	inside
)

// choice tells of when the core was chosen.
type choice struct {
	last engine.NodeID // the last chunk that there was
	// full is the last chunk when all chunks were last weighed, and of the number of
	// them then.
	full engine.NodeID
	of   uint64
	// degree is how many chunks the mean chunk was near to then, and least the estimate
	// that a chunk which came since needs to be in the core.
	degree, least float64
}

// A choice of firstChoiceSize is of before chunks were placed one by one. It reads as that
// of no chunks, so that all are weighed once.
const choiceSize, firstChoiceSize = 40, 24

func (c choice) append(dst []byte) []byte {
	for _, x := range []uint64{uint64(c.last), uint64(c.full), c.of, math.Float64bits(c.degree), math.Float64bits(c.least)} {
		dst = binary.BigEndian.AppendUint64(dst, x)
	}
	return dst
}

// readChoice reads what append wrote.
func readChoice(b []byte) choice {
	u := binary.BigEndian.Uint64
	return choice{
		last: engine.NodeID(u(b)), full: engine.NodeID(u(b[8:])), of: u(b[16:]),
		degree: math.Float64frombits(u(b[24:])), least: math.Float64frombits(u(b[32:])),
	}
}

// aged returns how many chunks came or went since all were last weighed.
func (c choice) aged(ids []engine.NodeID) int {
	old, found := slices.BinarySearch(ids, c.full)
	if found {
		old++
	}
	return len(ids) - old + int(c.of) - old
}

// coreChange is what becomes of the core.
type coreChange struct {
	choice
	enter, leave []engine.NodeID // chunks, and skeleton nodes
}

func (c *coreChange) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(c.choice.append(dst), uint64(len(c.enter)))
	for _, id := range slices.Concat(c.enter, c.leave) {
		dst = binary.BigEndian.AppendUint64(dst, uint64(id))
	}
	return dst
}

// readCoreChange reads what append wrote.
func readCoreChange(b []byte) (*coreChange, error) {
	if len(b)%8 != 0 || len(b) < choiceSize+8 {
		return nil, errCore
	}
	c := &coreChange{choice: readChoice(b)}
	n := binary.BigEndian.Uint64(b[choiceSize:])
	b = b[choiceSize+8:]
	if n > uint64(len(b)/8) {
		return nil, errCore
	}
	for i := uint64(0); len(b) > 0; i, b = i+1, b[8:] {
		id := engine.NodeID(binary.BigEndian.Uint64(b))
		if i < n {
			c.enter = append(c.enter, id)
		} else {
			c.leave = append(c.leave, id)
		}
	}
	return c, nil
}

// chosen returns the last choice, or that of no chunks.
func (st *coreStage) chosen(v *engine.View) (choice, error) {
	raw, err := v.Bucket(bucketNear).Get([]byte(keyChosen), nil)
	if graph.IsMissing(err) || st.s.p.Slack == 0 {
		return choice{}, nil
	}
	switch {
	case err == nil && len(raw) == choiceSize:
		return readChoice(raw), nil
	case err == nil && len(raw) == firstChoiceSize:
		return choice{}, nil
	}
	return choice{}, errors.Join(err, errCore)
}

var errCore = errors.New("malformed core")

// cut returns what makes the core, by a ranking of all chunks: of new chunks those among
// the first n, of those that were in it those among the first n+slack, and of the others
// those among the first n-slack. So near its cut a chunk stays where it is.
func cut(rank []int, n, slack int, before []standing) []int {
	var out []int
	for place, i := range rank {
		most := n
		switch before[i] {
		case inside:
			most = n + slack
		case outside:
			most = n - slack
		}
		if place < most {
			out = append(out, i)
		}
	}
	return out
}

// coreSize is ceil(beta n), or with compat int(beta n) as the code rounds it.
func coreSize(beta float64, n int, compat bool) int {
	x := beta * float64(n)
	if compat {
		return int(x)
	}
	// 0.07 of 100 is 7.000000000000001 in floating point.
	return int(math.Ceil(x - 1e-9))
}

// damping is that of the PageRank.
const damping = 0.85

// central estimates the PageRank of a chunk, as a multiple of the mean chunk's: by walks
// of up to one step, and for longer ones by its degree, which they come to in a graph
// without directions. shares is the sum of 1/degree over the chunks that it is near to.
func central(degree int, shares, mean float64) float64 {
	if mean == 0 {
		return 1
	}
	return (1-damping)*(1+damping*shares) + damping*damping*float64(degree)/mean
}

// note notes what a chunk that comes later needs to be among the first n of a graph's.
func (c *choice) note(p *graphops.Projection, n int) {
	all := make([]float64, p.Len())
	ends := 0
	for u := range all {
		ends += p.Degree(uint32(u))
	}
	c.degree = float64(ends) / float64(max(1, len(all)))
	var to []uint32
	for u := range all {
		to, _ = p.Neighbors(uint32(u), to[:0], nil)
		shares := 0.0
		for _, x := range to {
			shares += 1 / float64(p.Degree(x))
		}
		all[u] = central(len(to), shares, c.degree)
	}
	slices.Sort(all)
	switch {
	case n <= 0:
		c.least = math.Inf(1)
	case n < len(all):
		c.least = all[len(all)-n]
	}
}

// estimate returns what central does for a chunk of the store.
func (st *coreStage) estimate(v *engine.View, id engine.NodeID, mean float64) (float64, error) {
	f := engine.EdgeFilter{Types: st.s.nearTypes(v), Direction: engine.Both}
	if len(f.Types) == 0 {
		return central(0, 0, mean), nil
	}
	near, err := v.NeighborSet(id, f)
	if err != nil {
		return 0, err
	}
	shares := 0.0
	for it := near.Iterator(); it.HasNext(); {
		of, err := v.NeighborSet(engine.NodeID(it.Next()), f)
		if err != nil {
			return 0, err
		}
		shares += 1 / float64(of.GetCardinality())
	}
	return central(int(near.GetCardinality()), shares, mean), nil
}
