package ragdb_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/ragdb/ragdb"
	"github.com/ragdb/ragdb/rag/llm/encoder"
)

// The code of the README.
func Example() {
	ctx := context.Background()
	db, err := ragdb.Open(ctx, ragdb.Memory, nil) // or a directory
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	err = db.Add(ctx,
		ragdb.Document{ID: "pump.md", Text: "# The pump\n\nModel B has a warranty of two years from delivery.\n"},
		ragdb.Document{ID: "ferry.md", Text: "# The ferry\n\nThe ferry to Skarholm leaves Karrow at six in the morning.\n"})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := db.Ask(ctx, "How long is the warranty on model B?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	for _, s := range answer.Sources {
		fmt.Printf("[%d] %s: %s\n", s.N, s.Doc, s.Quote)
	}
	// Output:
	// Model B has a warranty of two years from delivery. [1]
	// [1] pump.md: Model B has a warranty of two years from delivery.
}

// Files are added as they are, with metadata to filter by; what a new version of a
// document no longer says is gone.
func ExampleDB_AddFiles() {
	ctx := context.Background()
	db, err := ragdb.Open(ctx, ragdb.Memory, &ragdb.Options{Methods: []string{"naive"}})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	files := fstest.MapFS{ // or os.DirFS("docs")
		"hours/harbour.txt": {Data: []byte("The harbour office opens at nine.")},
		"hours/library.txt": {Data: []byte("The library opens at ten.")},
	}
	if err := db.AddFiles(ctx, files); err != nil {
		log.Fatal(err)
	}
	err = db.Add(ctx, ragdb.Document{ID: "hours/harbour.txt", Text: "The harbour office opens at eight.", Meta: map[string]any{"team": "port"}})
	if err != nil {
		log.Fatal(err)
	}
	hits, err := db.Search(ctx, "When does the office open?", ragdb.Where("team = 'port'"))
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Printf("%s: %s\n", h.Doc, h.Text)
	}
	if err := db.Remove(ctx, "hours/harbour.txt"); err != nil {
		log.Fatal(err)
	}
	answer, err := db.Ask(ctx, "When does the harbour office open?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Answered)
	// Output:
	// hours/harbour.txt: The harbour office opens at eight.
	// false
}

// A folder with a model makes the vectors of a database.
func ExampleOptions_encoder() {
	ctx := context.Background()
	m, err := encoder.Open("models/all-MiniLM-L6-v2", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	db, err := ragdb.Open(ctx, "acme.ragdb", &ragdb.Options{
		Embedder: m.Embedder(encoder.Passage), QuestionEmbedder: m.Embedder(encoder.Query),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
}
