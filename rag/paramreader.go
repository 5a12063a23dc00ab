package rag

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParamReader reads a method's parameters, which have their defaults filled in,
// writes them back in their shortest form, and keeps the first error.
type ParamReader struct {
	all map[string]string
	err error
}

// NewParamReader returns a reader of all.
func NewParamReader(all map[string]string) *ParamReader { return &ParamReader{all: all} }

// Err returns the first error: name, value and what is wanted.
func (r *ParamReader) Err() error { return r.err }

// Fail says that a parameter is not what is wanted.
func (r *ParamReader) Fail(name, want string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s=%s: %s", name, r.all[name], want)
	}
}

// Int reads a whole number from lo to hi.
func (r *ParamReader) Int(name string, lo, hi int) int {
	n, err := strconv.Atoi(r.all[name])
	if err != nil || n < lo || n > hi {
		r.Fail(name, fmt.Sprintf("a number from %d to %d", lo, hi))
	}
	r.all[name] = strconv.Itoa(n)
	return n
}

// Float reads a number from lo to hi.
func (r *ParamReader) Float(name string, lo, hi float64) float64 {
	x, err := strconv.ParseFloat(r.all[name], 64)
	if err != nil || !(x >= lo && x <= hi) {
		r.Fail(name, fmt.Sprintf("a number from %g to %g", lo, hi))
	}
	r.all[name] = strconv.FormatFloat(x, 'g', -1, 64)
	return x
}

// OneOf reads one of some words.
func (r *ParamReader) OneOf(name string, words ...string) string {
	if !slices.Contains(words, r.all[name]) {
		r.Fail(name, "one of "+strings.Join(words, ", "))
	}
	return r.all[name]
}

// Flag reads on or off.
func (r *ParamReader) Flag(name string) bool { return r.OneOf(name, "on", "off") == "on" }
