package prompts

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
)

// checkSchema reports whether a schema of a directory asks for the same reply
// as the built-in one: other words may describe it, but names, types and what
// is required are those that the program reads.
func checkSchema(file string, source, builtIn []byte) error {
	var got, want any
	if err := json.Unmarshal(source, &got); err != nil {
		e := &FileError{File: file, Reason: "not JSON: " + err.Error()}
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			e.Line = 1 + bytes.Count(source[:syntax.Offset], []byte("\n"))
		}
		return e
	}
	if err := json.Unmarshal(builtIn, &want); err != nil {
		return &FileError{File: file, Reason: "not JSON: " + err.Error()}
	}
	if !reflect.DeepEqual(shape(got), shape(want)) {
		return &FileError{File: file, Reason: "does not ask for the same reply as the built-in schema; only descriptions may differ"}
	}
	return nil
}

// shape returns a schema without its descriptions and the bounds of lists and texts, and with the required names
// in order.
func shape(schema any) any {
	m, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	out := map[string]any{}
	for name, v := range m {
		switch name {
		case "description", "title", "maxItems", "maxLength":
		case "properties":
			if p, ok := v.(map[string]any); ok {
				shapes := map[string]any{}
				for k, s := range p {
					shapes[k] = shape(s)
				}
				v = shapes
			}
			out[name] = v
		case "items":
			out[name] = shape(v)
		case "required":
			if list, ok := v.([]any); ok {
				names := []string{}
				for _, n := range list {
					s, _ := n.(string)
					names = append(names, s)
				}
				slices.Sort(names)
				out[name] = names
				continue
			}
			out[name] = v
		default:
			out[name] = v
		}
	}
	return out
}
