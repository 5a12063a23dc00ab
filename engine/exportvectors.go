package engine

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/vecindex"
)

// storedVectors returns a view of a space that reads the store and not the
// mirror, for what looks at every vector once. The caller closes it.
func (r *reader) storedVectors(id uint32, s *space) (*vecindex.View, error) {
	ix, err := vecindex.Open(r.ctx, r.graph.ns.db.store, s.config(r.g, id), &vecindex.Options{MaxMirrorBytes: -1})
	if err != nil {
		return nil, err
	}
	return ix.At(r.ctx, r.kv, r.epoch)
}

// spaceLines writes the vector spaces that vectorLines writes the vectors of.
func (x *exporter) spaceLines() error {
	return x.eachSpace(func(_ *vecindex.View, s *space) error {
		return x.out.write(&exportLine{Space: &exportSpace{
			Name: s.name, Dim: s.Dim, Model: s.Model, Metric: uint8(s.Metric), Kind: uint8(s.Kind), Element: uint8(s.Element),
			Seed: s.Seed, M: s.M, EfConstruction: s.EfConstruction,
		}})
	})
}

// eachSpace calls fn with every vector space that is exported, by name.
func (x *exporter) eachSpace(fn func(v *vecindex.View, s *space) error) error {
	for _, n := range x.byName(layout.KindSpace) {
		b, err := x.kv.Get(x.ctx, layout.Space(x.g, n.id), nil)
		if isNotFound(err) {
			continue // dropped
		}
		if err != nil {
			return err
		}
		s, err := decodeSpace(b)
		if err != nil {
			return corrupt(layout.Space(x.g, n.id), err)
		}
		if x.o.SkipSpace != nil && x.o.SkipSpace(s.name, s.SpaceOptions) {
			continue
		}
		v, err := x.storedVectors(n.id, &s)
		if err != nil {
			return fmt.Errorf("vector space %s: %w", s.name, err)
		}
		if !x.o.Canonical || v.Len() > 0 {
			err = fn(v, &s)
		}
		v.Close()
		if err != nil {
			return fmt.Errorf("vector space %s: %w", s.name, err)
		}
	}
	return nil
}

// vectorLines writes the vectors of each space in the order of nodes.
func (x *exporter) vectorLines() error {
	return x.eachSpace(func(v *vecindex.View, s *space) error {
		// The first pass, by id, finds which nodes have a vector, and its layer
		// plus one; the second reads the vectors in order.
		layers := make([]uint16, len(x.rank))
		for e, err := range v.All(x.ctx) {
			if err != nil {
				return err
			}
			if x.place(NodeID(e.ID)) == 0 {
				return corrupt(layout.Node(x.g, e.ID), fmt.Errorf("%w: it has a vector", errNoSuchNode))
			}
			layers[e.ID] = uint16(e.Layer) + 1
		}
		var vec []float32
		return x.eachNode(func(t named, key string, id NodeID) error {
			if layers[id] == 0 {
				return nil
			}
			var err error
			if vec, err = v.Vector(x.ctx, uint64(id), vec[:0]); err != nil {
				return err
			}
			return x.out.write(&exportLine{Vector: &exportVector{
				Space: s.name, Ref: newRef(t.name, key), Layer: uint8(layers[id] - 1), F32: packFloats(vec),
			}})
		})
	})
}

func packFloats(vec []float32) []byte {
	out := make([]byte, 0, 4*len(vec))
	for _, f := range vec {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(f))
	}
	return out
}

func unpackFloats(b []byte) ([]float32, error) {
	if len(b)%4 != 0 {
		return nil, phase.Mark(ErrInvalid, "%d bytes are no vector of 32-bit floats", len(b))
	}
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out, nil
}
