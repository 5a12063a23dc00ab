package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ragdb/ragdb/internal/service"
)

// tool is a tool of the server.
type tool struct {
	name, title, about string
	args               []arg
	// writes and destroys are told to the client.
	writes, destroys bool
	run              func(ctx context.Context, req *mcp.CallToolRequest, c *corpus, a arguments) (*mcp.CallToolResult, error)
}

// The kinds of arguments, as JSON Schema calls their types.
const (
	isText   = "string"
	isNumber = "integer"
	isBool   = "boolean"
	isTexts  = "array"  // of texts
	isObject = "object" // names with texts, numbers, bools or lists of texts
)

// arg is an argument of a tool. The schema that clients see and the reading of calls
// both follow from it.
type arg struct {
	name, kind string
	about      string
	// example is how the argument is shown in errors, as JSON.
	example  string
	required bool
	// min, max and usual are of numbers; max bounds the length of a list, and the bytes of
	// a text if it is not 0.
	min, max, usual int
	values          []string // of a text; nil is any
}

// arguments are those of a call, by name.
type arguments map[string]any

func (a arguments) text(name string) string { s, _ := a[name].(string); return s }
func (a arguments) number(name string) int  { n, _ := a[name].(int); return n }
func (a arguments) is(name string) bool     { b, _ := a[name].(bool); return b }
func (a arguments) texts(name string) []string {
	l, _ := a[name].([]string)
	return l
}

// described is the tool as clients see it.
func (t *tool) described() *mcp.Tool {
	properties, required := map[string]any{}, []string{}
	for _, a := range t.args {
		properties[a.name] = a.schema()
		if a.required {
			required = append(required, a.name)
		}
	}
	closed := false // nothing beyond the database is touched
	return &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.about,
		InputSchema: map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false},
		Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: !t.writes, DestructiveHint: &t.destroys, IdempotentHint: true, OpenWorldHint: &closed},
	}
}

func (a *arg) schema() map[string]any {
	s := map[string]any{"type": a.kind, "description": a.about}
	switch a.kind {
	case isNumber:
		s["minimum"], s["maximum"] = a.min, a.max
		if a.usual != 0 {
			s["default"] = a.usual
		}
	case isText:
		if a.max > 0 {
			s["maxLength"] = a.max
		}
	case isTexts:
		s["items"] = map[string]any{"type": isText}
		s["minItems"], s["maxItems"] = 1, a.max
	case isObject:
		s["additionalProperties"] = true
	}
	if a.values != nil {
		s["enum"] = a.values
	}
	return s
}

// read reads the arguments of a call. What a model is likely to mean is taken for it: null
// is left out, "5" is 5, one text is a list of one, and query, as other servers call it, is
// the question or the statement.
func (t *tool) read(raw json.RawMessage) (arguments, *service.Error) {
	var given map[string]json.RawMessage
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return nil, service.Usage("call it like "+t.example(), "the arguments of %s are not a JSON object", t.name)
		}
	}
	out := arguments{}
	for _, name := range sortedKeys(given) {
		i := slices.IndexFunc(t.args, func(a arg) bool {
			return a.name == name || name == "query" && (a.name == "question" || a.name == "statement") && given[a.name] == nil
		})
		if i < 0 {
			return nil, service.Usage("call it like "+t.example(), "%s has no argument %s; it has %s", t.name, quoted(name), t.names())
		}
		if string(given[name]) == "null" {
			continue
		}
		v, want := t.args[i].value(given[name])
		if want != "" {
			return nil, service.Usage("", "the argument %s of %s must be %s, and is %s", name, t.name, want, shortJSON(given[name]))
		}
		out[t.args[i].name] = v
	}
	for _, a := range t.args {
		if s, isString := out[a.name].(string); a.required && (out[a.name] == nil || isString && strings.TrimSpace(s) == "") {
			return nil, service.Usage("call it like "+t.example(), "%s needs the argument %s", t.name, a.name)
		}
		if out[a.name] == nil && a.usual != 0 {
			out[a.name] = a.usual
		}
	}
	return out, nil
}

// value reads a value. want says what it must be if it is not.
func (a *arg) value(raw json.RawMessage) (v any, want string) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, "JSON"
	}
	switch a.kind {
	case isText:
		s, ok := v.(string)
		if n, isNum := v.(json.Number); isNum {
			s, ok = n.String(), true
		}
		if a.values != nil && !slices.Contains(a.values, s) {
			ok = false
		}
		if a.max > 0 && len(s) > a.max {
			return nil, fmt.Sprintf("a text of at most %d bytes", a.max)
		}
		if !ok {
			return nil, cmp.Or(oneOf(a.values), "a text such as "+a.example)
		}
		return s, ""
	case isNumber:
		s := fmt.Sprint(v)
		f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if _, isBool := v.(bool); err != nil || isBool || f != math.Trunc(f) || f < float64(a.min) || f > float64(a.max) {
			return nil, fmt.Sprintf("a whole number from %d to %d", a.min, a.max)
		}
		return int(f), ""
	case isBool:
		switch v {
		case true, "true":
			return true, ""
		case false, "false":
			return false, ""
		}
		return nil, "true or false"
	case isTexts:
		want := fmt.Sprintf("a list of 1 to %d texts such as %s", a.max, a.example)
		if s, ok := v.(string); ok {
			v = []any{s}
		}
		list, ok := v.([]any)
		if !ok || len(list) == 0 || len(list) > a.max {
			return nil, want
		}
		var texts []string
		for _, x := range list {
			s, ok := x.(string)
			if !ok || s == "" {
				return nil, want
			}
			texts = append(texts, s)
		}
		return texts, ""
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, "an object such as " + a.example
	}
	return m, ""
}

// names lists the arguments, those that are needed first.
func (t *tool) names() string {
	var need, may []string
	for _, a := range t.args {
		if a.required {
			need = append(need, a.name+" (needed)")
		} else {
			may = append(may, a.name)
		}
	}
	return strings.Join(append(need, may...), ", ")
}

// example is a call with what is needed.
func (t *tool) example() string {
	var parts []string
	for _, a := range t.args {
		if a.required {
			parts = append(parts, fmt.Sprintf("%q: %s", a.name, a.example))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func oneOf(values []string) string {
	if values == nil {
		return ""
	}
	return "one of " + quotedList(values)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// shortJSON is a value as an error shows it.
func shortJSON(raw json.RawMessage) string {
	const most = 60
	if len(raw) <= most {
		return string(raw)
	}
	return strings.ToValidUTF8(string(raw[:most]), "") + "…"
}
