package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/method"
)

// atLeastOne is a flag for a count; 0 is its unset value and cannot be given.
type atLeastOne int

func (c *atLeastOne) String() string {
	if *c == 0 {
		return ""
	}
	return strconv.Itoa(int(*c))
}

// Set implements [pflag.Value].
func (c *atLeastOne) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return fmt.Errorf("%q is not a number of 1 or more", s)
	}
	*c = atLeastOne(n)
	return nil
}

// Type implements [pflag.Value].
func (c *atLeastOne) Type() string { return "N" }

// timeLimit is a flag for a time; 0 is its unset value and cannot be given.
type timeLimit time.Duration

func (l *timeLimit) String() string {
	if *l == 0 {
		return ""
	}
	return time.Duration(*l).String()
}

// Set implements [pflag.Value].
func (l *timeLimit) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is not a time such as 90s or 5m", s)
	}
	*l = timeLimit(d)
	return nil
}

// Type implements [pflag.Value].
func (l *timeLimit) Type() string { return "TIME" }

// byteCount is a flag for a size of memory; 0 is its unset value and cannot be given.
type byteCount int64

// leastMemory is the least that a database opens with.
const leastMemory = 16 << 20

func (c *byteCount) String() string {
	if *c == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*c), 10)
}

// Set implements [pflag.Value].
func (c *byteCount) Set(s string) error {
	digits := strings.TrimRight(s, "BKMGTbkmgti ")
	n, err := strconv.ParseFloat(digits, 64)
	unit, ok := map[string]float64{
		"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
		"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
	}[strings.ToLower(strings.TrimSpace(s[len(digits):]))]
	if err != nil || !ok || !(n > 0) || n*unit >= math.MaxInt64 {
		return fmt.Errorf("%q is not a size such as 256MB or 4GiB", s)
	}
	if n*unit < leastMemory {
		return fmt.Errorf("%q is less than 16MiB, the least that a database opens with", s)
	}
	*c = byteCount(n * unit)
	return nil
}

// Type implements [pflag.Value].
func (c *byteCount) Type() string { return "SIZE" }

// dollars is a flag for money; 0 is its unset value and cannot be given.
type dollars float64

func (d *dollars) String() string {
	if *d == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*d), 'f', -1, 64)
}

// Set implements [pflag.Value].
func (d *dollars) Set(s string) error {
	v, err := strconv.ParseFloat(strings.TrimPrefix(s, "$"), 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return fmt.Errorf("%q is not an amount above 0", s)
	}
	*d = dollars(v)
	return nil
}

// Type implements [pflag.Value].
func (d *dollars) Type() string { return "DOLLARS" }

// specList is a flag for methods: name[:key=value,...][@label],...
type specList struct {
	specs   []method.Spec
	methods method.Methods
	one     bool // takes a single method
	all     bool // takes the word all for every one
}

func (l *specList) String() string {
	out := make([]string, len(l.specs))
	for i, s := range l.specs {
		out[i] = s.String()
	}
	return strings.Join(out, ",")
}

// Set implements [pflag.Value].
func (l *specList) Set(s string) error {
	var specs []method.Spec
	if l.all && s == "all" {
		s = strings.Join(l.methods.Names(), ",")
	}
	for _, part := range method.SplitSpecs(s) {
		spec, err := method.ParseSpec(part)
		if err != nil {
			return fmt.Errorf("%s", err.Error())
		}
		if l.methods[spec.Name] == nil {
			return fmt.Errorf("there is no method %q; there are %s", spec.Name, strings.Join(l.methods.Names(), ", "))
		}
		if spec.Rerank && !l.all {
			return fmt.Errorf("%s is for eval; elsewhere --rerank names the reranker", spec)
		}
		specs = append(specs, spec)
	}
	if len(specs) == 0 {
		return fmt.Errorf("%q names no method; there are %s", s, strings.Join(l.methods.Names(), ", "))
	}
	if l.one && len(specs) > 1 {
		return fmt.Errorf("give one method, not %d", len(specs))
	}
	l.specs = specs
	return nil
}

// Type implements [pflag.Value].
func (l *specList) Type() string { return "METHOD" }

// only returns the one method of a flag, or another if it has none.
func (l *specList) only(other string) method.Spec {
	if len(l.specs) == 0 {
		return method.Spec{Name: other}
	}
	return l.specs[0]
}

// pairs is a flag that is given several times as key=value.
type pairs map[string]string

func (p *pairs) String() string { return "" }

// Set implements [pflag.Value].
func (p *pairs) Set(s string) error {
	k, v, ok := strings.Cut(s, "=")
	if k = strings.TrimSpace(k); !ok || k == "" {
		return fmt.Errorf("%q is not key=value", s)
	}
	if strings.HasPrefix(k, "_") {
		return fmt.Errorf("%q: names that begin with _ are ragdb's own", k)
	}
	if *p == nil {
		*p = pairs{}
	}
	(*p)[k] = v
	return nil
}

// Type implements [pflag.Value].
func (p *pairs) Type() string { return "KEY=VALUE" }

// patterns is a flag that is given several times as a pattern of file names.
type patterns []string

func (p *patterns) String() string { return "" }

// Set implements [pflag.Value].
func (p *patterns) Set(s string) error {
	if !load.ValidPattern(s) {
		return fmt.Errorf("%q is not a pattern such as '*.md' or 'docs/**/*.txt'", s)
	}
	*p = append(*p, s)
	return nil
}

// Type implements [pflag.Value].
func (p *patterns) Type() string { return "PATTERN" }

// choice is a flag with a few values.
type choice struct {
	value  string
	values []string
}

func (c *choice) String() string { return c.value }

// Set implements [pflag.Value].
func (c *choice) Set(s string) error {
	if !slices.Contains(c.values, s) {
		return usage("", "%q is not one of %s", s, strings.Join(c.values, ", "))
	}
	c.value = s
	return nil
}

// Type implements [pflag.Value].
func (c *choice) Type() string { return "WORD" }
