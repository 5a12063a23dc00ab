package ragdb_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"github.com/ragdb/ragdb"
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/ragtest"
)

func open(t *testing.T, path string, o *ragdb.Options) *ragdb.DB {
	t.Helper()
	db, err := ragdb.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil && !errors.Is(err, engine.ErrClosed) {
			t.Error(err)
		}
	})
	return db
}

func add(t *testing.T, db *ragdb.DB, docs ...ragdb.Document) {
	t.Helper()
	if err := db.Add(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
}

// ask returns the answer, and "-" if there is none.
func ask(t *testing.T, db *ragdb.DB, question string, o ...ragdb.AskOption) string {
	t.Helper()
	a, err := db.Ask(t.Context(), question, o...)
	if err != nil {
		t.Fatal(err)
	}
	if !a.Answered {
		if a.Text != "No sentence was found that says it." {
			t.Errorf("%q is refused with the words %q", question, a.Text)
		}
		return "-"
	}
	return a.Text
}

func pump() ragdb.Document {
	return ragdb.Document{ID: "pump.md", Text: "# The pump\n\nModel B has a warranty of two years from delivery.\nThe pump was designed by Ada Kestrel.\n"}
}

func ferry() ragdb.Document {
	return ragdb.Document{ID: "ferry.md", Text: "# The ferry\n\nThe ferry to Skarholm leaves Karrow at six in the morning.\n", Meta: map[string]any{"team": "port", "year": 2024}}
}

const (
	aboutPump  = "How long is the warranty on model B?"
	aboutFerry = "When does the ferry to Skarholm leave Karrow?"
)

// A database is used in orders that come naturally. Each call works.
func TestOrders(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	db := open(t, path, nil)
	if got := ask(t, db, aboutPump); got != "-" {
		t.Errorf("an empty database answers %q", got)
	}
	if hits, err := db.Search(t.Context(), aboutPump); err != nil || len(hits) != 0 {
		t.Errorf("an empty database finds %v, %v", hits, err)
	}
	add(t, db) // nothing to do
	add(t, db, pump())
	if got := ask(t, db, aboutPump); !strings.Contains(got, "two years") {
		t.Error(got)
	}
	add(t, db, pump(), ferry()) // one of them is there already
	if got := ask(t, db, aboutFerry); !strings.Contains(got, "six") {
		t.Error(got)
	}
	for _, called := range []string{"ketrag", "bridge", "naive", "bm25", "skeleton"} {
		if got := ask(t, db, aboutPump, ragdb.Method(called)); !strings.Contains(got, "two years") {
			t.Errorf("%s: %s", called, got)
		}
	}
	changed := pump()
	changed.Text = strings.Replace(changed.Text, "two", "three", 1)
	add(t, db, changed)
	if got := ask(t, db, aboutPump); !strings.Contains(got, "three years") {
		t.Error(got)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, path, nil)
	if got := ask(t, db, aboutPump); !strings.Contains(got, "three years") {
		t.Error(got)
	}
	if err := db.Remove(t.Context(), "pump.md"); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, db, aboutPump); got != "-" {
		t.Errorf("a removed document answers %q", got)
	}
	if err := db.Remove(t.Context(), "pump.md"); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if err := db.Remove(t.Context(), "ferry.md", "none.md"); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("removed beside a missing one: %v", err)
	}
	if err := db.Remove(t.Context(), "ferry.md"); err != nil {
		t.Fatal(err)
	}
	add(t, db, pump())
	if got := ask(t, db, aboutPump); !strings.Contains(got, "two years") {
		t.Error(got)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"ask":    func() error { _, err := db.Ask(t.Context(), aboutPump); return err },
		"search": func() error { _, err := db.Search(t.Context(), aboutPump); return err },
		"add":    func() error { return db.Add(t.Context(), pump()) },
		"remove": func() error { return db.Remove(t.Context(), "pump.md") },
	} {
		if err := call(); !errors.Is(err, engine.ErrClosed) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
}

