package engine_test

import (
	"math"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

func TestPredicateStrings(t *testing.T) {
	exists := func(name string) engine.Comparison { return compare(name, engine.OpExists) }
	for _, c := range []struct {
		p    engine.Predicate
		want string
	}{
		{compare("a", engine.OpLess, 1, "x"), `(a < 1 OR a < 'x')`},
		{compare("a", engine.OpEqual, "x"), `'x' IN a`},
		{compare("a", engine.OpNotEqual, "x"), `NOT 'x' IN a`},
		{whole(compare("a", engine.OpEqual, "it's \\ \n é")), `a = 'it\'s \\ \u000a é'`},
		{whole(compare("a", engine.OpEqual, 1, true)), `a IN [1, true]`},
		{whole(compare("a", engine.OpNotEqual, 1, true)), `NOT a IN [1, true]`},
		{whole(compare("a", engine.OpPrefix, "x")), `a STARTS WITH 'x'`},
		{engine.Not{Predicate: exists("a")}, `NOT a IS NOT NULL`},
		{compare("a b", engine.OpEqual, math.MaxFloat64), "`a b` = 1.7976931348623157e+308"},
		{compare("a`b", engine.OpEqual, 2.0), "`a``b` = 2.0"},
		{compare("1a", engine.OpEqual, false), "`1a` = false"},
		{engine.Comparison{Property: "a", Values: []engine.Value{engine.Time(time.Date(2025, 1, 2, 3, 4, 5, 6, time.UTC))}}, `a = datetime('2025-01-02T03:04:05.000000006Z')`},
		{engine.And{engine.Or{exists("a"), exists("b")}, exists("c")}, `(a IS NOT NULL OR b IS NOT NULL) AND c IS NOT NULL`},
		{engine.And{engine.Test{Text: "size(a) > 1"}, engine.And{}}, `(size(a) > 1) AND (true)`},
		{engine.Or{}, `false`},
		{engine.Not{}, `NOT null`},
		{engine.OneOf{Nodes: roaring.BitmapOf(1, 2)}, `<one of 2 nodes>`},
		{engine.OneOf{}, `<one of 0 nodes>`},
	} {
		if got := c.p.String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
