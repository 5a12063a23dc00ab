package rag

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/internal/words"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/load"
)

// docWriter writes documents in transactions of several.
type docWriter struct {
	x      *Indexer
	sets   []*text.Chunker
	tables *words.Tables
	table  *local.Table // for the documents at work; nil before the first training
	lost   bool         // there is a table, but none that can be read
	out    *IndexResult
	batch  []*load.Document
	inputs map[*load.Document]int // those of the batch
	size   int
	met    int
	aside  map[int]*load.FileError // the first of each input
	// remover prepares replacements, from the first on.
	remover *remover
}

// cutDocument is a document with the chunks that each of the writer's sets cuts it
// into.
type cutDocument struct {
	*load.Document
	chunks [][]text.Chunk
}

// cut cuts documents. One that cannot be cut is set aside.
func (w *docWriter) cut(ctx context.Context, docs []*load.Document) (out []cutDocument, err error) {
	for _, d := range docs {
		c, err := w.cutOne(ctx, d)
		switch {
		case err == nil:
			out = append(out, c)
		case models.Fatal(ctx, err):
			return nil, err
		default:
			w.spoilt(d, err)
		}
	}
	return out, nil
}

// cutOne cuts a document by all sets. A panic is an error.
func (w *docWriter) cutOne(ctx context.Context, d *load.Document) (out cutDocument, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	out = cutDocument{d, make([][]text.Chunk, len(w.sets))}
	for i, s := range w.sets {
		if out.chunks[i], err = s.Chunks(ctx, d.Text, corpus.OutlineOf(d).Parts()...); err != nil {
			return out, err
		}
	}
	return out, nil
}

// add takes a document of an input.
func (w *docWriter) add(ctx context.Context, input int, d *load.Document) error {
	w.met++
	w.batch = append(w.batch, d)
	w.inputs[d] = input
	if w.size += len(d.Text); w.size < 1<<20 && len(w.batch) < 500 {
		return nil
	}
	return w.flush(ctx)
}

func (w *docWriter) flush(ctx context.Context) error {
	if len(w.batch) == 0 {
		return nil
	}
	batch := w.batch
	w.batch, w.size = nil, 0
	fresh, changed, err := w.sort(ctx, batch)
	if err != nil {
		return err
	}
	replacements, err := w.cut(ctx, changed)
	if err != nil {
		return err
	}
	for _, d := range replacements {
		// Each replacement is a removal with all that hangs on it. If it fails, the
		// document stays as it was.
		spoilt, err := w.x.replace(ctx, d, w)
		switch {
		case spoilt:
			w.spoilt(d.Document, err)
		case err != nil:
			return err
		}
	}
	added, err := w.cut(ctx, fresh)
	if err != nil {
		return err
	}
	if err := w.learn(ctx, added); err != nil {
		return err
	}
	for len(added) > 0 {
		n, err := w.put(ctx, added)
		if err != nil {
			return err
		}
		added = added[n:]
	}
	clear(w.inputs)
	w.x.Options.Notify(Event{Stage: "read", Done: w.met})
	return nil
}

// sort tells new and changed documents from those that are there already.
func (w *docWriter) sort(ctx context.Context, batch []*load.Document) (fresh, changed []*load.Document, err error) {
	c := w.x.Corpus
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base())
		for _, d := range batch {
			old, err := c.Document(v, d.Key)
			switch {
			case corpus.IsMissing(err):
				fresh = append(fresh, d)
			case err != nil:
				return err
			case corpus.SameDigest(old, d):
				w.out.Unchanged++
			default:
				changed = append(changed, d)
			}
		}
		return nil
	})
	return fresh, changed, err
}

// put writes new documents in one transaction, as many as fit, and returns how
// many it dealt with. A document that cannot be written is set aside.
func (w *docWriter) put(ctx context.Context, docs []cutDocument) (n int, err error) {
	for most, tries := len(docs), 1; ; {
		at := 0
		spoilt, err := queue.Attempt(ctx, w.x.Corpus.DB(), func(tx *engine.Tx) error {
			v := tx.Graph(w.x.Corpus.Base())
			change := w.change()
			for at = 0; at < most && (at == 0 || tx.Bytes() < queue.TxBytes(w.x.Corpus.DB()) && !change.Full()); at++ {
				if err := w.putOne(v, docs[at], change); err != nil {
					return err
				}
				if at > 0 && change != nil && change.Many {
					return errManyWords
				}
			}
			return w.x.Corpus.words.Apply(tx, change)
		})
		switch {
		case err == nil:
			w.out.Added += at
			return at, nil
		case errors.Is(err, engine.ErrConflict) && tries < maxTries:
			tries++
			if err := w.reload(ctx, docs); err != nil {
				return 0, err
			}
		case !spoilt:
			return 0, err
		case most > 1:
			most = max(1, at/2) // fewer at once tell which document it is
		default:
			w.spoilt(docs[0].Document, err)
			return 1, nil
		}
	}
}

// errManyWords says that documents are to be written in several transactions: each
// has few enough words alone.
var errManyWords = errors.New("documents of too many words for one transaction")

// spoilt sets aside a document that could not be written, as one that could not be
// read.
func (w *docWriter) spoilt(d *load.Document, err error) {
	w.setAside(w.inputs[d], &load.FileError{Path: d.Path, Line: d.Line, Reason: err.Error(), Err: err})
}

// setAside notes what of an input is not stored.
func (w *docWriter) setAside(input int, bad *load.FileError) {
	if w.aside[input] == nil {
		w.aside[input] = bad
	}
	w.out.BadFiles = append(w.out.BadFiles, bad.Error())
	w.x.Options.Notify(Event{Stage: "read", Message: bad.Error()})
}

// texts returns the texts of a document's chunks, of all sets.
func (d *cutDocument) texts() (out []string) {
	for _, chunks := range d.chunks {
		out = append(out, chunkTexts(d.Text, chunks)...)
	}
	return out
}

// learn reads the word table for some documents.
func (w *docWriter) learn(ctx context.Context, docs []cutDocument) (err error) {
	var texts []string
	for i := range docs {
		texts = append(texts, docs[i].texts()...)
	}
	w.table, w.lost, err = w.tables.For(ctx, texts...)
	return err
}

// reload reads again what was prepared for another word table than there is now.
func (w *docWriter) reload(ctx context.Context, docs []cutDocument) error {
	w.remover = nil
	return w.learn(ctx, docs)
}

func (w *docWriter) change() *words.Change { return w.x.Corpus.words.NewChange(w.table, w.lost) }

// putOne writes a document with its chunks, and notes what that does to the
// words.
func (w *docWriter) putOne(v *engine.TxView, d cutDocument, change *words.Change) error {
	c := w.x.Corpus
	names := make([]string, len(w.sets))
	for i, s := range w.sets {
		names[i] = s.Set().String()
	}
	slices.Sort(names)
	id, err := c.Put(v, d.Document, names)
	if err != nil {
		return err
	}
	cut := corpus.CutDocument{Key: d.Key, Lang: d.Lang, Text: d.Text, ID: id, Outline: corpus.OutlineOf(d.Document)}
	for i, s := range w.sets {
		if err := c.AddChunks(v, cut, s.Set(), d.chunks[i]); err != nil {
			return err
		}
		if change == nil || len(d.chunks[i]) == 0 {
			continue
		}
		ok, err := words.Trains(v, s.Set())
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		for _, ch := range d.chunks[i] {
			change.Add(d.Text[ch.Start:ch.End])
		}
	}
	return nil
}
