package method

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// Spec is a method as people write it: name[+rerank][:key=value,...][@label].
type Spec struct {
	Name   string
	Params map[string]string
	// Rerank says that a reranker orders what the method finds. Evaluations heed
	// it; elsewhere the models say whether there is a reranker.
	Rerank bool
	// Label names the spec in reports; "" is the spec itself.
	Label string
}

// ParseSpec reads name[+rerank][:key=value,...][@label].
func ParseSpec(s string) (Spec, error) {
	spec := Spec{Params: map[string]string{}}
	rest, label, _ := strings.Cut(s, "@")
	spec.Label = label
	name, params, _ := strings.Cut(rest, ":")
	name, spec.Rerank = strings.CutSuffix(strings.TrimSpace(name), "+rerank")
	if spec.Name = strings.TrimSpace(name); spec.Name == "" {
		return spec, phase.Mark(ErrMethod, "%q names none", s)
	}
	for _, p := range strings.Split(params, ",") {
		if p = strings.TrimSpace(p); p == "" {
			continue
		}
		key, val, ok := strings.Cut(p, "=")
		if !ok {
			return spec, phase.Mark(ErrMethod, "%q is not key=value", p)
		}
		spec.Params[strings.TrimSpace(key)] = strings.TrimSpace(val)
	}
	return spec, nil
}

// SplitSpecs cuts a comma-separated list of specs: a comma before key=value
// belongs to the spec that it follows.
func SplitSpecs(s string) []string {
	var out []string
	for _, part := range strings.Split(s, ",") {
		name, _, _ := strings.Cut(part, ":")
		if n := len(out); n > 0 && strings.Contains(name, "=") && strings.Contains(out[n-1], ":") {
			out[n-1] += "," + part
			continue
		}
		if strings.TrimSpace(part) != "" {
			out = append(out, strings.TrimSpace(part))
		}
	}
	return out
}

// ParseInstance reads what [ParamReader.Instance] writes.
func ParseInstance(s string) (Spec, error) { return ParseSpec(strings.Replace(s, "#", ":", 1)) }

// String writes the spec as ParseSpec reads it, parameters in order.
func (s Spec) String() string {
	out := s.Name
	if s.Rerank {
		out += "+rerank"
	}
	for i, k := range slices.Sorted(maps.Keys(s.Params)) {
		out += string(":,"[min(i, 1)]) + k + "=" + s.Params[k]
	}
	if s.Label != "" {
		out += "@" + s.Label
	}
	return out
}

// Title is what reports call the spec.
func (s Spec) Title() string {
	if s.Label != "" {
		return s.Label
	}
	return s.String()
}

// ErrMethod says that a method's name or one of its parameters is unknown
// or out of range. The error says which there are.
var ErrMethod = errors.New("unknown method")
