package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
)

// textBench measures the text index on drawn documents: building it, its size,
// ranked searches, and one document more.
type textBench struct {
	docs, words, queries, terms, batch, verify int
	positions                                  bool
	dir, db, dump                              string
	r                                          *report
	d                                          *database
}

func textFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	b := &textBench{}
	fs.IntVar(&b.docs, "docs", 100_000, "`documents`")
	fs.IntVar(&b.words, "words", 10, "mean `number` of words of a document")
	fs.IntVar(&b.queries, "queries", 1000, "searches")
	fs.IntVar(&b.terms, "terms", 5, "`words` of a search, any of which may match")
	fs.IntVar(&b.batch, "batch", 1_000_000, "documents of a transaction")
	fs.IntVar(&b.verify, "verify", 20, "searches whose first ten are compared with those of the search for all documents, which adds up term after term")
	fs.BoolVar(&b.positions, "positions", true, "keep the places of words")
	fs.StringVar(&b.dir, "dir", "", "`folder` in which the database is made, which is removed at the end; by default that for temporary files")
	fs.StringVar(&b.db, "db", "", "`folder` of the database, which is kept; if it is there, it is compacted and searched and not built")
	fs.StringVar(&b.dump, "dump", "", "write the documents and the searches to two `files` of lines with this beginning, for bench/peers/text.py, and end")
	return func(ctx context.Context, r *report) error {
		b.r = r
		if b.docs < 1 || b.words < 2 || b.terms < 1 || b.batch < 1 || b.queries < 1 {
			return inputError{errors.New("-docs, -words, -terms, -batch and -queries must be positive")}
		}
		r.Input = fmt.Sprintf("%d documents of %d words, positions %t, %d searches of %d words", b.docs, b.words, b.positions, b.queries, b.terms)
		if b.dump != "" {
			return b.write()
		}
		return b.run(ctx)
	}
}

const (
	textSeed  = 1
	querySeed = 2
)

// write writes documents and searches as lines.
func (b *textBench) write() error {
	docs := newTextGenerator(textSeed, b.words)
	err := writeLines(b.dump+".documents", b.docs, docs.document)
	asked := newTextGenerator(querySeed, b.words)
	return errors.Join(err, writeLines(b.dump+".queries", b.queries, func() string {
		return strings.Join(asked.query(b.terms), " ")
	}))
}

func writeLines(path string, n int, line func() string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	for range n {
		if _, err := fmt.Fprintln(w, line()); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (b *textBench) run(ctx context.Context) (err error) {
	path := b.db
	if path == "" {
		dir, err := os.MkdirTemp(b.dir, "ragdb-text-")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		path = filepath.Join(dir, "db")
	}
	_, missing := os.Stat(path)
	if b.d, err = openDatabase(ctx, path); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.d.close()) }()
	if missing != nil {
		err = b.make(ctx)
	} else {
		_, err = b.d.compact(ctx) // a run before changed documents
	}
	if err != nil {
		return err
	}
	if err := b.search(ctx, "compacted"); err != nil {
		return err
	}
	if err := b.oneMore(ctx); err != nil {
		return err
	}
	return b.search(ctx, "after the changes")
}

// make builds the database and compacts it.
func (b *textBench) make(ctx context.Context) error {
	if err := b.build(ctx); err != nil {
		return err
	}
	if err := b.search(ctx, "before compaction"); err != nil {
		return err
	}
	sw := start()
	size, err := b.d.compact(ctx)
	if err != nil {
		return err
	}
	_, cpu := sw.stop()
	b.r.atMost("compaction", cpu.Seconds(), "CPU-s", 0, "")
	b.r.atMost("disk", size/1e6, "MB", 0, "nodes included")
	return nil
}

// textField is the field of the documents' words.
const textField = "body"

