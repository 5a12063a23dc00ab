package engine_test

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/vecindex"
)

// step is an operation on one graph: its line of the transcript as the model
// has it, and how to do it to the engine.
type step struct {
	graph uint32
	name  string
	want  string
	// run returns the engine's result; w is nil for a step that only reads.
	run func(r graphReader, w *engine.TxView) string
}

// graphOps makes steps that are random, from a seed and the state of the
// model alone.
type graphOps struct {
	rnd  *rand.Rand
	m    *modelGraph // the graph at work
	size int         // about the bytes of long texts in the transaction
}

func (g *graphOps) step(name, want string, run func(r graphReader, w *engine.TxView) string) step {
	return step{graph: g.m.id, name: name, want: want, run: run}
}

// writeStep is step for an operation that does not read.
func (g *graphOps) writeStep(name, want string, run func(w *engine.TxView) string) step {
	return g.step(name, want, func(_ graphReader, w *engine.TxView) string { return run(w) })
}

// fault names an error in transcripts.
func fault(err error) string {
	var conflict *engine.ConflictError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &conflict):
		return fmt.Sprintf("conflict: %d, not %d", conflict.Have, conflict.Want)
	}
	for _, known := range []error{
		engine.ErrTxTooLarge, engine.ErrNoIndex, engine.ErrNotFound, engine.ErrInvalid, engine.ErrExists,
		engine.ErrTxDone, errFailed, vecindex.ErrModelMismatch, vecindex.ErrDimension, vecindex.ErrVector,
	} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return err.Error()
}

// outcome is fault, or the result of an operation that succeeded.
func outcome(err error, format string, args ...any) string {
	if err != nil {
		return fault(err)
	}
	return fmt.Sprintf(format, args...)
}

// found is the result of an operation that needs something to be there.
func found(ok bool) string {
	if ok {
		return "ok"
	}
	return fault(engine.ErrNotFound)
}

func pick[T any](rnd *rand.Rand, list []T) T { return list[rnd.IntN(len(list))] }

var (
	nodeTypeNames = []string{"chunk", "entity", "topic"}
	// The first two edge types are the caller's own, the others are only
	// contributed to.
	edgeTypeNames = []string{"links", "near", "causes", "said"}
	propNames     = []string{"a", "b", "text", "caf\u00e9", "cafe\u0301"}
	fieldNames    = []string{"body", "title"}
	spaceNames    = []string{"l2", "ip", "cos"}
	bucketNames   = []string{"jobs", "cache"}
	words         = []string{"a", "an", "ant", "bee", "bees", "cat", "d\x00g", "\xffz", "zebra"}
)

// isDirected says which edge types are directed.
func isDirected(name string) bool { return name == "links" || name == "causes" }

// id returns a node, mostly one that exists; a few are hubs.
func (g *graphOps) id() engine.NodeID {
	ids := g.m.nodesOf(0)
	switch {
	case len(ids) == 0 || g.rnd.IntN(30) == 0:
		return engine.NodeID(g.rnd.IntN(int(g.m.nextNode) + 2))
	case g.rnd.IntN(5) < 2:
		return ids[g.rnd.IntN(min(3, len(ids)))]
	}
	return pick(g.rnd, ids)
}

// edge returns an edge of one of some types, mostly one that exists.
func (g *graphOps) edge(types []string) modelEdge {
	ids := map[engine.EdgeType]bool{}
	for _, name := range types {
		ids[g.m.edgeTypes[name]] = true
	}
	var has []modelEdge
	for e := range g.m.edges {
		if ids[e.typ] {
			has = append(has, e)
		}
	}
	if len(has) > 0 && g.rnd.IntN(4) > 0 {
		slices.SortFunc(has, func(a, b modelEdge) int { return compareTargets(a.target(), b.target()) })
		e := pick(g.rnd, has)
		if !e.typ.Directed() && g.rnd.IntN(2) == 0 {
			e.from, e.to = e.to, e.from
		}
		return e
	}
	t := g.m.edgeTypes[pick(g.rnd, types)]
	return modelEdge{g.id(), g.id(), t}
}

