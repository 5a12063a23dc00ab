package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/llm/internal/reasoning"
)

// maxCandidates bounds how many places of a reply are tried as its JSON.
const maxCandidates = 64

// CheckReply turns what a model wrote into the form that callers read: without
// reasoning and without control characters; for a kind whose reply is text, not
// empty; for the others, the JSON of the kind's type, always written in the
// same way. It is the identity on what it returns.
//
// JSON may stand in a code fence or between other words: the first object that
// is of the type counts. What models often get wrong is mended: commas too
// many, line breaks in strings, numbers given as strings, a bare list if the
// type is an object of one list, other usual names of fields. What the type
// does not know is left out. A missing strength is 1.
//
// A record of a list that cannot be used is dropped: an entity without a name, a
// relation without both ends, a number that is not finite, a record that stands
// in the list already. If no record of the reply is left, the reply is refused.
// If the JSON has no end, because the model met the limit of its length, the
// records that are complete are used. A repaired relation with two empty ends
// says that it is beyond repair, which is final.
//
// The reply's Mending says which of these was done. Errors are a [*ReplyError]
// with the text and what is wrong with it, and [ErrKind] for a kind that there
// is not.
func CheckReply(k Kind, text string) (Reply, error) {
	s := reasoning.Strip(text)
	switch {
	case k.JSON():
		r, err := readJSON(k, s)
		if err != nil {
			return Reply{}, &ReplyError{Kind: k, Raw: text, Why: err.Error(), Final: errors.Is(err, errBeyondRepair)}
		}
		return r, nil
	case !k.Known():
		return Reply{}, phase.Errorf("check a reply of kind %q: %w", k, ErrKind)
	case s == "":
		return Reply{}, &ReplyError{Kind: k, Raw: text, Why: "it is empty"}
	}
	return Reply{Text: s}, nil
}

// Join returns the reply that holds the records of r and of the rest, both replies
// of a kind as [CheckReply] returns them. Fields that are not lists are those of
// r. The error is CheckReply's.
func (r Reply) Join(k Kind, rest Reply) (Reply, error) {
	var first, second map[string]any
	if err := errors.Join(json.Unmarshal([]byte(r.Text), &first), json.Unmarshal([]byte(rest.Text), &second)); err != nil {
		return Reply{}, &ReplyError{Kind: k, Raw: rest.Text, Why: err.Error()}
	}
	for name, v := range second {
		list, isList := v.([]any)
		have, hasList := first[name].([]any)
		switch {
		case isList && hasList:
			first[name] = append(have, list...)
		case first[name] == nil:
			first[name] = v
		}
	}
	all, err := json.Marshal(first)
	if err != nil {
		return Reply{}, &ReplyError{Kind: k, Raw: rest.Text, Why: err.Error()}
	}
	return CheckReply(k, string(all))
}

// readJSON reads the first value in s that is of the kind's type. If there is
// none and s has a value without an end, it reads what is complete of that one.
// The error is that of the first value that is JSON at all.
func readJSON(k Kind, s string) (Reply, error) {
	if s == "" {
		return Reply{}, errors.New("it is empty")
	}
	err := errors.New("there is no JSON object in it")
	endless := len(s) // where the first value without an end begins
	for _, open := range []byte{'{', '['} {
		at := 0
		for range maxCandidates {
			i := strings.IndexByte(s[at:], open)
			if i < 0 || open == '[' && strings.Contains(s[:at+i], "{") {
				break // a list in an object is not the reply
			}
			i += at
			at = i + 1
			end := balanced(s[i:])
			if end < 0 {
				err = firstError(err, errNoEnd)
				endless = min(endless, i)
				continue
			}
			r, rerr := readValue(k, s[i:i+end])
			if rerr == nil {
				if i > 0 || end < len(s) {
					r.Mending.Mended = 1
				}
				return r, nil
			}
			err = firstError(err, rerr)
		}
	}
	if whole := closed(s[endless:]); whole != "" {
		if r, rerr := readValue(k, whole); rerr == nil {
			r.Mending.Salvaged = 1
			return r, nil
		}
	}
	return Reply{}, err
}

