// Package plain writes numbers, counts and arguments as people read them, alike in
// messages of the command, of the server and of the libraries.
package plain

import (
	"strconv"
	"strings"
)

// Number writes a count with commas between thousands.
func Number[N int | int64 | uint64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural writes a count with its noun: 1 document, 2 documents.
func Plural[N int | int64 | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	count := Number(n)
	if n := len(noun); strings.HasSuffix(noun, "y") && !strings.ContainsRune("aeiou", rune(noun[n-2])) {
		return count + " " + noun[:n-1] + "ies"
	}
	return count + " " + noun + "s"
}

// Score writes a score with four digits.
func Score(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// Quote writes an argument as a shell reads it back.
func Quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 0x7f || strings.ContainsRune("_-./:@%+=,#", r)
	}
	if s != "" && s[0] != '#' && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	if !strings.ContainsAny(s, "\"$`\\!") {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
