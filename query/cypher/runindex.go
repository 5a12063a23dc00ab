package cypher

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// runIndex makes or drops an index.
func (s *Session) runIndex(x *exec, st *statement) error {
	c := st.Index
	if st.Mode != modeRun {
		return refuse(st.Text, 0, "a plan of making an index")
	}
	eg, err := s.openUsed(x.ctx, st.Text, c.Use, s.use)
	if err != nil {
		return err
	}
	// A new property index is allowed on guarded graphs: it changes no data,
	// and filters need it.
	if err := s.writable(x.ctx, eg, !c.Vector && !c.Drop && !c.Constraint); err != nil {
		return err
	}
	if err := x.snapshot(true); err != nil {
		return err
	}
	x.graph = &graph{g: eg, r: x.result.snap.Graph(eg)}
	if c.Drop && !c.Vector {
		if done, err := s.dropRule(x, c, eg); done || err != nil {
			return err
		}
	}
	switch {
	case c.Kind == "LOOKUP":
		return nil // nodes are found by label, and edges by type, without one
	case !c.Drop && !c.Vector && c.isRule():
		return violation(s.makeRule(x, c, eg))
	}
	return s.opts.DB.Update(x.ctx, func(tx *engine.Tx) error {
		x.tx = tx.Graph(eg)
		x.graph = &graph{g: eg, r: x.tx}
		switch {
		case c.Vector && c.Drop:
			return dropVectorIndex(x, c)
		case c.Vector:
			return makeVectorIndex(x, c)
		case c.Drop:
			return dropIndex(x, c)
		}
		return makeIndex(x, c)
	})
}

// makeVectorIndex makes a vector space for a property of the nodes of a label.
func makeVectorIndex(x *exec, c *indexClause) error {
	ix := vectorIndex{Name: c.Name, Label: c.Label, Property: c.Property}
	if ix.Name == "" {
		ix.Name = c.Label + "." + c.Property
	}
	have, err := x.graph.vectorIndexOf([]string{c.Label}, c.Property)
	if err != nil {
		return err
	}
	if have == "" && slices.Contains(x.tx.Spaces(), ix.Name) {
		have = ix.Name
	}
	if have != "" {
		if c.IfExists {
			return nil
		}
		return phase.Errorf("%w: vector index %s", engine.ErrExists, have)
	}
	o, err := spaceOptions(x, c)
	if err != nil {
		return err
	}
	if err := x.tx.MakeSpace(ix.Name, o); err != nil {
		return err
	}
	record, err := json.Marshal(ix)
	if err != nil {
		return err
	}
	b, err := x.tx.MakeBucket(indexBucket)
	if err != nil {
		return err
	}
	x.result.Counts.IndexesAdded++
	if err := b.Set([]byte(ix.Name), record); err != nil {
		return err
	}
	return fillVectorIndex(x, ix, o.Dim)
}

// dropVectorIndex drops a vector index that the language made, with its
// vectors.
func dropVectorIndex(x *exec, c *indexClause) error {
	name := c.Name
	if name == "" {
		var err error
		if name, err = x.graph.vectorIndexOf([]string{c.Label}, c.Property); err != nil {
			return err
		}
	}
	all, err := x.graph.vectorIndexes()
	if err != nil {
		return err
	}
	var names []string
	for _, ix := range all {
		names = append(names, ix.Name)
	}
	if !slices.Contains(names, name) {
		return noIndex(c, "vector index", name, names)
	}
	b, err := x.tx.MakeBucket(indexBucket)
	if err != nil {
		return err
	}
	if err := b.Delete([]byte(name)); err != nil {
		return err
	}
	x.result.Counts.IndexesRemoved++
	return x.tx.DropSpace(name)
}

// noIndex returns the error of dropping a missing index. It is nil if the
// statement says IF EXISTS.
func noIndex(c *indexClause, what, name string, names []string) error {
	if c.IfExists {
		return nil
	}
	msg := "there is no such " + what
	if name != "" {
		msg = "there is no " + what + " " + name
	}
	if near := nearest(name, names); near != "" {
		msg += "; did you mean " + near + "?"
	}
	return phase.Mark(engine.ErrNotFound, "%s", msg)
}

// spaceOptions reads the OPTIONS of a vector index: dimensions (required),
// similarity, kind, m, ef_construction, seed and model; or Neo4j's
// {indexConfig: {`vector.dimensions`: n, ...}}.
func spaceOptions(x *exec, c *indexClause) (engine.SpaceOptions, error) {
	o := engine.SpaceOptions{Kind: vecindex.HNSW, Model: "cypher"}
	if c.Options == nil {
		return o, refuse(x.text, c.Pos, "a vector index without OPTIONS {dimensions: n}")
	}
	pl := &planner{text: x.text, scope: &segment{}}
	ev, err := pl.expr(c.Options)
	if err != nil {
		return o, err
	}
	v, err := ev(x, nil)
	if err != nil {
		return o, err
	}
	set := v.AsMap()
	if inner, ok := set["indexConfig"]; ok && len(set) <= 2 {
		if _, provider := set["indexProvider"]; provider || len(set) == 1 {
			set = inner.AsMap()
		}
	}
	at := c.Options.Pos
	for _, key := range sortedKeys(set) {
		v := set[key]
		n, isInt := int(v.AsInt()), v.Kind() == KindInt && v.AsInt() > 0
		ok := true
		switch key {
		case "dimensions", "vector.dimensions":
			o.Dim, ok = n, isInt
		case "m", "vector.hnsw.m":
			o.M, ok = n, isInt
		case "ef_construction", "vector.hnsw.ef_construction":
			o.EfConstruction, ok = n, isInt
		case "vector.quantization.enabled":
			ok = v.Kind() == KindBool // it is kept as the space thinks best
		case "seed":
			o.Seed, ok = uint64(v.AsInt()), v.Kind() == KindInt
		case "model":
			o.Model, ok = v.AsString(), v.Kind() == KindString
		case "similarity", "vector.similarity_function":
			o.Metric, ok = metricOf(v.AsString())
		case "kind":
			o.Kind, ok = map[string]vecindex.Kind{"flat": vecindex.Flat, "hnsw": vecindex.HNSW, "ivf": vecindex.IVF}[v.AsString()]
		default:
			return o, argumentError(at, "a vector index has no option %s; it has dimensions, similarity, kind, m, ef_construction, seed and model", quoteName(key))
		}
		if !ok && key == "kind" {
			return o, argumentError(at, "the option kind of a vector index is 'hnsw', 'ivf' or 'flat', not %s", v)
		}
		if !ok {
			return o, argumentError(at, "the option %s of a vector index cannot be %s", quoteName(key), v)
		}
	}
	if o.Dim == 0 {
		return o, argumentError(at, "a vector index needs the option dimensions")
	}
	return o, nil
}

// metricOf returns the metric that a name stands for.
func metricOf(name string) (vecindex.Metric, bool) {
	switch strings.ToLower(name) {
	case "cosine":
		return vecindex.Cosine, true
	case "dot", "inner_product":
		return vecindex.InnerProduct, true
	case "euclidean", "l2":
		return vecindex.L2, true
	}
	return 0, false
}

// errNoFiles is the error of COPY in a session without files.
var errNoFiles = fmt.Errorf("%w: COPY has no files to work on in this session", engine.ErrInvalid)