func (g *graphOps) text(n int) string {
	var b strings.Builder
	random := g.rnd.IntN(3) == 0 // does not compress
	for b.Len() < n {
		if random {
			fmt.Fprintf(&b, "%x", g.rnd.Uint64())
		} else {
			b.WriteString(pick(g.rnd, []string{"lorem ", "ipsum ", "dolor ", "sit ", "\u00e4\u00df\n"}))
		}
	}
	return strings.ToValidUTF8(b.String()[:n], "")
}

func (g *graphOps) value() engine.Value {
	switch g.rnd.IntN(14) {
	case 0, 1:
		return engine.Int(int64(g.rnd.IntN(7) - 3))
	case 2:
		return engine.Float(float64(g.rnd.IntN(9)-4) / 2)
	case 3:
		return engine.Bool(g.rnd.IntN(2) == 0)
	case 4:
		return engine.Time(time.Unix(int64(g.rnd.IntN(3)), 5))
	case 5:
		return engine.Bytes([]byte(pick(g.rnd, []string{"", "\x00", "\xff\xfe"})))
	case 6:
		return engine.Strings(g.list(words[:6], 3)...)
	case 7:
		return engine.String(g.text(250 + g.rnd.IntN(12))) // about what an index keeps
	case 8:
		return engine.String(g.text(1020 + g.rnd.IntN(8))) // about what a record keeps
	case 9:
		return engine.String(g.text(1024 + g.rnd.IntN(3000)))
	case 10:
		if g.rnd.IntN(12) > 0 || g.size > 1<<20 {
			return engine.Value{}
		}
		g.size += 600_000
		return engine.String(g.text(pick(g.rnd, []int{256 << 10, 256<<10 + 1, 300_000, 600_000})))
	}
	return engine.String(pick(g.rnd, words[:6]))
}

// list returns at most n items of a list.
func (g *graphOps) list(from []string, n int) []string {
	out := make([]string, g.rnd.IntN(n+1))
	for i := range out {
		out[i] = pick(g.rnd, from)
	}
	return out
}

func (g *graphOps) props() engine.Props {
	p := engine.Props{}
	for range g.rnd.IntN(4) {
		p[pick(g.rnd, propNames)] = g.value()
	}
	if _, ok := p[propNames[3]]; ok {
		delete(p, propNames[4]) // the same name: which one counts is not said
	}
	return p
}

// showProps writes properties as transcripts do: long texts by their size.
func showProps(p engine.Props) string {
	var out []string
	for name, v := range p {
		s := fmt.Sprintf("%d:%s", v.Kind(), v)
		switch {
		case v.Kind() == engine.KindText || v.Kind() == engine.KindString && v.Size() > 1024:
			s = fmt.Sprintf("text of %d", v.Size())
		case v.Kind() == engine.KindString:
			s = showText(v.AsString())
		case v.Kind() == engine.KindBytes:
			s = fmt.Sprintf("%x", v.AsBytes())
		}
		out = append(out, name+"="+s)
	}
	slices.Sort(out)
	return "{" + strings.Join(out, " ") + "}"
}

