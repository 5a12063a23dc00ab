package ragdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// Document is a document to add.
type Document struct {
	// ID names the document: adding another one with the same ID replaces it. Its
	// ending tells the format, as a file's does: .md, .html, .pdf, .txt and so on.
	// Anything else is plain text.
	ID string
	// Text is the document's content, as a file of its format would hold it.
	Text string
	// Reader gives the content in place of Text if it is not nil. It is read to
	// its end. If the format is .jsonl or .csv, each record is a document with an
	// ID of its own.
	Reader io.Reader
	// Title and Lang (a language tag such as "en") are used if the content states
	// none.
	Title, Lang string
	// Meta says more about the document, for [Where]: texts, numbers, bools,
	// [time.Time] and lists of texts, by name.
	Meta map[string]any
}

// Add adds documents, or replaces those whose content or metadata changed, and
// indexes them. It goes on with what an earlier call left undone, so that a call
// without documents finishes that. Several documents in one call are cheaper than a
// call for each.
//
// A document that cannot be read or indexed is set aside and the others are done;
// the error then wraps [rag.ErrPartial] and says which. Any other error ends the
// call; what was done is kept. A document without an ID is [rag.ErrArgument].
func (db *DB) Add(ctx context.Context, docs ...Document) error {
	inputs := make([]rag.Input, len(docs))
	for i, d := range docs {
		src, err := d.source()
		if err != nil {
			return d.refused(i, err)
		}
		inputs[i] = rag.Input{Source: src}
	}
	return db.index(ctx, inputs)
}

// AddFiles adds the files of a file system as documents, such as those of
// os.DirFS("docs"): .txt, .md, .html, .pdf, .jsonl and .csv, also with .gz behind.
// A document's ID is its path. Other files, hidden ones and symbolic links are
// skipped. Errors are those of [DB.Add], and [rag.ErrNoDocuments] if there is no
// document at all.
func (db *DB) AddFiles(ctx context.Context, files fs.FS) error {
	return db.index(ctx, []rag.Input{{FS: files, Root: "."}})
}

// Remove removes documents by their IDs, each in one commit with everything that
// only it supported. Steps that concern all documents are run by the next
// [DB.Add]. The error is an [engine.ErrNotFound] for an ID that is not there; then none
// is removed. If the process ends before all are gone, the next Add or Remove removes
// those that are left.
func (db *DB) Remove(ctx context.Context, ids ...string) error {
	if _, err := db.corpus.RemoveAll(ctx, db.methods, ids, rag.RemoveOptions{}); err != nil {
		return phase.At("", err)
	}
	return nil
}

// Indexer returns what adds documents by the methods of the database, for what Add
// does not do: [rag.Indexer.Estimate] says what a run would cost, Sync also removes
// documents that are gone, and its options tell of progress. Its runs wait for calls
// of Add and Remove, and these for its runs.
func (db *DB) Indexer(ctx context.Context) (*rag.Indexer, error) {
	specs, err := db.indexedBy(ctx)
	if err != nil {
		return nil, phase.At("", err)
	}
	x := &rag.Indexer{Corpus: db.corpus, Methods: db.methods}
	for _, spec := range specs {
		sys, err := db.methods.Open(ctx, db.corpus.Docs(), spec)
		if err != nil {
			return nil, phase.At("", err)
		}
		x.Systems = append(x.Systems, sys)
	}
	return x, nil
}

// indexedBy returns the methods that documents are indexed by.
func (db *DB) indexedBy(ctx context.Context) ([]method.Spec, error) {
	have, err := instances(ctx, db.corpus)
	if err != nil {
		return nil, err
	}
	if len(db.specs) > 0 {
		if len(have) == 0 {
			// Programs that open the database without options ask the same method.
			return db.specs, db.corpus.KeepSettings(ctx, map[string]string{methods.Setting: db.specs[0].String()})
		}
		return db.specs, nil
	}
	if len(have) == 0 {
		return []method.Spec{{Name: methods.Default}}, nil
	}
	out := make([]method.Spec, len(have))
	for i, name := range have {
		if out[i], err = method.ParseInstance(name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// instances returns the methods that the documents are indexed by.
func instances(ctx context.Context, c *rag.Corpus) (names []string, err error) {
	err = c.View(ctx, func(s *engine.Snapshot) error {
		for name, err := range c.Instances(s.Graph(c.Base())) {
			if err != nil {
				return err
			}
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// index runs the indexer on documents.
func (db *DB) index(ctx context.Context, inputs []rag.Input) error {
	x, err := db.Indexer(ctx)
	if err != nil {
		return err
	}
	r, err := x.Run(ctx, inputs)
	if err == nil {
		return nil
	}
	if !errors.Is(err, rag.ErrPartial) {
		return phase.At("", err)
	}
	return partial(r)
}

// partial is the error of a run that set something aside.
func partial(r *rag.IndexResult) error {
	err := &rag.PartialError{Failed: r.Failed, Files: len(r.BadFiles)}
	bad, more := r.BadFiles, ""
	if len(bad) == 0 {
		return phase.Errorf("%w; Corpus().Failures says why", err)
	}
	if n := len(bad) - maxNamed; n > 0 {
		bad, more = bad[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	named := make([]string, len(bad))
	for i, s := range bad {
		named[i] = fault.Cut(s)
	}
	return phase.Errorf("%w: %w%s", err, errors.New(strings.Join(named, "; ")), more)
}

// maxNamed is how many documents an error names.
const maxNamed = 5

// refused is the error of the document at a place of a call.
func (d *Document) refused(at int, err error) error {
	if d.ID == "" {
		return phase.Errorf("add document %d: %w", at, err)
	}
	return phase.Errorf("add %s: %w", d.ID, err)
}

// source returns the document as a loader reads it.
func (d *Document) source() (*load.Source, error) {
	if d.ID == "" {
		return nil, fmt.Errorf("%w: it has no ID", rag.ErrArgument)
	}
	src := &load.Source{Key: d.ID, Content: []byte(d.Text), Title: d.Title, Lang: d.Lang}
	if d.Reader != nil {
		if d.Text != "" {
			return nil, fmt.Errorf("%w: it has a text and a reader", rag.ErrArgument)
		}
		read, err := load.ReadSource(d.Reader, d.ID, nil)
		if err != nil {
			return nil, err
		}
		src.Content = read.Content
	}
	for _, name := range slices.Sorted(maps.Keys(d.Meta)) {
		v, ok, err := load.ValueOf(d.Meta[name])
		if err != nil {
			return nil, fmt.Errorf("metadata %q: %w", name, err)
		}
		if ok {
			if src.Meta == nil {
				src.Meta = map[string]load.Value{}
			}
			src.Meta[name] = v
		}
	}
	return src, nil
}