// errNoEnd says that a model stopped before its reply was complete.
var errNoEnd = errors.New("its JSON has no end")

// readValue reads a JSON value as the reply of a kind.
func readValue(k Kind, s string) (Reply, error) {
	v, mended, err := decode(s)
	if err != nil {
		return Reply{}, fmt.Errorf("it is not JSON: %w", err)
	}
	reply, dropped, err := readReply(k, v)
	if err != nil {
		return Reply{}, err
	}
	text, err := json.Marshal(reply)
	if err != nil {
		return Reply{}, err
	}
	r := Reply{Text: string(text), Mending: Mending{Dropped: dropped}}
	if mended || dropped > 0 {
		r.Mending.Mended = 1
	}
	return r, nil
}

// reasonError marks an error that says more than that there is no JSON.
type reasonError struct{ error }

func (e reasonError) Unwrap() error { return e.error }

// firstError returns the first of the errors that says more.
func firstError(old, err error) error {
	if _, ok := old.(reasonError); ok {
		return old
	}
	return reasonError{err}
}

// balanced returns the length of the object or list that s begins with, -1
// if it has no end.
func balanced(s string) int {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// closed returns the part of an object or list without an end in which all
// records are complete, with the brackets that it wants, and "" if no record
// is. A record is an element of a list that is in no other list.
func closed(s string) string {
	end := 0
	brackets(s, func(i int, open []byte, lists int) {
		if lists == 1 && open[len(open)-1] == ']' {
			end = i
		}
	})
	var closers []byte
	brackets(s[:end], func(i int, open []byte, _ int) {
		if i == end {
			closers = slices.Clone(open)
		}
	})
	slices.Reverse(closers)
	return s[:end] + string(closers)
}

// brackets calls value with the end of each string, object and list of s, with
// the brackets that are open there, as they close, and how many are lists.
func brackets(s string, value func(end int, open []byte, lists int)) {
	var open []byte
	lists := 0
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			if quoted = !quoted; !quoted {
				value(i+1, open, lists)
			}
		case quoted:
		case c == '{':
			open = append(open, '}')
		case c == '[':
			open = append(open, ']')
			lists++
		case c == '}' || c == ']':
			if len(open) == 0 || open[len(open)-1] != c {
				return
			}
			open = open[:len(open)-1]
			if c == ']' {
				lists--
			}
			value(i+1, open, lists)
		}
	}
}

// decode reads JSON. mended says that s is not JSON as it stands.
func decode(s string) (v any, mended bool, err error) {
	m := mend(s)
	d := json.NewDecoder(bytes.NewReader(m))
	d.UseNumber()
	err = d.Decode(&v)
	return v, string(m) != s, err
}

// mend returns JSON without commas before a closing bracket, and with line
// breaks and tabs in strings escaped.
func mend(s string) []byte {
	out := make([]byte, 0, len(s)+16)
	quoted := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted && c == '\\' && i+1 < len(s):
			out = append(out, c, s[i+1])
			i++
			continue
		case c == '"':
			quoted = !quoted
		case quoted && c == '\n':
			out = append(out, `\n`...)
			continue
		case quoted && c == '\t':
			out = append(out, `\t`...)
			continue
		case !quoted && c == ',':
			rest := strings.TrimLeft(s[i+1:], " \n\t,")
			if rest != "" && (rest[0] == '}' || rest[0] == ']') {
				i = len(s) - len(rest) - 1
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// cleanText returns s as valid UTF-8 without control characters other than line
// breaks and tabs, and without white space around it.
func cleanText(s string) string { return strings.TrimSpace(reasoning.DropControls(s)) }

// cleanName returns s as one line with single spaces.
func cleanName(s string) string { return strings.Join(strings.Fields(reasoning.DropControls(s)), " ") }
