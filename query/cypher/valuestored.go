package cypher

import (
	"math"

	"github.com/ragdb/ragdb/engine"
)

// Stored returns the form in which a property is stored; null removes a property.
// It returns an [*EvalError] if v has no stored form.
func (v Value) Stored() (engine.Value, error) { return toStored(0, v) }

// toStored returns the stored form of a value. Null stands for no property. The
// store keeps booleans, numbers, strings, temporal values, points and lists of one
// of these. Other lists, maps, nodes, edges and paths are refused.
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
	case KindTemporal:
		return engine.Temporal(v.AsTemporal()), nil
	case KindPoint:
		return v.AsPoint().Value(), nil
	case KindList:
		return storedList(at, v.AsList())
	}
	return engine.Value{}, evalError(at, codeType, "InvalidPropertyType", "a property cannot be %s", aKind(v))
}

// storedList returns the stored form of a list. Integers beside floats become
// floats.
func storedList(at Pos, list []Value) (engine.Value, error) {
	floats := false
	for _, x := range list {
		floats = floats || x.kind == KindFloat
	}
	out := make([]engine.Value, len(list))
	for i, x := range list {
		if x.kind == KindList || x.kind == KindNull {
			return engine.Value{}, evalError(at, codeType, "InvalidPropertyType", "a property cannot be a list with %s in it", aKind(x))
		}
		if x.kind == KindInt && floats {
			x = Float(x.AsFloat())
		}
		v, err := toStored(at, x)
		if err != nil {
			return engine.Value{}, err
		}
		out[i] = v
	}
	v, err := engine.ListOf(out)
	if err != nil {
		return v, evalError(at, codeType, "InvalidPropertyType", "a property cannot be a list of values of several kinds, such as %s and %s", aKind(list[0]), aKind(differing(list)))
	}
	return v, nil
}

// differing returns the first value of a list that is of another kind than the
// first.
func differing(list []Value) Value {
	for _, x := range list {
		if x.kind != list[0].kind || x.AsTemporal().Kind() != list[0].AsTemporal().Kind() {
			return x
		}
	}
	return Null
}

// aKind returns the kind of a value with its article, for messages.
func aKind(v Value) string {
	switch v.kind {
	case KindNull:
		return "null"
	case KindTemporal:
		return "a " + v.AsTemporal().Kind().String()
	case KindInt, KindEdge:
		return "an " + v.kind.String()
	}
	return "a " + v.kind.String()
}
