package cypher

import (
	"strings"
	"unicode/utf8"
)

// stringFunctions are those of strings. They count characters: code points of
// Unicode.
var stringFunctions = []function{
	{name: "toLower", params: "string", min: 1, max: 1, takes: aString, call: ofString(strings.ToLower)},
	{name: "lower", params: "string", min: 1, max: 1, takes: aString, call: ofString(strings.ToLower)},
	{name: "toUpper", params: "string", min: 1, max: 1, takes: aString, call: ofString(strings.ToUpper)},
	{name: "upper", params: "string", min: 1, max: 1, takes: aString, call: ofString(strings.ToUpper)},
	{name: "trim", params: "string", min: 1, max: 1, takes: aString, call: trimming(true, true)},
	{name: "btrim", params: "string", min: 1, max: 1, takes: aString, call: trimming(true, true)},
	{name: "ltrim", params: "string", min: 1, max: 1, takes: aString, call: trimming(true, false)},
	{name: "rtrim", params: "string", min: 1, max: 1, takes: aString, call: trimming(false, true)},
	{name: "left", params: "string, length", min: 2, max: 2, call: callLeft},
	{name: "right", params: "string, length", min: 2, max: 2, call: callRight},
	{name: "substring", params: "string, start [, length]", min: 2, max: 3, call: callSubstring},
	{name: "replace", params: "string, search, by", min: 3, max: 3, takes: someTexts, call: callReplace},
	{name: "split", params: "string, delimiter", min: 2, max: 2, takes: someTexts, call: callSplit},
	{name: "char_length", params: "string", min: 1, max: 1, takes: aString, call: callCharLength},
	{name: "character_length", params: "string", min: 1, max: 1, takes: aString, call: callCharLength},
}

// ofString makes a function of one string that changes each character by
// itself.
func ofString(f func(string) string) func(x *exec, at Pos, a []Value) (Value, error) {
	return func(x *exec, at Pos, a []Value) (Value, error) {
		s, err := x.mapped(at, a[0].AsString(), f)
		return String(s), err
	}
}

// trimming makes a function that takes white space from the ends of a string.
func trimming(left, right bool) func(x *exec, at Pos, a []Value) (Value, error) {
	return func(x *exec, at Pos, a []Value) (Value, error) {
		s := a[0].AsString()
		var err error
		if left {
			s, err = x.trimLeft(s)
		}
		if right && err == nil {
			s, err = x.trimRight(s)
		}
		return String(s), err
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
			return argumentError(at, "%s() needs a number of characters from 0 on, not %d", name, v.AsInt())
		}
	}
	return nil
}

func callLeft(x *exec, at Pos, a []Value) (Value, error) {
	if err := stringAndCounts(at, "left", a); err != nil {
		return Null, err
	}
	s := a[0].AsString()
	n, err := x.cutAt(s, a[1].AsInt())
	return String(s[:n]), err
}

func callRight(x *exec, at Pos, a []Value) (Value, error) {
	if err := stringAndCounts(at, "right", a); err != nil {
		return Null, err
	}
	s, n := a[0].AsString(), a[1].AsInt()
	cut := len(s)
	for ; n > 0 && cut > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:cut])
		cut -= size
		if n%pieceBytes == 0 {
			if err := x.work(stepsBetweenLooks); err != nil {
				return Null, err
			}
		}
	}
	return String(s[cut:]), nil
}

// callSubstring returns the characters from a place on, the first being 0.
func callSubstring(x *exec, at Pos, a []Value) (Value, error) {
	if err := stringAndCounts(at, "substring", a); err != nil {
		return Null, err
	}
	s := a[0].AsString()
	from, err := x.cutAt(s, a[1].AsInt())
	if err != nil {
		return Null, err
	}
	s = s[from:]
	if len(a) == 3 {
		to, err := x.cutAt(s, a[2].AsInt())
		if err != nil {
			return Null, err
		}
		s = s[:to]
	}
	return String(s), nil
}

func callReplace(x *exec, at Pos, a []Value) (Value, error) {
	s, search, by := a[0].AsString(), a[1].AsString(), a[2].AsString()
	var b strings.Builder
	first := search != ""
	err := x.split(s, search, func(part string) error {
		if !first {
			b.WriteString(by)
		}
		b.WriteString(part)
		n := len(part) + len(by)
		first = false
		return x.charge(at, int64(n))
	})
	if search == "" && s != "" { // stands after the last character too
		b.WriteString(by)
	}
	return String(b.String()), err
}

func callSplit(x *exec, at Pos, a []Value) (Value, error) {
	s, delimiter := a[0].AsString(), a[1].AsString()
	if s == "" && delimiter == "" {
		return ListOf(nil), nil
	}
	var parts chunks[Value]
	memory := int64(0)
	err := x.split(s, delimiter, func(part string) error {
		parts.add(String(part))
		memory += valueBytes + int64(len(part))
		return x.charge(at, valueBytes+int64(len(part)))
	})
	if err != nil {
		return Null, err
	}
	list, err := parts.take(x)
	return listWith(list, memory), err
}

func callCharLength(x *exec, at Pos, a []Value) (Value, error) {
	n, err := x.characters(a[0].AsString())
	return Int(n), err
}
