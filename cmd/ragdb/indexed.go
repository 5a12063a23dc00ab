package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
)

// indexed opens the method of a spec and refuses one that the corpus is not
// indexed by.
func (a *app) indexed(ctx context.Context, c *rag.Corpus, spec rag.Spec) (rag.System, error) {
	have, err := instances(ctx, c)
	if err != nil {
		return nil, err
	}
	refuse := func() error {
		hint := "index it with ragdb index " + quote(c.DB.Path()) + " --method " + quote(spec.String())
		if len(have) > 0 {
			hint += ", or use " + strings.Join(have, ", ")
		} else {
			hint = "put documents in with ragdb index " + quote(c.DB.Path()) + " PATH"
		}
		return &failure{exit: exitNotFound, code: "not_indexed", err: rag.ErrNotIndexed, hint: hint,
			message: fmt.Sprintf("%s is not indexed by %s", c.DB.Path(), spec)}
	}
	if len(have) == 0 {
		keys, err := documentKeys(ctx, c)
		if err != nil || len(keys) == 0 {
			return nil, cmp.Or(err, refuse())
		}
		return nil, &failure{exit: exitNotFound, code: "not_indexed", err: rag.ErrNotIndexed, hint: "go on with ragdb index " + quote(c.DB.Path()),
			message: fmt.Sprintf("%s has %s whose indexing did not come to its end", c.DB.Path(), plural(len(keys), "document"))}
	}
	before, err := c.Namespace.Graphs(ctx)
	if err != nil {
		return nil, err
	}
	sys, err := a.methods.Open(ctx, c, spec)
	if errors.Is(err, engine.ErrNotFound) {
		return nil, refuse() // opened for reading, and without its graph
	}
	if err != nil {
		return nil, err
	}
	if sys.Graph() == nil {
		ok, err := hasChunks(ctx, c, sys)
		if err == nil && !ok {
			err = refuse()
		}
		return sys, err
	}
	if slices.Contains(have, sys.Instance()) {
		return sys, nil
	}
	if !slices.Contains(before, sys.Graph().Name()) {
		// Opening it made its graph.
		if err := c.Namespace.Drop(ctx, sys.Graph().Name()); err != nil {
			return nil, err
		}
	}
	return nil, refuse()
}

// instances are the methods that a corpus is indexed by.
func instances(ctx context.Context, c *rag.Corpus) ([]string, error) {
	var out []string
	err := c.DB.View(ctx, func(s *engine.Snapshot) error {
		for name, err := range c.Instances(s.Graph(c.Base)) {
			if err != nil {
				return err
			}
			out = append(out, name)
		}
		return nil
	})
	return out, err
}

// hasChunks reports whether the corpus is cut as a method wants it.
func hasChunks(ctx context.Context, c *rag.Corpus, sys rag.System) (ok bool, err error) {
	err = c.DB.View(ctx, func(s *engine.Snapshot) error {
		_, ok = s.Graph(c.Base).NodeType(rag.ChunkType(sys.ChunkSet()))
		return nil
	})
	return ok, err
}
