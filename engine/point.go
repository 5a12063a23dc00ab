package engine

import (
	"encoding/binary"
	"math"
	"strconv"
)

// Point is a place in the plane, in space or on the earth.
type Point struct {
	// SRID names the coordinates: 7203 for x and y of a plane, 9157 with z, 4326
	// for WGS 84's longitude and latitude in degrees, 4979 with the height in
	// metres.
	SRID int
	// X, Y and Z are the coordinates; X is the longitude and Y the latitude. Z is
	// zero if there are two.
	X, Y, Z float64
}

// crsNames are the names of the coordinates.
var crsNames = map[int]string{7203: "cartesian", 9157: "cartesian-3d", 4326: "wgs-84", 4979: "wgs-84-3d"}

// CRS returns the name of the coordinates: cartesian, cartesian-3d, wgs-84 or
// wgs-84-3d; "" for any other SRID.
func (p Point) CRS() string { return crsNames[p.SRID] }

// Is3D reports whether the point has three coordinates.
func (p Point) Is3D() bool { return p.SRID == 9157 || p.SRID == 4979 }

// Geographic reports whether the point is on the earth.
func (p Point) Geographic() bool { return p.SRID == 4326 || p.SRID == 4979 }

// String writes the point as the query language does: point({x: 1.0, y: 2.0,
// crs: 'cartesian'}).
func (p Point) String() string {
	s := "point({x: " + pointNumber(p.X) + ", y: " + pointNumber(p.Y)
	if p.Is3D() {
		s += ", z: " + pointNumber(p.Z)
	}
	return s + ", crs: '" + p.CRS() + "'})"
}

func pointNumber(x float64) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if x == math.Trunc(x) {
		s += ".0"
	}
	return s
}

// Distance returns how far two points are from each other: the length of the
// straight line, or along a sphere of the earth's mean radius in metres, to which
// a difference of height is added as in a plane. ok is false if their coordinates
// differ.
func (p Point) Distance(o Point) (d float64, ok bool) {
	if p.SRID != o.SRID {
		return 0, false
	}
	z := 0.0
	if p.Is3D() {
		z = p.Z - o.Z
	}
	if !p.Geographic() {
		return math.Hypot(math.Hypot(p.X-o.X, p.Y-o.Y), z), true
	}
	const radius, degree = 6_378_140.0, math.Pi / 180
	a := math.Pow(math.Sin((p.Y-o.Y)*degree/2), 2) +
		math.Cos(p.Y*degree)*math.Cos(o.Y*degree)*math.Pow(math.Sin((p.X-o.X)*degree/2), 2)
	around := 2 * math.Atan2(math.Sqrt(a), math.Sqrt(max(0, 1-a)))
	if p.Is3D() {
		return math.Hypot(around*(radius+(p.Z+o.Z)/2), z), true
	}
	return around * radius, true
}

// Valid reports whether the SRID is known and the coordinates are finite and, of
// latitudes, between the poles.
func (p Point) Valid() bool {
	for _, x := range [3]float64{p.X, p.Y, p.Z} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return p.CRS() != "" && (p.Is3D() || p.Z == 0) && (!p.Geographic() || math.Abs(p.Y) <= 90 && math.Abs(p.X) <= 180)
}

// Value returns the point as a property value. A point without a known SRID, or
// with a coordinate that is out of range, is refused when it is stored.
func (p Point) Value() Value {
	b := binary.BigEndian.AppendUint32(nil, uint32(p.SRID))
	for _, x := range [3]float64{p.X, p.Y, p.Z} {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(x+0)) // -0 becomes 0
	}
	return Value{kind: KindPoint, str: string(b)}
}

// AsPoint returns a point, the zero Point for other kinds.
func (v Value) AsPoint() Point {
	p, _ := decodePoint(v)
	return p
}

// A point is kept as its SRID (4) and three f64 (24).
func decodePoint(v Value) (Point, error) {
	if v.kind != KindPoint || len(v.str) != 28 {
		return Point{}, errNoValue
	}
	b := []byte(v.str)
	p := Point{SRID: int(binary.BigEndian.Uint32(b))}
	for i, x := range [3]*float64{&p.X, &p.Y, &p.Z} {
		*x = math.Float64frombits(binary.BigEndian.Uint64(b[4+8*i:]))
	}
	if !p.Valid() {
		return Point{}, errNoValue
	}
	return p, nil
}
