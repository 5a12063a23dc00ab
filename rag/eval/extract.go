package eval

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm/replay"
	"github.com/ragdb/ragdb/rag/method"
)

// What entities and relations are read with.
const (
	// ExtractRecorded is the data set's openie.jsonl: see package replay. Rules
	// read the texts that it does not have.
	ExtractRecorded = "recorded"
	// ExtractLocal is rules.
	ExtractLocal = "local"
	// ExtractModel is Options.Models.
	ExtractModel = "model"
)

// recordings is the name of a data set's file of recordings.
const recordings = "openie.jsonl"

// extraction settles what entities and relations are read with, and makes the
// corpus use it.
func (r *runner) extraction(ctx context.Context) error {
	file, missing := find(r.o.Data, recordings)
	if r.o.Extract == "" {
		if r.o.Extract = ExtractRecorded; missing != nil {
			r.o.Extract = ExtractLocal
		}
	}
	switch r.o.Extract {
	case ExtractLocal:
		r.reader = ExtractLocal
		open := func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
			return c.OpenLocal(ctx, true, r.o.Parts)
		}
		r.corpus = r.corpus.With(rag.Options{Models: open})
		m, err := open(ctx, r.corpus)
		if err != nil {
			return err
		}
		r.provider = m.Provider().Name()
		return nil
	case ExtractModel:
		if r.o.Models == nil {
			return errors.New("no model is named to extract with")
		}
		open := func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) { return r.o.Models(ctx, c, true) }
		r.corpus = r.corpus.With(rag.Options{Models: open})
		m, err := open(ctx, r.corpus)
		if err != nil {
			return err
		}
		r.provider = m.Provider().Name()
		r.reader = ExtractModel + " " + r.provider
		return nil
	case ExtractRecorded:
		if missing != nil {
			return missing
		}
		return r.record(ctx, path.Base(filepath.ToSlash(file)))
	}
	return fmt.Errorf("extraction %q is none of %s, %s, %s", r.o.Extract, ExtractRecorded, ExtractLocal, ExtractModel)
}

// record makes the corpus read from recordings.
func (r *runner) record(ctx context.Context, file string) error {
	corpus, err := find(r.o.Data, "corpus.jsonl")
	if err != nil {
		return err
	}
	passages, err := replay.ReadPassages(ctx, dataFS(r.o.Data), file, path.Base(filepath.ToSlash(corpus)))
	if err != nil {
		return err
	}
	known, err := replay.NewRecordings(passages)
	if err != nil {
		return err
	}
	r.reader = ExtractRecorded + " " + known.Digest().String()
	open := func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		m, err := c.OpenLocal(ctx, true, rag.Parts{})
		if err != nil {
			return nil, err
		}
		p := r.o.Parts
		p.Provider, p.Free = replay.New(known, m.Provider()), true
		return m.With(p), nil
	}
	r.corpus = r.corpus.With(rag.Options{Models: open})
	m, err := open(ctx, r.corpus)
	if err == nil {
		r.provider = m.Provider().Name()
	}
	return err
}

// questionModels opens the models for questions.
func (r *runner) questionModels(ctx context.Context) (*rag.Models, error) {
	if r.o.Extract == ExtractModel {
		m, err := r.o.Models(ctx, r.corpus, false)
		if err != nil {
			return nil, err
		}
		p := m.Parts()
		p.Reranker, p.RerankTop, p.RerankWithin = r.o.Parts.Reranker, r.o.Parts.RerankTop, r.o.Parts.RerankWithin
		return m.With(p), nil
	}
	return r.corpus.OpenLocal(ctx, false, r.o.Parts)
}

// bucketEval says, in the base graph of a kept database, what its entities and
// relations were read with.
const (
	bucketEval = "eval"
	keyReader  = "extract"
)

// checkReader refuses a kept database that was read with something else: what
// is indexed is not read again. Methods that build no graph read nothing.
func (r *runner) checkReader(ctx context.Context, systems []*method.System) error {
	reads := false
	for _, s := range systems {
		reads = reads || s.Graph() != nil
	}
	if !reads {
		return nil
	}
	have := ""
	err := r.db.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(r.corpus.Base()).WithContext(ctx)
		b, err := v.Bucket(bucketEval).Get([]byte(keyReader), nil)
		if have = string(b); !errors.Is(err, engine.ErrNotFound) {
			return err
		}
		for name, err := range r.corpus.Instances(v) {
			if err != nil {
				return err
			}
			for _, s := range systems {
				if s.Graph() != nil && s.Instance() == name {
					have = ExtractLocal // the default
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if have != "" && have != r.reader {
		return fmt.Errorf("%s was indexed with extraction %s, and not with %s: name another database", r.o.DB, have, r.reader)
	}
	return r.db.Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(r.corpus.Base()).MakeBucket(bucketEval)
		if err != nil {
			return err
		}
		return b.Set([]byte(keyReader), []byte(r.reader))
	})
}
