package noderag

import (
	"fmt"
	"strconv"
	"strings"
)

// normalTime writes a time as 1931, 1931-04 or 1931-04-12, as much of it as a text says:
// of a year, a month of a year, a day of one, and what is written so already. ok is false
// of all else, which is returned in one line as it is.
func normalTime(s string) (when string, ok bool) {
	s = strings.Join(strings.Fields(s), " ")
	if y, m, d, ok := numbers(s); ok {
		return date(y, m, d)
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' })
	y, m, d := 0, 0, 0
	for i, w := range words {
		n, err := strconv.Atoi(strings.TrimRight(w, "stndrh."))
		switch {
		case err != nil && m == 0 && month(w) > 0:
			m = month(w)
		case err == nil && y == 0 && i == len(words)-1 && len(w) == 4 && n >= 1000:
			y = n
		case err == nil && d == 0 && n >= 1 && n <= 31 && len(w) <= 4:
			d = n
		default:
			return s, false
		}
	}
	if y == 0 || d > 0 && m == 0 {
		return s, false
	}
	if when, ok := date(y, m, d); ok {
		return when, true
	}
	return s, false
}

// numbers reads 1931-04-12 and what begins so.
func numbers(s string) (y, m, d int, ok bool) {
	parts := strings.Split(s, "-")
	if len(parts) > 3 || len(parts[0]) != 4 {
		return 0, 0, 0, false
	}
	of := [3]int{}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n <= 0 || i > 0 && len(p) > 2 {
			return 0, 0, 0, false
		}
		of[i] = n
	}
	return of[0], of[1], of[2], of[0] >= 1000 && of[1] <= 12 && of[2] <= 31
}

func date(y, m, d int) (string, bool) {
	switch {
	case m == 0:
		return fmt.Sprintf("%04d", y), true
	case d == 0:
		return fmt.Sprintf("%04d-%02d", y, m), true
	case d > days(y, m):
		return "", false
	}
	return fmt.Sprintf("%04d-%02d-%02d", y, m, d), true
}

func days(y, m int) int {
	switch m {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if y%4 == 0 && (y%100 != 0 || y%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// month returns the number of an English month, in full or by its first three letters,
// 0 of another word.
func month(w string) int {
	w = strings.ToLower(strings.TrimSuffix(w, "."))
	for i, name := range [...]string{
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
	} {
		if w == name || w == name[:3] {
			return i + 1
		}
	}
	return 0
}
