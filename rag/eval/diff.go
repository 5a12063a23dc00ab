package eval

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// incomparable are the fields of a report, by their paths in it, that may
// differ between two runs that say the same; [] is every element of a list.
func incomparison() []string {
	return []string{
		"methods[].ms", "methods[].index_cpu_s", "methods[].index_s", "methods[].index",
		"methods[].answers.usd", "methods[].at[].answers.usd", "judging[].usd", // a price list may be another
		"methods[].evidence",  // told question by question
		"methods[].at[].rows", // told by the digest of the evidence beside them
		"manifest.version", "manifest.revision", "manifest.modified", "manifest.go", "manifest.os", "manifest.arch", "manifest.kernels",
		"manifest.format", "shared_bytes", "manifest.instances[].bytes",
		"growth.steps[].methods[].times", "growth.steps[].methods[].cost",
	}
}

// comparison returns a report as JSON without what is incomparable.
func comparison(rep *Report) (any, error) {
	b, err := json.Marshal(rep)
	if err != nil {
		return nil, err
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, err
	}
	for _, path := range incomparison() {
		remove(v, strings.Split(path, "."))
	}
	return v, nil
}

// remove takes a field out of a value.
func remove(v any, path []string) {
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	name, every := strings.CutSuffix(path[0], "[]")
	switch {
	case len(path) == 1:
		delete(m, name)
	case every:
		elements, _ := m[name].([]any)
		for _, e := range elements {
			remove(e, path[1:])
		}
	default:
		remove(m[name], path[1:])
	}
}

// differ gathers in what two values differ.
type differ struct{ out []string }

func (d *differ) compare(at []string, a, b any) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		keys := maps.Clone(x)
		maps.Copy(keys, y)
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			d.compare(append(slices.Clip(at), k), x[k], y[k])
		}
		return
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			break
		}
		for i := range x {
			d.compare(append(slices.Clip(at), nameOf(x[i], i)), x[i], y[i])
		}
		return
	}
	if fmt.Sprint(a) != fmt.Sprint(b) {
		d.out = append(d.out, fmt.Sprintf("%s: %s, now %s", strings.Join(at, " "), brief(a), brief(b)))
	}
}

// nameOf calls an element of a list by its name, if it has one.
func nameOf(v any, i int) string {
	if m, ok := v.(map[string]any); ok {
		for _, k := range []string{"name", "spec"} {
			if s, ok := m[k].(string); ok {
				return s
			}
		}
	}
	return fmt.Sprint(i + 1)
}

// brief writes a value on one short line.
func brief(v any) string {
	switch x := v.(type) {
	case nil:
		return "nothing"
	case []any:
		if len(x) > 4 {
			return fmt.Sprintf("%d values", len(x))
		}
	}
	return fmt.Sprint(v)
}
