package procedure

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

// config reads the options of a call. The first thing wrong is kept, and
// returned by done.
type config struct {
	call   *cypher.ProcedureCall
	values map[string]cypher.Value
	keys   []string // asked for
	err    error
}

// newConfig reads a map of options, which may be null.
func newConfig(call *cypher.ProcedureCall, v cypher.Value) *config {
	c := &config{call: call, values: v.AsMap()}
	if !v.IsNull() && v.Kind() != cypher.KindMap {
		c.fail("options are a map such as {key: value}, not %s", v)
	}
	return c
}

func (c *config) fail(format string, args ...any) {
	if c.err == nil {
		c.err = phase.Mark(engine.ErrInvalid, format, args...)
	}
}

// failOption is fail for what is wrong with an option.
func (c *config) failOption(key, format string, args ...any) {
	if c.err == nil {
		c.err = phase.At("", &optionError{key, fmt.Sprintf(format, args...)})
	}
}

// optionError says what is wrong with an option. errors.Is finds [engine.ErrInvalid] in it.
type optionError struct{ option, message string }

func (e *optionError) Error() string { return e.message }

// Option returns the key, of which [cypher.Procedure].Run tells.
func (e *optionError) Option() string { return e.option }

// Is reports whether target is [engine.ErrInvalid].
func (e *optionError) Is(target error) bool { return target == engine.ErrInvalid }

// get returns an option; ok is false if it is missing or null.
func (c *config) get(key string) (v cypher.Value, ok bool) {
	c.keys = append(c.keys, key)
	v = c.values[key]
	return v, !v.IsNull()
}

// number returns a number from least to most, 0 if the option is missing.
func (c *config) number(key string, least, most float64) float64 {
	v, ok := c.get(key)
	if !ok {
		return 0
	}
	x := v.AsFloat()
	if v.Kind() != cypher.KindInt && v.Kind() != cypher.KindFloat || !(x >= least && x <= most) {
		c.failOption(key, "option %s is a number from %g to %g, not %s", key, least, most, v)
		return 0
	}
	return x
}

// count returns a whole number from 1 on.
func (c *config) count(key string, unset int) int {
	v, ok := c.get(key)
	if !ok {
		return unset
	}
	if v.Kind() != cypher.KindInt || v.AsInt() < 1 || v.AsInt() > math.MaxInt32 {
		c.failOption(key, "option %s is a whole number from 1 on, not %s", key, v)
		return unset
	}
	return int(v.AsInt())
}

// seed returns the option seed.
func (c *config) seed() uint64 {
	v, ok := c.get("seed")
	if !ok {
		return 0
	}
	if v.Kind() != cypher.KindInt || v.AsInt() < 0 {
		c.failOption("seed", "option seed is a whole number from 0 on, not %s", v)
	}
	return uint64(v.AsInt())
}

func (c *config) boolean(key string, unset bool) bool {
	v, ok := c.get(key)
	if !ok {
		return unset
	}
	if v.Kind() != cypher.KindBool {
		c.failOption(key, "option %s is true or false, not %s", key, v)
	}
	return v.AsBool()
}

func (c *config) text(key, unset string) string {
	v, ok := c.get(key)
	if !ok {
		return unset
	}
	if v.Kind() != cypher.KindString {
		c.failOption(key, "option %s is a string, not %s", key, v)
	}
	return v.AsString()
}

// choice returns one of some words, the first if the option is missing.
func (c *config) choice(key string, words ...string) string {
	s := c.text(key, words[0])
	if c.err == nil && !slices.Contains(words, s) {
		c.failOption(key, "option %s is one of %s, not %q", key, strings.Join(words, ", "), s)
	}
	return s
}

// texts returns a list of strings; a string alone is a list of one.
func (c *config) texts(key string) []string {
	v, ok := c.get(key)
	if !ok {
		return nil
	}
	if v.Kind() == cypher.KindString {
		return []string{v.AsString()}
	}
	var out []string
	for _, e := range v.AsList() {
		if e.Kind() != cypher.KindString {
			v = cypher.Null
			break
		}
		out = append(out, e.AsString())
	}
	if v.Kind() != cypher.KindList {
		c.failOption(key, "option %s is a list of strings", key)
	}
	return out
}

// done returns the first error. An option that was never read is an error.
func (c *config) done() error {
	if c.err != nil {
		return c.err
	}
	for _, key := range slices.Sorted(maps.Keys(c.values)) {
		if !slices.Contains(c.keys, key) {
			known := slices.Compact(slices.Sorted(slices.Values(c.keys)))
			all := strings.Join(known, ", ")
			if len(known) == 0 {
				all = "none"
			}
			c.failOption(key, "there is no option %q: there are %s", key, all)
			break
		}
	}
	return c.err
}
