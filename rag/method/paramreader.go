package method

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// paramChunks is the parameter that every method has.
const paramChunks = "chunks"

// ParamReader reads the parameters of a method one by one, writes them back in
// their shortest form, and keeps the first error.
type ParamReader struct {
	// All are the parameters by name, with the defaults filled in; those that
	// were read are in their shortest form. A default that follows from other
	// parameters is set here before it is read.
	All map[string]string

	method   string
	defaults map[string]string
	chunks   text.ChunkSet
	err      error
}

// Profile returns the parameters that a profile of a method sets together. The
// error for a name that is none's says which there are.
type Profile func(name string) (map[string]string, error)

// ReadParams returns a reader of the parameters that a method is given. One
// that is not given has the value that the profile named by the parameter
// profile sets, or else its default. profile is nil where a method has none.
//
// Every method has the parameter chunks, whose default is the zero
// [text.ChunkSet]. A parameter that is neither this nor in defaults is refused
// with those that there are.
func ReadParams(method string, given, defaults map[string]string, profile Profile) *ParamReader {
	r := &ParamReader{method: method, defaults: map[string]string{paramChunks: text.ChunkSet{}.String()}}
	maps.Copy(r.defaults, defaults)
	r.All = maps.Clone(r.defaults)
	known := slices.Sorted(maps.Keys(r.defaults))
	if profile != nil {
		known = slices.Insert(known, 0, "profile")
		if name, ok := given["profile"]; ok {
			set, err := profile(name)
			r.refuse(err)
			maps.Copy(r.All, set)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, k) {
			r.refuse(fmt.Errorf("no parameter %q; there are %s", k, strings.Join(known, ", ")))
		} else if k != "profile" {
			r.All[k] = given[k]
		}
	}
	var err error
	if r.chunks, err = text.ParseChunkSet(r.All[paramChunks]); err != nil {
		r.Fail(paramChunks, err.Error())
	}
	return r
}

// Err returns the first error, which is [ErrMethod]: method, parameter, value
// and what is wanted.
func (r *ParamReader) Err() error {
	if r.err == nil {
		return nil
	}
	return phase.Mark(ErrMethod, "%s: %w", r.method, r.err)
}

// refuse keeps the first error.
func (r *ParamReader) refuse(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Instance names the graph that a method builds with these parameters: the
// method's name, or name#key=value,... in order of key. The keys are chunks
// and those of indexed, which have been read, that do not have their default.
func (r *ParamReader) Instance(method string, indexed ...string) string {
	out, sep := method, "#"
	for _, k := range slices.Sorted(slices.Values(append([]string{paramChunks}, indexed...))) {
		if r.All[k] != r.defaults[k] {
			out += sep + k + "=" + r.All[k]
			sep = ","
		}
	}
	return out
}

// Fail says that a parameter is not what is wanted.
func (r *ParamReader) Fail(name, want string) {
	r.refuse(fmt.Errorf("%s=%s: %s", name, r.All[name], want))
}

// ChunkSet returns the chunk set, which every method has.
func (r *ParamReader) ChunkSet() text.ChunkSet { return r.chunks }

// Int reads a whole number from lo to hi.
func (r *ParamReader) Int(name string, lo, hi int) int {
	n, err := strconv.Atoi(r.All[name])
	if err != nil || n < lo || n > hi {
		r.Fail(name, fmt.Sprintf("a number from %d to %d", lo, hi))
	}
	r.All[name] = strconv.Itoa(n)
	return n
}

// Float reads a number from lo to hi.
func (r *ParamReader) Float(name string, lo, hi float64) float64 {
	x, err := strconv.ParseFloat(r.All[name], 64)
	if err != nil || !(x >= lo && x <= hi) {
		r.Fail(name, fmt.Sprintf("a number from %g to %g", lo, hi))
	}
	r.All[name] = strconv.FormatFloat(x, 'g', -1, 64)
	return x
}

// OneOf reads one of some words.
func (r *ParamReader) OneOf(name string, words ...string) string {
	if !slices.Contains(words, r.All[name]) {
		r.Fail(name, "one of "+strings.Join(words, ", "))
	}
	return r.All[name]
}

// Flag reads on or off.
func (r *ParamReader) Flag(name string) bool { return r.OneOf(name, "on", "off") == "on" }
