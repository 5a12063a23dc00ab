package engine_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// readColumns reads properties of nodes by columns. Nodes that only lacks are as if
// they were not there, if it is not nil.
func (g *graphOps) readColumns(ids []engine.NodeID, names []string, only *roaring.Bitmap) step {
	show := func(v engine.Value) string { return showProps(engine.Props{"": v}) }
	var want []string
	for _, id := range ids {
		for _, name := range names {
			var v engine.Value
			if n := g.m.nodes[id]; n != nil && (only == nil || only.Contains(uint32(id))) {
				v = n.props[propNames[min(slices.Index(propNames, name), 3)]]
			}
			want = append(want, show(v))
		}
	}
	return g.readStep(fmt.Sprintf("columns %q of %d", names, ids), strings.Join(want, " "), func(r graphReader) string {
		cols := r.NodeColumns(only)
		for _, name := range names {
			cols.Column(name)
		}
		var got []string
		for _, id := range ids {
			for _, name := range names {
				v, err := cols.Column(name).Value(id)
				if err != nil {
					return fault(err)
				}
				got = append(got, show(v))
			}
		}
		return strings.Join(got, " ")
	})
}

// someColumns reads some properties of some nodes.
func (g *graphOps) someColumns() step {
	ids := make([]engine.NodeID, g.rnd.IntN(30))
	for i := range ids {
		ids[i] = g.id()
	}
	names := make([]string, g.rnd.IntN(4))
	for i := range names {
		names[i] = pick(g.rnd, propNames)
	}
	return g.readColumns(ids, names, g.allow())
}

// bigColumns is a graph of more than one block with some values of each kind, and the
// properties that its nodes have.
func bigColumns(t *testing.T, g *engine.Graph, n int) map[engine.NodeID]engine.Props {
	rnd := rand.New(rand.NewPCG(1, 2))
	have := map[engine.NodeID]engine.Props{}
	err := g.DB().Load(t.Context(), g, func(l *engine.Loader) error {
		kind, err := l.MakeNodeType("thing")
		if err != nil {
			return err
		}
		for i := range n {
			p := columnProps(rnd, i)
			id, err := l.Node(kind, fmt.Sprint("n", i), p)
			if err != nil {
				return err
			}
			have[id] = p
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return have
}

// columnProps returns properties of all kinds; any may be missing.
func columnProps(rnd *rand.Rand, i int) engine.Props {
	p := engine.Props{
		"serial": engine.Int(int64(i)),
		"city":   engine.String(fmt.Sprint("city", rnd.IntN(20))),
		"ratio":  engine.Float(rnd.Float64()),
		"mixed":  randomKind(rnd),
		"list":   randomList(rnd),
		"tags":   engine.Strings("a", fmt.Sprint(rnd.IntN(3))),
		"bytes":  engine.Bytes([]byte{byte(i), 0xff}),
		"flag":   engine.Bool(i%3 == 0),
		"long":   engine.String(strings.Repeat("x", rnd.IntN(200))),
		"text":   engine.String(strings.Repeat("lorem ", 100+rnd.IntN(200))),
	}
	for _, name := range sortedKeys(p) {
		if rnd.IntN(8) == 0 {
			delete(p, name)
		}
	}
	if rnd.IntN(5) == 0 {
		p["mixed"] = engine.String(fmt.Sprint("m", i%7))
	}
	return p
}

// columnsAre compares columns with the properties that nodes have.
func columnsAre(t *testing.T, cols *engine.NodeColumns, ids []engine.NodeID, have map[engine.NodeID]engine.Props) {
	t.Helper()
	names := []string{"serial", "city", "ratio", "mixed", "list", "tags", "bytes", "flag", "long", "text", "none"}
	for _, name := range names {
		cols.Column(name)
	}
	for _, id := range ids {
		for _, name := range names {
			got, err := cols.Column(name).Value(id)
			if err != nil {
				t.Fatal(err)
			}
			want := have[id][name]
			same := got.Equal(want)
			if want.Size() > 1024 {
				same = got.Kind() == engine.KindText && got.Size() == want.Size()
			}
			if !same {
				t.Fatalf("%s of node %d: %v of kind %d, want %v of kind %d", name, id, got, got.Kind(), want, want.Kind())
			}
		}
	}
	for i := 0; i < len(ids); i += 1 + len(ids)/3 {
		for _, name := range names {
			value, err := cols.Column(name).Value(ids[i])
			if err != nil {
				t.Fatal(err)
			}
			block, err := cols.Column(name).Block(ids[i])
			if err != nil {
				t.Fatal(err)
			}
			row := int(ids[i] % 1024)
			if block.Rows() != 1024 || !block.At(row).Equal(value) || block.Has(row) == value.IsNull() {
				t.Fatalf("%s of node %d: %v in a block of %d, alone %v", name, ids[i], block.At(row), block.Rows(), value)
			}
		}
	}
}

// TestNodeColumns: columns have what the records have, in order and at random, within a
// set, in a transaction that goes on writing, and in a snapshot from before.
func TestNodeColumns(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, o *engine.Options) {
		g := graph(t, open(t, o), "g")
		const n = 2500
		have := bigColumns(t, g, n)
		rnd := rand.New(rand.NewPCG(3, 4))
		var ids, random []engine.NodeID
		for id := range engine.NodeID(n + 3) {
			ids = append(ids, id)
		}
		for range 500 {
			random = append(random, engine.NodeID(rnd.IntN(n+5)))
		}
		random = append(random, 1<<32-1, 1<<32, 1<<63)
		before := snapshot(t, g)
		defer func() { _ = before.Close() }()
		old := maps.Clone(have)
		view(t, g, func(v *engine.View) {
			columnsAre(t, v.NodeColumns(nil), ids, have)
			columnsAre(t, v.NodeColumns(nil), random, have)
			only, some := roaring.New(), map[engine.NodeID]engine.Props{}
			for id, p := range have {
				if rnd.IntN(2) == 0 {
					only.Add(uint32(id))
					some[id] = p
				}
			}
			columnsAre(t, v.NodeColumns(only), ids, some)
		})
		update(t, g, func(v *engine.TxView) {
			cols := v.NodeColumns(nil)
			kind, _ := v.NodeType("thing")
			for round := range 40 {
				id := engine.NodeID(1 + rnd.IntN(n))
				switch {
				case rnd.IntN(4) == 0 && have[id] != nil:
					must2of(v.DeleteNode(id))
					delete(have, id)
				case rnd.IntN(3) == 0:
					p := columnProps(rnd, round)
					id, _, err := v.PutNode(kind, fmt.Sprint("new", round), p)
					if err != nil {
						t.Fatal(err)
					}
					have[id] = p
				case have[id] != nil:
					p := columnProps(rnd, round)
					if _, _, err := v.PutNode(kind, fmt.Sprint("n", id-1), p); err != nil {
						t.Fatal(err)
					}
					have[id] = p
				}
				columnsAre(t, cols, []engine.NodeID{id, engine.NodeID(1 + rnd.IntN(n)), n + 1}, have)
			}
			columnsAre(t, cols, ids, have)
		})
		view(t, g, func(v *engine.View) { columnsAre(t, v.NodeColumns(nil), ids, have) })
		columnsAre(t, before.Graph(g).NodeColumns(nil), ids, old)
	})
}

func snapshot(t *testing.T, g *engine.Graph) *engine.Snapshot {
	s, err := g.DB().Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}
