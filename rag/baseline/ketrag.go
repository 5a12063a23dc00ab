package baseline

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/ketrag"
	"github.com/ragdb/ragdb/rag/method"
)

// ketragVariant is KET-RAG with some parameters fixed: what its paper takes it
// apart into, or compares it with.
type ketragVariant struct {
	fixed    map[string]string // not to be given
	defaults map[string]string // other defaults than KET-RAG's
}

func ketragVariants() map[string]ketragVariant {
	type values = map[string]string
	return map[string]ketragVariant{
		// Without a core nothing is extracted: neither needs a model.
		"keyword":  {fixed: values{"describe": "over", "theta": "0", "beta": "0", "core": "pagerank", "channel": "keyword", "rank": "vector", "order": "paper"}},
		"knngraph": {fixed: values{"describe": "over", "theta": "0", "beta": "0", "core": "pagerank", "channel": "near", "rank": "vector", "order": "paper"}, defaults: values{"seeds": "50"}},

		"skeleton":       {fixed: values{"theta": "1", "rank": "vector", "order": "paper"}},
		"hybrid":         {fixed: values{"describe": "always", "theta": "0.5", "beta": "1", "core": "pagerank", "channel": "text", "rank": "vector", "order": "paper"}},
		"graphrag-local": {fixed: values{"describe": "always", "theta": "1", "beta": "1", "core": "pagerank", "channel": "keyword", "rank": "vector", "order": "paper"}},
	}
}

func (k ketragVariant) open(name string) opener {
	return func(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
		all, known := maps.Clone(k.fixed), ketrag.Defaults()
		maps.Copy(all, k.defaults)
		for key, v := range params {
			_, has := known[key]
			if _, fixed := k.fixed[key]; fixed || !has && !slices.Contains(optional(), key) {
				return nil, phase.Mark(method.ErrMethod, "%s: no parameter %q; there are %s", name, key, strings.Join(k.names(known), ", "))
			}
			all[key] = v
		}
		sys, err := ketrag.Open(ctx, c, all)
		if err != nil {
			return nil, err
		}
		own := sys.Params() // those that are not fixed
		maps.DeleteFunc(own, func(key, _ string) bool { _, fixed := k.fixed[key]; return fixed })
		sys.Identity = sys.As(name, own)
		return sys, nil
	}
}

// optional are the parameters that are not listed if they are not given.
func optional() []string { return []string{"profile", "style", knowledge.ParamTypes} }

// names are the parameters that may be given, in order.
func (k ketragVariant) names(known map[string]string) []string {
	maps.DeleteFunc(known, func(key, _ string) bool { _, fixed := k.fixed[key]; return fixed })
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(known)), optional()...)))
}
