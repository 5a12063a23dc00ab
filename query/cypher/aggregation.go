package cypher

import "strings"

// aggregator gathers the values of one group. Null is never added to it but by
// count(*).
type aggregator interface {
	add(v Value) error
	result(x *exec) (Value, error)
	// bytes estimates the memory that the aggregator holds.
	bytes() int64
}

// aggregateFunc is an aggregate of the language.
type aggregateFunc struct {
	name, params string
	args         int
	numbers      bool // every value must be a number
	durations    bool // or every one a duration
	// start returns the aggregator of a group; parameter is the value of a
	// second argument.
	start func(at Pos, parameter Value) (aggregator, error)
}

// usage returns how the aggregate is written.
func (a *aggregateFunc) usage() string { return a.name + "([DISTINCT] " + a.params + ")" }

// aggregates holds the aggregates under their names in lower case.
var aggregates = map[string]*aggregateFunc{
	"count":          {name: "count", params: "value or *", args: 1, start: startCount},
	"sum":            {name: "sum", params: "number or duration", args: 1, numbers: true, durations: true, start: startSum},
	"avg":            {name: "avg", params: "number or duration", args: 1, numbers: true, durations: true, start: startAvg},
	"min":            {name: "min", params: "value", args: 1, start: startMin},
	"max":            {name: "max", params: "value", args: 1, start: startMax},
	"collect":        {name: "collect", params: "value", args: 1, start: startCollect},
	"stdev":          {name: "stDev", params: "number", args: 1, numbers: true, start: startStDev},
	"stdevp":         {name: "stDevP", params: "number", args: 1, numbers: true, start: startStDevP},
	"percentilecont": {name: "percentileCont", params: "number, percentile", args: 2, numbers: true, start: startPercentileCont},
	"percentiledisc": {name: "percentileDisc", params: "number, percentile", args: 2, numbers: true, start: startPercentileDisc},
}

// aggregation is a compiled call of an aggregate.
type aggregation struct {
	at        Pos
	of        *aggregateFunc
	distinct  bool
	value     evaluator // nil for count(*)
	parameter evaluator // of percentileCont and percentileDisc, else nil
}

// aggregation compiles a call of an aggregate.
func (c *compiler) aggregation(call *funcCall) (*aggregation, error) {
	a := aggregates[strings.ToLower(call.Name)]
	if a == nil {
		return nil, c.unknownFunction(call)
	}
	if err := c.checkFunction(call); err != nil {
		return nil, err
	}
	g := &aggregation{at: call.Pos, of: a, distinct: call.Distinct}
	if call.Star {
		if a.name != "count" {
			return nil, c.refuse(call.Pos, call.Name, "InvalidNumberOfArguments", a.name+"(*) is not an aggregate; count(*) is")
		}
		return g, nil
	}
	var err error
	if g.value, err = c.expr(call.Args[0]); err != nil {
		return nil, err
	}
	if a.args == 2 {
		g.parameter, err = c.expr(call.Args[1])
	}
	return g, err
}

// begin starts a group with its first row, nil for the one group of no rows at
// all.
func (g *aggregation) begin(x *exec, first row) (aggregator, error) {
	parameter := Null
	if g.parameter != nil && first != nil {
		var err error
		if parameter, err = g.parameter(x, first); err != nil {
			return nil, err
		}
	}
	agg, err := g.of.start(g.at, parameter)
	if err != nil || !g.distinct {
		return agg, err
	}
	return &distinctAggregator{inner: agg, seen: map[string]struct{}{}}, nil
}

// feed adds a row to its group.
func (g *aggregation) feed(x *exec, r row, agg aggregator) error {
	if g.value == nil {
		return agg.add(Null)
	}
	v, err := g.value(x, r)
	if err != nil || v.IsNull() {
		return err
	}
	if g.of.numbers && !v.isNumber() && !(g.of.durations && isDuration(v)) {
		return wants(g.at, g.of.name, "numbers", v)
	}
	// Some aggregates compare the value, or write it as a key.
	if err := x.work(v.weight()); err != nil {
		return err
	}
	return agg.add(v)
}

// distinctAggregator passes each of several equivalent values on once.
type distinctAggregator struct {
	inner aggregator
	seen  map[string]struct{}
	key   []byte
	held  int64
}

// entryOverhead estimates the bytes of a set's entry without its key.
const entryOverhead = 48

func (d *distinctAggregator) add(v Value) error {
	d.key = v.appendKey(d.key[:0])
	if _, ok := d.seen[string(d.key)]; ok {
		return nil
	}
	d.seen[string(d.key)] = struct{}{}
	d.held += int64(len(d.key)) + entryOverhead
	return d.inner.add(v)
}

func (d *distinctAggregator) result(x *exec) (Value, error) { return d.inner.result(x) }
func (d *distinctAggregator) bytes() int64                  { return d.held + d.inner.bytes() }

// countAggregator counts.
type countAggregator int64

func startCount(Pos, Value) (aggregator, error) { return new(countAggregator), nil }

func (a *countAggregator) add(Value) error             { *a++; return nil }
func (a *countAggregator) result(*exec) (Value, error) { return Int(int64(*a)), nil }
func (a *countAggregator) bytes() int64                { return 8 }

// extremeAggregator keeps the first or the last value in the order of all
// values. Without values its result is null.
type extremeAggregator struct {
	sign int // -1 for the least
	best Value
}

func startMin(Pos, Value) (aggregator, error) { return &extremeAggregator{sign: -1}, nil }
func startMax(Pos, Value) (aggregator, error) { return &extremeAggregator{sign: 1}, nil }

func (a *extremeAggregator) add(v Value) error {
	if a.best.IsNull() || compareOrder(v, a.best)*a.sign > 0 {
		a.best = v
	}
	return nil
}

func (a *extremeAggregator) result(*exec) (Value, error) { return a.best, nil }
func (a *extremeAggregator) bytes() int64                { return a.best.memory() }

// collectAggregator makes a list of the values in the order of the rows.
type collectAggregator struct {
	list chunks[Value]
	held int64
}

func startCollect(Pos, Value) (aggregator, error) { return &collectAggregator{}, nil }

func (a *collectAggregator) add(v Value) error {
	a.list.add(v)
	a.held += v.memory()
	return nil
}

func (a *collectAggregator) result(x *exec) (Value, error) {
	list, err := a.list.take(x)
	return listWith(list, a.held), err
}

func (a *collectAggregator) bytes() int64 { return a.held }
