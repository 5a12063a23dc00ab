package cypher

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// pieceBytes is how much of a string is read between two looks at the context.
const pieceBytes = 64 << 10

// piece returns the length of the first piece of a string, which ends between
// two characters.
func piece(s string) int {
	if len(s) <= pieceBytes {
		return len(s)
	}
	n := pieceBytes
	for n > pieceBytes-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// pieces calls fn with the pieces of a string, one after the other, and looks
// at the context between them.
func (x *exec) pieces(s string, fn func(piece string) error) error {
	for {
		n := piece(s)
		if err := fn(s[:n]); err != nil {
			return err
		}
		if s = s[n:]; s == "" {
			return nil
		}
		if err := x.work(stepsBetweenLooks); err != nil {
			return err
		}
	}
}

// mapped returns a string with each character replaced by f's result.
func (x *exec) mapped(at Pos, s string, f func(string) string) (string, error) {
	var b strings.Builder
	err := x.pieces(s, func(part string) error {
		part = f(part)
		b.WriteString(part)
		return x.charge(at, int64(len(part)))
	})
	return b.String(), err
}

// characters returns the number of characters of a string.
func (x *exec) characters(s string) (int64, error) {
	n := 0
	err := x.pieces(s, func(part string) error {
		n += utf8.RuneCountInString(part)
		return nil
	})
	return int64(n), err
}

// cutAt returns the offset after the first n characters, or the length of a
// shorter string.
func (x *exec) cutAt(s string, n int64) (int, error) {
	if n >= int64(len(s)) {
		return len(s), nil
	}
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
		if n%pieceBytes == 0 {
			if err := x.work(stepsBetweenLooks); err != nil {
				return 0, err
			}
		}
	}
	return at, nil
}

// trimLeft returns a string without the white space at its start.
func (x *exec) trimLeft(s string) (string, error) {
	for s != "" {
		n := piece(s)
		if kept := strings.TrimLeftFunc(s[:n], unicode.IsSpace); kept != "" {
			return s[n-len(kept):], nil
		}
		s = s[n:]
		if err := x.work(stepsBetweenLooks); err != nil {
			return "", err
		}
	}
	return s, nil
}

// trimRight returns a string without the white space at its end.
func (x *exec) trimRight(s string) (string, error) {
	for s != "" {
		from := max(0, len(s)-pieceBytes)
		for from > 0 && !utf8.RuneStart(s[from]) {
			from--
		}
		if kept := strings.TrimRightFunc(s[from:], unicode.IsSpace); kept != "" {
			return s[:from+len(kept)], nil
		}
		s = s[:from]
		if err := x.work(stepsBetweenLooks); err != nil {
			return "", err
		}
	}
	return s, nil
}

// index returns the offset of a non-empty text in a string, or -1.
func (x *exec) index(s, text string) (int, error) {
	from, step := 0, max(pieceBytes, len(text)) // neighbouring pieces share len(text)-1 bytes
	for len(s)-from > step {
		if i := strings.Index(s[from:min(len(s), from+step+len(text)-1)], text); i >= 0 {
			return from + i, nil
		}
		from += step
		if err := x.work(stepsBetweenLooks); err != nil {
			return 0, err
		}
	}
	if i := strings.Index(s[from:], text); i >= 0 {
		return from + i, nil
	}
	return -1, nil
}

// split calls fn with the parts of a string between the places of a delimiter;
// an empty one parts all characters.
func (x *exec) split(s, delimiter string, fn func(part string) error) error {
	for {
		i, err := 0, x.work(1)
		if err == nil && delimiter != "" {
			i, err = x.index(s, delimiter)
		} else if _, i = utf8.DecodeRuneInString(s); i == len(s) {
			i = -1
		}
		if err != nil {
			return err
		}
		if i < 0 {
			return fn(s)
		}
		if err := fn(s[:i]); err != nil {
			return err
		}
		s = s[i+len(delimiter):]
	}
}

// reversed returns the characters of a string from the last to the first.
func (x *exec) reversed(at Pos, s string) (string, error) {
	if err := x.charge(at, int64(len(s))); err != nil {
		return "", err
	}
	b := make([]byte, len(s))
	end := len(b)
	err := x.pieces(s, func(part string) error {
		for part != "" {
			_, size := utf8.DecodeRuneInString(part)
			end -= copy(b[end-size:end], part[:size])
			part = part[size:]
		}
		return nil
	})
	return string(b), err
}
