package ragdb_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb"
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// database is what an open database and a dialled one have in common.
type database interface {
	Add(ctx context.Context, docs ...ragdb.Document) error
	AddFiles(ctx context.Context, files fs.FS) error
	Remove(ctx context.Context, ids ...string) error
	Ask(ctx context.Context, question string, options ...ragdb.AskOption) (*ragdb.Answer, error)
	Search(ctx context.Context, question string, options ...ragdb.AskOption) ([]ragdb.Hit, error)
	Close() error
}

var (
	_ database = (*ragdb.DB)(nil)
	_ database = (*ragdb.Client)(nil)
)

// TestDial does the same with a database that it opened and with one that another process
// would reach, and gets the same.
func TestDial(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "acme.ragdb")
	db, err := ragdb.Open(ctx, path, &ragdb.Options{Share: true, Methods: []string{"bridge"}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := ragdb.Dial(ctx, path, &ragdb.DialOptions{Methods: []string{"bridge"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	files := fstest.MapFS{"docs/mast.md": {Data: []byte("The mast of Foula is white.")}, "docs/.hidden.md": {Data: []byte("No.")}}
	if err := c.AddFiles(ctx, files); err != nil {
		t.Fatal(err)
	}
	err = c.Add(ctx, ragdb.Document{ID: "lamp.md", Text: "The lamp of Brae was made by Ada Kestrel.", Meta: map[string]any{"year": 1901}},
		ragdb.Document{ID: "oar.txt", Reader: strings.NewReader("The oar of Unst is blue.")})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"Who made the lamp of Brae?", "What colour is the mast of Foula?", "Who sank the ferry?"} {
		here, err := db.Ask(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		var pieces strings.Builder
		there, err := c.Ask(ctx, q, ragdb.Stream(func(s string) error { pieces.WriteString(s); return nil }))
		if err != nil {
			t.Fatal(err)
		}
		if here.Text != there.Text || here.Answered != there.Answered || len(here.Sources) != len(there.Sources) || len(here.Nearest) != len(there.Nearest) || here.Refusal != there.Refusal {
			t.Errorf("%s\nhere  %+v\nthere %+v", q, here, there)
		}
		if there.Answered && (pieces.String() != there.Text || here.Sources[0] != there.Sources[0]) {
			t.Errorf("%s: streamed %q of %q; sources %+v and %+v", q, &pieces, there.Text, here.Sources, there.Sources)
		}
		mine, err := db.Search(ctx, q, ragdb.Where("year = 1901"))
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := c.Search(ctx, q, ragdb.Where("year = 1901"))
		if err != nil || len(mine) != len(theirs) || len(mine) > 0 && mine[0] != theirs[0] {
			t.Errorf("%s: %+v here, %+v there, %v", q, mine, theirs, err)
		}
	}
	// Errors are the same too.
	if err := c.Remove(ctx, "none"); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("remove what is not there: %v", err)
	}
	if _, err := c.Ask(ctx, "x", ragdb.Method("magic")); !errors.Is(err, method.ErrMethod) {
		t.Errorf("a method that is not there: %v", err)
	}
	if _, err := c.Ask(ctx, "x", ragdb.Method("hirag")); !errors.Is(err, method.ErrNotIndexed) {
		t.Errorf("a method that nothing is indexed by: %v", err)
	}
	if err := c.Add(ctx, ragdb.Document{ID: "a.md", Text: "The rope of Yell."}, ragdb.Document{ID: "bad.pdf", Text: "no PDF"}); !errors.Is(err, rag.ErrPartial) {
		t.Errorf("a document that cannot be read: %v", err)
	}
	stop := errors.New("stop")
	if _, err := c.Ask(ctx, "Who made the lamp of Brae?", ragdb.Stream(func(string) error { return stop })); !errors.Is(err, stop) {
		t.Errorf("a stream that is stopped: %v", err)
	}
	if err := c.Remove(ctx, "lamp.md", "oar.txt"); err != nil {
		t.Error(err)
	}
	if _, err := ragdb.Dial(ctx, path, &ragdb.DialOptions{Namespace: "none"}); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("dial a namespace that is not there: %v", err)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := c.Ask(ctx, "What colour is the mast of Foula?"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Ask(ctx, "x"); !errors.Is(err, ragdb.ErrNobody) {
		t.Errorf("ask when nobody is there: %v", err)
	}
	if _, err := ragdb.Dial(ctx, t.TempDir(), nil); !errors.Is(err, ragdb.ErrNobody) {
		t.Errorf("dial where nobody is: %v", err)
	}
}
