package procedure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/vecindex"
)

// vectors are the procedures over vector spaces.
func vectors() []*cypher.Procedure {
	options := cypher.Arg{Name: "options", Type: "map", Optional: true}
	index := cypher.Arg{Name: "index", Type: "string"}
	like := cypher.Arg{Name: "query", Type: "string, list of numbers or node"}
	return []*cypher.Procedure{
		{
			Name: "vec.search", Doc: "The k nodes whose vectors in a space are nearest to a text, a vector or a node's vector. A space is named in full, or by what stands before its first colon or @, or by a label of its nodes.",
			Args:    []cypher.Arg{index, like, {Name: "k", Type: "integer"}, options},
			Columns: []cypher.Column{column("node", "node"), column("score", "float")}, Run: vecSearch, Filtered: true,
		},
		{
			Name: "db.index.vector.queryNodes", Doc: "The k nodes whose vectors in a vector index are nearest to a vector.",
			Args:    []cypher.Arg{{Name: "indexName", Type: "string"}, {Name: "numberOfNearestNeighbours", Type: "integer"}, {Name: "query", Type: "string, list of numbers or node"}},
			Columns: []cypher.Column{column("node", "node"), column("score", "float")}, Run: vectorNodes, Filtered: true,
		},
		{
			Name: "vec.chsearch", Doc: "The nodes nearest in each layer of a layered space: k of each, or as many as a list says from layer 0 on.",
			Args:    []cypher.Arg{index, like, {Name: "k", Type: "integer or list of integers"}, options},
			Columns: []cypher.Column{column("node", "node"), column("level", "integer"), column("score", "float")}, Run: vecLayers, Filtered: true,
		},
		{
			Name: "vec.cluster", Doc: "Clusters the vectors of a space; method is kmeans (k), gmm (k, or by BIC) or lsh (planes).",
			Args:    []cypher.Arg{index, options},
			Columns: []cypher.Column{column("item", "node"), column("cluster", "integer")}, Run: vecCluster, Filtered: true,
		},
		{
			Name: "vec.cluster.stats", Doc: "Figures of the whole of vec.cluster.",
			Args:    []cypher.Arg{index, options},
			Columns: []cypher.Column{column("items", "integer"), column("clusters", "integer"), column("largest", "integer"), column("ms", "float")}, Run: vecClusterStats, Filtered: true,
		},
		{
			Name: "vec.spaces", Doc: "The vector spaces of the current graph.",
			Columns: []cypher.Column{column("name", "string"), column("kind", "string"), column("model", "string"), column("dimension", "integer"), column("metric", "string"), column("vectors", "integer")}, Run: vecSpaces, Filtered: true,
		},
	}
}

// space is a vector space that a call names, with the nodes that may be found
// in it; nil is all.
type space struct {
	call  *cypher.ProcedureCall // in the graph of the space
	name  string
	info  engine.SpaceOptions
	view  *vecindex.View
	allow *roaring.Bitmap
}

// findSpace finds the space that a call names: in the current graph, or else in
// the only other graph of the namespace that has one of the name.
func findSpace(ctx context.Context, call *cypher.ProcedureCall) (*space, error) {
	if call.Args[0].Kind() != cypher.KindString {
		return nil, invalid("a vector space is named by a string, not by %s", call.Args[0])
	}
	name := call.Args[0].AsString()
	s, err := openSpace(ctx, call, name)
	if !errors.Is(err, engine.ErrNotFound) {
		return s, err
	}
	graphs, gerr := call.Namespace.Graphs(ctx)
	if gerr != nil {
		return nil, gerr
	}
	var found []*space
	var in []string
	for _, g := range graphs {
		other, oerr := call.In(ctx, g)
		if oerr != nil {
			return nil, oerr
		}
		if s, oerr := openSpace(ctx, other, name); oerr == nil {
			found, in = append(found, s), append(in, g)
		}
	}
	switch len(found) {
	case 0:
		return nil, err
	case 1:
		return found[0], nil
	}
	return nil, invalid("%q is in the graphs %s: choose one with USE", name, quoted(in))
}

// openSpace finds the space that a name means in the graph of a call.
func openSpace(ctx context.Context, call *cypher.ProcedureCall, name string) (*space, error) {
	v := call.View
	all := v.Spaces()
	s := &space{call: call}
	var alike []string
	for _, n := range all {
		stem := n
		if i := strings.IndexAny(n, ":@"); i >= 0 {
			stem = n[:i]
		}
		if n == name {
			alike = []string{n}
			break
		}
		if strings.EqualFold(stem, name) {
			alike = append(alike, n)
		}
	}
	if types := call.NodeTypes(name); alike == nil && len(types) > 0 {
		var err error
		if s.allow, err = nodesOf(v, types); err != nil {
			return nil, err
		}
		alike = slices.Clone(all)
	}
	switch {
	case len(alike) > 1:
		return nil, invalid("%q may be any of %s: name one", name, quoted(alike))
	case len(alike) == 0 && len(all) == 0:
		return nil, fmt.Errorf("%w: graph %s has no vectors; USE chooses another graph", engine.ErrNotFound, v.Graph().Name())
	case len(alike) == 0:
		return nil, fmt.Errorf("%w: graph %s has no vector space %q; it has %s", engine.ErrNotFound, v.Graph().Name(), name, quoted(all))
	}
	s.name = alike[0]
	var err error
	if s.info, err = v.SpaceInfo(s.name); err != nil {
		return nil, err
	}
	s.view, err = v.WithContext(ctx).Vectors(s.name)
	return s, err
}

