package link

import (
	"cmp"
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/vecindex"
)

// nearest is how many neighbours of each name are looked at, embedAtOnce how many names
// a model is given together, and exactNames the number of names up to which each is
// compared with all.
const (
	nearest     = 16
	embedAtOnce = 64
	exactNames  = 2000
)

// pair is two names by their places, and the cosine of their vectors.
type pair struct {
	a, b   int
	cosine float64
}

// near returns the pairs of names whose vectors have a cosine of least or more, in
// order of the names: for each name its nearest ones, by an index of vectors in memory.
func near(ctx context.Context, names []*name, m *models.Models, least float64) ([]pair, error) {
	db, err := engine.Open(ctx, engine.Memory, &engine.Options{NoBackground: true})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	ns, err := db.Namespace(ctx, "names")
	if err != nil {
		return nil, err
	}
	g, err := ns.Graph(ctx, "names")
	if err != nil {
		return nil, err
	}
	x := &nameIndex{db: db, g: g, m: m, names: names, place: map[uint64]int{}}
	for from := 0; from < len(names); from += embedAtOnce {
		if err := x.put(ctx, from, min(from+embedAtOnce, len(names))); err != nil {
			return nil, err
		}
	}
	if len(x.place) == 0 {
		return nil, nil
	}
	if err := db.SettleSpace(ctx, g, nameSpace); err != nil {
		return nil, err
	}
	return x.pairs(ctx, least)
}

// nameIndex is an index of the vectors of names.
type nameIndex struct {
	db    *engine.DB
	g     *engine.Graph
	m     *models.Models
	names []*name
	ids   []engine.NodeID // 0 of a name without a vector
	place map[uint64]int  // in names, by id
}

// The names in the index.
const (
	nameType  = "name"
	nameSpace = "name"
)

// put embeds some names and puts their vectors in.
func (x *nameIndex) put(ctx context.Context, from, to int) error {
	texts, docs := make([]string, 0, to-from), []string{}
	for _, n := range x.names[from:to] {
		texts = append(texts, n.label)
		docs = append(docs, n.docs...)
	}
	slices.Sort(docs)
	vecs, err := x.m.Embed(ctx, slices.Compact(docs), texts)
	if err != nil {
		return err
	}
	return x.db.Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(x.g)
		t, err := v.MakeNodeType(nameType)
		if err != nil {
			return err
		}
		space := x.m.DocumentSpace()
		for i, vec := range vecs {
			if len(vec) == 0 { // a name without words that the model knows
				x.ids = append(x.ids, 0)
				continue
			}
			o := engine.SpaceOptions{Dim: len(vec), Model: space.Model, Metric: vecindex.Cosine, Kind: vecindex.HNSW}
			if err := v.MakeSpace(nameSpace, o); err != nil {
				return err
			}
			id, _, err := v.PutNode(t, x.names[from+i].key, nil)
			if err != nil {
				return err
			}
			if err := v.PutVector(nameSpace, id, vec); err != nil {
				return err
			}
			x.ids = append(x.ids, id)
			x.place[uint64(id)] = from + i
		}
		return nil
	})
}

// pairs searches the neighbours of each name.
func (x *nameIndex) pairs(ctx context.Context, least float64) ([]pair, error) {
	var out []pair
	err := x.db.View(ctx, func(s *engine.Snapshot) error {
		vecs, err := s.Graph(x.g).WithContext(ctx).Vectors(nameSpace)
		if err != nil {
			return err
		}
		exact := vecs.Len() <= exactNames
		var vec []float32
		var hits []vecindex.Hit
		for a, id := range x.ids {
			if id == 0 {
				continue
			}
			if vec, err = vecs.Vector(ctx, uint64(id), vec[:0]); err != nil {
				return err
			}
			if hits, err = vecs.Search(ctx, vecindex.Search{Vector: vec, K: nearest + 1, Exact: exact}, hits[:0]); err != nil {
				return err
			}
			for _, h := range hits {
				if b := x.place[h.ID]; h.ID != uint64(id) && float64(h.Score) >= least {
					out = append(out, pair{min(a, b), max(a, b), 0})
				}
			}
		}
		slices.SortFunc(out, order)
		out = slices.Compact(out)
		return x.score(ctx, vecs, out)
	})
	return slices.DeleteFunc(out, func(p pair) bool { return p.cosine < least }), err
}

func order(x, y pair) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) }

// score sets the cosines: those of a search may be estimates.
func (x *nameIndex) score(ctx context.Context, vecs *vecindex.View, pairs []pair) error {
	var u, v []float32
	var err error
	for i, p := range pairs {
		if i == 0 || pairs[i-1].a != p.a {
			if u, err = vecs.Vector(ctx, uint64(x.ids[p.a]), u[:0]); err != nil {
				return err
			}
		}
		if v, err = vecs.Vector(ctx, uint64(x.ids[p.b]), v[:0]); err != nil {
			return err
		}
		pairs[i].cosine = cosine(u, v)
	}
	return nil
}
