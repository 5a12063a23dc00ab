package cypher

import "math"

// vectorFunctions compare vectors, which are lists of numbers. Their names and
// results are Neo4j's.
var vectorFunctions = []function{
	{name: "vector.similarity.cosine", params: "list, list", min: 2, max: 2, call: callCosine},
	{name: "vector.similarity.euclidean", params: "list, list", min: 2, max: 2, call: callEuclidean},
}

// callCosine returns (1 + cos)/2 of the angle between two vectors: 1 for one
// direction, 0 for opposite ones.
func callCosine(_ *exec, at Pos, a []Value) (Value, error) {
	if err := vectors(at, "vector.similarity.cosine", a); err != nil {
		return Null, err
	}
	var dot, aa, bb float64
	b := a[1].AsList()
	for i, v := range a[0].AsList() {
		x, y := v.AsFloat(), b[i].AsFloat()
		dot += x * y
		aa += x * x
		bb += y * y
	}
	if aa == 0 || bb == 0 {
		return Null, argumentError(at, "a vector of zeros has no direction")
	}
	return Float((1 + dot/math.Sqrt(aa)/math.Sqrt(bb)) / 2), nil
}

// callEuclidean returns 1/(1 + d²) of the distance d.
func callEuclidean(_ *exec, at Pos, a []Value) (Value, error) {
	if err := vectors(at, "vector.similarity.euclidean", a); err != nil {
		return Null, err
	}
	var square float64
	b := a[1].AsList()
	for i, v := range a[0].AsList() {
		d := v.AsFloat() - b[i].AsFloat()
		square += d * d
	}
	return Float(1 / (1 + square)), nil
}

// vectors checks that two arguments are vectors of one dimension.
func vectors(at Pos, name string, a []Value) error {
	for _, v := range a {
		if v.kind != KindList {
			return wants(at, name, "lists of numbers", v)
		}
		for _, x := range v.AsList() {
			if !x.isNumber() {
				return typeError(at, "%s() needs lists of numbers, not one with %s in it", name, aKind(x))
			}
		}
	}
	if n, m := len(a[0].AsList()), len(a[1].AsList()); n != m || n == 0 {
		return argumentError(at, "the vectors of %s() have %d and %d elements", name, n, m)
	}
	return nil
}
