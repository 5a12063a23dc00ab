package cypher

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// stringFunctions are those of strings. They count characters: code points of
// Unicode.
var stringFunctions = []function{
	{name: "toLower", params: "string", min: 1, max: 1, call: ofString("toLower", strings.ToLower)},
	{name: "lower", params: "string", min: 1, max: 1, call: ofString("lower", strings.ToLower)},
	{name: "toUpper", params: "string", min: 1, max: 1, call: ofString("toUpper", strings.ToUpper)},
	{name: "upper", params: "string", min: 1, max: 1, call: ofString("upper", strings.ToUpper)},
	{name: "trim", params: "string", min: 1, max: 1, call: ofString("trim", strings.TrimSpace)},
	{name: "btrim", params: "string", min: 1, max: 1, call: ofString("btrim", strings.TrimSpace)},
	{name: "ltrim", params: "string", min: 1, max: 1, call: ofString("ltrim", trimLeft)},
	{name: "rtrim", params: "string", min: 1, max: 1, call: ofString("rtrim", trimRight)},
	{name: "left", params: "string, length", min: 2, max: 2, call: callLeft},
	{name: "right", params: "string, length", min: 2, max: 2, call: callRight},
	{name: "substring", params: "string, start [, length]", min: 2, max: 3, call: callSubstring},
	{name: "replace", params: "string, search, by", min: 3, max: 3, call: callReplace},
	{name: "split", params: "string, delimiter", min: 2, max: 2, call: callSplit},
	{name: "char_length", params: "string", min: 1, max: 1, call: callCharLength},
	{name: "character_length", params: "string", min: 1, max: 1, call: callCharLength},
}

func trimLeft(s string) string  { return strings.TrimLeftFunc(s, unicode.IsSpace) }
func trimRight(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }

// ofString makes a function of one string.
func ofString(name string, f func(string) string) func(x *exec, at Pos, a []Value) (Value, error) {
	return func(x *exec, at Pos, a []Value) (Value, error) {
		if a[0].kind != KindString {
			return Null, wants(at, name, "a string", a[0])
		}
		return x.built(at, String(f(a[0].AsString())))
	}
}

// stringAndCounts checks that a function's arguments are a string and integers
// from 0 on.
func stringAndCounts(at Pos, name string, a []Value) error {
	if a[0].kind != KindString {
		return wants(at, name, "a string", a[0])
	}
	for _, v := range a[1:] {
		if v.kind != KindInt {
			return wants(at, name, "an integer as a number of characters", v)
		}
		if v.AsInt() < 0 {
			return argumentError(at, "%s() wants no negative number of characters, such as %d", name, v.AsInt())
		}
	}
	return nil
}

// cutAt returns where the character after the first n begins, or the length of
// a shorter string.
func cutAt(s string, n int64) int {
	if n >= int64(len(s)) {
		return len(s)
	}
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

func callLeft(_ *exec, at Pos, a []Value) (Value, error) {
	if err := stringAndCounts(at, "left", a); err != nil {
		return Null, err
	}
	s := a[0].AsString()
	return String(s[:cutAt(s, a[1].AsInt())]), nil
}

func callRight(_ *exec, at Pos, a []Value) (Value, error) {
	if err := stringAndCounts(at, "right", a); err != nil {
		return Null, err
	}
	s, n := a[0].AsString(), a[1].AsInt()
	cut := len(s)
	for ; n > 0 && cut > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:cut])
		cut -= size
	}
	return String(s[cut:]), nil
}

// callSubstring returns the characters from a place on, the first being 0.
func callSubstring(_ *exec, at Pos, a []Value) (Value, error) {
	if err := stringAndCounts(at, "substring", a); err != nil {
		return Null, err
	}
	s := a[0].AsString()
	s = s[cutAt(s, a[1].AsInt()):]
	if len(a) == 3 {
		s = s[:cutAt(s, a[2].AsInt())]
	}
	return String(s), nil
}

func callReplace(x *exec, at Pos, a []Value) (Value, error) {
	for _, v := range a {
		if v.kind != KindString {
			return Null, wants(at, "replace", "strings", v)
		}
	}
	s, search, by := a[0].AsString(), a[1].AsString(), a[2].AsString()
	grow := max(0, len(by)-len(search)) * strings.Count(s, search)
	if err := x.charge(at, int64(len(s)+grow)); err != nil {
		return Null, err
	}
	return String(strings.ReplaceAll(s, search, by)), nil
}

func callSplit(x *exec, at Pos, a []Value) (Value, error) {
	for _, v := range a {
		if v.kind != KindString {
			return Null, wants(at, "split", "strings", v)
		}
	}
	s, delimiter := a[0].AsString(), a[1].AsString()
	if err := x.charge(at, int64(strings.Count(s, delimiter)+1)*valueBytes+int64(len(s))); err != nil {
		return Null, err
	}
	parts := strings.Split(s, delimiter)
	list := make([]Value, len(parts))
	for i, p := range parts {
		list[i] = String(p)
	}
	return ListOf(list), nil
}

func callCharLength(_ *exec, at Pos, a []Value) (Value, error) {
	if a[0].kind != KindString {
		return Null, wants(at, "char_length", "a string", a[0])
	}
	return Int(int64(utf8.RuneCountInString(a[0].AsString()))), nil
}
