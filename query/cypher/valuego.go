package cypher

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/temporal"
)

// maxNesting is how deep lists and maps that come from outside may nest.
const maxNesting = 100

// ValueOf returns a Go value as a value of the language, for parameters:
//
//   - nil, booleans, integers, floats, strings in UTF-8, json.Number, [Value];
//   - time.Time, a datetime with its offset and zone, and [temporal.Value];
//   - [engine.Point];
//   - slices and arrays, and maps with strings as keys, of all these, up to 100
//     deep, which are copied;
//   - pointers to all these; nil pointers are null.
//
// Others, unsigned integers beyond an int64, and []byte are an
// [engine.ErrInvalid].
func ValueOf(x any) (Value, error) {
	v, err := valueOf(x, 0)
	if err != nil {
		return Null, phase.Mark(engine.ErrInvalid, "%v", err)
	}
	return v, nil
}

func valueOf(x any, depth int) (Value, error) {
	switch x := x.(type) {
	case nil:
		return Null, nil
	case Value:
		return x, nil
	case time.Time:
		t, err := temporal.KindDateTime.At(x)
		return Temporal(t), err
	case temporal.Value:
		if x.Kind() == 0 {
			return Null, nil
		}
		return Temporal(x), nil
	case engine.Point:
		if x.CRS() == "" {
			return Null, fmt.Errorf("a point has the SRID 7203, 9157, 4326 or 4979, not %d", x.SRID)
		}
		return point(x), nil
	case json.Number:
		return numberOf(x)
	case []byte:
		return Null, errors.New("bytes are no value of the language; give them as a string")
	}
	r := reflect.ValueOf(x)
	switch r.Kind() {
	case reflect.Bool:
		return Bool(r.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Int(r.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if r.Uint() > math.MaxInt64 {
			return Null, fmt.Errorf("%d is beyond the largest integer, %d", r.Uint(), math.MaxInt64)
		}
		return Int(int64(r.Uint())), nil
	case reflect.Float32, reflect.Float64:
		return Float(r.Float()), nil
	case reflect.String:
		if !utf8.ValidString(r.String()) {
			return Null, fmt.Errorf("the string %.40q is not UTF-8", r.String())
		}
		return String(r.String()), nil
	}
	if depth == maxNesting {
		return Null, fmt.Errorf("lists and maps nest more than %d deep", maxNesting)
	}
	switch r.Kind() {
	case reflect.Pointer:
		if r.IsNil() {
			return Null, nil
		}
		return valueOf(r.Elem().Interface(), depth+1)
	case reflect.Slice, reflect.Array:
		list := make([]Value, r.Len())
		for i := range list {
			var err error
			if list[i], err = valueOf(r.Index(i).Interface(), depth+1); err != nil {
				return Null, err
			}
		}
		return ListOf(list), nil
	case reflect.Map:
		return mapOf(r, depth)
	}
	return Null, fmt.Errorf("a %T is not a value of the language", x)
}

func mapOf(r reflect.Value, depth int) (Value, error) {
	if r.Type().Key().Kind() != reflect.String {
		return Null, fmt.Errorf("a %s is not a value of the language: its keys must be strings", r.Type())
	}
	m := make(map[string]Value, r.Len())
	for it := r.MapRange(); it.Next(); {
		key := it.Key().String()
		if !utf8.ValidString(key) {
			return Null, fmt.Errorf("the key %.40q is not UTF-8", key)
		}
		v, err := valueOf(it.Value().Interface(), depth+1)
		if err != nil {
			return Null, err
		}
		m[key] = v
	}
	return MapOf(m), nil
}

// numberOf returns a number of JSON: an integer if it is written as one and
// fits, else a float.
func numberOf(x json.Number) (Value, error) {
	if n, err := x.Int64(); err == nil {
		return Int(n), nil
	}
	f, err := x.Float64()
	if err != nil {
		return Null, fmt.Errorf("%.40q is not a number", x.String())
	}
	return Float(f), nil
}

// Go returns the value as a Go value: nil, bool, int64, float64, string,
// time.Time for a datetime, [temporal.Value] for others, [engine.Point], []any, map[string]any, or for nodes, edges and paths
// [engine.NodeID], [engine.Edge] and [*Path]. Lists and maps are the caller's.
func (v Value) Go() any {
	switch v.kind {
	case KindBool:
		return v.AsBool()
	case KindInt:
		return v.AsInt()
	case KindFloat:
		return v.AsFloat()
	case KindString:
		return v.AsString()
	case KindTemporal:
		if t := v.AsTemporal(); t.Kind() != temporal.KindDateTime {
			return t
		}
		return v.AsTemporal().Time()
	case KindPoint:
		return v.AsPoint()
	case KindList:
		list := make([]any, len(v.AsList()))
		for i, x := range v.AsList() {
			list[i] = x.Go()
		}
		return list
	case KindMap:
		m := make(map[string]any, len(v.AsMap()))
		for k, x := range v.AsMap() {
			m[k] = x.Go()
		}
		return m
	case KindNode:
		return v.AsNode()
	case KindEdge:
		return v.AsEdge().Edge
	case KindPath:
		return v.AsPath()
	}
	return nil
}
