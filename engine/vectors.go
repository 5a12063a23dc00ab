package engine

import (
	"errors"
	"fmt"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/ragdb/ragdb/engine/internal/schema"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/vecindex"
)

// SpaceOptions describes a vector space: vectors of one model and dimension,
// with one index. It is stamped when the space is made and never changes; a
// new model is a new space.
type SpaceOptions struct {
	// Dim is the number of elements of a vector.
	Dim int
	// Model names what makes the vectors, version included.
	Model string
	// Metric says what near means; the default is [vecindex.Cosine].
	Metric vecindex.Metric
	// Kind is the index's structure; the default is [vecindex.Flat].
	Kind vecindex.Kind
	// Element is how vectors are stored; the default is [vecindex.F32].
	Element vecindex.Element
	// Seed, M and EfConstruction tune indexes that are graphs.
	Seed              uint64
	M, EfConstruction int
}

// space is a vector space's entry in the catalog.
type space struct {
	SpaceOptions
	name       string
	generation uint16
}

func (s *space) encode(b *flatbuffers.Builder, epoch uint64) []byte {
	b.Reset()
	name, model := b.CreateString(s.name), b.CreateString(s.Model)
	schema.SpaceStart(b)
	schema.SpaceAddName(b, name)
	schema.SpaceAddModel(b, model)
	schema.SpaceAddDim(b, uint32(s.Dim))
	schema.SpaceAddMetric(b, uint8(s.Metric))
	schema.SpaceAddKind(b, uint8(s.Kind))
	schema.SpaceAddM(b, uint32(s.M))
	schema.SpaceAddEfConstruction(b, uint32(s.EfConstruction))
	schema.SpaceAddSeed(b, s.Seed)
	schema.SpaceAddGeneration(b, s.generation)
	schema.SpaceAddEpoch(b, epoch)
	schema.SpaceAddElement(b, uint8(s.Element))
	b.Finish(schema.SpaceEnd(b))
	return append([]byte(nil), b.FinishedBytes()...)
}

func decodeSpace(buf []byte) (s space, err error) {
	defer guard(&err)
	x := schema.GetRootAsSpace(buf, 0)
	return space{
		name: string(x.Name()),
		SpaceOptions: SpaceOptions{
			Dim: int(x.Dim()), Model: string(x.Model()), Metric: vecindex.Metric(x.Metric()),
			Kind: vecindex.Kind(x.Kind()), Element: vecindex.Element(x.Element()),
			Seed: x.Seed(), M: int(x.M()), EfConstruction: int(x.EfConstruction()),
		},
		generation: x.Generation(),
	}, nil
}

// config returns what opens a space's index.
func (s *space) config(g, id uint32) vecindex.Config {
	return vecindex.Config{
		Table:  layout.Table{Graph: g, Space: id, Generation: s.generation},
		Dim:    s.Dim,
		Metric: s.Metric,
		Model:  s.Model,
		Kind:   s.Kind, Element: s.Element,
		Seed: s.Seed, M: s.M, EfConstruction: s.EfConstruction,
	}
}

// space reads a space's entry.
func (r *reader) space(name string) (id uint32, s space, err error) {
	id, ok := r.lookupName(layout.KindSpace, name)
	if !ok {
		return 0, s, fmt.Errorf("vector space %q: %w", name, ErrNotFound)
	}
	k := layout.Space(r.g, id)
	b, err := r.kv.Get(r.ctx, k, nil)
	if err != nil {
		return 0, s, fmt.Errorf("vector space %q: %w", name, err)
	}
	if s, err = decodeSpace(b); err != nil {
		return 0, s, corrupt(k, err)
	}
	return id, s, nil
}

// Spaces returns the names of the graph's vector spaces, in order of creation. One
// that cannot be read is among them: a call that uses it returns the error.
func (r *reader) Spaces() []string {
	out, _ := r.spaces()
	return out
}

// spaces is Spaces with the first error of those that cannot be read.
func (r *reader) spaces() (names []string, err error) {
	for _, id := range r.idsOf(layout.KindSpace) {
		// A dropped space keeps its name in the catalog and has no entry.
		_, gerr := r.kv.Get(r.ctx, layout.Space(r.g, id), nil)
		if errors.Is(gerr, ErrNotFound) {
			continue
		}
		names = append(names, r.nameOf(layout.KindSpace, id))
		err = firstError(err, gerr)
	}
	return names, err
}

