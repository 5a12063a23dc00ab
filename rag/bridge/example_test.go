package bridge_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/bridge"
	"github.com/ragdb/ragdb/rag/method"
)

// firstTwo is bridge with two chunks of evidence: a method of one's own that
// changes another's plan and keeps the rest.
func firstTwo(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
	sys, err := bridge.Open(ctx, c, params)
	if err != nil {
		return nil, err
	}
	whole := sys.Plan
	sys.Identity = sys.As("first-two", sys.Params())
	sys.Plan = func(ctx context.Context, m *rag.Models, q method.Question) (*method.Plan, error) {
		plan, err := whole(ctx, m, q)
		if err != nil {
			return nil, err
		}
		pack := *plan.Sections[0].Pack.(*query.Pack)
		pack.In = &query.Limit{In: pack.In, N: 2}
		return &method.Plan{Sections: []method.Section{{Name: "text", Pack: &pack}}}, nil
	}
	return sys, nil
}

// The code of docs/tutorial-method.md: a method that ragdb does not know is
// registered and asked. Only the person's document, which the question does not
// name, has the answer.
func Example_register() {
	files := fstest.MapFS{
		"film.md":   {Data: []byte("# Vexo Runa\n\nVexo Runa is a silent drama. It was made by Tilo Barat in a week.\n")},
		"person.md": {Data: []byte("# Tilo Barat\n\nTilo Barat came from Moxu, where the family had a bakery.\n")},
		"town.md":   {Data: []byte("# The town\n\nThe town lies by the sea.\n")},
		"play.md":   {Data: []byte("# A play\n\nThe director saw the play in spring.\n")},
	}
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	ctx := context.Background()
	db, err := engine.Open(ctx, engine.Memory, nil)
	check(err)
	defer db.Close()
	corpus, err := rag.OpenCorpus(ctx, db, "main", nil)
	check(err)
	all := method.Methods{bridge.Name: bridge.Open} // or methods.All()
	all["first-two"] = firstTwo
	mine, err := all.Open(ctx, corpus.Docs(), method.Spec{Name: "first-two"})
	check(err)
	indexer := rag.Indexer{Corpus: corpus, Methods: all, Systems: []*method.System{mine}}
	_, err = indexer.Run(ctx, []rag.Input{{FS: files, Root: "."}})
	check(err)
	models, err := corpus.OpenLocal(ctx, false, rag.Parts{})
	check(err)
	evidence, err := corpus.Retrieve(ctx, mine, models, method.Question{Text: "From which town came the director of Vexo Runa?"})
	check(err)
	for _, it := range evidence.Items() {
		fmt.Println(it.Keys[0])
	}
	// Output:
	// film.md#0
	// person.md#0
}
