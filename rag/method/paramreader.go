package method

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// paramChunks is the parameter that every method has, and paramProfile one that a
// method with profiles has.
const (
	paramChunks    = "chunks"
	paramProfile   = "profile"
	defaultProfile = "default"
)

// ParamReader reads the parameters of a method one by one, each with its default,
// writes them back in their shortest form, and keeps the first error.
type ParamReader struct {
	// All are the parameters that were read, by name, in their shortest form.
	All map[string]string

	method   string
	given    map[string]string // over those of the profile
	defaults map[string]string
	indexed  []string
	profiles Profiles
	optional []string // those that are in All only if they are given
	chunks   text.ChunkSet
	err      error
}

// Profiles are the parameters that each profile of a method sets together, by the
// profile's name.
type Profiles map[string]map[string]string

// ReadParams returns a reader of the parameters that a method is given. One
// that is not given has the value that the profile named by the parameter
// profile sets, or else its default. If a method has profiles, default is one that
// sets nothing; profiles is nil if it has none.
//
// Every method has the parameters chunks, whose default is the zero
// [text.ChunkSet], and style, which is one of [Styles] and is listed only if it is not
// short. [ParamReader.Err] refuses a parameter that the method does not read.
func ReadParams(method string, given map[string]string, profiles Profiles) *ParamReader {
	r := &ParamReader{method: method, All: map[string]string{}, given: map[string]string{}, defaults: map[string]string{}, profiles: profiles}
	if name, ok := given[paramProfile]; ok && profiles != nil {
		set, ok := profiles[name]
		if !ok && name != defaultProfile {
			names := append(slices.Collect(maps.Keys(profiles)), defaultProfile)
			slices.Sort(names)
			r.refuse(fmt.Errorf("profile %q: there are %s", name, strings.Join(names, ", ")))
		}
		maps.Copy(r.given, set)
	}
	maps.Copy(r.given, given)
	var err error
	if r.chunks, err = text.ParseChunkSet(r.read(paramChunks, text.ChunkSet{}.String())); err != nil {
		r.Fail(paramChunks, err.Error())
	}
	r.Indexed()
	r.optional = []string{paramStyle}
	if _, ok := r.given[paramStyle]; ok && r.OneOf(paramStyle, short, paragraphs) == short {
		delete(r.All, paramStyle) // All is as without it
	}
	return r
}

// read returns what is given for a parameter, or its default.
func (r *ParamReader) read(name, standard string) string {
	value, ok := r.given[name]
	if !ok {
		value = standard
	}
	r.All[name], r.defaults[name] = value, standard
	return value
}

// Indexed says that the parameters read so far are those that the index depends on.
// The ones read afterwards may differ from one question to the next.
// The style of answers may, whenever it is read.
func (r *ParamReader) Indexed() {
	r.indexed = slices.DeleteFunc(slices.Sorted(maps.Keys(r.All)), func(name string) bool { return name == paramStyle })
}

// Err returns the first error, which is [ErrMethod]: method, parameter, value
// and what is wanted. It is called when all parameters have been read.
func (r *ParamReader) Err() error {
	known := slices.AppendSeq(slices.Clone(r.optional), maps.Keys(r.All))
	slices.Sort(known)
	known = slices.Compact(known)
	if r.profiles != nil {
		known = slices.Insert(known, 0, paramProfile)
	}
	for _, k := range slices.Sorted(maps.Keys(r.given)) {
		if !slices.Contains(known, k) {
			r.refuse(fmt.Errorf("no parameter %q; there are %s", k, strings.Join(known, ", ")))
		}
	}
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
// method's name, or name#key=value,... in order of key. The keys are those of the
// parameters that the index depends on and that do not have their default.
func (r *ParamReader) Instance(method string) string {
	out, sep := method, "#"
	for _, k := range r.indexed {
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
func (r *ParamReader) Int(name string, standard, lo, hi int) int {
	n, err := strconv.Atoi(r.read(name, strconv.Itoa(standard)))
	if err != nil || n < lo || n > hi {
		r.Fail(name, fmt.Sprintf("a number from %d to %d", lo, hi))
	}
	r.All[name] = strconv.Itoa(n)
	return n
}

// Float reads a number from lo to hi.
func (r *ParamReader) Float(name string, standard, lo, hi float64) float64 {
	short := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	x, err := strconv.ParseFloat(r.read(name, short(standard)), 64)
	if err != nil || !(x >= lo && x <= hi) {
		r.Fail(name, fmt.Sprintf("a number from %g to %g", lo, hi))
	}
	r.All[name] = short(x)
	return x
}

// OneOf reads one of some words, of which the first is the default.
func (r *ParamReader) OneOf(name, standard string, others ...string) string {
	words := append([]string{standard}, others...)
	if !slices.Contains(words, r.read(name, standard)) {
		r.Fail(name, "one of "+strings.Join(words, ", "))
	}
	return r.All[name]
}

// Words reads a set of words with + between them, such as person+place, and returns
// them in order. If none is given, which is the default, the parameter is not listed.
func (r *ParamReader) Words(name string) []string {
	r.optional = append(r.optional, name)
	given, ok := r.given[name]
	if !ok {
		return nil
	}
	var words []string
	for word := range strings.SplitSeq(given, "+") {
		if word = strings.Join(strings.Fields(word), " "); word != "" {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	words = slices.Compact(words)
	if r.read(name, ""); len(words) == 0 {
		r.Fail(name, "words with + between them, such as person+place")
	}
	r.All[name] = strings.Join(words, "+")
	return words
}

// Flag reads on or off.
func (r *ParamReader) Flag(name string, standard bool) bool {
	if standard {
		return r.OneOf(name, "on", "off") == "on"
	}
	return r.OneOf(name, "off", "on") == "on"
}
