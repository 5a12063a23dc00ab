package cypher

import (
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

var (
	aMap   = &argument{[]Kind{KindMap}, "a map"}
	points = &argument{[]Kind{KindPoint}, "points"}
)

// pointFunctions make and compare points.
var pointFunctions = []function{
	{name: "point", params: "{x, y, z} or {longitude, latitude, height}", min: 1, max: 1, takes: aMap, call: callPoint},
	{name: "point.distance", params: "point, point", min: 2, max: 2, takes: points, call: func(_ *exec, _ Pos, a []Value) (Value, error) {
		d, ok := a[0].AsPoint().Distance(a[1].AsPoint())
		if !ok {
			return Null, nil
		}
		return Float(d), nil
	}},
	{name: "point.withinBBox", params: "point, lowerLeft, upperRight", min: 3, max: 3, takes: points, call: callWithin},
}

// callPoint makes a point of a plane, of space, or with a longitude and a latitude
// of the earth; crs or srid may say which. A coordinate that is null makes null.
func callPoint(_ *exec, at Pos, a []Value) (Value, error) {
	var at3 [3]float64
	var has [3]bool
	var p engine.Point
	earth, crs := false, ""
	for name, v := range a[0].AsMap() {
		i := slices.Index([]string{"x", "y", "z", "longitude", "latitude", "height"}, name)
		switch {
		case v.IsNull():
			return Null, nil
		case i >= 0 && v.isNumber():
			earth = earth || i >= 3
			if has[i%3] {
				return Null, argumentError(at, "point() has x and longitude, y and latitude, or z and height")
			}
			at3[i%3], has[i%3] = v.AsFloat(), true
		case name == "crs" && v.kind == KindString:
			crs = v.AsString()
		case name == "srid" && v.kind == KindInt:
			p.SRID = int(v.AsInt())
		default:
			return Null, argumentError(at, "point() has no %s of %s", quoteName(name), aKind(v))
		}
	}
	if !has[0] || !has[1] {
		return Null, argumentError(at, "point() needs x and y, or longitude and latitude")
	}
	p.X, p.Y, p.Z = at3[0], at3[1], at3[2]
	srid := 7203
	if earth {
		srid = 4326
	}
	if has[2] {
		srid = map[int]int{7203: 9157, 4326: 4979}[srid]
	}
	if p.SRID == 0 {
		p.SRID = srid
	}
	if crs != "" {
		named := map[string]int{"cartesian": 7203, "cartesian-3d": 9157, "wgs-84": 4326, "wgs-84-3d": 4979}[strings.ToLower(crs)]
		if p.SRID != srid && named != p.SRID {
			named = 0
		}
		p.SRID = named
	}
	if p.CRS() == "" || p.Is3D() != has[2] || earth && !p.Geographic() {
		return Null, argumentError(at, "the crs of a point is 'cartesian', 'cartesian-3d', 'wgs-84' or 'wgs-84-3d', with as many coordinates")
	}
	if !p.Valid() {
		return Null, argumentError(at, "a coordinate is out of range: a latitude lies between -90 and 90, a longitude between -180 and 180")
	}
	return point(p), nil
}

// callWithin reports whether a point lies in a box, whose edges belong to it. A box
// of the earth whose west is east of its east crosses the 180th meridian.
func callWithin(_ *exec, _ Pos, a []Value) (Value, error) {
	p, lo, hi := a[0].AsPoint(), a[1].AsPoint(), a[2].AsPoint()
	if p.SRID != lo.SRID || p.SRID != hi.SRID {
		return Null, nil
	}
	x := lo.X <= p.X && p.X <= hi.X
	if p.Geographic() && lo.X > hi.X {
		x = p.X >= lo.X || p.X <= hi.X
	}
	return Bool(x && lo.Y <= p.Y && p.Y <= hi.Y && lo.Z <= p.Z && p.Z <= hi.Z), nil
}

// pointFields returns a point as a map.
func pointFields(p engine.Point) map[string]Value {
	m := map[string]Value{"crs": String(p.CRS()), "srid": Int(int64(p.SRID)), "x": Float(p.X), "y": Float(p.Y)}
	if p.Is3D() {
		m["z"] = Float(p.Z)
	}
	return m
}

// pointPart returns a coordinate or the system of coordinates of a point.
func pointPart(at Pos, p engine.Point, name string) (Value, error) {
	if other, ok := map[string]string{"longitude": "x", "latitude": "y", "height": "z"}[name]; ok && p.Geographic() {
		name = other
	}
	if v, ok := pointFields(p)[name]; ok {
		return v, nil
	}
	return Null, argumentError(at, "a point of %s has no part %s", p.CRS(), quoteName(name))
}
