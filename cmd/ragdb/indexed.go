package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// indexed opens the method of a spec and refuses one that the corpus is not
// indexed by.
func (a *app) indexed(ctx context.Context, c *rag.Corpus, spec method.Spec) (*method.System, error) {
	sys, err := a.methods.OpenIndexed(ctx, c.Docs(), spec)
	var missing *method.NotIndexedError
	if !errors.As(err, &missing) {
		return sys, err
	}
	path := quote(c.DB().Path())
	f := &failure{exit: exitNotFound, code: "not_indexed", err: err, message: fmt.Sprintf("%s is not indexed by %s", c.DB().Path(), spec)}
	switch {
	case len(missing.Indexed) > 0:
		f.hint = "index it with ragdb index " + path + " --method " + quote(spec.String()) + ", or use " + strings.Join(missing.Indexed, ", ")
	case missing.Documents > 0:
		f.message, f.hint = c.DB().Path()+" has "+plural(missing.Documents, "document")+" whose indexing did not come to its end", "go on with ragdb index "+path
	default:
		f.hint = "put documents in with ragdb index " + path + " PATH"
	}
	return nil, f
}

// instances are the methods that a corpus is indexed by.
func instances(ctx context.Context, c *rag.Corpus) ([]string, error) {
	var out []string
	err := c.DB().View(ctx, func(s *engine.Snapshot) error {
		for name, err := range c.Instances(s.Graph(c.Base())) {
			if err != nil {
				return err
			}
			out = append(out, name)
		}
		return nil
	})
	return out, err
}
