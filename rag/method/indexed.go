package method

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
)

// NotIndexedError says that a corpus is not indexed by the method that is to
// answer. errors.Is finds [ErrNotIndexed].
type NotIndexedError struct {
	Spec string
	// Indexed are the instances of the methods that it is indexed by.
	Indexed []string
	// Documents counts those of the corpus. If nothing is indexed they are those
	// of a run that is at work, or did not come to its end.
	Documents int
}

// Error says what the corpus is indexed by.
func (e *NotIndexedError) Error() string {
	switch {
	case len(e.Indexed) > 0:
		return fmt.Sprintf("%s by %s, but by %s", ErrNotIndexed, e.Spec, strings.Join(e.Indexed, ", "))
	case e.Documents > 0:
		return fmt.Sprintf("%s by %s: the run that adds the documents has not come to its end", ErrNotIndexed, e.Spec)
	}
	return fmt.Sprintf("%s by %s: there are no documents", ErrNotIndexed, e.Spec)
}

// Is reports whether target is [ErrNotIndexed].
func (e *NotIndexedError) Is(target error) bool { return target == ErrNotIndexed }

// OpenIndexed opens the system of a spec for questions, and writes nothing. If
// the corpus is not indexed by it the error is a [*NotIndexedError]. A system that
// builds nothing opens as soon as there are chunks for it, [System.Unfinished] until
// the first run has come to its end.
func (m Methods) OpenIndexed(ctx context.Context, c *corpus.Corpus, spec Spec) (*System, error) {
	if err := c.Ready(); err != nil {
		return nil, err
	}
	missing, types := &NotIndexedError{Spec: spec.String()}, map[string]bool{}
	err := c.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base()).WithContext(ctx)
		for name, err := range c.Instances(v) {
			if err != nil {
				return err
			}
			missing.Indexed = append(missing.Indexed, name)
		}
		for _, t := range v.NodeTypes() {
			types[v.NodeTypeName(t)] = true
		}
		return nil
	})
	if err != nil {
		return nil, phase.At("", err)
	}
	sys, err := m.Open(ctx, c.Existing(), spec)
	if errors.Is(err, engine.ErrNotFound) {
		return nil, missing.count(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	ok := slices.Contains(missing.Indexed, sys.Instance())
	if sys.Graph() == nil {
		// It builds nothing, and needs the documents cut as it wants them.
		ok = types[corpus.ChunkType(sys.ChunkSet())]
	}
	if !ok {
		return nil, missing.count(ctx, c)
	}
	sys.Unfinished = len(missing.Indexed) == 0
	return sys, nil
}

// count returns the error with the number of documents.
func (e *NotIndexedError) count(ctx context.Context, c *corpus.Corpus) error {
	err := c.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base()).WithContext(ctx)
		t, ok := v.NodeType(corpus.TypeDocument)
		if !ok {
			return nil
		}
		documents, err := v.Nodes(t)
		if err == nil {
			e.Documents = int(documents.GetCardinality())
		}
		return err
	})
	if err != nil {
		return phase.At("", err)
	}
	return phase.At("", e)
}

// ErrNotIndexed says that a method has not been indexed in the namespace.
var ErrNotIndexed = errors.New("not indexed")