// build makes a node for each document and then indexes the documents.
func (b *textBench) build(ctx context.Context) error {
	sw := start()
	if err := b.d.loadNodes(ctx, b.docs); err != nil {
		return err
	}
	_, cpu := sw.stop()
	b.r.atMost("nodes", cpu.Seconds(), "CPU-s", 0, "not part of building")
	gen := newTextGenerator(textSeed, b.words)
	batch := make([]string, 0, b.batch)
	var used, analysed time.Duration
	for first := 0; first < b.docs; first += len(batch) {
		batch = batch[:0]
		for range min(b.batch, b.docs-first) {
			batch = append(batch, gen.document())
		}
		sw := start()
		if err := b.index(ctx, first, batch); err != nil {
			return err
		}
		_, cpu := sw.stop()
		used += cpu
		if first == 0 {
			sw := start()
			for _, s := range batch {
				text.Standard{}.Terms(s)
			}
			_, cpu := sw.stop()
			analysed = cpu / time.Duration(len(batch))
		}
	}
	b.r.atMost("building", used.Seconds(), "CPU-s", 0, "analysing included, before compaction")
	b.r.atMost("building a document", float64(used.Nanoseconds())/1e3/float64(b.docs), "us", 0, "")
	b.r.atMost("of which analysing", float64(analysed.Nanoseconds())/1e3, "us", 0, "")
	b.r.atMost("peak resident memory of building", float64(peakBytes())/1e6, "MB", 0, "")
	return nil
}

// index indexes documents in one transaction; the node of document i is i + 1.
func (b *textBench) index(ctx context.Context, first int, docs []string) error {
	return b.d.db.Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(b.d.graph)
		if err := v.MakeField(textField, engine.FieldOptions{Positions: b.positions}); err != nil {
			return err
		}
		for i, s := range docs {
			if err := v.PutTerms(textField, engine.NodeID(first+i+1), text.Standard{}.Terms(s)); err != nil {
				return err
			}
		}
		return nil
	})
}

// search asks for the ten best documents, each search in a snapshot of its own,
// after a first round that is not measured.
func (b *textBench) search(ctx context.Context, state string) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	gen := newTextGenerator(querySeed, b.words)
	queries := make([][]string, b.queries)
	for i := range queries {
		for _, t := range (text.Standard{}).Terms(strings.Join(gen.query(b.terms), " ")) {
			queries[i] = append(queries[i], t.Text)
		}
	}
	var times latencies
	for round := range 2 {
		times = times[:0]
		for _, q := range queries {
			err := b.d.db.View(ctx, func(s *engine.Snapshot) error {
				from, _ := threadTime()
				_, err := s.Graph(b.d.graph).Terms(textField, q, engine.TermsOptions{K: 10})
				to, _ := threadTime()
				times = append(times, to-from)
				return err
			})
			if err != nil {
				return err
			}
		}
		if round == 0 && b.docs >= 1<<20 && state != "compacted" {
			break // one round is long enough
		}
	}
	mean := time.Duration(0)
	for _, t := range times {
		mean += t / time.Duration(len(times))
	}
	b.r.atMost(state+": search, mean", float64(mean.Nanoseconds())/1e3, "us", 0, "CPU")
	b.r.atMost(state+": search, p50", times.at(.5), "us", 0, "CPU")
	b.r.atMost(state+": search, p99", times.at(.99), "us", 10_000, "CPU")
	b.r.atMost(state+": search, longest", times.at(1), "us", 0, "CPU")
	return b.compare(ctx, queries[:min(b.verify, len(queries))])
}

// compare compares the first ten documents with those of a search for all.
func (b *textBench) compare(ctx context.Context, queries [][]string) error {
	return b.d.db.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(b.d.graph)
		for _, q := range queries {
			ten, err := v.Terms(textField, q, engine.TermsOptions{K: 10})
			if err != nil {
				return err
			}
			all, err := v.Terms(textField, q, engine.TermsOptions{})
			if err != nil {
				return err
			}
			if !slices.Equal(ten, all[:min(10, len(all))]) {
				return fmt.Errorf("the first ten of %q are %v, of all %v", q, ten, all[:10])
			}
		}
		return nil
	})
}

// oneMore indexes some documents again, with other words, each in a transaction.
func (b *textBench) oneMore(ctx context.Context) error {
	const more = 100
	gen := newTextGenerator(querySeed, b.words)
	r := rand.New(rand.NewPCG(querySeed, 1))
	sw := start()
	for range more {
		if err := b.index(ctx, r.IntN(b.docs), []string{gen.document()}); err != nil {
			return err
		}
	}
	_, cpu := sw.stop()
	b.r.atMost("one document changed", float64(cpu.Nanoseconds())/1e3/more, "us", 0, "CPU of a transaction of its own, among "+strconv.Itoa(b.docs))
	return nil
}
