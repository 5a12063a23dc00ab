package rag_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/link"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// simDocs is the number of documents that come and go, and simVersions of the
// texts that each may have.
const (
	simDocs     = 8
	simVersions = 3
)

// simOp is something that is done to a corpus. Done again, it goes on where it
// was.
type simOp struct {
	name string
	// do returns what must be the same without faults.
	do func(ctx context.Context, on *simSide) (string, error)
	// makes holds the versions that documents have after it.
	makes map[int]int
	// again, where it is not nil, tells which errors are none when do is not
	// done for the first time.
	again func(error) error
}

// someSpecs chooses one to three methods.
func someSpecs(r *rand.Rand) []string {
	all := methods.All().Names()
	var out []string
	for range 1 + r.IntN(3) {
		at := r.IntN(len(all))
		out = append(out, all[at])
		if all = append(all[:at:at], all[at+1:]...); len(all) == 0 {
			break
		}
	}
	return out
}

// operation chooses an operation.
func (s *sim) operation() simOp {
	switch n := s.r.IntN(100); {
	case n < 35:
		some := map[int]int{}
		for range 1 + s.r.IntN(4) {
			some[s.r.IntN(simDocs)] = s.r.IntN(simVersions)
		}
		return s.indexOp(some)
	case n < 40:
		return s.indexOp(nil)
	case n < 50:
		return s.syncOp()
	case n < 65 && len(s.docs) > 0:
		return s.removeOp()
	case n < 88:
		return s.askOp()
	case n < 91:
		return s.copyOp()
	case n < 93:
		return simOp{name: "compact", do: func(ctx context.Context, on *simSide) (string, error) {
			return "", on.db.Compact(ctx)
		}}
	case n < 97:
		return s.mergeOp()
	}
	return simOp{name: "check", do: checkAll}
}

// copyOp makes a checkpoint, which is what a backup holds, and reads it beside the
// database. Now and then the life goes on with the copy, as one that was restored.
func (s *sim) copyOp() simOp {
	restore := s.r.IntN(2) == 0
	return simOp{
		name: fmt.Sprintf("copy, and go on with it: %v", restore),
		do: func(ctx context.Context, on *simSide) (string, error) {
			if on == s.ref {
				return "", nil
			}
			s.copies++
			path := fmt.Sprint("copy", s.copies)
			if err := s.store.(kv.Checkpointer).Checkpoint(ctx, path); err != nil {
				return "", err
			}
			s.readCopy(path)
			if restore {
				s.next = path
			}
			return "", nil
		},
	}
}

// readCopy opens a copy for reading and compares it with the database.
func (s *sim) readCopy(path string) {
	db, err := engine.Open(s.t.Context(), path, &engine.Options{
		Encodings: methods.Encodings(), ReadOnly: true,
		OpenStore: func(ctx context.Context, path string, schema *kv.Schema) (kv.Store, error) {
			return pebblekv.Open(ctx, path, schema, &pebblekv.Options{FS: s.disk.mem, ReadOnly: true, CacheBytes: s.budget.cache})
		},
	})
	if err != nil {
		panic(fmt.Sprint("open the copy: ", err))
	}
	copied := &simSide{db: db}
	if err := copied.openCorpus(s.t.Context()); err != nil {
		panic(fmt.Sprint("open the corpus of the copy: ", err))
	}
	found, err := checkAll(s.t.Context(), copied)
	if err != nil || found != "" {
		panic(fmt.Sprintf("check of the copy: %v, finds %s", err, found))
	}
	if got, want := exportOf(db), exportOf(s.ref.db); got != want {
		panic("the copy is other than the database: " + firstDifference(got, want))
	}
	if err := db.Close(); err != nil {
		panic(fmt.Sprint("close the copy: ", err))
	}
}

// exportOf returns the canonical export of a database, or the error that it ends
// with.
func exportOf(db *engine.DB) string {
	var b strings.Builder
	err := db.View(context.Background(), func(s *engine.Snapshot) error {
		return s.Export(context.Background(), "main", &b, rag.CanonicalExport())
	})
	if err != nil {
		return err.Error()
	}
	return b.String()
}

func checkAll(ctx context.Context, on *simSide) (string, error) {
	var out []string
	for f, err := range on.db.Check(ctx, engine.CheckOptions{Full: true}) {
		if err != nil {
			return "", err
		}
		out = append(out, f.String())
	}
	return strings.Join(out, "\n"), nil
}

// document returns a document in one of its versions.
func (s *sim) document(i, version int) ragtest.Doc { return ragtest.Document(s.seed, i, version) }

// identify finds the document and version of a key and a text.
func (s *sim) identify(key, text string) (i, version int, ok bool) {
	for i := range simDocs {
		if s.document(i, 0).Key != key {
			continue
		}
		for v := range simVersions {
			d := s.document(i, v)
			if strings.TrimSpace(text) != "" && strings.Contains(text, d.Place) && sameBody(text, d.Text) {
				return i, v, true
			}
		}
	}
	return 0, 0, false
}

// sameBody reports whether a stored text is that of a file, below its metadata.
func sameBody(stored, file string) bool {
	_, body, _ := strings.Cut(file, "---\n\n")
	words := strings.Fields(strings.TrimPrefix(body, "# "))
	return strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(stored), "# ")), " ") == strings.Join(words, " ")
}