func showText(s string) string {
	if len(s) <= 32 {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%d bytes %08x", len(s), crc32.ChecksumIEEE([]byte(s)))
}

func showRemoved(r engine.Removed) string {
	return fmt.Sprintf("nodes %v, dirty %v, %d edges", r.Nodes, r.Dirty, r.Edges)
}

// writes are the operations that write, with how often they are chosen.
var writes = []struct {
	weight int
	make   func(g *graphOps) step
}{
	{12, (*graphOps).putNode},
	{6, (*graphOps).derive},
	{6, (*graphOps).setProps},
	{3, (*graphOps).deleteNode},
	{12, (*graphOps).addEdge},
	{6, (*graphOps).fan},
	{5, (*graphOps).removeEdge},
	{2, (*graphOps).unfan},
	{4, (*graphOps).setEdgeProps},
	{5, (*graphOps).contributeToNode},
	{8, (*graphOps).contributeToEdge},
	{2, (*graphOps).withdraw},
	{2, (*graphOps).makeType},
	{2, (*graphOps).makeField},
	{8, (*graphOps).putTerms},
	{2, (*graphOps).makeSpace},
	{1, (*graphOps).dropSpace},
	{9, (*graphOps).putVector},
	{2, (*graphOps).deleteVector},
	{1, (*graphOps).makeIndex},
	{5, (*graphOps).setEntry},
	{2, (*graphOps).deleteEntry},
	{1, (*graphOps).deleteEntries},
	{2, (*graphOps).expectNode},
	{1, (*graphOps).expectVersion},
	{3, (*graphOps).refused},
}

// write returns a random operation that writes, done to the model.
func (g *graphOps) write() step {
	total := 0
	for _, w := range writes {
		total += w.weight
	}
	n := g.rnd.IntN(total)
	for _, w := range writes {
		if n -= w.weight; n < 0 {
			return w.make(g)
		}
	}
	return step{}
}

func (g *graphOps) putNode() step {
	name, key, p := pick(g.rnd, nodeTypeNames), fmt.Sprintf("k%d\x00", g.rnd.IntN(80)), g.props()
	id, created := g.m.putNode(g.m.makeNodeType(name), key, p)
	return g.writeStep(fmt.Sprintf("put node %s %q %s", name, key, showProps(p)), fmt.Sprint(id, created), func(w *engine.TxView) string {
		t, err := w.MakeNodeType(name)
		if err != nil {
			return fault(err)
		}
		id, created, err := w.PutNode(t, key, p)
		return outcome(err, "%d %t", id, created)
	})
}

// derive makes a derived node, or takes one that is there, and supports it.
func (g *graphOps) derive() step {
	source := g.id()
	if g.m.nodes[source] == nil {
		return g.putNode()
	}
	name, key, c := pick(g.rnd, nodeTypeNames[1:]), fmt.Sprintf("k%d\x00", g.rnd.IntN(40)), g.contribution()
	id, created := g.m.deriveNode(g.m.makeNodeType(name), key)
	ok := g.m.contributeToNode(source, id, c)
	return g.writeStep(fmt.Sprintf("derive %s %q by %d %v", name, key, source, c), fmt.Sprint(id, created, found(ok)), func(w *engine.TxView) string {
		t, err := w.MakeNodeType(name)
		if err != nil {
			return fault(err)
		}
		id, created, err := w.DeriveNode(t, key)
		if err != nil {
			return fault(err)
		}
		err = w.Contribute(source, engine.NodeTarget(id), c)
		return fmt.Sprint(id, created, fault(err))
	})
}

func (g *graphOps) setProps() step {
	id, p := g.id(), g.props()
	ok := g.m.setProps(id, p)
	return g.writeStep(fmt.Sprintf("set props %d %s", id, showProps(p)), found(ok), func(w *engine.TxView) string {
		return fault(w.SetProps(id, p))
	})
}

func (g *graphOps) deleteNode() step {
	id := g.id()
	r, ok := g.m.deleteNode(id)
	want := found(ok)
	if ok {
		want = showRemoved(r)
	}
	return g.writeStep(fmt.Sprintf("delete node %d", id), want, func(w *engine.TxView) string {
		r, err := w.DeleteNode(id)
		return outcome(err, "%s", showRemoved(r))
	})
}

func (g *graphOps) withdraw() step {
	id := g.id()
	want := showRemoved(g.m.withdraw(id))
	return g.writeStep(fmt.Sprintf("withdraw %d", id), want, func(w *engine.TxView) string {
		r, err := w.Withdraw(id)
		return outcome(err, "%s", showRemoved(r))
	})
}

func (g *graphOps) weight() float32 {
	return pick(g.rnd, []float32{1, 1, 1, 0.5, -2, 0, 0.1, 1e-7, 3})
}

// owned returns the name of an edge type of the caller's own and its id.
func (g *graphOps) owned() (name string, t engine.EdgeType) {
	name = edgeTypeNames[g.rnd.IntN(2)]
	t, _ = g.m.makeEdgeType(name, isDirected(name))
	return name, t
}

func (g *graphOps) addEdge() step {
	name, t := g.owned()
	from, to, weight := g.id(), g.id(), g.weight()
	ok := g.m.addEdge(edgeName(from, to, t), weight)
	return g.writeStep(fmt.Sprintf("add edge %d %d %s %v", from, to, name, weight), found(ok), func(w *engine.TxView) string {
		t, err := w.MakeEdgeType(name, isDirected(name))
		if err != nil {
			return fault(err)
		}
		return fault(w.AddEdge(from, to, t, weight))
	})
}

// fan adds many edges to one node, or from it, until one is refused.
func (g *graphOps) fan() step {
	name, t := g.owned()
	hub, weight, inward := g.id(), g.weight(), g.rnd.IntN(2) == 0
	var pairs [][2]engine.NodeID
	want := "ok"
	for range g.rnd.IntN(40) {
		from, to := hub, g.id()
		if inward {
			from, to = to, from
		}
		pairs = append(pairs, [2]engine.NodeID{from, to})
		if want = found(g.m.addEdge(edgeName(from, to, t), weight)); want != "ok" {
			break
		}
	}
	return g.writeStep(fmt.Sprintf("fan %s %v %v", name, weight, pairs), want, func(w *engine.TxView) string {
		t, err := w.MakeEdgeType(name, isDirected(name))
		for i := 0; i < len(pairs) && err == nil; i++ {
			err = w.AddEdge(pairs[i][0], pairs[i][1], t, weight)
		}
		return fault(err)
	})
}

func (g *graphOps) removeEdge() step {
	e := g.edge(edgeTypeNames)
	if e.typ == 0 {
		return g.addEdge()
	}
	g.m.removeEdge(edgeName(e.from, e.to, e.typ))
	return g.writeStep(fmt.Sprintf("remove edge %v", e), "ok", func(w *engine.TxView) string {
		return fault(w.RemoveEdge(e.from, e.to, e.typ))
	})
}

// unfan removes half of the edges of a node.
func (g *graphOps) unfan() step {
	id := g.id()
	var gone []engine.Edge
	for i, e := range g.m.neighbors(id, engine.EdgeFilter{Direction: engine.Both}) {
		if i%2 == 0 {
			gone = append(gone, e)
			g.m.removeEdge(edgeName(e.From, e.To, e.Type))
		}
	}
	return g.writeStep(fmt.Sprintf("unfan %d", id), fault(nil), func(w *engine.TxView) string {
		for _, e := range gone {
			if err := w.RemoveEdge(e.From, e.To, e.Type); err != nil {
				return fault(err)
			}
		}
		return fault(nil)
	})
}

func (g *graphOps) setEdgeProps() step {
	e, p := g.edge(edgeTypeNames), g.props()
	if e.typ == 0 {
		return g.addEdge()
	}
	ok := g.m.setEdgeProps(edgeName(e.from, e.to, e.typ), p)
	return g.writeStep(fmt.Sprintf("set edge props %v %s", e, showProps(p)), found(ok), func(w *engine.TxView) string {
		return fault(w.SetEdgeProps(e.from, e.to, e.typ, p))
	})
}

func (g *graphOps) contribution() engine.Contribution {
	return engine.Contribution{
		Weight: pick(g.rnd, []float32{0, 1, 0.1, 0.2, 0.3, 1e-7, 1e6, -0.7}) + float32(g.rnd.IntN(3)),
		Count:  uint32(g.rnd.IntN(3)),
		Label:  pick(g.rnd, []string{"", "Ada", "ada", "ADA"}),
		Texts:  g.list([]string{"one", "two", "three"}, 2),
	}
}

func (g *graphOps) contributeToNode() step {
	source, id, c := g.id(), g.id(), g.contribution()
	ok := g.m.contributeToNode(source, id, c)
	return g.writeStep(fmt.Sprintf("contribute %d to node %d %v", source, id, c), found(ok), func(w *engine.TxView) string {
		return fault(w.Contribute(source, engine.NodeTarget(id), c))
	})
}

func (g *graphOps) contributeToEdge() step {
	name := edgeTypeNames[2+g.rnd.IntN(2)]
	t, _ := g.m.makeEdgeType(name, isDirected(name))
	e := modelEdge{g.id(), g.id(), t}
	if g.rnd.IntN(2) == 0 {
		if again := g.edge([]string{name}); again.typ != 0 {
			e = again
		}
	}
	source, c := g.id(), g.contribution()
	ok := g.m.contributeToEdge(source, edgeName(e.from, e.to, t), c)
	return g.writeStep(fmt.Sprintf("contribute %d to edge %v %s %v", source, e, name, c), found(ok), func(w *engine.TxView) string {
		t, err := w.MakeEdgeType(name, isDirected(name))
		if err != nil {
			return fault(err)
		}
		return fault(w.Contribute(source, engine.EdgeTarget(e.from, e.to, t), c))
	})
}

// makeType makes a type, sometimes an edge type with the other direction.
func (g *graphOps) makeType() step {
	if g.rnd.IntN(2) == 0 {
		// Two spellings of one name.
		name := pick(g.rnd, propNames[3:])
		id := g.m.makeNodeType(propNames[3])
		return g.writeStep(fmt.Sprintf("make node type %+q", name), fmt.Sprint(id, id, true), func(w *engine.TxView) string {
			id, err := w.MakeNodeType(name)
			if err != nil {
				return fault(err)
			}
			again, ok := w.NodeType(name)
			return fmt.Sprint(id, again, ok)
		})
	}
	name, directed := pick(g.rnd, edgeTypeNames), g.rnd.IntN(2) == 0
	if g.m.edgeTypes[name] == 0 {
		directed = isDirected(name)
	}
	id, ok := g.m.makeEdgeType(name, directed)
	want := fmt.Sprint(id)
	if !ok {
		want = fault(engine.ErrExists)
	}
	return g.writeStep(fmt.Sprintf("make edge type %s %t", name, directed), want, func(w *engine.TxView) string {
		id, err := w.MakeEdgeType(name, directed)
		return outcome(err, "%d", id)
	})
}

func (g *graphOps) makeField() step {
	name := pick(g.rnd, fieldNames)
	o := engine.FieldOptions{Positions: name == "body", Analyzer: text.Standard{}.Name()}
	if g.rnd.IntN(4) == 0 {
		o.Positions = !o.Positions
	}
	have, known := g.m.fields[name]
	want := "ok"
	if !known {
		g.m.fields[name] = o
	} else if have != o {
		want = fault(engine.ErrExists)
	}
	return g.writeStep(fmt.Sprintf("make field %s %t", name, o.Positions), want, func(w *engine.TxView) string {
		return fault(w.MakeField(name, o))
	})
}

// putTerms replaces the terms of a node; none removes them.
func (g *graphOps) putTerms() step {
	field, id := pick(g.rnd, fieldNames), g.id()
	var terms []text.Term
	at := uint32(g.rnd.IntN(2))
	for _, word := range g.list(words, 12) {
		if !slices.Contains(terms, text.Term{Text: word, Pos: at}) {
			terms = append(terms, text.Term{Text: word, Pos: at})
		}
		at += uint32(g.rnd.IntN(8)+5) / 6 // mostly 1
	}
	_, ok := g.m.fields[field]
	ok = ok && g.m.nodes[id] != nil
	if place := (modelPlace{field, id}); ok && len(terms) > 0 {
		g.m.terms[place] = terms
	} else if ok {
		delete(g.m.terms, place)
	}
	order, remove := g.rnd.Perm(len(terms)), ok && g.rnd.IntN(2) == 0
	return g.writeStep(fmt.Sprintf("put terms %s %d %+q", field, id, fmt.Sprint(terms)), found(ok), func(w *engine.TxView) string {
		if len(terms) == 0 && remove {
			return fault(w.DeleteTerms(field, id))
		}
		shuffled := make([]text.Term, len(terms))
		for i, j := range order {
			shuffled[i] = terms[j]
		}
		return fault(w.PutTerms(field, id, shuffled))
	})
}

func (g *graphOps) spaceOptions(name string) engine.SpaceOptions {
	o := engine.SpaceOptions{Model: "m@1", Dim: 3}
	switch name {
	case "l2":
		o.Metric = vecindex.L2
	case "ip":
		o.Metric, o.Dim = vecindex.InnerProduct, 8
	}
	o.Dim += g.rnd.IntN(2)
	return o
}

func (g *graphOps) makeSpace() step {
	name := pick(g.rnd, spaceNames)
	o := g.spaceOptions(name)
	want := "ok"
	if !g.m.makeSpace(name, o) {
		want = fault(vecindex.ErrModelMismatch)
	}
	return g.writeStep(fmt.Sprintf("make space %s of %d", name, o.Dim), want, func(w *engine.TxView) string {
		return fault(w.MakeSpace(name, o))
	})
}

func (g *graphOps) dropSpace() step {
	name := pick(g.rnd, spaceNames)
	return g.writeStep(fmt.Sprintf("drop space %s", name), found(g.m.dropSpace(name)), func(w *engine.TxView) string {
		return fault(w.DropSpace(name))
	})
}

// vector returns a vector whose scores are exact: small whole numbers, along
// an axis where it will be scaled.
func (g *graphOps) vector(o engine.SpaceOptions) []float32 {
	v := make([]float32, o.Dim)
	for i := range v {
		if o.Metric != vecindex.Cosine {
			v[i] = float32(g.rnd.IntN(5) - 2)
		}
	}
	v[g.rnd.IntN(o.Dim)] = pick(g.rnd, []float32{-2, -1, 1, 2, 4})
	return v
}

func (g *graphOps) putVector() step {
	space, id, layer := pick(g.rnd, spaceNames), g.id(), uint8(g.rnd.IntN(3))
	o, ok := g.m.spaces[space]
	if !ok {
		o = g.spaceOptions(space)
	}
	v := g.vector(o)
	want := found(ok && g.m.nodes[id] != nil)
	if want == "ok" {
		switch g.rnd.IntN(20) {
		case 0:
			v, want = append(v, 1), fault(vecindex.ErrDimension)
		case 1:
			clear(v)
			want = fault(vecindex.ErrVector)
		default:
			g.m.vectors[modelPlace{space, id}] = modelVector{layer, v}
		}
	}
	return g.writeStep(fmt.Sprintf("put vector %s %d %d %v", space, id, layer, v), want, func(w *engine.TxView) string {
		if layer == 0 {
			return fault(w.PutVector(space, id, v))
		}
		return fault(w.PutLayerVector(space, id, layer, v))
	})
}

func (g *graphOps) deleteVector() step {
	space, id := pick(g.rnd, spaceNames), g.id()
	_, ok := g.m.spaces[space]
	delete(g.m.vectors, modelPlace{space, id})
	return g.writeStep(fmt.Sprintf("delete vector %s %d", space, id), found(ok), func(w *engine.TxView) string {
		return fault(w.DeleteVector(space, id))
	})
}

func (g *graphOps) makeIndex() step {
	name := pick(g.rnd, propNames)
	g.m.indexes[propNames[min(slices.Index(propNames, name), 3)]] = true
	return g.writeStep(fmt.Sprintf("make index %+q", name), "ok", func(w *engine.TxView) string {
		return fault(w.MakeIndex(name))
	})
}

// entryKey returns a key of a bucket, or a part of one.
func (g *graphOps) entryKey() string {
	return strings.Join(g.list([]string{"\x00", "a", "b", "\xff"}, 3), "")
}

func (g *graphOps) setEntry() step {
	e, value := modelEntry{pick(g.rnd, bucketNames), g.entryKey()}, pick(g.rnd, words)
	g.m.entries[e] = value
	return g.bucketStep("set entry", e, func(w engine.BucketWriter) error { return w.Set([]byte(e.key), []byte(value)) })
}

func (g *graphOps) deleteEntry() step {
	e := modelEntry{pick(g.rnd, bucketNames), g.entryKey()}
	delete(g.m.entries, e)
	return g.bucketStep("delete entry", e, func(w engine.BucketWriter) error { return w.Delete([]byte(e.key)) })
}

func (g *graphOps) deleteEntries() step {
	e := modelEntry{pick(g.rnd, bucketNames), g.entryKey()}
	for has := range g.m.entries {
		if has.bucket == e.bucket && strings.HasPrefix(has.key, e.key) {
			delete(g.m.entries, has)
		}
	}
	return g.bucketStep("delete entries", e, func(w engine.BucketWriter) error { return w.DeletePrefix([]byte(e.key)) })
}

func (g *graphOps) bucketStep(name string, e modelEntry, fn func(w engine.BucketWriter) error) step {
	return g.writeStep(fmt.Sprintf("%s %q", name, e), "ok", func(w *engine.TxView) string {
		b, err := w.MakeBucket(e.bucket)
		if err != nil {
			return fault(err)
		}
		return fault(fn(b))
	})
}

func (g *graphOps) expectNode() step {
	id, epoch := g.id(), uint64(0)
	have := uint64(0)
	if n := g.m.nodes[id]; n != nil {
		have = n.epoch
	}
	if g.rnd.IntN(4) > 0 {
		epoch = have
	}
	want := "ok"
	if epoch != have {
		want = fmt.Sprintf("conflict: %d, not %d", have, epoch)
	}
	return g.writeStep(fmt.Sprintf("expect node %d at %d", id, epoch), want, func(w *engine.TxView) string {
		return fault(w.ExpectNode(id, epoch))
	})
}

func (g *graphOps) expectVersion() step {
	have := g.m.version
	version := have + uint64(g.rnd.IntN(2))
	want := "ok"
	if version != have {
		want = fmt.Sprintf("conflict: %d, not %d", have, version)
	}
	return g.writeStep(fmt.Sprintf("expect version %d", version), want, func(w *engine.TxView) string {
		return fault(w.ExpectVersion(version))
	})
}

// refused is a call that is refused and leaves the transaction as it was.
func (g *graphOps) refused() step {
	nan, id := math.NaN(), g.id()
	for g.m.nodes[id] == nil {
		if len(g.m.nodes) == 0 {
			return g.putNode()
		}
		id = g.id()
	}
	name := nodeTypeNames[0]
	t := g.m.makeNodeType(name)
	link, _ := g.m.makeEdgeType("links", true)
	g.m.makeEdgeType("causes", true)
	key := fmt.Sprintf("refused%d", g.rnd.IntN(100))
	c := g.rnd.IntN(9)
	want := fault(engine.ErrInvalid)
	if c == 8 {
		want = fault(engine.ErrNotFound)
	}
	return g.writeStep(fmt.Sprintf("refused %d %q %d", c, key, id), want, func(w *engine.TxView) string {
		_, err := w.MakeNodeType(name)
		if err == nil {
			_, err = w.MakeEdgeType("links", true)
		}
		causes, err2 := w.MakeEdgeType("causes", true)
		if err = errors.Join(err, err2); err != nil {
			return fault(err)
		}
		switch c {
		case 0:
			_, _, err = w.PutNode(t, key, engine.Props{"a": engine.Int(1), "b": engine.Float(nan)})
		case 1:
			_, _, err = w.PutNode(t, "", nil)
		case 2:
			_, _, err = w.PutNode(999, key, nil)
		case 3:
			_, _, err = w.DeriveNode(t, strings.Repeat(key, 1000))
		case 4:
			err = w.SetProps(id, engine.Props{"a": engine.String("\xff")})
		case 5:
			err = w.AddEdge(id, id, link, float32(math.Inf(1)))
		case 6:
			err = w.AddEdge(id, id, 998, 1)
		case 7:
			err = w.Contribute(id, engine.EdgeTarget(id, id, causes), engine.Contribution{Weight: float32(nan)})
		case 8:
			err = w.Contribute(id, engine.EdgeTarget(id, 1<<31, causes), engine.Contribution{Weight: 1})
		}
		return fault(err)
	})
}