// SpaceInfo returns what a vector space was made with.
func (r *reader) SpaceInfo(name string) (SpaceOptions, error) {
	_, s, err := r.space(name)
	return s.SpaceOptions, r.wrap("space", err)
}

// index returns the open index of a space. That of a space which the
// transaction made is the transaction's until it commits. A snapshot from
// before the space was dropped and made again, or the graph dropped, reads the
// store: memory is for the vectors there are.
func (r *reader) index(id uint32, s *space) (*vecindex.Index, error) {
	db, conf := r.graph.ns.db, s.config(r.g, id)
	open := func(mirrorBytes int64) (*vecindex.Index, error) {
		return db.openIndex(r.ctx, conf, mirrorBytes)
	}
	if r.tx != nil {
		if ix, ok := r.tx.made[id]; ok {
			if ix != nil {
				return ix, nil
			}
			ix, err := open(0)
			if err == nil {
				r.tx.made[id] = ix
			}
			return ix, err
		}
	}
	st := r.graph.st
	st.mu.Lock()
	defer st.mu.Unlock()
	if ix := st.spaces[id]; ix != nil {
		switch have := ix.Config(); {
		case have == conf:
			return ix, nil
		case have.Table.Generation > s.generation || have.Kind == vecindex.Auto && s.Kind == vecindex.Flat:
			return open(-1)
		}
	}
	if st.gone {
		return open(-1)
	}
	ix, err := open(0)
	if err == nil {
		if old := st.spaces[id]; old != nil {
			db.mirrors.remove(old)
		}
		st.spaces[id] = ix
	}
	return ix, err
}

// Vectors returns the vectors of a space as the snapshot holds them. The view
// is good until the snapshot is closed. In a transaction it shows the last
// commit.
func (r *reader) Vectors(name string) (*vecindex.View, error) {
	v, err := r.vectors(name)
	return v, r.wrap("vectors", err)
}

func (r *reader) vectors(name string) (*vecindex.View, error) {
	id, s, err := r.space(name)
	if err != nil {
		return nil, err
	}
	ix, err := r.index(id, &s)
	if err != nil {
		return nil, err
	}
	if r.tx != nil {
		t := r.tx.transact
		view, err := ix.At(r.ctx, t.base, t.epoch-1)
		if err == nil {
			t.views = append(t.views, view)
		}
		return view, err
	}
	r.graph.ns.db.mirrors.use(ix)
	key := viewKey{r.g, id}
	r.snap.mu.Lock()
	defer r.snap.mu.Unlock()
	if v := r.snap.views[key]; v != nil {
		return v, nil
	}
	v, err := ix.At(r.ctx, r.kv, r.epoch)
	if err == nil {
		if r.snap.views == nil {
			r.snap.views = map[viewKey]*vecindex.View{}
		}
		r.snap.views[key] = v
	}
	return v, err
}

// viewKey names a vector space of the database.
type viewKey struct{ graph, space uint32 }

// MakeSpace adds a vector space, or returns [vecindex.ErrModelMismatch] if
// one of the name was made otherwise; but a flat one becomes [vecindex.Auto] if that is
// asked for. A name that was dropped 65,536 times is [ErrInvalid].
func (v *TxView) MakeSpace(name string, o SpaceOptions) error {
	return v.wrap("make vector space "+name, v.makeSpace(name, o))
}

func (v *TxView) makeSpace(name string, o SpaceOptions) error {
	if err := v.check(); err != nil {
		return err
	}
	name, err := checkName("vector space", name)
	if err != nil {
		return err
	}
	s := space{SpaceOptions: o, name: name}
	if err := s.config(v.g, 0).Validate(); err != nil {
		return phase.Mark(ErrInvalid, "%w", err)
	}
	id, have, err := v.space(name)
	flat := o
	flat.Kind = vecindex.Flat
	switch {
	case err == nil && have.SpaceOptions == flat && o.Kind == vecindex.Auto:
		if v.vectors[id] != nil {
			return nil // the transaction writes it as it was: another will do
		}
		have.Kind = vecindex.Auto
		v.made[id] = nil
		v.transact.overlay.Set(layout.Space(v.g, id), have.encode(v.transact.fb, v.transact.epoch))
		return nil
	case err == nil && have.SpaceOptions != o:
		return fmt.Errorf("%w: made for model %q of %d dimensions in %s", vecindex.ErrModelMismatch, have.Model, have.Dim, have.Element)
	case err == nil:
		return nil
	case !errors.Is(err, ErrNotFound):
		return err
	}
	if old, ok := v.lookupName(layout.KindSpace, name); ok {
		// Dropped before: the next generation has keys of its own.
		id = old
		n, err := getUint64(v.ctx, v.kv, layout.GraphMeta(v.g, "generation."+name))
		if err != nil {
			return err
		}
		if n > math.MaxUint16 {
			return phase.Mark(ErrInvalid, "vector space %s was dropped %d times: give it another name", name, n)
		}
		s.generation = uint16(n)
	} else {
		id = v.addName(layout.KindSpace, name, nil, nil)
	}
	v.made[id] = nil
	v.transact.overlay.Set(layout.Space(v.g, id), s.encode(v.transact.fb, v.transact.epoch))
	return nil
}

