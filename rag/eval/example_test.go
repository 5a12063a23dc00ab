package eval_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// A data set of three records and two questions, of which one has no answer
// among them.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "lights-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	files := map[string]string{
		"corpus.jsonl": `{"id":"r1","title":"Ruck","text":"Tobias Ruck was born in Senna."}
{"id":"r2","title":"Light","text":"The light was designed by Tobias Ruck in 1821."}
{"id":"r3","title":"Grass","text":"Cows eat grass."}
`,
		"questions.jsonl": `{"id":"q1","question":"Where was Tobias Ruck born?","answers":["Senna"],"supporting":["r1"]}
{"id":"q2","question":"What do goats eat?","answers":["thistles"],"supporting":["r3"]}
`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	rep, err := eval.Run(context.Background(), eval.Options{
		Data:    dir,
		DB:      filepath.Join(dir, "db"),
		Specs:   []method.Spec{{Name: "bm25"}, {Name: "naive", Label: "both"}},
		Methods: methods.All(),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range rep.Methods {
		fmt.Printf("%s: %d questions, coverage %.2f, recall@2 %.2f\n", f.Name, f.Questions, *f.Coverage, *f.Recall2)
	}
	// Output:
	// bm25: 2 questions, coverage 0.50, recall@2 1.00
	// both: 2 questions, coverage 0.50, recall@2 1.00
}
