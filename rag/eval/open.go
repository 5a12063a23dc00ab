package eval

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/unfinished"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
)

func (r *runner) open(ctx context.Context) (err error) {
	corpus, err := findCorpus(r.o.Data)
	if err != nil {
		return err
	}
	qs := r.o.Questions
	if qs == "" {
		if qs, err = find(r.o.Data, "questions.jsonl"); err != nil {
			return err
		}
	}
	if r.questions, err = readQuestions(qs); err != nil {
		return err
	}
	if r.o.Unanswerable != "" {
		more, err := readUnanswerable(r.o.Unanswerable)
		if err != nil {
			return err
		}
		r.questions = append(r.questions, more...)
	}
	if len(r.questions) == 0 {
		return fmt.Errorf("%s holds no questions", qs)
	}
	if r.o.Sample > 0 {
		r.questions = sample(r.questions, r.o.Sample)
	}
	r.source = rag.Input{FS: dataFS(r.o.Data), Root: path.Base(filepath.ToSlash(corpus)), Load: load.Options{Format: "jsonl"}}
	if path.Base(filepath.ToSlash(corpus)) == docsFolder {
		r.source.Load.Format = ""
	}
	if r.input = r.source; r.o.Join {
		if r.joined, err = readJoined(ctx, r.source, r.o.Notify); err != nil {
			return err
		}
		body := &fstest.MapFile{Data: []byte(r.joined.text.String())}
		r.input = rag.Input{FS: fstest.MapFS{"corpus.txt": body}, Root: "corpus.txt", Load: load.Options{MaxDocBytes: 1 << 30}}
		r.set = joinedChunks()
	}
	at := r.o.DB
	if at == "" {
		if r.temp, err = unfinished.TempFolder(os.TempDir(), "ragdb-eval"); err != nil {
			return err
		}
		at = filepath.Join(r.temp.Dir, "db")
	}
	if r.db, err = engine.Open(ctx, at, r.o.Engine); err != nil {
		return err
	}
	if r.corpus, err = rag.OpenCorpus(ctx, r.db, "main", nil); err != nil {
		return err
	}
	if r.o.Known != nil {
		if _, err := r.corpus.Ledger().Import(ctx, r.o.Known); err != nil {
			return err
		}
	}
	return r.extraction(ctx)
}

func (r *runner) close() {
	if r.db != nil {
		// The figures are made; what the close says of the files does not
		// change them.
		_ = r.db.Close()
	}
	if r.temp != nil {
		_ = r.temp.Discard()
	}
}
