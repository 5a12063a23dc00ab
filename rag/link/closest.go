package link

import "unicode/utf8"

// Closest returns the key that a misspelled one was most likely meant to be; ok is
// false if none is near enough.
func Closest(key string, all []string) (meant string, ok bool) {
	least := max(2, utf8.RuneCountInString(key)/4) + 1
	for _, k := range all {
		n := utf8.RuneCountInString(k) - utf8.RuneCountInString(key)
		if n >= least || -n >= least {
			continue
		}
		if d := distance(key, k); d < least || d == least && ok && k < meant {
			meant, least, ok = k, d, true
		}
	}
	return meant, ok
}
