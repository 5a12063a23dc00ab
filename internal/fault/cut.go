package fault

import "unicode/utf8"

// MostQuoted is how many bytes of a text from outside an error repeats.
const MostQuoted = 200

// Cut returns a text from outside as an error repeats it: one of more than [MostQuoted]
// bytes is its beginning and its end with … between them, at most MostQuoted bytes in all.
// It cuts no rune in two.
func Cut[S ~string](s S) S {
	if len(s) <= MostQuoted {
		return s
	}
	const mark = " … "
	head := MostQuoted * 2 / 3
	tail := len(s) - (MostQuoted - head - len(mark))
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + mark + s[tail:]
}
