package cypher

import (
	"math"

	"github.com/ragdb/ragdb/engine"
)

// Stored returns the form in which a property is stored; null removes a property.
// It returns an [*EvalError] if v has no stored form.
func (v Value) Stored() (engine.Value, error) { return toStored(0, v) }

// toStored returns the stored form of a value. Null stands for no property. The
// store keeps booleans, numbers, strings, times and lists of strings. Other
// lists, maps, nodes, edges and paths are refused.
func toStored(at Pos, v Value) (engine.Value, error) {
	switch v.kind {
	case KindNull:
		return engine.Value{}, nil
	case KindBool:
		return engine.Bool(v.AsBool()), nil
	case KindInt:
		return engine.Int(v.AsInt()), nil
	case KindFloat:
		if x := v.AsFloat(); math.IsNaN(x) || math.IsInf(x, 0) {
			return engine.Value{}, argumentError(at, "a property cannot be %s", formatFloat(x))
		}
		return engine.Float(v.AsFloat()), nil
	case KindString:
		return engine.String(v.AsString()), nil
	case KindTime:
		return engine.Time(v.AsTime()), nil
	case KindList:
		list := v.AsList()
		strings := make([]string, len(list))
		for i, x := range list {
			if x.kind != KindString {
				return engine.Value{}, typeError(at, "a property cannot be a list with %s in it: lists of strings are stored", aKind(x))
			}
			strings[i] = x.AsString()
		}
		return engine.Strings(strings...), nil
	}
	return engine.Value{}, typeError(at, "a property cannot be %s", aKind(v))
}

// aKind returns the kind of a value with its article, for messages.
func aKind(v Value) string {
	switch v.kind {
	case KindNull:
		return "null"
	case KindInt, KindEdge:
		return "an " + v.kind.String()
	}
	return "a " + v.kind.String()
}
