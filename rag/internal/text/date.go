package text

import "strings"

// dateAt returns the number of tokens of the date that starts at token i, or
// 0. Dates are "16 June 1957", "June 16, 1957", "16 June", "June 1957",
// "1957", "1950s" and "20th century". A year directly before two capitalised
// words is part of their name ("1924 Summer Olympics") unless it follows another year.
func (f *finder) dateAt(i int) int {
	w := f.word(i)
	switch {
	case isDay(w) && isMonth(f.word(i+1)) && f.adjacent(i+1):
		if isYear(f.word(i + 2)) {
			return 3
		}
		return 2
	case isMonth(w) && isDay(f.word(i+1)) && f.adjacent(i+1):
		if isYear(f.word(i + 2)) {
			return 3
		}
		return 2
	case isMonth(w) && isYear(f.word(i+1)):
		return 2
	case isYear(w):
		if f.capitalAt(i+1) && f.capitalAt(i+2) && !isYear(f.word(i-1)) {
			return 0
		}
		return 1
	case len(w) == 5 && isYear(w[:4]) && w[4] == 's':
		return 1
	case isOrdinal(w) && (f.word(i+1) == "century" || f.word(i+1) == "centuries") && f.adjacent(i+1):
		return 2
	}
	return 0
}

// isYear reports whether w is a year from 1000 to 2999.
func isYear(w string) bool {
	return len(w) == 4 && (w[0] == '1' || w[0] == '2') && isDigits(w)
}

// isDay reports whether w can be the day of a month, perhaps as an ordinal.
func isDay(w string) bool {
	if isOrdinal(w) {
		w = w[:len(w)-2]
	}
	switch len(w) {
	case 1:
		return w >= "1" && w <= "9"
	case 2:
		return isDigits(w) && w != "00" && w <= "31"
	}
	return false
}

// isOrdinal reports whether w is like 1st, 22nd or 19th.
func isOrdinal(w string) bool {
	if len(w) < 3 || len(w) > 4 || !isDigits(w[:len(w)-2]) {
		return false
	}
	switch w[len(w)-2:] {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}

func isDigits(w string) bool { return w != "" && strings.Trim(w, "0123456789") == "" }

// isMonth reports whether w is the English name of a month, or its usual
// abbreviation with the dot, or the German name.
func isMonth(w string) bool {
	switch w {
	case "January", "February", "March", "April", "May", "June", "July",
		"August", "September", "October", "November", "December",
		"Jan.", "Feb.", "Mar.", "Apr.", "Jun.", "Jul.", "Aug.", "Sep.", "Sept.",
		"Oct.", "Nov.", "Dec.":
		return true
	}
	return isGermanMonth(w)
}

// isGermanMonth reports whether w is the German name of a month.
func isGermanMonth(w string) bool {
	switch w {
	case "Januar", "Jänner", "Februar", "März", "April", "Mai", "Juni", "Juli",
		"August", "September", "Oktober", "November", "Dezember":
		return true
	}
	return false
}
