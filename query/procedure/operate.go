package procedure

import (
	"context"
	"math"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
)

// operate runs an operator for a call: in the call's environment, at its
// snapshot and, if among is not nil, on those nodes of its graph alone. The set
// may have any size, since the statement bounds the rows.
func operate(ctx context.Context, call *cypher.ProcedureCall, among *roaring.Bitmap, op query.Op) (query.Set, error) {
	env := query.Env{}
	if call.Query != nil {
		env = *call.Query
	}
	env.Snap, env.NoSteps, env.Trace, env.Rows = call.View.Snapshot(), true, nil, math.MaxInt
	if env.Graphs == nil {
		env.Graphs = call.Graphs
	}
	if env.Analyze == nil {
		env.Analyze = func(text string) []string { return strings.Fields(strings.ToLower(text)) }
	}
	if among != nil {
		env.Allow = narrowed(env.Allow, call.View.Graph().ID(), among)
	}
	return query.Run(ctx, &env, op)
}

// each yields a row for each item of a list.
func each[T any](list []T, yield func([]cypher.Value) error, row func(item T) []cypher.Value) error {
	for _, item := range list {
		if err := yield(row(item)); err != nil {
			return err
		}
	}
	return nil
}

// yieldScored yields the nodes of a set with their scores.
func yieldScored(call *cypher.ProcedureCall, found query.Set, yield func([]cypher.Value) error) error {
	return each(found.Items, yield, func(it query.Item) []cypher.Value {
		return []cypher.Value{call.Node(it.ID), cypher.Float(it.Score)}
	})
}

// narrowed returns the access check of an environment that also leaves out the
// nodes of a graph which are not in a set.
func narrowed(allow allowFunc, g engine.GraphID, among *roaring.Bitmap) allowFunc {
	return func(ctx context.Context, v *engine.View) (*roaring.Bitmap, error) {
		var may *roaring.Bitmap
		if allow != nil {
			var err error
			if may, err = allow(ctx, v); err != nil {
				return nil, err
			}
		}
		switch {
		case v.Graph().ID() != g:
			return may, nil
		case may == nil:
			return among, nil
		}
		return roaring.And(may, among), nil
	}
}

// allowFunc is the type of [query.Env.Allow].
type allowFunc = func(ctx context.Context, v *engine.View) (*roaring.Bitmap, error)
