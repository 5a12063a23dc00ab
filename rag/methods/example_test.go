package methods_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// What package ragdb does, a layer below: two documents are indexed in memory by one
// method, and a question is answered with its source.
func Example() {
	files := fstest.MapFS{ // or os.DirFS("docs")
		"ferry.md": {Data: []byte("# The ferry\n\nThe ferry to Skarholm leaves Karrow at six in the morning.\nIt carries forty people and the mail.\n")},
		"pump.md":  {Data: []byte("# The pump\n\nModel B has a warranty of two years from delivery.\nThe pump was designed by Ada Kestrel.\n")},
	}
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	ctx := context.Background()
	db, err := engine.Open(ctx, engine.Memory, nil) // or a path
	check(err)
	defer db.Close()
	corpus, err := rag.OpenCorpus(ctx, db, "main", nil)
	check(err)
	all := methods.All()
	naive, err := all.Open(ctx, corpus.Docs(), method.Spec{Name: "naive"})
	check(err)
	indexer := rag.Indexer{Corpus: corpus, Methods: all, Systems: []*method.System{naive}}
	_, err = indexer.Run(ctx, []rag.Input{{FS: files, Root: "."}})
	check(err)
	models, err := corpus.OpenLocal(ctx, false, rag.Parts{})
	check(err)
	answer, err := corpus.Ask(ctx, naive, models, method.Question{Text: "How long is the warranty on model B?"})
	check(err)
	fmt.Println(answer.Text)
	for _, s := range answer.Sources {
		fmt.Printf("[%d] %s, bytes %d to %d\n", s.N, s.Doc, s.Bytes[0], s.Bytes[1])
	}
	// Output:
	// Model B has a warranty of two years from delivery. [1]
	// [1] pump.md, bytes 0 to 97
}
