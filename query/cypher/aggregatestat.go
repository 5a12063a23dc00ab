package cypher

import "math"

// deviationAggregator computes a standard deviation, in one pass (Welford
// 1962). It is 0.0 of fewer numbers than it needs.
type deviationAggregator struct {
	population bool // divides by n, and not by n - 1
	n          int64
	mean, m2   float64
}

func startStDev(Pos, Value) (aggregator, error) { return &deviationAggregator{}, nil }

func startStDevP(Pos, Value) (aggregator, error) {
	return &deviationAggregator{population: true}, nil
}

func (a *deviationAggregator) add(v Value) error {
	a.n++
	x := v.AsFloat()
	d := x - a.mean
	a.mean += d / float64(a.n)
	a.m2 += d * (x - a.mean)
	return nil
}

func (a *deviationAggregator) result(*exec) (Value, error) {
	n := a.n
	if !a.population {
		n--
	}
	if n <= 0 {
		return Float(0), nil
	}
	return Float(math.Sqrt(a.m2 / float64(n))), nil
}

func (a *deviationAggregator) bytes() int64 { return 64 }

// percentileAggregator keeps the numbers of a group until it has all of them.
type percentileAggregator struct {
	at         Pos
	name       string
	continuous bool // between two numbers if none is at the place
	p          Value
	numbers    chunks[Value]
}

func startPercentileCont(at Pos, p Value) (aggregator, error) {
	return startPercentile(&percentileAggregator{at: at, name: "percentileCont", continuous: true, p: p})
}

func startPercentileDisc(at Pos, p Value) (aggregator, error) {
	return startPercentile(&percentileAggregator{at: at, name: "percentileDisc", p: p})
}

// startPercentile checks the percentile. Null is that of a group without rows.
func startPercentile(a *percentileAggregator) (aggregator, error) {
	if a.p.IsNull() {
		return a, nil
	}
	if !a.p.isNumber() {
		return nil, wants(a.at, a.name, "a number from 0.0 to 1.0 as percentile", a.p)
	}
	if p := a.p.AsFloat(); !(p >= 0 && p <= 1) {
		return nil, argumentError(a.at, "%s() needs a percentile from 0.0 to 1.0, not %s", a.name, a.p)
	}
	return a, nil
}

func (a *percentileAggregator) add(v Value) error {
	a.numbers.add(v)
	return nil
}

// result is the number at the place p of the numbers in order, null of none.
// If no number is at the place, percentileCont lies between its neighbours, and
// percentileDisc is the one after it: the least number that at least a
// share p of all numbers does not exceed.
func (a *percentileAggregator) result(x *exec) (Value, error) {
	numbers, err := a.numbers.take(x)
	n := len(numbers)
	if err != nil || n == 0 || a.p.IsNull() {
		return Null, err
	}
	compare := func(a, b *Value) int { return compareOrder(*a, *b) }
	if err := sortWatched(x, numbers, compare, func(*Value) int64 { return 0 }); err != nil {
		return Null, err
	}
	if !a.continuous {
		place := int(math.Ceil(a.p.AsFloat()*float64(n))) - 1
		return numbers[min(max(place, 0), n-1)], nil
	}
	place := a.p.AsFloat() * float64(n-1)
	below := math.Floor(place)
	lo := numbers[int(below)].AsFloat()
	if place == below {
		return Float(lo), nil
	}
	hi := numbers[int(below)+1].AsFloat()
	return Float(lo*(below+1-place) + hi*(place-below)), nil
}

func (a *percentileAggregator) bytes() int64 { return int64(a.numbers.n) * valueBytes }
