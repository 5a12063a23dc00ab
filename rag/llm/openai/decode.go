package openai

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// decode reads JSON as far as it is of v's types. A field of another type is left as
// it is: servers fill fields that nobody reads in many ways. The error says that it
// is not JSON.
func decode(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if other := (*json.UnmarshalTypeError)(nil); errors.As(err, &other) {
		return nil
	}
	return err
}

// list is a list, which may come as its only element.
type list[T any] []T

// UnmarshalJSON implements [json.Unmarshaler].
func (l *list[T]) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '[':
		return decode(b, (*[]T)(l))
	case '{':
		*l = make(list[T], 1)
		return decode(b, &(*l)[0])
	}
	return nil
}

// amount is a number in any form: with a fraction or an exponent, or as text. What is
// none is not a number, as math has it.
type amount float64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *amount) UnmarshalJSON(b []byte) error {
	x, err := strconv.ParseFloat(strings.TrimSpace(strings.Trim(string(b), `"`)), 64)
	if err != nil {
		x = math.NaN()
	}
	*n = amount(x)
	return nil
}

// count returns a number of things that a server tells, 0 if it cannot be one.
func (n amount) count() int {
	if n > 0 && n < 1<<30 {
		return int(n)
	}
	return 0
}

// tokens is how many tokens a request took, as servers tell it.
type tokens struct {
	Prompt     amount `json:"prompt_tokens"`
	Completion amount `json:"completion_tokens"`
	In         amount `json:"input_tokens"`
	Out        amount `json:"output_tokens"`
	Total      amount `json:"total_tokens"`
}

func (t *tokens) in() int  { return max(t.Prompt.count(), t.In.count()) }
func (t *tokens) out() int { return max(t.Completion.count(), t.Out.count()) }

// parts is what a message says: a text, or a list of parts, of which some are
// thoughts or a refusal.
type parts struct{ text, thoughts, refusal []byte }

// UnmarshalJSON implements [json.Unmarshaler].
func (p *parts) UnmarshalJSON(b []byte) error {
	p.add(b, false, maxParts)
	return nil
}

// maxParts bounds how deep parts of parts are looked into: text in a list in a thought in
// a list.
const maxParts = 6

// add adds a part, whose parts are looked into so deep.
func (p *parts) add(b []byte, thought bool, depth int) {
	if len(b) == 0 || depth == 0 {
		return
	}
	switch b[0] {
	case '"':
		var s string
		if decode(b, &s) != nil {
			return
		}
		if thought {
			p.thoughts = append(p.thoughts, s...)
		} else {
			p.text = append(p.text, s...)
		}
	case '[':
		var list []json.RawMessage
		if decode(b, &list) != nil {
			return
		}
		for _, x := range list {
			p.add(x, thought, depth-1)
		}
	case '{':
		var part struct {
			Type                                             string
			Text, Value, Content, Parts, Thinking, Reasoning json.RawMessage
			Refusal                                          string
			Thought                                          bool
		}
		if decode(b, &part) != nil {
			return
		}
		kind := strings.ToLower(part.Type)
		thought = thought || part.Thought || has(kind, "think", "reason")
		if kind == "refusal" && part.Refusal == "" {
			decode(part.Text, &part.Refusal)
			part.Text = nil
		}
		p.refusal = append(p.refusal, part.Refusal...)
		p.add(part.Thinking, true, depth-1)
		p.add(part.Reasoning, true, depth-1)
		for _, x := range []json.RawMessage{part.Text, part.Value, part.Content, part.Parts} {
			p.add(x, thought, depth-1)
		}
	}
}