// DropSpace removes a vector space with its vectors. A missing one is
// [ErrNotFound].
func (v *TxView) DropSpace(name string) error {
	return v.wrap("drop vector space "+name, v.dropSpace(name))
}

func (v *TxView) dropSpace(name string) error {
	if err := v.check(); err != nil {
		return err
	}
	id, s, err := v.space(name)
	if err != nil {
		return err
	}
	o := v.transact.overlay
	o.Delete(layout.Space(v.g, id))
	t := layout.Table{Graph: v.g, Space: id, Generation: s.generation}
	for tag := layout.TagVector; tag <= layout.TagIndexMeta; tag++ {
		prefix := t.Prefix(tag)
		o.DeleteRange(prefix, layout.Next(prefix))
	}
	o.Set(layout.GraphMeta(v.g, "generation."+name), appendUint64(nil, uint64(s.generation)+1))
	delete(v.vectors, id)
	delete(v.made, id)
	v.dropped = append(v.dropped, id)
	return nil
}

// vectorWrite is what a transaction writes to one vector space.
type vectorWrite struct {
	index *vecindex.Index
	write *vecindex.Write
}

// writer returns the transaction's write to a space, beginning it the first
// time.
func (v *TxView) writer(name string) (*vecindex.Write, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	id, s, err := v.space(name)
	if err != nil {
		return nil, err
	}
	if w := v.vectors[id]; w != nil {
		return w.write, nil
	}
	ix, err := v.index(id, &s)
	if err != nil {
		return nil, err
	}
	w, err := ix.Begin(v.ctx, v.transact.overlay, v.transact.epoch)
	if err != nil {
		return nil, err
	}
	v.vectors[id] = &vectorWrite{index: ix, write: w}
	return w, nil
}

// PutVector gives a node its vector in a space, in place of an earlier one.
// Searches see it after the commit.
func (v *TxView) PutVector(spaceName string, id NodeID, vec []float32) error {
	return v.wrap(fmt.Sprintf("put vector of %d in %s", id, spaceName), v.putVector(spaceName, id, 0, vec))
}

// PutLayerVector is PutVector for a layer of a layered index.
func (v *TxView) PutLayerVector(spaceName string, id NodeID, layer uint8, vec []float32) error {
	return v.wrap(fmt.Sprintf("put vector of %d in %s", id, spaceName), v.putVector(spaceName, id, layer, vec))
}

func (v *TxView) putVector(spaceName string, id NodeID, layer uint8, vec []float32) error {
	w, err := v.writer(spaceName)
	if err != nil {
		return err
	}
	if ok, err := v.exists(id); err != nil {
		return err
	} else if !ok {
		return ErrNotFound
	}
	return w.Put(v.ctx, uint64(id), layer, vec)
}

// DeleteVector removes a node's vector from a space. It returns no error if there
// is none.
func (v *TxView) DeleteVector(spaceName string, id NodeID) error {
	w, err := v.writer(spaceName)
	if err == nil {
		_, err = w.Delete(v.ctx, uint64(id))
	}
	return v.wrap(fmt.Sprintf("delete vector of %d in %s", id, spaceName), err)
}

// deleteAllVectors removes a node's vectors from all spaces.
func (v *TxView) deleteAllVectors(id NodeID) error {
	names, err := v.spaces()
	if err != nil {
		return fmt.Errorf("vector spaces: %w", err)
	}
	for _, name := range names {
		if err := v.DeleteVector(name, id); err != nil {
			return err
		}
	}
	return nil
}
