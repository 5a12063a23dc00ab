package extractive

import "regexp"

// codeLine matches lines of programs and of terminals.
var codeLine = regexp.MustCompile(`^(\$ [a-z./]|>>> |#!|import \w+$|import \w+ as |from [\w.]+ import|sudo |docker |pip |npm |git |curl |SELECT |def \w+\(|\{|\}|</?\w+>|https?://\S+$)|[;{]$`)

// looksLikeCode reports whether a sentence is a line of code, or an address
// that stands alone.
func looksLikeCode(s string) bool { return codeLine.MatchString(s) }
