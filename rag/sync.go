package rag

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/load"
)

// Difference says how documents that are read differ from those of a corpus, by
// key, in order.
type Difference struct {
	Added     []string `json:"added"`
	Changed   []string `json:"changed"`
	Removed   []string `json:"removed"`
	Unchanged int      `json:"unchanged"`
	// BadFiles could not be read. If there are any, it is not known which documents
	// are gone: Removed is empty, and Kept counts the documents that were not found.
	BadFiles []string `json:"bad_files,omitempty"`
	Kept     int      `json:"kept,omitempty"`
}

// Compare reads the inputs and says what Sync would do. It changes nothing.
func (x *Indexer) Compare(ctx context.Context, inputs []Input) (*Difference, error) {
	x, err := x.ready(inputs)
	if err != nil {
		return nil, err
	}
	d, err := x.compare(ctx, inputs)
	if err != nil {
		return nil, phase.Errorf("compare: %w", err)
	}
	return d, nil
}

func (x *Indexer) compare(ctx context.Context, inputs []Input) (*Difference, error) {
	c := x.Corpus
	d := &Difference{Added: []string{}, Changed: []string{}, Removed: []string{}}
	met := map[string]bool{}
	keys := &load.Keys{}
	snap, err := c.DB().Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	v := snap.Graph(c.Base()).WithContext(ctx)
	var prefixes []string
	for _, src := range inputs {
		prefixes = append(prefixes, src.Load.KeyPrefix)
		for doc, err := range src.documents(ctx, keys, c.DB().Memory()) {
			var bad *load.FileError
			if errors.As(err, &bad) {
				d.BadFiles = append(d.BadFiles, bad.Error())
				continue
			}
			if err != nil {
				return nil, err
			}
			met[doc.Key] = true
			old, err := c.Document(v, doc.Key)
			switch {
			case corpus.IsMissing(err):
				d.Added = append(d.Added, doc.Key)
			case err != nil:
				return nil, err
			case corpus.SameDigest(old, doc):
				d.Unchanged++
			default:
				d.Changed = append(d.Changed, doc.Key)
			}
		}
	}
	for doc, err := range c.Documents(v) {
		if err != nil {
			return nil, err
		}
		mine := slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(doc.Key, p) })
		if mine && !met[doc.Key] {
			d.Removed = append(d.Removed, doc.Key)
		}
	}
	if len(d.BadFiles) > 0 {
		d.Kept, d.Removed = len(d.Removed), []string{}
	}
	slices.Sort(d.Added)
	slices.Sort(d.Changed)
	slices.Sort(d.Removed)
	return d, nil
}

// Sync makes the corpus hold the documents of the inputs and no others: what is
// new is added, what changed replaced, what is gone removed, as the content
// says. With a key prefix only documents of that prefix are the inputs'. If
// a file cannot be read, nothing is removed. An interrupted Sync goes on where it
// stopped. It waits for other runs as [Indexer.Run] does.
func (x *Indexer) Sync(ctx context.Context, inputs []Input) (*IndexResult, error) {
	x, err := x.ready(inputs)
	if err != nil {
		return &IndexResult{}, err
	}
	end, err := x.Corpus.begin(ctx)
	if err != nil {
		return &IndexResult{}, err
	}
	defer end()
	d, err := x.Compare(ctx, inputs)
	if err != nil {
		return &IndexResult{}, err
	}
	if len(d.Removed) > 0 && x.Options.MayRemove != nil {
		if err := x.Options.MayRemove(d); err != nil {
			return &IndexResult{}, phase.Errorf("sync: %w", err)
		}
	}
	if len(d.Removed) > 0 {
		if err := x.removeAll(ctx, d.Removed); err != nil {
			return &IndexResult{}, err
		}
	}
	if len(d.Added)+len(d.Changed)+d.Unchanged == 0 && len(d.BadFiles) == 0 {
		inputs = nil // Sync accepts an empty folder
	}
	out, err := x.run(ctx, inputs)
	out.Removed += len(d.Removed)
	return out, err
}

// removeAll removes documents, each in a commit of its own.
func (x *Indexer) removeAll(ctx context.Context, keys []string) error {
	r := &removing{c: x.Corpus, methods: x.Methods}
	for i, key := range keys {
		if _, err := r.remove(ctx, key, false, nil); err != nil {
			return err
		}
		if x.Options.Notify != nil {
			x.Options.Notify(Event{Stage: "remove", Done: i + 1, Total: len(keys)})
		}
	}
	return nil
}
