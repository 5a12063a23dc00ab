package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/llm/replay"
	"github.com/ragdb/ragdb/rag/load"
)

// ErrOther says that what is in the corpus is not what is to be imported.
var ErrOther = errors.New("there is something else already")

// OpenIE are recorded extractions with their documents.
type OpenIE struct {
	Passages []replay.Passage
	input    rag.Input
}

// FindOpenIE returns the files in a folder, "." for all of the file system, or
// of a file of recordings: that file, and the corpus.jsonl beside it. Each may
// have .gz; corpus is "" if there is none.
func FindOpenIE(fsys fs.FS, name string) (recordings, corpus string, err error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return "", "", err
	}
	dir := path.Dir(name)
	if recordings = name; info.IsDir() {
		dir = name
		if recordings = either(fsys, path.Join(dir, "openie.jsonl")); recordings == "" {
			return "", "", fmt.Errorf("%s has neither openie.jsonl nor openie.jsonl.gz: %w", folder(name), fs.ErrNotExist)
		}
	}
	return recordings, either(fsys, path.Join(dir, "corpus.jsonl")), nil
}

// folder returns the name of a folder for a message: . is the root of a file system,
// whose name only the caller knows.
func folder(name string) string {
	if name == "." {
		return "the folder"
	}
	return name
}

// either returns the name of a file, with or without .gz, "" if there is
// none.
func either(fsys fs.FS, name string) string {
	for _, n := range []string{name + ".gz", name} {
		if _, err := fs.Stat(fsys, n); err == nil {
			return n
		}
	}
	return ""
}

// ReadOpenIE reads recordings and the corpus that they are of, "" if the
// recordings have their texts. Nothing in either may be wrong.
func ReadOpenIE(ctx context.Context, fsys fs.FS, recordings, corpus string) (*OpenIE, error) {
	o := &OpenIE{}
	var err error
	if corpus != "" {
		o.input = rag.Input{FS: fsys, Root: corpus, Load: load.Options{Format: "jsonl"}}
		for _, err := range load.Walk(ctx, fsys, corpus, &load.Options{Format: "jsonl"}) {
			if err != nil {
				return nil, phase.At("", err)
			}
		}
	}
	if o.Passages, err = replay.ReadPassages(ctx, fsys, recordings, corpus); err != nil {
		return nil, phase.At("", err)
	}
	if len(o.Passages) == 0 {
		return nil, phase.Errorf("%s: %w", recordings, rag.ErrNoDocuments)
	}
	if corpus == "" {
		o.input, err = jsonl(len(o.Passages), func(i int) record {
			p := &o.Passages[i]
			return record{p.ID, p.Title, p.Text}
		})
	}
	return o, err
}

// record is a document as a line.
type record struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text"`
}

// jsonl returns documents as an input that is in memory.
func jsonl(n int, of func(int) record) (rag.Input, error) {
	var b bytes.Buffer
	for i := range n {
		line, err := json.Marshal(of(i))
		if err != nil {
			return rag.Input{}, err
		}
		b.Write(append(line, '\n'))
	}
	const name = "documents.jsonl"
	return rag.Input{
		FS: fstest.MapFS{name: &fstest.MapFile{Data: b.Bytes()}}, Root: name,
		Load: load.Options{Format: "jsonl"},
	}, nil
}

// use is what keeps a recording among the uses of replies.
const use = "recording"

// Import keeps the recordings and indexes their documents by x, using them. A
// document that is there and was read without its recording, or with another,
// would stay as it is: that is [ErrOther], and nothing is written.
func (o *OpenIE) Import(ctx context.Context, x *rag.Indexer) (*rag.IndexResult, error) {
	c := x.Corpus
	entries := make([]ledger.Kept, len(o.Passages))
	for i := range o.Passages {
		e, err := o.Passages[i].Entry()
		if err != nil {
			return nil, phase.At("", err)
		}
		entries[i] = ledger.Kept{Entry: e, Doc: o.Passages[i].ID}
	}
	if err := checkOther(ctx, c, entries); err != nil {
		return nil, phase.At("", err)
	}
	if err := c.Ledger().KeepEntries(ctx, use, entries); err != nil {
		return nil, phase.At("", err)
	}
	with := c.Options()
	with.Models = WithRecordings(with.Models)
	own := *x
	own.Corpus = c.With(with)
	return own.Run(ctx, []rag.Input{o.input})
}

// checkOther refuses documents that are there without their recordings.
func checkOther(ctx context.Context, c *rag.Corpus, entries []ledger.Kept) error {
	return c.DB().View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base()).WithContext(ctx)
		have := map[replay.Digest]bool{}
		for e, err := range c.Ledger().Entries(v, replay.KindPassage) {
			if err != nil {
				return err
			}
			have[e.Digest] = true
		}
		for _, e := range entries {
			if have[e.Digest] {
				continue
			}
			if _, err := c.Document(v, e.Doc); err == nil {
				return fmt.Errorf("document %s was read without this recording of it: %w", e.Doc, ErrOther)
			} else if !errors.Is(err, engine.ErrNotFound) {
				return err
			}
		}
		return nil
	})
}

// Models opens the models of a corpus, as [rag.Options] has it.
type Models = func(ctx context.Context, c *rag.Corpus) (*rag.Models, error)

// WithRecordings makes models that read from the recordings that a corpus keeps
// if there are any. A paid model is kept: a caller that names one wants it asked.
// If open is nil the models are the local ones.
func WithRecordings(open Models) Models {
	return func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		var m *rag.Models
		var err error
		if open == nil {
			m, err = c.OpenLocal(ctx, true, rag.Parts{})
		} else {
			m, err = open(ctx, c)
		}
		if err != nil || !m.Free() || strings.Contains(m.Provider().Name(), "+replay/") {
			return m, err
		}
		r, err := recordings(ctx, c)
		if err != nil {
			return nil, phase.At("", err)
		}
		if r.Len() > 0 {
			p := m.Parts()
			p.Provider, p.Free = replay.New(r, m.Provider()), true
			m = m.With(p)
		}
		return m, nil
	}
}

// recordings reads those that a corpus keeps.
func recordings(ctx context.Context, c *rag.Corpus) (*replay.Recordings, error) {
	var passages []replay.Passage
	err := c.DB().View(ctx, func(s *engine.Snapshot) error {
		for e, err := range c.Ledger().Entries(s.Graph(c.Base()).WithContext(ctx), replay.KindPassage) {
			if err != nil {
				return err
			}
			p, err := e.Passage()
			if err != nil {
				return err
			}
			passages = append(passages, p)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return replay.NewRecordings(passages)
}
