package prompts

import (
	"strconv"
	"strings"
	"testing"
)

// TestCodeFor: the code follows from all texts and their borders, and stands
// in none of them even if nearly all numbers do.
func TestCodeFor(t *testing.T) {
	seen := map[string]bool{}
	for _, texts := range [][]string{nil, {""}, {"a"}, {"b"}, {"a", "b"}, {"ab"}, {"b", "a"}, {"a", "", "b"}} {
		code := codeFor("extract", texts)
		if len(code) != minCodeDigits || seen[code] {
			t.Errorf("%q has the code %s", texts, code)
		}
		seen[code] = true
		if codeFor("glean", texts) == code {
			t.Errorf("%q has one code for two kinds", texts)
		}
	}
	// A text of n bytes whose digits are dense: about one in ten of the codes
	// that are tried stands in it, so some of many texts take a second try.
	var all strings.Builder
	for i := range 20_000 {
		all.WriteString(strconv.Itoa(100_000 + 7*i))
	}
	for i := range 200 {
		texts := []string{all.String(), strconv.Itoa(i)}
		code := codeFor("extract", texts)
		if anyContains(texts, code) || len(code) != len(strconv.Itoa(all.Len()+len(texts[1])))+1 {
			t.Errorf("code %s", code)
		}
	}
}
