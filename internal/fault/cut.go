package fault

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// The bounds of errors in bytes: of a text from outside that one repeats, and of all that
// one says.
const (
	mostQuoted = 200
	mostText   = 1000
	mostLines  = 100
)

// Cut returns a text from outside as an error repeats it: one of more than 200 bytes is
// its beginning and its end, with … between them. It cuts no rune in two.
func Cut(s string) string { return cut(s, mostQuoted) }

// Bound is Cut for all that an error says, which has at most 1,000 bytes.
func Bound(s string) string { return cut(s, mostText) }

// boundLines is Bound for each line of what joined errors say, of at most a hundred.
func boundLines(s string) string {
	lines := strings.Split(s, "\n")
	if n := len(lines) - mostLines; n > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("and %d lines more", n))
	}
	for i, l := range lines {
		lines[i] = Bound(l)
	}
	return strings.Join(lines, "\n")
}

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	const mark = " … "
	head := most * 2 / 3
	tail := len(s) - (most - head - len(mark))
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + mark + s[tail:]
}

// Text formats what an error says as [fmt.Sprintf] does. Texts among the arguments are cut
// as [Cut] does, and the whole as [Bound] does.
func Text(format string, args ...any) string { return Bound(fmt.Sprintf(format, cutAll(args)...)) }

// cutAll returns arguments of a format with their texts cut.
func cutAll(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a
		switch v := reflect.ValueOf(a); {
		case v.Kind() == reflect.String && v.Len() > mostQuoted:
			out[i] = Cut(v.String())
		case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 && v.Len() > mostQuoted:
			out[i] = Cut(string(v.Bytes()))
		}
	}
	return out
}
