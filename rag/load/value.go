package load

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"
)

// Value is one piece of metadata.
type Value struct {
	// Text is the value as the source writes it (for a list its items, joined by
	// ", "), so that nothing is lost: "2025-03-01", "1e3".
	Text string
	// Typed is nil for a string, else a float64, bool, [time.Time] or []string. A
	// time without a zone is UTC; a date is its midnight.
	Typed any
}

// parseValue gives a string the type it looks like: true and false, a number
// as JSON writes numbers (so 007 and +1 stay strings), a date 2006-01-02 or a
// time of RFC 3339. Anything else is a string.
func parseValue(s string) Value {
	switch s {
	case "":
		return Value{}
	case "true", "false":
		return Value{s, s == "true"}
	}
	if c := s[0]; c != '-' && (c < '0' || c > '9') || len(s) > 64 {
		return Value{Text: s}
	}
	if t, ok := parseTime(s); ok {
		return Value{s, t}
	}
	var f float64
	if strings.TrimSpace(s) == s && json.Unmarshal([]byte(s), &f) == nil {
		return Value{s, f}
	}
	return Value{Text: s}
}

func parseTime(s string) (time.Time, bool) {
	if len(s) < len(time.DateOnly) || s[4] != '-' || s[7] != '-' {
		return time.Time{}, false
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// listValue returns the value of a list of strings.
func listValue(items []string) Value {
	return Value{strings.Join(items, ", "), items}
}

// Bounds of metadata: what is longer, or more, is data, not metadata.
const (
	maxFields    = 1000
	maxNameBytes = 256
)

// checkName refuses an impossible name of metadata.
func checkName(name string, line int) error {
	switch {
	case len(name) > maxNameBytes:
		return refuse(line, ErrMalformed, "has a field name of %d bytes, at most %d: %q", len(name), maxNameBytes, cut(name, 40))
	case strings.ContainsFunc(name, unicode.IsControl):
		return refuse(line, ErrMalformed, "has a field name with a control character: %q", cut(name, 80))
	}
	return nil
}

// setMeta adds a value. The name "lang" is the document's language, not
// metadata, if its value can be a language tag.
func (d *draft) setMeta(name string, v Value) {
	if name == "lang" && isLanguageTag(v.Text) {
		d.lang = v.Text
		return
	}
	if d.meta == nil {
		d.meta = make(map[string]Value)
	}
	d.meta[name] = v
}

// isLanguageTag reports whether s has the form of a BCP 47 tag: "en", "zh-Hans".
func isLanguageTag(s string) bool {
	if len(s) < 2 || len(s) > 35 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		other := i >= 2 && ('0' <= c && c <= '9' || c == '-' || c == '_')
		if !letter && !other {
			return false
		}
	}
	return true
}
