package prompts

import (
	"math"
	"reflect"
	"regexp"
	"strings"
)

// lineEnds are the characters and pairs that end a line.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// special matches the tokens by which servers of open models mark turns and
// ends, at the start of a text: a server that reads them within a message would
// end the message there.
var special = regexp.MustCompile(`^(?:<(?:[|｜][^<>\s]{1,60}[|｜]>|/?s>|(?:start|end)_of_turn>|/?(?:bos|eos)>|<SYS>>|</SYS>>)|\[/?INST\])`)

// clean returns a text as it stands in a prompt: valid UTF-8 with line feeds,
// without control characters, and with a blank in each special token. It joins
// no digits that are apart.
func clean(s string) string {
	s = lineEnds.Replace(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7F && r < 0xA0 {
			return ' '
		}
		return r
	}, s)
	var b strings.Builder
	for {
		i := strings.IndexAny(s, "<[")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i+1])
		if special.MatchString(s[i:]) {
			b.WriteByte(' ')
		}
		s = s[i+1:]
	}
}

// cleaned returns a deep copy of an input with all texts clean and all numbers
// finite, and appends the texts to all.
func cleaned(v reflect.Value, all *[]string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		s := clean(v.String())
		*all = append(*all, s)
		out.SetString(s)
	case reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(cleaned(v.Index(i), all))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(cleaned(v.Field(i), all))
		}
	case reflect.Float64:
		if f := v.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			out.SetFloat(f)
		}
	default:
		out.Set(v)
	}
	return out
}
