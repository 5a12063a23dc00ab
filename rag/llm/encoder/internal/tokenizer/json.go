package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// The vocabulary of a model is a large JSON value. It is read in place: the
// functions here hand out parts of the file, which was checked to be JSON.

// members calls f with each name and value of an object, as they are written.
func members(raw []byte, f func(key, value []byte) error) error {
	r := reader{raw, 0}
	if r.next() != '{' {
		return errors.New("an object is missing")
	}
	r.at++
	for r.next() != '}' {
		key := r.value()
		r.next() // the colon
		r.at++
		r.next()
		if err := f(key, r.value()); err != nil {
			return err
		}
		if r.next() == ',' {
			r.at++
		}
	}
	return nil
}

// elements calls f with each element of a list.
func elements(raw []byte, f func(value []byte) error) error {
	r := reader{raw, 0}
	if r.next() != '[' {
		return errors.New("a list is missing")
	}
	r.at++
	for r.next() != ']' {
		if err := f(r.value()); err != nil {
			return err
		}
		if r.next() == ',' {
			r.at++
		}
	}
	return nil
}

type reader struct {
	raw []byte
	at  int
}

// next skips white space and returns the byte behind it.
func (r *reader) next() byte {
	for r.at < len(r.raw) {
		switch c := r.raw[r.at]; c {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return c
		}
	}
	return 0
}

// value returns the value that begins here.
func (r *reader) value() []byte {
	start, depth := r.at, 0
	for r.at < len(r.raw) {
		c := r.raw[r.at]
		switch c {
		case '"':
			for r.at++; r.raw[r.at] != '"'; r.at++ {
				if r.raw[r.at] == '\\' {
					r.at++
				}
			}
		case '{', '[':
			depth++
		case '}', ']', ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return r.raw[start:r.at] // the end of a number or a word
			}
			if c == '}' || c == ']' {
				depth--
			}
		default:
			r.at++
			continue
		}
		r.at++
		if depth == 0 {
			break
		}
	}
	return r.raw[start:r.at]
}

// text returns the content of a string. It is a part of raw where that is
// possible.
func text(raw []byte) ([]byte, error) {
	if len(raw) < 2 || raw[0] != '"' {
		return nil, errors.New("a string is missing")
	}
	for _, c := range raw {
		if c == '\\' {
			var s string
			err := json.Unmarshal(raw, &s)
			return []byte(s), err
		}
	}
	return raw[1 : len(raw)-1], nil
}

// parseID reads the number of a token.
func parseID(raw []byte) (int32, error) {
	n := int64(0)
	for _, c := range raw {
		if c < '0' || c > '9' || n > math.MaxInt32/10 {
			return 0, fmt.Errorf("%q is not the number of a token", shorten(string(raw)))
		}
		n = n*10 + int64(c-'0')
	}
	if len(raw) == 0 || n >= math.MaxInt32 {
		return 0, fmt.Errorf("%q is not the number of a token", shorten(string(raw)))
	}
	return int32(n), nil
}

// score reads a number as the reference does: it takes the digits as one whole
// number and multiplies or divides it by a power of ten. The result may differ
// from the nearest float in the last bit, which decides between cuts of nearly
// equal scores.
func score(raw []byte) (float64, error) {
	bad := func() (float64, error) {
		return 0, fmt.Errorf("%q is not a score", shorten(string(raw)))
	}
	at, negative := 0, false
	if at < len(raw) && raw[at] == '-' {
		negative = true
		at++
	}
	var digits uint64
	exponent, point, full := 0, false, false
	if at == len(raw) || raw[at] < '0' || raw[at] > '9' {
		return bad()
	}
	for ; at < len(raw) && (raw[at] == '.' || raw[at] >= '0' && raw[at] <= '9'); at++ {
		if raw[at] == '.' {
			point = true
			continue
		}
		d := uint64(raw[at] - '0')
		full = full || digits > (math.MaxUint64-d)/10
		switch {
		case !full:
			digits = digits*10 + d
			if point {
				exponent--
			}
		case !point:
			exponent++
		}
	}
	if at < len(raw) && (raw[at] == 'e' || raw[at] == 'E') {
		at++
		sign, n := 1, 0
		if at < len(raw) && (raw[at] == '-' || raw[at] == '+') {
			if raw[at] == '-' {
				sign = -1
			}
			at++
		}
		for ; at < len(raw) && raw[at] >= '0' && raw[at] <= '9'; at++ {
			n = min(n*10+int(raw[at]-'0'), 1<<20)
		}
		exponent += sign * n
	}
	if at != len(raw) {
		return bad()
	}
	f := float64(digits)
	for exponent < -308 && f != 0 {
		f /= 1e308
		exponent += 308
	}
	switch {
	case f == 0:
	case exponent > 308:
		return bad()
	case exponent >= 0:
		f *= power(exponent)
	default:
		f /= power(-exponent)
	}
	if math.IsInf(f, 0) {
		return bad()
	}
	if negative {
		f = -f
	}
	return f, nil
}

// power returns the float nearest to a power of ten.
func power(n int) float64 {
	if n < 32 {
		return math.Pow10(n) // exact to the last bit up to here
	}
	f, _ := strconv.ParseFloat("1e"+strconv.Itoa(n), 64)
	return f
}

// maxDepth is how deep sequences may stand in sequences.
const maxDepth = 8

// kindOf returns the type of a component, "" for null. what names the sort of
// component in errors.
func kindOf(raw json.RawMessage, what string, depth int) (string, error) {
	if depth > maxDepth {
		return "", fmt.Errorf("a %s stands more than %d sequences deep", what, maxDepth)
	}
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	var def struct{ Type string }
	if err := json.Unmarshal(raw, &def); err != nil || def.Type == "" {
		return "", fmt.Errorf("a %s has no type", what)
	}
	return def.Type, nil
}

func unknownKind(what, kind string) error {
	return fmt.Errorf("the %s %q is not supported", what, shorten(kind))
}