// search holds the arguments of a vector search.
type search struct {
	text   string
	vector []float32 // if it is not nil, in place of text
	ef     int
	exact  bool
}

// search reads the arguments of a vector search.
func (s *space) search(ctx context.Context, like cypher.Value, c *config) (search, error) {
	q := search{ef: c.count("ef", 0), exact: c.boolean("exact", false)}
	var err error
	if s.allow, err = c.among(ctx, s.allow); err != nil {
		return q, err
	}
	return q, s.wanted(ctx, like, &q)
}

// wanted reads the query of a search: a text, a node in the space, or numbers.
func (s *space) wanted(ctx context.Context, like cypher.Value, q *search) error {
	switch like.Kind() {
	case cypher.KindString:
		if s.call.Query == nil || s.call.Query.Embed == nil {
			return invalid("there is no model here to make vectors of text: give a vector or a node")
		}
		q.text = like.AsString()
		return nil
	case cypher.KindNode:
		var err error
		if q.vector, err = s.view.Vector(ctx, uint64(like.AsNode()), nil); err != nil {
			return fmt.Errorf("%s in space %q: %w", like, s.name, err)
		}
		return nil
	case cypher.KindList:
		q.vector = make([]float32, len(like.AsList()))
		for i, x := range like.AsList() {
			if x.Kind() != cypher.KindInt && x.Kind() != cypher.KindFloat {
				return invalid("a vector is a list of numbers, and holds %s", x)
			}
			q.vector[i] = float32(x.AsFloat())
		}
		if len(q.vector) != s.info.Dim {
			return invalid("space %q has vectors of %d elements, not %d", s.name, s.info.Dim, len(q.vector))
		}
		return nil
	}
	return invalid("what to search for is a text, a vector or a node, not %s", like)
}

func vecSearch(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	s, err := findSpace(ctx, call)
	if err != nil {
		return err
	}
	k := call.Args[2]
	if k.Kind() != cypher.KindInt || k.AsInt() < 1 {
		return invalid("k is a whole number from 1 on, not %s", k)
	}
	q, err := s.search(ctx, call.Args[1], newConfig(s.call, call.Args[3]))
	if err != nil {
		return err
	}
	found, err := operate(ctx, s.call, s.allow, &query.VectorSearch{
		Graph: s.call.View.Graph(), Space: s.name, Text: q.text, Vector: q.vector,
		K: int(min(k.AsInt(), int64(s.view.Len()))), Ef: q.ef, Exact: q.exact,
	})
	if err != nil {
		return err
	}
	return yieldScored(s.call, found, yield)
}

func vecLayers(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	s, err := findSpace(ctx, call)
	if err != nil {
		return err
	}
	layers, err := layersOf(call.Args[2])
	if err != nil {
		return err
	}
	q, err := s.search(ctx, call.Args[1], newConfig(s.call, call.Args[3]))
	if err != nil {
		return err
	}
	found, err := operate(ctx, s.call, s.allow, &query.VectorSearch{
		Graph: s.call.View.Graph(), Space: s.name, Text: q.text, Vector: q.vector, Layers: layers, Ef: q.ef, Exact: q.exact,
	})
	if err != nil {
		return err
	}
	return each(found.Items, yield, func(it query.Item) []cypher.Value {
		return []cypher.Value{s.call.Node(it.ID), cypher.Int(int64(it.Layer)), cypher.Float(it.Score)}
	})
}

// layersOf reads how many nodes of each layer are wanted; a number alone is
// for the first eight layers, as many as C-HNSW spaces have in use.
func layersOf(k cypher.Value) ([]vecindex.LayerK, error) {
	list := k.AsList()
	if k.Kind() == cypher.KindInt {
		for range 8 {
			list = append(list, k)
		}
	}
	var out []vecindex.LayerK
	for i, n := range list {
		if n.Kind() != cypher.KindInt || n.AsInt() < 0 || i > 255 {
			return nil, invalid("k is a whole number, or a list of one for each layer, not %s", k)
		}
		if n.AsInt() > 0 {
			out = append(out, vecindex.LayerK{Layer: uint8(i), K: int(n.AsInt())})
		}
	}
	if out == nil {
		return nil, invalid("k is a whole number from 1 on, or a list of one for each layer, not %s", k)
	}
	return out, nil
}

func vecSpaces(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	for _, name := range call.View.Spaces() {
		s, err := openSpace(ctx, call, name)
		if err != nil {
			return err
		}
		err = yield([]cypher.Value{
			cypher.String(name), cypher.String(s.info.Kind.String()), cypher.String(s.info.Model), cypher.Int(int64(s.info.Dim)),
			cypher.String(s.info.Metric.String()), cypher.Int(int64(s.view.Len())),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// quoted lists names.
func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(out, ", ")
}

// vectorNodes is vec.search with the arguments in another order.
func vectorNodes(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	same := *call
	same.Args = []cypher.Value{call.Args[0], call.Args[2], call.Args[1], cypher.Null}
	return vecSearch(ctx, &same, yield)
}
