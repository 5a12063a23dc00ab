package interchange

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/temporal"
)

// The types of values in the words of neo4j-admin and GraphML. A list is the type
// of its elements with [] behind it; temporal values have the names of their kinds.
const (
	typeBool, typeInt, typeFloat, typeString = "boolean", "long", "double", "string"
	typePoint                                = "point"
	listMark                                 = "[]"
)

// typeOf returns the type of a value. Bytes are text.
func typeOf(v engine.Value) string {
	switch v.Kind() {
	case engine.KindBool:
		return typeBool
	case engine.KindInt:
		return typeInt
	case engine.KindFloat:
		return typeFloat
	case engine.KindTemporal:
		return v.AsTemporal().Kind().String()
	case engine.KindPoint:
		return typePoint
	case engine.KindStrings:
		return typeString + listMark
	case engine.KindList:
		return typeOf(v.AsList()[0]) + listMark
	}
	return typeString
}

// knownType returns the type that another program's name of one means; "" is
// text.
func knownType(name string) string {
	if one, list := strings.CutSuffix(name, listMark); list {
		return knownType(one) + listMark
	}
	switch name = strings.ToLower(name); name {
	case typeBool, typePoint:
		return name
	case "int", "long", "short", "byte":
		return typeInt
	case "float", "double":
		return typeFloat
	}
	if kindOf(name) != 0 {
		return name
	}
	return typeString
}

// kindOf returns the kind of temporal values that has a name, 0 for none.
func kindOf(name string) temporal.Kind {
	for k := temporal.KindDate; k <= temporal.KindDuration; k++ {
		if k.String() == name {
			return k
		}
	}
	return 0
}

// jsonList writes a list as a JSON array: of numbers, booleans or texts.
func jsonList(v engine.Value) string {
	parts := make([]string, 0, 8)
	for _, x := range v.AsList() {
		s := text(x)
		switch typeOf(x) {
		case typeBool, typeInt, typeFloat:
		default:
			b, _ := json.Marshal(s) // a string has no error
			s = string(b)
		}
		parts = append(parts, s)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// text writes a value for a format that has only text. The elements of a list
// stand between semicolons, or in a JSON array if a text has one itself.
func text(v engine.Value) string {
	switch v.Kind() {
	case engine.KindString, engine.KindText:
		return v.AsString()
	case engine.KindStrings, engine.KindList:
		list := v.AsList()
		parts := make([]string, len(list))
		for i, x := range list {
			parts[i] = text(x)
			if typeOf(x) == typeString && (parts[i] == "" || strings.ContainsAny(parts[i], ";") || parts[i][0] == '[') {
				return jsonList(v)
			}
		}
		if len(list) == 0 {
			return "[]"
		}
		return strings.Join(parts, ";")
	case engine.KindTemporal:
		return v.AsTemporal().String()
	case engine.KindPoint:
		p := v.AsPoint()
		s := "{x: " + float(p.X) + ", y: " + float(p.Y)
		if p.Is3D() {
			s += ", z: " + float(p.Z)
		}
		return s + ", srid: " + strconv.Itoa(p.SRID) + "}"
	case engine.KindBytes:
		return base64Text(v)
	case engine.KindBool:
		return strconv.FormatBool(v.AsBool())
	case engine.KindInt:
		return strconv.FormatInt(v.AsInt(), 10)
	case engine.KindFloat:
		return float(v.AsFloat())
	}
	return ""
}

func float(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// parse reads a value of a type from text.
func parse(s, typ string) (engine.Value, error) {
	if one, list := strings.CutSuffix(typ, listMark); list {
		return parseList(s, one)
	}
	switch typ {
	case typeString:
		return engine.String(s), nil
	case typeBool:
		b, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(s)))
		if err != nil {
			return engine.Value{}, fmt.Errorf("%.100q is not true or false", s)
		}
		return engine.Bool(b), nil
	case typeInt:
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		if err != nil {
			return engine.Value{}, fmt.Errorf("%.100q is not a whole number", s)
		}
		return engine.Int(n), nil
	case typeFloat:
		x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || x != x {
			return engine.Value{}, fmt.Errorf("%.100q is not a number", s)
		}
		return engine.Float(x), nil
	case typePoint:
		return parsePoint(s)
	}
	t, err := kindOf(typ).Parse(strings.TrimSpace(s), nil)
	return engine.Temporal(t), err
}

// parseList reads the elements between semicolons, or a JSON array.
func parseList(s, typ string) (engine.Value, error) {
	parts := strings.Split(s, ";")
	if strings.HasPrefix(s, "[") {
		var raw []json.RawMessage
		if json.Unmarshal([]byte(s), &raw) == nil {
			parts = parts[:0]
			for _, r := range raw {
				var text string
				if json.Unmarshal(r, &text) != nil {
					text = string(r)
				}
				parts = append(parts, text)
			}
		}
	}
	list := make([]engine.Value, len(parts))
	for i, p := range parts {
		v, err := parse(p, typ)
		if err != nil {
			return engine.Value{}, err
		}
		list[i] = v
	}
	return engine.ListOf(list)
}

// parsePoint reads {x: 1.0, y: 2.0, srid: 7203}, also with latitude, longitude,
// height and crs.
func parsePoint(s string) (engine.Value, error) {
	bad := fmt.Errorf("%.80q is not a point such as {x: 1, y: 2, srid: 7203}", s)
	inner, ok := strings.CutPrefix(strings.TrimSpace(s), "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if !ok || !closed {
		return engine.Value{}, bad
	}
	p, crs := engine.Point{SRID: 7203}, 0
	deep := false
	for _, part := range strings.Split(inner, ",") {
		name, value, ok := strings.Cut(part, ":")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.Trim(strings.TrimSpace(value), `'"`)
		if name == "crs" {
			crs = map[string]int{"cartesian": 7203, "cartesian-3d": 9157, "wgs-84": 4326, "wgs-84-3d": 4979}[strings.ToLower(value)]
			continue
		}
		x, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil {
			return engine.Value{}, bad
		}
		switch name {
		case "srid":
			crs = int(x)
		case "longitude":
			p.SRID, p.X = 4326, x
		case "latitude":
			p.SRID, p.Y = 4326, x
		case "x":
			p.X = x
		case "y":
			p.Y = x
		case "z", "height":
			deep, p.Z = true, x
		default:
			return engine.Value{}, bad
		}
	}
	if deep {
		p.SRID = map[int]int{7203: 9157, 4326: 4979}[p.SRID]
	}
	if crs != 0 {
		p.SRID = crs
	}
	if !p.Valid() || p.Is3D() != deep {
		return engine.Value{}, bad
	}
	return p.Value(), nil
}
