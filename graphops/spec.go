package graphops

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// Spec says which part of a graph a projection keeps. The zero value keeps all
// nodes and edges, without weights.
type Spec struct {
	// Nodes are the node types to keep; nil is all.
	Nodes []engine.TypeID
	// Edges are the edge types to keep; nil is all. Edges that do not join two
	// kept nodes are left out.
	Edges []engine.EdgeType
	// Where keeps only nodes that are in it; nil is all. It is the result of
	// [engine.View.Where], say, and must not change during a call.
	Where *roaring.Bitmap
	// Direction says in which direction edges of directed types lead: as stored
	// (the default), reversed, or both. Edges of undirected types always lead in
	// both.
	Direction engine.Direction
	// Weighted keeps the edges' weights; else every edge counts 1.
	Weighted bool
	// Combine says what weight parallel edges have together.
	Combine Combine
	// MaxBytes bounds what building may hold at once, beside the node bitmaps;
	// [Size].BuildBytes is that figure. 0 is the database's memory budget.
	MaxBytes int64
	// NoPacking refuses a projection whose rows as numbers take more than MaxBytes,
	// rather than to keep them in bytes: for queries that have another way.
	NoPacking bool
	// Workers bounds the goroutines; 0 is one for each processor. The result
	// does not depend on it.
	Workers int
}

func (s *Spec) validate() error {
	switch {
	case s.Direction > engine.Both:
		return phase.Mark(engine.ErrInvalid, "unknown Direction %d", s.Direction)
	case s.Combine > Min:
		return phase.Mark(engine.ErrInvalid, "unknown Combine %d", s.Combine)
	case s.MaxBytes < 0:
		return phase.Mark(engine.ErrInvalid, "MaxBytes %d", s.MaxBytes)
	}
	return nil
}

// limit returns how many bytes building may hold.
func (s *Spec) limit(v *engine.View) int64 {
	if s.MaxBytes > 0 {
		return s.MaxBytes
	}
	return v.Graph().DB().MemoryBudget()
}

// filter returns the edges that s wants read.
func (s *Spec) filter() engine.EdgeFilter {
	return engine.EdgeFilter{Types: s.Edges, Direction: s.Direction}
}

// ways returns in whose rows the edges of a type go.
func (s *Spec) ways(t engine.EdgeType) ways {
	switch {
	case !t.Directed() || s.Direction == engine.Both:
		return forward | backward
	case s.Direction == engine.In:
		return backward
	}
	return forward
}

// digest identifies what s keeps: two specs with one digest have the same
// projection. One set in two bitmap encodings may have two digests.
func (s *Spec) digest() ([sha256.Size]byte, error) {
	combine := s.Combine
	if !s.Weighted {
		combine = Sum
	}
	b := []byte{byte(s.Direction), flag(s.Weighted), byte(combine)}
	b = appendTypes(b, s.Nodes)
	b = appendTypes(b, s.Edges)
	b = append(b, flag(s.Where != nil))
	h := sha256.New()
	// A hash takes every write.
	_, _ = h.Write(b)
	if s.Where != nil {
		if _, err := s.Where.WriteTo(h); err != nil {
			return [sha256.Size]byte{}, err
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// appendTypes appends a list whose order and repetitions do not matter, nil
// being other than empty.
func appendTypes[T ~uint32](b []byte, types []T) []byte {
	b = append(b, flag(types != nil))
	list := distinct(types)
	b = binary.BigEndian.AppendUint32(b, uint32(len(list)))
	for _, t := range list {
		b = binary.BigEndian.AppendUint32(b, uint32(t))
	}
	return b
}

// distinct returns the values of a list, ascending, each once.
func distinct[T ~uint32](list []T) []T {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}
