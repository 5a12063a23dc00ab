package query_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/query"
)

// A plan that finds notes by their words, follows their links and packs what
// that gives into a context of 12 tokens.
func Example() {
	ctx := context.Background()
	db, err := engine.Open(ctx, engine.Memory, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		log.Fatal(err)
	}
	g, err := ns.Graph(ctx, "notes")
	if err != nil {
		log.Fatal(err)
	}
	if err := db.Update(ctx, func(tx *engine.Tx) error { return notes(tx.Graph(g)) }); err != nil {
		log.Fatal(err)
	}

	hits := &query.TextSearch{Graph: g, Field: "text", Text: "harbour", K: 2}
	linked := &query.Neighbors{In: hits, Graph: g, Types: []string{"link"}}
	plan := &query.Pack{
		In:   &query.Union{In: []query.Op{hits, linked}, Combine: query.First},
		Name: "notes", Budget: 12,
		Render: func(_ context.Context, e *query.Env, it query.Item) (string, int, error) {
			n, err := e.Snap.Graph(g).Node(it.ID)
			return n.Prop("text").AsString(), 0, err
		},
	}
	if err := query.Explain(os.Stdout, plan); err != nil {
		log.Fatal(err)
	}
	err = db.View(ctx, func(s *engine.Snapshot) error {
		env := &query.Env{
			Snap:    s,
			Tokens:  func(s string) int { return len(strings.Fields(s)) + strings.Count(s, "\n") },
			Analyze: strings.Fields,
			Trace:   &query.Trace{},
		}
		set, err := query.Run(ctx, env, plan)
		if err != nil {
			return err
		}
		for _, it := range set.Items {
			fmt.Printf("%s (because of %s)\n", it.Text, it.Why[0].Op)
		}
		fmt.Println(set.Used, "tokens")
		// The third note is linked to the second and did not fit.
		for _, f := range env.Trace.Why(query.Ref{Graph: g.ID(), ID: 3}) {
			fmt.Println(f)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 Pack(section=notes, budget=12, overflow=stop)
	//   2 Union(combine=first)
	//     3 TextSearch(graph=notes, field=text, k=2)
	//     4 Neighbors(graph=notes, types=[link])
	//       (3 again)
	// the harbour has a light (because of bm25)
	// boats leave the harbour (because of bm25)
	// 11 tokens
	// Pack(section=notes, budget=12, overflow=stop): lost here (2 kept)
	// Union(combine=first): rank 3 of 3, score 0.4831
	// TextSearch(graph=notes, field=text, k=2): not among 2
	// Neighbors(graph=notes, types=[link]): rank 1 of 1, score 0.4831
}

func notes(v *engine.TxView) error {
	note, err := v.MakeNodeType("note")
	if err != nil {
		return err
	}
	link, err := v.MakeEdgeType("link", true)
	if err != nil {
		return err
	}
	if err := v.MakeField("text", engine.FieldOptions{}); err != nil {
		return err
	}
	for _, s := range []string{"the harbour has a light", "boats leave the harbour", "a keeper lives in it"} {
		id, _, err := v.PutNode(note, s, engine.Props{"text": engine.String(s)})
		if err != nil {
			return err
		}
		if err := v.PutTerms("text", id, text.Standard{}.Terms(s)); err != nil {
			return err
		}
	}
	return v.AddEdge(1, 3, link, 1)
}