func (s *sim) files(docs map[int]int) []rag.Input {
	if len(docs) == 0 {
		return nil
	}
	var out []ragtest.Doc
	for _, i := range sortedDocs(docs) {
		out = append(out, s.document(i, docs[i]))
	}
	return []rag.Input{{FS: ragtest.Files(out...), Root: "."}}
}

func (s *sim) indexer(ctx context.Context, on *simSide) (*rag.Indexer, error) {
	systems, err := openSystems(ctx, on.c, methods.All(), s.specs...)
	return &rag.Indexer{Corpus: on.c, Methods: methods.All(), Systems: systems, Options: rag.IndexOptions{Workers: s.workers}}, err
}

// indexOp indexes documents, or with none goes on with what is left.
func (s *sim) indexOp(docs map[int]int) simOp {
	return simOp{
		name: fmt.Sprintf("index %v", docs), makes: docs,
		do: func(ctx context.Context, on *simSide) (string, error) {
			x, err := s.indexer(ctx, on)
			if err != nil {
				return "", err
			}
			r, err := x.Run(ctx, s.files(docs))
			return fmt.Sprint(r.Documents, " documents, ", r.Chunks, " chunks, ", r.Failed, " failed"), err
		},
	}
}

// syncOp makes the corpus hold some documents and no others.
func (s *sim) syncOp() simOp {
	some, makes := map[int]int{}, map[int]int{}
	for i := range simDocs {
		if s.r.IntN(2) == 0 {
			some[i] = s.r.IntN(simVersions)
			makes[i] = some[i]
		} else {
			makes[i] = absent
		}
	}
	return simOp{
		name: fmt.Sprintf("sync %v", some), makes: makes,
		do: func(ctx context.Context, on *simSide) (string, error) {
			x, err := s.indexer(ctx, on)
			if err != nil {
				return "", err
			}
			in := s.files(some)
			if in == nil {
				in = []rag.Input{{FS: ragtest.Files(), Root: "."}}
			}
			r, err := x.Sync(ctx, in)
			return fmt.Sprint(r.Documents, " documents, ", r.Chunks, " chunks, ", r.Failed, " failed"), err
		},
	}
}

// removeOp removes a document.
func (s *sim) removeOp() simOp {
	keys := sortedDocs(s.docs)
	i := keys[s.r.IntN(len(keys))]
	o := rag.RemoveOptions{KeepCache: s.r.IntN(2) == 0}
	return simOp{
		name: fmt.Sprintf("remove %d, keep the cache: %v", i, o.KeepCache), makes: map[int]int{i: absent},
		do: func(ctx context.Context, on *simSide) (string, error) {
			_, err := on.c.Remove(ctx, methods.All(), s.document(i, 0).Key, o)
			return "", err
		},
		again: func(err error) error {
			if errors.Is(err, engine.ErrNotFound) {
				return nil
			}
			return err
		},
	}
}

// mergeOp has a town read as another one, or as itself again. It may be that neither is
// an entity, or that it is so already.
func (s *sim) mergeOp() simOp {
	towns := []string{"Karrow", "Tarn", "Selby"}
	name, into, undo := towns[s.r.IntN(3)], towns[s.r.IntN(3)], s.r.IntN(3) == 0
	return simOp{
		name: fmt.Sprintf("merge %s into %s, undo: %v", name, into, undo),
		do: func(ctx context.Context, on *simSide) (string, error) {
			var err error
			if undo {
				_, err = on.c.Unmerge(ctx, methods.All(), []string{name})
			} else {
				_, err = on.c.Merge(ctx, methods.All(), []link.Alias{{Name: name, Into: into}})
			}
			if errors.Is(err, engine.ErrNotFound) || errors.Is(err, rag.ErrArgument) {
				err = nil
			}
			return "", err
		},
	}
}

// askOp asks about a document, which may be there or not.
func (s *sim) askOp() simOp {
	d := s.document(s.r.IntN(simDocs), s.r.IntN(simVersions))
	spec := s.specs[s.r.IntN(len(s.specs))]
	q := method.Question{Text: []string{
		"Who knew the " + d.Code + "ium of " + d.Place + "?", "What did " + d.Hero + " do?", "Which towns had a harbour?",
	}[s.r.IntN(3)]}
	return simOp{
		name: fmt.Sprintf("ask %s %q", spec, q.Text),
		do: func(ctx context.Context, on *simSide) (string, error) {
			systems, err := openSystems(ctx, on.c, methods.All(), spec)
			if err != nil {
				return "", err
			}
			a, err := on.c.Ask(ctx, systems[0], nil, q)
			if err != nil {
				return "", err
			}
			return evidenceOf(a), nil
		},
	}
}

// evidenceOf writes an answer and all that it rests on.
func evidenceOf(a *rag.Answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %q\n", a.Answered, a.Text)
	for _, sec := range a.Evidence.Sections {
		for _, it := range sec.Items {
			fmt.Fprintf(&b, "%s: %s %v %v %.6g %q\n", sec.Name, it.Kind, it.Keys, it.Chunks, it.Score, it.Text)
		}
	}
	return b.String()
}
