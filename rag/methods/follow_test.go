package methods_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// shared is a store that another database has open.
type shared struct{ kv.Store }

// Close does nothing: the store is the other's.
func (shared) Close() error { return nil }

// asker is a corpus in a database that is open for reading while another process writes
// it, with the methods and the models that were opened once.
type asker struct {
	*rag.Corpus
	models  *rag.Models
	systems map[string]*method.System
}

func openAsker(t *testing.T, st kv.Store, specs []string) *asker {
	t.Helper()
	db, err := engine.Open(t.Context(), "db", &engine.Options{
		ReadOnly: true, MemoryBudget: 64 << 20,
		OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return shared{st}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	a := &asker{Corpus: ragtest.OpenIn(t, db), systems: map[string]*method.System{}}
	if a.models, err = a.OpenModels(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, spec := range specs {
		s, err := method.ParseSpec(spec)
		if err == nil {
			a.systems[spec], err = methods.All().OpenIndexed(t.Context(), a.Docs(), s)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// ask returns all that is told of an answer but how long it took.
func (a *asker) ask(t *testing.T, spec, question string) string {
	t.Helper()
	answer, err := a.Ask(t.Context(), a.systems[spec], a.models, method.Question{Text: question})
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	b, err := json.Marshal([]any{answer.Answered, answer.Text, answer.Nearest, answer.Refusal, answer.Sources, answer.Evidence.Sections})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestFollow asks every method in a database that stays open for reading while documents
// come, go and are replaced in another one of the same store: the answers are those of
// one that is opened then.
func TestFollow(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	specs := methods.All().Names()
	docs := ragtest.Docs(83, 14)
	index := func(docs ...ragtest.Doc) {
		t.Helper()
		for _, spec := range specs {
			c.Index(t, spec, docs...)
		}
	}
	index(docs[:4]...)
	long := openAsker(t, c.Store, specs)
	questions := []string{
		"Who knew the " + docs[1].Code + "ium of " + docs[1].Place + "?",
		"Who knew the " + docs[12].Code + "ium of " + docs[12].Place + "?",
	}
	compare := func(when string) {
		t.Helper()
		fresh := openAsker(t, c.Store, specs)
		for _, spec := range specs {
			for _, q := range questions {
				if got, want := long.ask(t, spec, q), fresh.ask(t, spec, q); got != want {
					t.Errorf("%s, %s, %q:\n got %s\nwant %s", when, spec, q, got, want)
				}
			}
		}
		if got, want := long.DB().Epoch(), c.DB().Epoch(); got != want {
			t.Errorf("%s: commit %d is shown, the last is %d", when, got, want)
		}
	}
	compare("at first")
	index(docs[4])
	compare("one document more")
	c.Remove(t, docs[0].Key)
	c.Remove(t, docs[1].Key)
	index(docs[5], docs[12]) // as many as before
	compare("others in their place")
	if testing.Short() {
		return
	}
	index(docs[6:]...) // words are learnt again
	compare("twice as many")
	c.Remove(t, docs[12].Key)
	compare("one document less")
}

// TestFollowNewMethod opens methods and asks them in one snapshot each, in a database that
// is open for reading: one that is indexed meanwhile is there, and says what it says when
// it is opened for itself.
func TestFollowNewMethod(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(84, 6)
	c.Index(t, "naive", docs...)
	long := openAsker(t, c.Store, nil)
	q := method.Question{Text: "Who knew the " + docs[1].Code + "ium of " + docs[1].Place + "?"}
	ask := func(spec string) (got string, err error) {
		err = long.AtLatest(t.Context(), func(now *rag.Corpus) error {
			sys, err := methods.All().OpenIndexed(t.Context(), now.Docs(), method.Spec{Name: spec})
			if err != nil {
				return err
			}
			a, err := now.Ask(t.Context(), sys, long.models, q)
			if err == nil {
				got = string(asJSON([]any{a.Text, a.Sources, a.Evidence.Sections}))
			}
			return err
		})
		return got, err
	}
	for _, spec := range []string{"noderag", "fastgraphrag", "linearrag"} {
		if _, err := ask(spec); !errors.Is(err, method.ErrNotIndexed) {
			t.Errorf("%s is not indexed yet: %v", spec, err)
		}
		c.Index(t, spec)
		got, err := ask(spec)
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		fresh := openAsker(t, c.Store, []string{spec})
		a, err := fresh.Ask(t.Context(), fresh.systems[spec], fresh.models, q)
		if err != nil {
			t.Fatal(err)
		}
		ragtest.Same(t, spec, got, string(asJSON([]any{a.Text, a.Sources, a.Evidence.Sections})))
	}
}
