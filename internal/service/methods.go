package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

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
	case c.Running(ctx):
		f.Message = fmt.Sprintf("%s is not indexed by %s yet, and process %d is at work on it", c.Path(), spec, os.Getpid())
		f.Hint = "ask again when that has ended; ragdb status " + path + " tells how far it is"
		if far := c.pending(ctx); far != "" {
			f.Message += " (" + far + ")"
		}
	case missing.Documents > 0:
		f.Message, f.Hint = c.Path()+" has "+plain.Plural(missing.Documents, "document")+" whose indexing by "+spec.String()+" did not come to its end", "go on with ragdb index "+path
	default:
		f.Hint = "put documents in with ragdb index " + path + " PATH"
	}
	return nil, f
}

// soon is how long a lock that is free may take to be had.
const soon = 50 * time.Millisecond

// Running reports whether a run or a command of this process changes the documents: it
// indexes, removes or merges. Those of other processes, which a database on a server
// may have, are not known.
func (c *Corpus) Running(ctx context.Context) bool {
	wait, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	release, err := c.Namespace().Exclusive(wait)
	if err != nil {
		return wait.Err() != nil && ctx.Err() == nil
	}
	release()
	return false
}

// pending tells the first stage that has work left: how much of it is done. It is "" if
// none has, or if that cannot be read.
func (c *Corpus) pending(ctx context.Context) string {
	s, err := c.Status(ctx)
	if err != nil {
		return ""
	}
	stages := s.Base
	for _, m := range s.Methods {
		stages = append(stages, m.Stages...)
	}
	for _, st := range stages {
		if st.Pending > 0 {
			return fmt.Sprintf("%s: %s of %s", st.Stage, plain.Number(st.Done), plain.Number(st.Done+st.Pending))
		}
	}
	return ""
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
