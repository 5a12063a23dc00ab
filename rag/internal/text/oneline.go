package text

import "strings"

// OneLine returns a text with a blank for each run of white space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
