package cypher

import (
	"errors"
	"time"

	"github.com/ragdb/ragdb/engine/temporal"
)

// temporalFunctions returns the functions that make temporal values: for each kind
// of instant k() of now, of a text, of a map or of another value, k.truncate, and
// k.transaction, k.statement and k.realtime, which are the same here.
func temporalFunctions() []function {
	list := []function{
		{name: "datetime.fromepoch", params: "seconds, nanoseconds", min: 2, max: 2, takes: integers, call: callFromEpoch},
		{name: "datetime.fromepochmillis", params: "milliseconds", min: 1, max: 1, takes: integers, call: callFromMillis},
		{name: "duration", params: "value", min: 1, max: 1, call: callDuration},
		{name: "timestamp", params: "", min: 0, max: 0, call: func(x *exec, _ Pos, _ []Value) (Value, error) {
			return Int(x.clock().UnixMilli()), nil
		}},
	}
	for name, unit := range map[string]string{"between": "", "inMonths": "months", "inDays": "days", "inSeconds": "seconds"} {
		list = append(list, function{name: "duration." + name, params: "from, to", min: 2, max: 2, call: between(unit)})
	}
	for kind := temporal.KindDate; kind < temporal.KindDuration; kind++ {
		name := kind.String()
		list = append(list,
			function{name: name, params: "[value]", min: 0, max: 1, call: makeInstant(kind)},
			function{name: name + ".truncate", params: "unit, value, [map]", min: 1, max: 3, call: truncate(kind)})
		for _, of := range [...]string{".transaction", ".statement", ".realtime"} {
			list = append(list, function{name: name + of, params: "[timezone]", min: 0, max: 1, call: clockOf(kind)})
		}
	}
	return list
}

// clock returns the time of the statement.
func (x *exec) clock() time.Time {
	if x.eval.now.IsZero() {
		x.eval.now = time.Now()
		if x.session != nil && x.session.opts.Clock != nil {
			x.eval.now = x.session.opts.Clock()
		}
	}
	return x.eval.now
}

// instant returns a result of package temporal.
func instant(at Pos, v temporal.Value, err error) (Value, error) {
	switch {
	case errors.Is(err, temporal.ErrRange):
		return Null, arithmeticError(at, "%v", err)
	case err != nil:
		return Null, evalError(at, codeArgument, "InvalidArgumentValue", "%v", err)
	}
	return Temporal(v), nil
}

// now returns the time of the statement in a zone.
func (x *exec) now(at Pos, kind temporal.Kind, zone string) (Value, error) {
	v, err := temporal.KindDateTime.At(x.clock().UTC())
	if err == nil && zone != "" {
		v, err = temporal.KindDateTime.Make(map[string]any{"datetime": v, "timezone": zone}, &x.eval.zones)
	}
	if err == nil {
		v, err = v.Convert(kind, &x.eval.zones)
	}
	return instant(at, v, err)
}

// clockOf is k.transaction and its like.
func clockOf(kind temporal.Kind) func(*exec, Pos, []Value) (Value, error) {
	return func(x *exec, at Pos, a []Value) (Value, error) {
		zone := ""
		if len(a) > 0 {
			if a[0].kind != KindString {
				return Null, wants(at, kind.String()+".statement", "a time zone", a[0])
			}
			zone = a[0].AsString()
		}
		return x.now(at, kind, zone)
	}
}

// makeInstant is date() and its like.
func makeInstant(kind temporal.Kind) func(*exec, Pos, []Value) (Value, error) {
	return func(x *exec, at Pos, a []Value) (Value, error) {
		if len(a) == 0 {
			return x.now(at, kind, "")
		}
		z := &x.eval.zones
		switch a[0].kind {
		case KindString:
			v, err := kind.Parse(a[0].AsString(), z)
			return instant(at, v, err)
		case KindTemporal:
			v, err := a[0].AsTemporal().Convert(kind, z)
			return instant(at, v, err)
		case KindMap:
			m := a[0].AsMap()
			if zone, ok := m["timezone"]; ok && len(m) == 1 && zone.kind == KindString {
				return x.now(at, kind, zone.AsString())
			}
			v, err := kind.Make(components(m), z)
			return instant(at, v, err)
		}
		return Null, wants(at, kind.String(), "a string, a map or a temporal value", a[0])
	}
}

// components returns a map as package temporal takes it.
func components(m map[string]Value) map[string]any {
	out := make(map[string]any, len(m))
	for name, v := range m {
		switch v.kind {
		case KindInt:
			out[name] = v.AsInt()
		case KindFloat:
			out[name] = v.AsFloat()
		case KindString:
			out[name] = v.AsString()
		case KindTemporal:
			out[name] = v.AsTemporal()
		default:
			out[name] = nil
		}
	}
	return out
}