func TestQuestionOptions(t *testing.T) {
	t.Parallel()
	db := open(t, ragdb.Memory, &ragdb.Options{Methods: []string{"naive"}})
	add(t, db, pump(), ferry(), ragdb.Document{ID: "old/ferry.txt", Text: "The ferry to Skarholm leaves Karrow at four in the morning."})
	for where, want := range map[string]string{
		"team = 'port'":                      "six",
		"year >= 2024":                       "six",
		"key STARTS WITH 'old/'":             "four",
		"format = 'txt'":                     "four",
		"team = 'port' AND format = 'txt'":   "-",
		"NOT team = 'port' AND format='txt'": "-", // without a team it is not known
		"(team IS NULL OR NOT team = 'port') AND format = 'txt'": "four",
	} {
		if got := ask(t, db, aboutFerry, ragdb.Where(where)); !strings.Contains(got, want) {
			t.Errorf("%s: %q", where, got)
		}
	}
	var streamed strings.Builder
	got := ask(t, db, aboutPump, ragdb.Stream(func(s string) error { streamed.WriteString(s); return nil }))
	if strings.TrimSpace(streamed.String()) != got {
		t.Errorf("streamed %q of %q", streamed.String(), got)
	}
	hits, err := db.Search(t.Context(), aboutPump, ragdb.Budget(30), nil)
	if err != nil || len(hits) != 1 || hits[0].Doc != "pump.md" || !strings.Contains(hits[0].Text, "warranty") {
		t.Errorf("%+v, %v", hits, err)
	}
	for name, c := range map[string]struct {
		question string
		option   ragdb.AskOption
		want     error
	}{
		"no question":      {" ", nil, rag.ErrArgument},
		"no such method":   {"x", ragdb.Method("nothing"), method.ErrMethod},
		"not indexed":      {"x", ragdb.Method("hirag"), method.ErrNotIndexed},
		"bad condition":    {"x", ragdb.Where("team ="), engine.ErrInvalid},
		"unknown property": {"x", ragdb.Where("colour = 'red'"), engine.ErrNoIndex},
		"negative budget":  {"x", ragdb.Budget(-1), rag.ErrArgument},
		"unknown style":    {"x", ragdb.Style("poem"), rag.ErrArgument},
	} {
		var typed *ragdb.Error
		if _, err := db.Ask(t.Context(), c.question, c.option); !errors.Is(err, c.want) || !errors.As(err, &typed) || typed.Phase != "database" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := db.Search(t.Context(), c.question, c.option); !errors.Is(err, c.want) {
			t.Errorf("search, %s: %v", name, err)
		}
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	db := open(t, ragdb.Memory, &ragdb.Options{Methods: []string{"bm25"}})
	add(t, db,
		ragdb.Document{ID: "list.jsonl", Reader: strings.NewReader(`{"id":"one","text":"The lighthouse is white.","team":"port"}` + "\n" + `{"id":"two","text":"The mill is red."}`)},
		ragdb.Document{ID: "a b/Ünïcode?.txt", Text: "The harbour is deep.", Title: "Depths", Lang: "en", Meta: map[string]any{
			"day": time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC), "tags": []string{"x", "y"}, "open": true, "none": nil,
		}})
	for question, want := range map[string]string{
		"What is white?": "lighthouse", "What is red?": "mill", "What is deep?": "harbour",
	} {
		if hits, err := db.Search(t.Context(), question); err != nil || len(hits) == 0 || !strings.Contains(hits[0].Text, want) {
			t.Errorf("%s %v, %v", question, hits, err)
		}
	}
	for where, want := range map[string]int{"team = 'port'": 1, "day >= datetime('2025-02-01')": 1, "'y' IN tags": 1, "open = true": 1, "open = false": 0} {
		hits, err := db.Search(t.Context(), "the lighthouse, the mill, the harbour", ragdb.Where(where))
		if err != nil || len(hits) != want {
			t.Errorf("%s: %v, %v", where, hits, err)
		}
	}
	for name, c := range map[string]struct {
		doc  ragdb.Document
		want error
	}{
		"no ID":          {ragdb.Document{Text: "x"}, rag.ErrArgument},
		"no text":        {ragdb.Document{ID: "empty"}, rag.ErrPartial},
		"not UTF-8":      {ragdb.Document{ID: "x", Text: "\xff\xfe\xfd"}, rag.ErrPartial},
		"no PDF":         {ragdb.Document{ID: "x.pdf", Text: "x"}, rag.ErrPartial},
		"both":           {ragdb.Document{ID: "x", Text: "x", Reader: strings.NewReader("x")}, rag.ErrArgument},
		"broken reader":  {ragdb.Document{ID: "x", Reader: iotest.ErrReader(io.ErrUnexpectedEOF)}, io.ErrUnexpectedEOF},
		"odd metadata":   {ragdb.Document{ID: "x", Text: "x", Meta: map[string]any{"m": struct{}{}}}, nil},
		"empty metadata": {ragdb.Document{ID: "x", Text: "x", Meta: map[string]any{"": 1}}, rag.ErrPartial},
	} {
		err := db.Add(t.Context(), c.doc)
		if err == nil || c.want != nil && !errors.Is(err, c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		if name == "no ID" && !strings.HasPrefix(err.Error(), "add document 0: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The good one of two is in, and the other is named.
	err := db.Add(t.Context(), ragdb.Document{ID: "bad", Text: "a\x00b"}, ragdb.Document{ID: "good", Text: "The windmill is blue."})
	if !errors.Is(err, rag.ErrPartial) || !strings.Contains(err.Error(), "bad: ") {
		t.Error(err)
	}
	if hits, err := db.Search(t.Context(), "What is blue?"); err != nil || len(hits) != 1 || hits[0].Doc != "good" {
		t.Errorf("%v, %v", hits, err)
	}
	if err := db.Add(t.Context(), ragdb.Document{ID: strings.Repeat("k", 9000), Text: "x"}); !errors.Is(err, rag.ErrPartial) || len(err.Error()) > 600 {
		t.Error(err)
	}
	if err := db.Remove(t.Context(), "nope.md"); !errors.Is(err, engine.ErrNotFound) || err.Error() != `remove: there is no document "nope.md"` {
		t.Error(err)
	}
	if err := db.AddFiles(t.Context(), fstest.MapFS{}); !errors.Is(err, rag.ErrNoDocuments) {
		t.Error(err)
	}
	if err := db.AddFiles(t.Context(), nil); !errors.Is(err, rag.ErrArgument) {
		t.Error(err)
	}
}

// Programs that open a database without options ask as the one did that made it.
func TestRemembersMethod(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	db := open(t, path, &ragdb.Options{Methods: []string{"hirag", "bm25"}})
	add(t, db, pump(), ferry())
	a, err := db.Ask(t.Context(), aboutPump)
	if err != nil || a.Method != "hirag" {
		t.Errorf("%+v, %v", a, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, path, nil)
	add(t, db, ragdb.Document{ID: "more", Text: "More."})
	if a, err = db.Ask(t.Context(), aboutPump); err != nil || a.Method != "hirag" {
		t.Errorf("%+v, %v", a, err)
	}
	for _, called := range []string{"hirga", "naive:colour=red", "ketrag:beta=x"} {
		if _, err := ragdb.Open(t.Context(), ragdb.Memory, &ragdb.Options{Methods: []string{called}}); !errors.Is(err, method.ErrMethod) {
			t.Errorf("%s: %v", called, err)
		}
	}
	if _, err := ragdb.Open(t.Context(), "", nil); !errors.Is(err, rag.ErrArgument) {
		t.Error(err)
	}
}

// hashes is an embedder of a program's own.
type hashes struct{ ragtest.Embedder }

func TestModels(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{})
	chat, err := openai.NewChat(openai.Config{BaseURL: server.URL, Model: "chat-1", Key: "k"}, openai.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(chat.Close)
	path := filepath.Join(t.TempDir(), "db")
	o := &ragdb.Options{Chat: chat, Embedder: hashes{}}
	db := open(t, path, o)
	add(t, db, pump(), ferry())
	asked := server.Counters().Requests
	if asked == 0 {
		t.Error("the model read nothing")
	}
	a, err := db.Ask(t.Context(), aboutPump)
	if err != nil || a.Method != "bridge" || !a.Answered || a.Usage.Calls != 1 || len(a.Sources) == 0 {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = db.Ask(t.Context(), aboutPump, ragdb.WithoutModel()); err != nil || !a.Answered || server.Counters().Requests != asked+1 {
		t.Errorf("%+v, %v", a, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var other *rag.ModelError
	if _, err := ragdb.Open(t.Context(), path, nil); !errors.As(err, &other) {
		t.Errorf("opened without the embedder: %v", err)
	}
	db = open(t, path, &ragdb.Options{Embedder: hashes{}}) // the chat model is not needed to ask
	if got := ask(t, db, aboutPump); !strings.Contains(got, "two years") {
		t.Error(got)
	}
}

// TestAnswerStyle: a question asks for an answer of its style, or else of that of the
// options. Rules answer as ever.
func TestAnswerStyle(t *testing.T) {
	t.Parallel()
	var last atomic.Value
	server := llmtest.New(t, llmtest.Options{Answer: func(c llmtest.Chat) (string, bool) {
		last.Store(c.Messages[1].Content)
		return "Two years [1].\n\nIt is said so [1].", true
	}})
	chat, err := openai.NewChat(openai.Config{BaseURL: server.URL, Model: "chat-1"}, openai.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(chat.Close)
	for style, want := range map[string][3]bool{"": {false, false, true}, "short": {false, false, true}, "paragraphs": {true, false, true}} {
		db := open(t, ragdb.Memory, &ragdb.Options{Chat: chat, Style: style, Methods: []string{"naive"}})
		add(t, db, pump(), ferry())
		for i, asked := range []ragdb.AskOption{nil, ragdb.Style("short"), ragdb.Style("paragraphs")} {
			got := ask(t, db, aboutPump+strings.Repeat("?", i), asked) // what was asked is not asked again
			if long := strings.Contains(last.Load().(string), "in several paragraphs"); long != want[i] {
				t.Errorf("style %q, question %d: paragraphs %v", style, i, long)
			}
			if got != "Two years [1].\n\nIt is said so [1]." {
				t.Errorf("answer %q", got)
			}
		}
		if by := ask(t, db, aboutPump, ragdb.Style("paragraphs"), ragdb.WithoutModel()); by != ask(t, db, aboutPump, ragdb.WithoutModel()) {
			t.Errorf("rules answer %q", by)
		}
	}
	if _, err := ragdb.Open(t.Context(), ragdb.Memory, &ragdb.Options{Style: "poem"}); !errors.Is(err, rag.ErrArgument) || !strings.Contains(err.Error(), "short and paragraphs") {
		t.Errorf("opened with the style poem: %v", err)
	}
}

// counted counts the texts that an embedder is given.
type counted struct {
	hashes
	n *atomic.Int64
}

func (c counted) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	c.n.Add(int64(len(texts)))
	return c.hashes.Embed(ctx, texts)
}

// longestFirst is a reranker that likes long passages.
type longestFirst struct{}

func (longestFirst) Name() string { return "longest" }

func (longestFirst) Rerank(_ context.Context, _ string, passages []string) ([]float64, llm.Usage, error) {
	out := make([]float64, len(passages))
	for i, p := range passages {
		out[i] = float64(len(p))
	}
	return out, llm.Usage{Calls: 1}, nil
}

// Documents and questions go to their own embedders, and the reranker has the last
// word on the order.
func TestOwnModels(t *testing.T) {
	t.Parallel()
	var documents, questions atomic.Int64
	o := &ragdb.Options{
		Methods: []string{"naive"}, Embedder: counted{n: &documents}, QuestionEmbedder: counted{n: &questions}, Reranker: longestFirst{},
	}
	db := open(t, ragdb.Memory, o)
	add(t, db, pump(), ragdb.Document{ID: "long", Text: strings.Repeat("The garden has a wall of stone and a gate of iron. ", 4)})
	if documents.Load() == 0 || questions.Load() != 0 {
		t.Errorf("%d texts of documents, %d questions", documents.Load(), questions.Load())
	}
	hits, err := db.Search(t.Context(), aboutPump)
	if err != nil || len(hits) < 2 || !strings.Contains(hits[0].Text, "garden") {
		t.Errorf("%+v, %v", hits, err)
	}
	if questions.Load() != 1 {
		t.Errorf("%d questions", questions.Load())
	}
	if _, err := ragdb.Open(t.Context(), ragdb.Memory, &ragdb.Options{QuestionEmbedder: hashes{}}); !errors.Is(err, rag.ErrArgument) {
		t.Errorf("an embedder of questions alone: %v", err)
	}
}

// A call stops at its spending limit, and the next one goes on.
func TestMaxUSD(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{})
	chat, err := openai.NewChat(openai.Config{BaseURL: server.URL, Model: "gpt-4.1-mini", Key: "k"}, openai.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(chat.Close)
	db := open(t, ragdb.Memory, &ragdb.Options{Chat: chat, MaxUSD: 0.000001})
	if err := db.Add(t.Context(), pump()); !errors.Is(err, cost.ErrBudget) {
		t.Errorf("%v", err)
	}
	if n := server.Counters().Requests; n != 0 {
		t.Errorf("%d calls beyond the limit", n)
	}
}

// Calls from many goroutines wait for each other where they write.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	db := open(t, ragdb.Memory, &ragdb.Options{Methods: []string{"naive"}})
	add(t, db, ferry())
	var all sync.WaitGroup
	for i := range 4 {
		all.Add(2)
		go func() {
			defer all.Done()
			for range 5 {
				d := ragdb.Document{ID: string(rune('a' + i)), Text: "The harbour of number " + string(rune('a'+i)) + " is deep."}
				if err := db.Add(context.Background(), d); err != nil {
					t.Error(err)
				}
				if err := db.Remove(context.Background(), d.ID); err != nil {
					t.Error(err)
				}
			}
		}()
		go func() {
			defer all.Done()
			for range 20 {
				if _, err := db.Ask(context.Background(), aboutFerry); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
	if got := ask(t, db, aboutFerry); !strings.Contains(got, "six") {
		t.Error(got)
	}
}

// A call that is cancelled while it waits returns at once, and what a cancelled Add
// left undone the next one does.
func TestCancel(t *testing.T) {
	t.Parallel()
	db := open(t, ragdb.Memory, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.Add(ctx, pump()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := db.Ask(ctx, aboutPump); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	add(t, db, pump())
	if got := ask(t, db, aboutPump); !strings.Contains(got, "two years") {
		t.Error(got)
	}
}

// What a database is below can be reached.
func TestBelow(t *testing.T) {
	t.Parallel()
	db := open(t, ragdb.Memory, nil)
	x, err := db.Indexer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := x.Sync(t.Context(), []rag.Input{{FS: fs.FS(fstest.MapFS{"pump.md": {Data: []byte(pump().Text)}}), Root: "."}})
	if err != nil || r.Added != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	err = db.Engine().View(t.Context(), func(s *engine.Snapshot) error {
		var keys []string
		for d, err := range db.Corpus().Documents(s.Graph(db.Corpus().Base())) {
			if err != nil {
				return err
			}
			keys = append(keys, d.Key)
		}
		if !slices.Equal(keys, []string{"pump.md"}) {
			t.Errorf("%v", keys)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var _ llm.Embedder = hashes{}
