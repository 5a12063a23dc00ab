package engine_test

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/vecindex"
)

func try(err error) {
	if err != nil {
		panic(err)
	}
}

// openExample opens a database in memory with one graph.
func openExample(ctx context.Context) (*engine.DB, *engine.Graph) {
	db, err := engine.Open(ctx, engine.Memory, nil) // or a path
	try(err)
	ns, err := db.Namespace(ctx, "main")
	try(err)
	g, err := ns.Graph(ctx, "towns")
	try(err)
	return db, g
}

// A graph of towns and roads is written in one transaction and read at one
// moment.
func Example() {
	ctx := context.Background()
	db, g := openExample(ctx)
	defer db.Close()
	try(db.Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(g)
		town, err := v.MakeNodeType("town")
		try(err)
		road, err := v.MakeEdgeType("road", false)
		try(err)
		karrow, _, err := v.PutNode(town, "karrow", engine.Props{"people": engine.Int(4100)})
		try(err)
		for i, key := range []string{"skarholm", "brennick"} {
			id, _, err := v.PutNode(town, key, nil)
			try(err)
			try(v.AddEdge(karrow, id, road, float32(10*(i+1))))
		}
		return nil
	}))
	try(db.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(g)
		town, _ := v.NodeType("town")
		id, err := v.Lookup(town, "karrow")
		try(err)
		n, err := v.Node(id)
		try(err)
		fmt.Println(n.Key, "has", n.Prop("people"), "people")
		edges, err := v.Neighbors(id, engine.EdgeFilter{}, 0, nil)
		try(err)
		for _, e := range edges {
			to, err := v.Node(e.To)
			try(err)
			fmt.Printf("%.0f km to %s\n", e.Weight, to.Key)
		}
		return nil
	}))
	// Output:
	// karrow has 4100 people
	// 10 km to skarholm
	// 20 km to brennick
}

// Two letters speak of one person. What a letter said goes with it, and what
// only it said goes altogether.
func ExampleTxView_Withdraw() {
	ctx := context.Background()
	db, g := openExample(ctx)
	defer db.Close()
	var first, second, ada engine.NodeID
	try(db.Update(ctx, func(tx *engine.Tx) (err error) {
		v := tx.Graph(g)
		letter, err := v.MakeNodeType("letter")
		try(err)
		person, err := v.MakeNodeType("person")
		try(err)
		first, _, err = v.PutNode(letter, "1", nil)
		try(err)
		second, _, err = v.PutNode(letter, "2", nil)
		try(err)
		ada, _, err = v.DeriveNode(person, "ada")
		try(err)
		try(v.Contribute(first, engine.NodeTarget(ada), engine.Contribution{Label: "Ada", Texts: []string{"builds pumps"}}))
		return v.Contribute(second, engine.NodeTarget(ada), engine.Contribution{Label: "Ada Kestrel", Texts: []string{"lives in Karrow"}})
	}))
	show := func() {
		try(db.View(ctx, func(s *engine.Snapshot) error {
			t, err := s.Graph(g).Total(engine.NodeTarget(ada))
			if err != nil {
				return err
			}
			fmt.Println(t.Label, t.Texts, "by", t.Sources)
			return nil
		}))
	}
	show()
	withdraw := func(source engine.NodeID) {
		try(db.Update(ctx, func(tx *engine.Tx) error {
			r, err := tx.Graph(g).Withdraw(source)
			fmt.Println("removed", len(r.Nodes), "nodes, changed", len(r.Dirty))
			return err
		}))
	}
	withdraw(first)
	show()
	withdraw(second)
	// Output:
	// Ada [builds pumps lives in Karrow] by 2
	// removed 0 nodes, changed 1
	// Ada Kestrel [lives in Karrow] by 1
	// removed 1 nodes, changed 0
}

// A vector is written with its node, and found as soon as both are committed;
// a filter is a set of nodes.
func ExampleTxView_PutVector() {
	ctx := context.Background()
	db, g := openExample(ctx)
	defer db.Close()
	try(db.Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(g)
		try(v.MakeSpace("colour", engine.SpaceOptions{Dim: 3, Model: "rgb"}))
		try(v.MakeIndex("bright"))
		paint, err := v.MakeNodeType("paint")
		try(err)
		for name, rgb := range map[string][]float32{"brick": {180, 60, 40}, "rose": {250, 90, 120}, "moss": {80, 110, 50}} {
			id, _, err := v.PutNode(paint, name, engine.Props{"bright": engine.Bool(rgb[0] > 200)})
			try(err)
			try(v.PutVector("colour", id, rgb))
		}
		return nil
	}))
	try(db.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(g)
		colours, err := v.Vectors("colour")
		try(err)
		allow, err := v.Where(engine.Comparison{Property: "bright", Values: []engine.Value{engine.Bool(false)}})
		try(err)
		for _, q := range []vecindex.Search{{K: 1}, {K: 1, Allow: allow}} {
			q.Vector = []float32{255, 80, 110}
			hits, err := colours.Search(ctx, q, nil)
			try(err)
			n, err := v.Node(engine.NodeID(hits[0].ID))
			try(err)
			fmt.Printf("%s %.3f\n", n.Key, hits[0].Score)
		}
		return nil
	}))
	// Output:
	// rose 0.999
	// brick 0.983
}

// Words are ranked by BM25, and phrases found if the field keeps places.
func ExampleView_Terms() {
	ctx := context.Background()
	db, g := openExample(ctx)
	defer db.Close()
	analyzer := text.Standard{}
	try(db.Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(g)
		try(v.MakeField("body", engine.FieldOptions{Analyzer: analyzer.Name(), Positions: true}))
		note, err := v.MakeNodeType("note")
		try(err)
		for _, s := range []string{"the ferry leaves at six", "six pumps were sold", "the ferry is late"} {
			id, _, err := v.PutNode(note, s, nil)
			try(err)
			try(v.PutTerms("body", id, analyzer.Terms(s)))
		}
		return nil
	}))
	try(db.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(g)
		var words []string
		for _, t := range analyzer.Terms("When does the ferry leave?") {
			words = append(words, t.Text)
		}
		found, err := v.Terms("body", words, engine.TermsOptions{K: 1})
		try(err)
		n, err := v.Node(found[0].ID)
		try(err)
		fmt.Println(n.Key)
		return nil
	}))
	// Output:
	// the ferry leaves at six
}
