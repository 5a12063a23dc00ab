package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/plain"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// Indexed opens the method of a spec and refuses one that the corpus is not
// indexed by.
func (c *Corpus) Indexed(ctx context.Context, spec method.Spec) (*method.System, error) {
	sys, err := c.Methods.OpenIndexed(ctx, c.Docs(), spec)
	var missing *method.NotIndexedError
	if !errors.As(err, &missing) {
		return sys, err
	}
	path := plain.Quote(c.Path())
	f := &Error{Code: "not_indexed", Err: err, Message: fmt.Sprintf("%s is not indexed by %s", c.Path(), spec)}
	switch {
	case len(missing.Indexed) > 0:
		f.Hint = "index it with ragdb index " + path + " --method " + plain.Quote(spec.String()) + ", or use " + strings.Join(missing.Indexed, ", ")
	case missing.Documents > 0:
		f.Message, f.Hint = c.Path()+" has "+plain.Plural(missing.Documents, "document")+" whose indexing did not come to its end", "go on with ragdb index "+path
	default:
		f.Hint = "put documents in with ragdb index " + path + " PATH"
	}
	return nil, f
}

// Instances are the methods that a corpus is indexed by.
func Instances(ctx context.Context, c *rag.Corpus) ([]string, error) {
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
