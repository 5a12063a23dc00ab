package eval

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/rag/method"
)

// maxSweep bounds the values of one sweep and the rows of all.
const maxSweep = 1000

// Sweep is a parameter with the values that it is to have in turn.
type Sweep struct {
	Key    string
	Values []string
}

// ParseSweep reads key=a:b:step, the numbers from a up to b, or key=a|b|c, the
// values as they stand. A number is written with as many decimals as the longest
// of the three has.
func ParseSweep(s string) (Sweep, error) {
	key, list, ok := strings.Cut(s, "=")
	w := Sweep{Key: strings.TrimSpace(key)}
	if !ok || w.Key == "" || strings.TrimSpace(list) == "" {
		return w, wrong("sweep %q is not key=from:to:step or key=a|b|c", s)
	}
	if bounds := strings.Split(list, ":"); len(bounds) > 1 {
		var err error
		if w.Values, err = steps(bounds); err != nil {
			return w, wrong("sweep %q: %s", s, err)
		}
		return w, nil
	}
	for _, v := range strings.Split(list, "|") {
		if v = strings.TrimSpace(v); v == "" {
			return w, wrong("sweep %q has an empty value", s)
		}
		w.Values = append(w.Values, v)
	}
	return w, nil
}

// steps returns the numbers of from:to:step.
func steps(bounds []string) ([]string, error) {
	if len(bounds) != 3 {
		return nil, fmt.Errorf("a range is from:to:step")
	}
	var n [3]float64
	decimals := 0
	for i, b := range bounds {
		b = strings.TrimSpace(b)
		x, err := strconv.ParseFloat(b, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("%q is no number", b)
		}
		if _, frac, ok := strings.Cut(b, "."); ok {
			decimals = max(decimals, len(frac))
		}
		n[i] = x
	}
	from, to, step := n[0], n[1], n[2]
	if step <= 0 || to < from {
		return nil, fmt.Errorf("a range goes up, by a step above 0")
	}
	count := math.Floor((to-from)/step+1e-9) + 1
	if count > maxSweep {
		return nil, fmt.Errorf("it has more than %d values", maxSweep)
	}
	var out []string
	for i := range int(count) {
		out = append(out, strconv.FormatFloat(from+float64(i)*step, 'f', decimals, 64))
	}
	return out, nil
}

// sweep returns the specs with every combination of the swept values, for the
// parameters that each method has; a spec that sets a swept parameter itself
// keeps it. A parameter that no method has is an error.
func (r *runner) sweep(ctx context.Context, specs []method.Spec, sweeps []Sweep) ([]method.Spec, error) {
	out := specs
	for _, w := range sweeps {
		var next []method.Spec
		used := false
		for _, spec := range out {
			has, err := r.has(ctx, spec, w)
			if err != nil {
				return nil, err
			}
			if _, fixed := spec.Params[w.Key]; !has || fixed {
				next, used = append(next, spec), used || has
				continue
			}
			used = true
			for _, v := range w.Values {
				next = append(next, with(spec, w.Key, v))
			}
		}
		if !used {
			return nil, r.unknownParam(ctx, w.Key, specs)
		}
		if out = next; len(out) > maxSweep {
			return nil, wrong("the sweeps make more than %d rows", maxSweep)
		}
	}
	return out, nil
}

// with returns a spec with a parameter set, which its label tells too.
func with(s method.Spec, key, value string) method.Spec {
	s.Params = maps.Clone(s.Params)
	if s.Params == nil {
		s.Params = map[string]string{}
	}
	s.Params[key] = value
	if s.Label != "" {
		s.Label += " " + key + "=" + value
	}
	return s
}

// has reports whether a method has a parameter. One that has it and refuses the
// value is an error.
func (r *runner) has(ctx context.Context, spec method.Spec, w Sweep) (bool, error) {
	_, refused := r.system(ctx, with(spec, w.Key, w.Values[0]))
	if refused == nil {
		return true, nil
	}
	sys, err := r.system(ctx, spec)
	if err != nil {
		return false, err
	}
	if _, ok := sys.Params()[w.Key]; ok {
		return false, refused
	}
	return false, nil
}

// unknownParam is the error of a parameter that no method has; it lists those that there are.
func (r *runner) unknownParam(ctx context.Context, key string, specs []method.Spec) error {
	var have []string
	seen := map[string]bool{}
	for _, spec := range specs {
		sys, err := r.system(ctx, spec)
		if err != nil {
			return err
		}
		if keys := slices.Sorted(maps.Keys(sys.Params())); len(keys) > 0 && !seen[spec.Name] {
			seen[spec.Name] = true
			have = append(have, spec.Name+" has "+strings.Join(keys, ", "))
		}
	}
	return wrong("no method of the run has a parameter %q to sweep; %s", key, strings.Join(have, "; "))
}
