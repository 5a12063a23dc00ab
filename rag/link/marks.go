package link

import (
	"cmp"
	"slices"
	"strings"
)

// marksOf returns what in a name tells it from others of its kind: its numbers, in
// digits, words or Roman, and words of contrast, in order. Names of one thing have the
// same.
func marksOf(key string) []string {
	var out []string
	for i, w := range strings.Fields(key) {
		if m := markOf(w, i == 0); m != "" {
			out = append(out, m)
		}
	}
	slices.Sort(out)
	return out
}

// markOf returns what a word tells apart, "" if it is an ordinary one. The first word
// is not a Roman number.
func markOf(w string, first bool) string {
	if strings.ContainsAny(w, "0123456789") {
		switch n := strings.TrimLeft(w, "0123456789"); n {
		case "st", "nd", "rd", "th":
			return strings.TrimSuffix(w, n)
		}
		return w
	}
	if n := roman(w); n != "" && !first {
		return n
	}
	return cmp.Or(number(w), contrast(w))
}

// number returns the digits of a number that is written as a word.
func number(w string) string {
	switch w {
	case "one", "first":
		return "1"
	case "two", "second":
		return "2"
	case "three", "third":
		return "3"
	case "four", "fourth":
		return "4"
	case "five", "fifth":
		return "5"
	case "six", "sixth":
		return "6"
	case "seven", "seventh":
		return "7"
	case "eight", "eighth":
		return "8"
	case "nine", "ninth":
		return "9"
	case "ten", "tenth":
		return "10"
	case "eleven", "eleventh":
		return "11"
	case "twelve", "twelfth":
		return "12"
	case "thirteen", "thirteenth":
		return "13"
	case "fourteen", "fourteenth":
		return "14"
	case "fifteen", "fifteenth":
		return "15"
	case "sixteen", "sixteenth":
		return "16"
	case "seventeen", "seventeenth":
		return "17"
	case "eighteen", "eighteenth":
		return "18"
	case "nineteen", "nineteenth":
		return "19"
	case "twenty", "twentieth":
		return "20"
	case "thirty", "thirtieth":
		return "30"
	}
	return ""
}

// roman returns the digits of a Roman number.
func roman(w string) string {
	switch w {
	case "i":
		return "1"
	case "ii":
		return "2"
	case "iii":
		return "3"
	case "iv":
		return "4"
	case "v":
		return "5"
	case "vi":
		return "6"
	case "vii":
		return "7"
	case "viii":
		return "8"
	case "ix":
		return "9"
	case "x":
		return "10"
	case "xi":
		return "11"
	case "xii":
		return "12"
	case "xiii":
		return "13"
	case "xiv":
		return "14"
	case "xv":
		return "15"
	case "xvi":
		return "16"
	case "xvii":
		return "17"
	case "xviii":
		return "18"
	case "xix":
		return "19"
	case "xx":
		return "20"
	}
	return ""
}

// contrast returns what a word means that tells things of one kind apart, each with
// its forms.
func contrast(w string) string {
	switch w {
	case "north", "northern":
		return "north"
	case "south", "southern":
		return "south"
	case "east", "eastern":
		return "east"
	case "west", "western":
		return "west"
	case "northeast", "northeastern":
		return "northeast"
	case "northwest", "northwestern":
		return "northwest"
	case "southeast", "southeastern":
		return "southeast"
	case "southwest", "southwestern":
		return "southwest"
	case "man", "men", "male", "boy", "boys":
		return "man"
	case "woman", "women", "female", "girl", "girls":
		return "woman"
	case "senior", "sr", "elder":
		return "senior"
	case "junior", "jr", "younger":
		return "junior"
	case "non", "anti", "former", "vice", "deputy", "central", "father", "mother", "son", "daughter", "brother", "sister", "husband", "wife", "king",
		"queen", "prince", "princess", "duke", "duchess", "actor", "actress", "upper", "lower", "middle",
		"inner", "outer", "old", "new", "left", "right", "major", "minor", "summer", "winter",
		"spring", "autumn", "january", "february", "march", "april", "may", "june", "july", "august",
		"september", "october", "november", "december", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
		"sunday":
		return w
	}
	return ""
}