// truncate is date.truncate and its like: of a value, else of now.
func truncate(kind temporal.Kind) func(*exec, Pos, []Value) (Value, error) {
	return func(x *exec, at Pos, a []Value) (Value, error) {
		name := kind.String() + ".truncate"
		if a[0].kind != KindString {
			return Null, wants(at, name, "a unit, such as 'year'", a[0])
		}
		var of Value
		var err error
		if len(a) > 1 {
			of = a[1]
		} else if of, err = x.now(at, temporal.KindDateTime, ""); err != nil {
			return Null, err
		}
		if of.kind != KindTemporal {
			return Null, wants(at, name, "a temporal value", of)
		}
		var fields map[string]any
		if len(a) > 2 {
			if a[2].kind != KindMap {
				return Null, wants(at, name, "a map", a[2])
			}
			fields = components(a[2].AsMap())
		}
		v, err := of.AsTemporal().Truncate(kind, a[0].AsString(), fields, &x.eval.zones)
		return instant(at, v, err)
	}
}

func callFromEpoch(x *exec, at Pos, a []Value) (Value, error) {
	v, err := temporal.KindDateTime.Make(map[string]any{"epochSeconds": a[0].AsInt(), "nanosecond": a[1].AsInt()}, &x.eval.zones)
	return instant(at, v, err)
}

func callFromMillis(x *exec, at Pos, a []Value) (Value, error) {
	v, err := temporal.KindDateTime.Make(map[string]any{"epochMillis": a[0].AsInt()}, &x.eval.zones)
	return instant(at, v, err)
}

func callDuration(_ *exec, at Pos, a []Value) (Value, error) {
	switch a[0].kind {
	case KindString:
		v, err := temporal.KindDuration.Parse(a[0].AsString(), nil)
		return instant(at, v, err)
	case KindMap:
		v, err := temporal.KindDuration.Make(components(a[0].AsMap()), nil)
		return instant(at, v, err)
	case KindTemporal:
		if a[0].AsTemporal().Kind() == temporal.KindDuration {
			return a[0], nil
		}
	}
	return Null, wants(at, "duration", "a string or a map", a[0])
}

// between is duration.between and its like.
func between(unit string) func(*exec, Pos, []Value) (Value, error) {
	return func(x *exec, at Pos, a []Value) (Value, error) {
		for _, v := range a {
			if v.kind != KindTemporal {
				return Null, wants(at, "duration.between", "two instants", v)
			}
		}
		v, err := a[0].AsTemporal().Until(unit, a[1].AsTemporal(), &x.eval.zones)
		return instant(at, v, err)
	}
}

// temporalPart returns a component of a temporal value.
func temporalPart(at Pos, t temporal.Value, name string) (Value, error) {
	part, err := t.Part(name)
	switch part := part.(type) {
	case int64:
		return Int(part), nil
	case string:
		return String(part), nil
	}
	if errors.Is(err, temporal.ErrRange) {
		return Null, arithmeticError(at, "%v", err)
	}
	return Null, argumentError(at, "%v", err)
}

// temporalArithmetic adds and subtracts durations, and multiplies and divides
// them by numbers.
func (x *exec) temporalArithmetic(op binaryOp, at Pos, a, b Value) (Value, error) {
	if op == opAdd && isDuration(a) {
		a, b = b, a
	}
	t := a.AsTemporal()
	switch {
	case (op == opAdd || op == opSubtract) && a.kind == KindTemporal && isDuration(b):
		d, err := b.AsTemporal(), error(nil)
		if op == opSubtract {
			d, err = d.Negated()
		}
		if err == nil {
			t, err = t.Add(d, &x.eval.zones)
		}
		return instant(at, t, err)
	case op == opMultiply && a.isNumber() && isDuration(b):
		t, err := b.AsTemporal().Times(a.AsFloat())
		return instant(at, t, err)
	case op == opMultiply && b.isNumber() && isDuration(a):
		t, err := t.Times(b.AsFloat())
		return instant(at, t, err)
	case op == opDivide && b.isNumber() && isDuration(a):
		t, err := t.DividedBy(b.AsFloat())
		return instant(at, t, err)
	}
	return Null, typeError(at, "%s cannot be between %s and %s: durations are added to and subtracted from temporal values, and multiplied and divided by numbers",
		binaryOps[op].text, aKind(a), aKind(b))
}

func isDuration(v Value) bool {
	return v.kind == KindTemporal && v.AsTemporal().Kind() == temporal.KindDuration
}
