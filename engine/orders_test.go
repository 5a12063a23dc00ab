package engine_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
)

// TestContentForgetsHistory says that a graph holds what was last said by the
// documents that are left, whatever was indexed, replaced and deleted before
// and in whatever order: its canonical export is that of a new graph. The
// documents are random and share most of their entities and relations.
func TestContentForgetsHistory(t *testing.T) {
	seeds := 12
	if *long {
		seeds = 1000
	}
	for seed := range uint64(seeds) {
		o := &engine.Options{PromoteAt: 2 + int(seed%3)*7, OpenStore: memory}
		rnd := rand.New(rand.NewPCG(seed, 41))
		// Every order of three documents.
		want := map[string]string{}
		fresh := func(versions map[int]int) string {
			name := fmt.Sprint(versions)
			if want[name] == "" {
				g := ordersGraph(t, o)
				for _, d := range slices.Sorted(maps.Keys(versions)) {
					randomDocument{seed, d, versions[d]}.index(t, g)
				}
				want[name] = export(t, g.DB(), "main", canonical)
			}
			return want[name]
		}
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			g := ordersGraph(t, o)
			left := map[int]int{}
			for _, d := range order {
				randomDocument{seed, d, 0}.index(t, g)
				left[d] = 0
			}
			sameText(t, fmt.Sprintf("seed %d, order %v", seed, order), export(t, g.DB(), "main", canonical), fresh(left))
			randomDocument{seed, order[0], 0}.remove(t, g, rnd)
			delete(left, order[0])
			sameText(t, fmt.Sprintf("seed %d, order %v less the first", seed, order), export(t, g.DB(), "main", canonical), fresh(left))
		}
		// A longer history, with documents that are replaced.
		g := ordersGraph(t, o)
		left := map[int]int{}
		history := ""
		for range 12 {
			d, version := rnd.IntN(4), rnd.IntN(2)
			if old, ok := left[d]; ok {
				randomDocument{seed, d, old}.remove(t, g, rnd)
				delete(left, d)
				history += fmt.Sprintf(" -%d", d)
			}
			if rnd.IntN(3) > 0 {
				randomDocument{seed, d, version}.index(t, g)
				left[d] = version
				history += fmt.Sprintf(" +%d.%d", d, version)
			}
			sameText(t, fmt.Sprintf("seed %d, history%s", seed, history), export(t, g.DB(), "main", canonical), fresh(left))
		}
		sound(t, g.DB(), fmt.Sprintf("seed %d, history%s", seed, history))
	}
}

// ordersGraph returns a graph with an index, a field and a space.
func ordersGraph(t *testing.T, o *engine.Options) *engine.Graph {
	t.Helper()
	g := graph(t, open(t, o), "g")
	update(t, g, func(v *engine.TxView) {
		for _, err := range []error{
			v.MakeIndex("lang"),
			v.MakeField("body", engine.FieldOptions{Positions: true}),
			v.MakeSpace("s", engine.SpaceOptions{Dim: 3, Model: "m"}),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	return g
}

// randomDocument is a version of a document. What it says follows from its
// fields alone.
type randomDocument struct {
	seed       uint64
	d, version int
}

func (x randomDocument) chunkKey(c int) string { return fmt.Sprintf("doc%d#%d", x.d, c) }

func (x randomDocument) chunks() int { return 1 + (x.d+x.version+int(x.seed))%3 }

// index writes the document as a method would: chunks of its own, entities and
// relations that its chunks contribute to, and topics that the entities do.
func (x randomDocument) index(t *testing.T, g *engine.Graph) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(x.seed, uint64(x.d*10+x.version)))
	update(t, g, func(v *engine.TxView) {
		ok := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		node := func(name string) engine.TypeID { return must(t, must2of(v.MakeNodeType(name)), nil) }
		chunk, entity, topic := node("chunk"), node("entity"), node("topic")
		next, err := v.MakeEdgeType("next", true)
		ok(err)
		types := make([]engine.EdgeType, 2)
		types[0], err = v.MakeEdgeType("relation", false)
		ok(err)
		types[1], err = v.MakeEdgeType("causes", true)
		ok(err)
		var before engine.NodeID
		for c := range x.chunks() {
			id, _, err := v.PutNode(chunk, x.chunkKey(c), engine.Props{
				"lang": engine.String(pick(rnd, []string{"en", "de"})),
				"text": engine.Bytes([]byte{byte(x.d), byte(x.version)}),
			})
			ok(err)
			ok(v.PutTerms("body", id, []text.Term{{Text: pick(rnd, words)}, {Text: "all", Pos: 1}}))
			ok(v.PutVector("s", id, []float32{1, float32(rnd.IntN(3)), float32(x.d)}))
			if before != 0 {
				ok(v.AddEdge(before, id, next, 1))
				ok(v.SetEdgeProps(engine.Edge{From: before, To: id, Type: next}, engine.Props{"n": engine.Int(int64(c))}))
			}
			before = id
			var found []engine.NodeID
			for range 1 + rnd.IntN(6) {
				name := fmt.Sprintf("e%d", rnd.IntN(8))
				e, _, err := v.DeriveNode(entity, name)
				ok(err)
				found = append(found, e)
				ok(v.Contribute(id, engine.NodeTarget(e), randomContribution(rnd)))
				// What an entity says does not depend on who found it.
				s, _, err := v.DeriveNode(topic, name[:1]+fmt.Sprint(len(name)+int(name[1])%3))
				ok(err)
				ok(v.Contribute(e, engine.NodeTarget(s), engine.Contribution{Count: 1, Label: name}))
				ok(v.Contribute(e, engine.EdgeTarget(e, s, types[1]), engine.Contribution{Weight: 0.1}))
			}
			for range rnd.IntN(8) {
				a, b := pick(rnd, found), pick(rnd, found)
				ok(v.Contribute(id, engine.EdgeTarget(a, b, types[0]), randomContribution(rnd)))
			}
		}
	})
}

func randomContribution(rnd *rand.Rand) engine.Contribution {
	return engine.Contribution{
		Weight: rnd.Float32() * 3,
		Count:  uint32(rnd.IntN(3)),
		Label:  pick(rnd, []string{"", "E", "e"}),
		Texts:  []string{fmt.Sprint(rnd.IntN(4))},
	}
}

// remove takes the document out, chunk by chunk in any order.
func (x randomDocument) remove(t *testing.T, g *engine.Graph, rnd *rand.Rand) {
	t.Helper()
	update(t, g, func(v *engine.TxView) {
		chunk, _ := v.NodeType("chunk")
		for _, c := range rnd.Perm(x.chunks()) {
			id, err := v.Lookup(chunk, x.chunkKey(c))
			if err != nil {
				t.Fatal(err)
			}
			if rnd.IntN(2) == 0 {
				if _, err := v.Withdraw(id); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := v.DeleteNode(id); err != nil {
				t.Fatal(err)
			}
		}
	})
}
