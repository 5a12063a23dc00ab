package rag_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/methods"
)

// article is a document of one chunk about people and places of its own; one in
// twenty tells of a town that others tell of too.
func article(i, version int) ragtest.Doc {
	r := rand.New(rand.NewPCG(uint64(i), uint64(version)))
	code := fmt.Sprintf("Q%c%c%c", 'a'+i/676%26, 'a'+i/26%26, 'a'+i%26)
	var names []string
	for _, end := range []string{"ar Fenn", "el Vane", "is Morrow", "holm", "stead"} {
		names = append(names, code+end)
	}
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	things := strings.Fields("lighthouse observatory harbour archive foundry ferry telescope granary bridge library mill signal")
	deeds := strings.Fields("repaired measured painted surveyed closed opened described sold inherited lost copied designed")
	var b strings.Builder
	for range 5 {
		fmt.Fprintf(&b, "In %d %s %s the %s that %s had %s. ", 1800+r.IntN(100), pick(names), pick(deeds), pick(things), pick(names), pick(deeds))
	}
	if i%20 == 0 {
		fmt.Fprintf(&b, "All of it was told in Karrow%c. ", 'a'+rune(i/20%10))
	}
	return ragtest.Doc{Key: code + ".md", Code: code, Text: b.String() + "\n"}
}

// TestChangesAreCheap changes 5 % of the documents, then removes 5 % and adds as
// many: models are asked for little of what the corpus cost at first, counted by
// their server.
//
// A change of a document is read again, if it is of the core, and what is said at length
// of a thing is united again when one of its documents leaves.
func TestChangesAreCheap(t *testing.T) {
	t.Parallel()
	n := 200
	if *long {
		n = 500
	}
	for _, x := range []struct {
		spec string
		most float64 // part of the calls that may be made again
	}{{"naive", .1}, {"ketrag:beta=1", .08}, {methods.Default, .08}} {
		t.Run(x.spec, func(t *testing.T) {
			t.Parallel()
			spec := x.spec
			s := newModelServer(t, llmtest.Options{})
			ref := newReference(t)
			c := endpoint{URL: s.URL}.corpus(ragtest.OpenIn(t, ref.db))
			var docs []ragtest.Doc
			for i := range n + n/20 {
				docs = append(docs, article(i, 0))
			}
			live := docs[:n]
			indexRemote(t, c, methods.All(), []string{spec}, live...)
			first := s.spent(t)
			check := func(what string) {
				t.Helper()
				again := s.spent(t)
				t.Logf("%s: %+v of %+v", what, again, first)
				part := func(a, b int) float64 { return float64(a) / float64(max(b, 1)) }
				t.Logf("%s: %.1f %% of the chats, %.1f %% of the texts", what, 100*part(again.chats, first.chats), 100*part(again.texts, first.texts))
				if part(again.chats, first.chats) > x.most || part(again.texts, first.texts) > .1 {
					t.Errorf("%s: too much is asked for again", what)
				}
				if again.texts == 0 || spec != "naive" && again.chats < n/20/2 { // some of the new are not of the core
					t.Errorf("%s: less was asked for than what is new", what)
				}
			}
			for i := range n / 20 {
				live[i*20+7] = article(i*20+7, 1)
			}
			if r := indexRemote(t, c, methods.All(), []string{spec}, live...); r.Replaced != n/20 {
				t.Fatalf("%+v", r)
			}
			check("5 % changed")
			ix := rag.Indexer{Corpus: c, Methods: methods.All()}
			var err error
			if ix.Systems, err = openSystems(t.Context(), c, ix.Methods, spec); err != nil {
				t.Fatal(err)
			}
			r, err := ix.Sync(t.Context(), []rag.Input{{FS: ragtest.Files(docs[n/20:]...), Root: "."}})
			if err != nil || r.Added != n/20 || r.Removed != n/20 {
				t.Fatalf("%+v %v", r, err)
			}
			check("5 % removed and 5 % added")
			ragtest.Check(t, ref.db)
			if left := countStages(t, c, []string{spec}); left.Pending+left.Failed > 0 {
				t.Errorf("%+v", left)
			}
			export := ragtest.Export(t, ref.db, engine.ExportOptions{})
			if strings.Contains(export, docs[0].Code) || !strings.Contains(export, docs[n].Code) {
				t.Error("the removed document is there, or the new one is not")
			}
		})
	}
}

// spending is what a server was asked for.
type spending struct{ requests, chats, texts int }

// spent returns what was asked for since the last call.
func (s *modelServer) spent(t testing.TB) spending {
	t.Helper()
	c := s.Counters()
	s.Reset()
	return spending{c.Requests, c.Chats, c.Texts}
}
