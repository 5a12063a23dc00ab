package llm

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// fields are the fields of a JSON object. Its methods take a field's names,
// the first of which the object has counts; null is as absent.
type fields map[string]any

func (f fields) get(names []string) (v any, name string) {
	for _, n := range names {
		if v := f[n]; v != nil {
			return v, n
		}
	}
	return nil, names[0]
}

// text reads a string, or a number as one; "" if it is absent.
func (f fields) text(names ...string) (string, error) {
	switch v, name := f.get(names); v := v.(type) {
	case nil:
		return "", nil
	case string:
		return cleanText(v), nil
	case json.Number:
		return v.String(), nil
	default:
		return "", fmt.Errorf("%q is not a string", name)
	}
}

// number reads a finite number, which may be given as a string.
func (f fields) number(names ...string) (x float64, given bool, err error) {
	v, name := f.get(names)
	var s string
	switch v := v.(type) {
	case nil:
		return 0, false, nil
	case json.Number:
		s = v.String()
	case string:
		s = strings.TrimSpace(v)
	}
	x, err = strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, true, fmt.Errorf("%q is not a finite number", name)
	}
	return x, true, nil
}

func (f fields) list(names ...string) (list []any, given bool, err error) {
	v, name := f.get(names)
	if v == nil {
		return nil, false, nil
	}
	list, ok := v.([]any)
	if !ok {
		err = fmt.Errorf("%q is not a list", name)
	}
	return list, true, err
}

// names reads a list of names: strings, or objects with a name. Empty ones are
// left out.
func (d *drops) names(f fields, names ...string) (out []string, given bool, err error) {
	list, given, err := f.list(names...)
	return records(d, names[0], list, func(v any) (name string, blank bool, err error) {
		if n, ok := v.(json.Number); ok {
			v = n.String()
		}
		e, blank, err := readEntity(v)
		return e.Name, blank, err
	}), given, err
}
