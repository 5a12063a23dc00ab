package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
// does not know is left out. Entities must have names, relations both ends,
// numbers must be finite. A missing strength is 1. A repaired relation with
// two empty ends says that it is beyond repair, which is final.
//
// Errors are a [*ReplyError] with the text and what is wrong with it, and
// [ErrKind] for a kind that there is not.
func CheckReply(k Kind, text string) (string, error) {
	s := reasoning.Strip(text)
	switch {
	case k.JSON():
		reply, err := readJSON(k, s)
		if err == nil {
			var b []byte
			if b, err = json.Marshal(reply); err == nil {
				return string(b), nil
			}
		}
		return "", &ReplyError{Kind: k, Raw: text, Why: err.Error(), Final: errors.Is(err, errBeyondRepair)}
	case !k.Known():
		return "", phase.Errorf("check a reply of kind %q: %w", k, ErrKind)
	case s == "":
		return "", &ReplyError{Kind: k, Raw: text, Why: "it is empty"}
	}
	return s, nil
}

// readJSON reads the first value in s that is of the kind's type. The error is
// that of the first value that is JSON at all.
func readJSON(k Kind, s string) (any, error) {
	if s == "" {
		return nil, errors.New("it is empty")
	}
	err := errors.New("there is no JSON object in it")
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
				err = firstError(err, errors.New("its JSON has no end"))
				continue
			}
			v, jerr := decode(s[i : i+end])
			if jerr != nil {
				err = firstError(err, fmt.Errorf("it is not JSON: %w", jerr))
				continue
			}
			reply, rerr := readReply(k, v)
			if rerr == nil {
				return reply, nil
			}
			err = firstError(err, rerr)
		}
	}
	return nil, err
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

// decode reads JSON, mended.
func decode(s string) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(mend(s)))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
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
