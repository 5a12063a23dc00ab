package erarag

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/erarag/internal/runs"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
)

var long = flag.Bool("long", false, "run the long versions of the tests")

func corpus(t testing.TB) *ragtest.Corpus {
	t.Helper()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	c.Use(ragtest.Fixed)
	c.Learn(false)
	return c
}

// small is a tree of many layers over few chunks.
const small = "erarag:min=2,max=3,split=5,stop=3,layers=4,tokens=30"

func view(t testing.TB, c *ragtest.Corpus, s *system, fn func(v *engine.View) error) {
	t.Helper()
	err := c.DB().View(t.Context(), func(snap *engine.Snapshot) error { return fn(snap.Graph(s.g)) })
	if err != nil {
		t.Fatal(err)
	}
}

func opened(t testing.TB, c *ragtest.Corpus, spec string) *system {
	t.Helper()
	parsed, err := method.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), c.Docs(), parsed.Params)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// layers returns the number of nodes of each layer.
func layers(t testing.TB, c *ragtest.Corpus, spec, model string) (out []int) {
	t.Helper()
	s := opened(t, c, spec)
	view(t, c, s, func(v *engine.View) error {
		for l := range uint8(s.p.Layers + 1) {
			st, err := s.tree(v, treeOfModel(model)).layer(l)
			if err != nil || st.nodes == 0 {
				return err
			}
			out = append(out, int(st.nodes))
		}
		return nil
	})
	return out
}

// treeOfModel returns the name of the tree of a model of the tests.
func treeOfModel(model string) string {
	return treeName(llm.SpaceInfo{Model: model, Recomputable: strings.HasPrefix(model, "local/")})
}

// checkTree says what a tree is that has nothing left to do (spec C6).
func checkTree(t testing.TB, c *ragtest.Corpus, spec, model string) {
	t.Helper()
	s := opened(t, c, spec)
	err := c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
		x := &treeCheck{t: t, c: c, s: s, snap: snap, v: snap.Graph(s.g), model: model}
		x.tree = s.tree(x.v, treeOfModel(model))
		return x.run()
	})
	if err != nil {
		t.Fatal(err)
	}
}

type treeCheck struct {
	t     testing.TB
	c     *ragtest.Corpus
	s     *system
	snap  *engine.Snapshot
	v     *engine.View
	tree  *tree
	model string
	live  map[engine.NodeID]uint8 // nodes of the tree -> layer
}

func (x *treeCheck) run() error {
	x.live = map[engine.NodeID]uint8{}
	for e, err := range x.tree.Scan([]byte{'c'}, []byte{'e'}) { // c and d
		if err != nil {
			return err
		}
		x.t.Errorf("left to do: %q", e.Key)
	}
	for e, err := range x.tree.Prefix([]byte{'x'}) {
		if err != nil {
			return err
		}
		x.t.Errorf("stale: %q", e.Key)
	}
	if err := x.leaves(); err != nil {
		return err
	}
	for l := uint8(1); int(l) <= x.s.p.Layers+1; l++ {
		if err := x.layer(l); err != nil {
			return err
		}
	}
	return x.vectors()
}

// leaves checks that the leaves are the chunks of the corpus.
func (x *treeCheck) leaves() error {
	want := map[string]bool{}
	base := x.snap.Graph(x.c.Base())
	for ch, err := range x.c.Chunks(base, x.s.p.Chunks) {
		if err != nil {
			return err
		}
		want[ch.Key] = true
	}
	have, err := x.tree.nodes(0)
	if err != nil {
		return err
	}
	for _, it := range have {
		n, err := x.v.Node(engine.NodeID(it.ID))
		if err != nil {
			return fmt.Errorf("leaf %d: %w", it.ID, err)
		}
		if !want[n.Key] {
			x.t.Errorf("leaf %s is no chunk, or is there twice", n.Key)
		}
		delete(want, n.Key)
	}
	for key := range want {
		x.t.Errorf("chunk %s is no leaf", key)
	}
	return nil
}

// layer checks the segments of a layer against the nodes below it.
func (x *treeCheck) layer(l uint8) error {
	below, err := x.tree.nodes(l - 1)
	if err != nil {
		return err
	}
	for _, it := range below {
		x.live[engine.NodeID(it.ID)] = l - 1
	}
	st, err := x.tree.layer(l - 1)
	if err != nil {
		return err
	}
	if int(st.nodes) != len(below) {
		x.t.Errorf("layer %d counts %d nodes and has %d", l-1, st.nodes, len(below))
	}
	var all []segment
	for e, err := range x.tree.Prefix(layerKey('s', l)) {
		if err != nil {
			return err
		}
		g, err := readSegment(e.Value)
		if err != nil {
			return err
		}
		first, err := readPlace(e.Key[2:])
		if err != nil {
			return err
		}
		if first != x.tree.placeOf(g.items[0]) {
			x.t.Errorf("segment %d/%d stands at %v", l, g.number, first)
		}
		all = append(all, g)
	}
	if want := len(below) > x.s.p.Stop && int(l) <= x.s.p.Layers; want != (len(all) > 0) {
		x.t.Errorf("%d nodes in layer %d and %d segments above", len(below), l-1, len(all))
	}
	return x.segments(l, all, below)
}

func (x *treeCheck) segments(l uint8, all []segment, below []runs.Item) error {
	numbers, backs := 0, 0
	if err := x.tree.ids('l', l, func(number uint64, _ []byte) error {
		_, ok, err := x.tree.numbered(l, number)
		if !ok {
			x.t.Errorf("there is no segment %d/%d, which has lost something", l, number)
		}
		return err
	}); err != nil {
		return err
	}
	if err := x.tree.ids('p', l, func(number uint64, _ []byte) error {
		numbers++
		_, ok, err := x.tree.numbered(l, number)
		if !ok {
			x.t.Errorf("there is no segment %d/%d", l, number)
		}
		return err
	}); err != nil {
		return err
	}
	for _, err := range x.tree.Prefix(layerKey('r', l)) {
		if err != nil {
			return err
		}
		backs++
	}
	if numbers != len(all) || backs != len(all) {
		x.t.Errorf("layer %d has %d segments, %d numbers, %d places backwards", l, len(all), numbers, backs)
	}
	codes := map[uint64]uint64{}
	for _, it := range below {
		codes[it.ID] = it.Code
	}
	last := place{}
	for i, g := range all {
		least := x.s.p.Min
		if x.s.p.Bucket > 0 {
			least, last, i = keeps(&x.tree.sizes), place{}, 0
		} else if len(all) == 1 {
			least = 1
		}
		if n := len(g.items); n < least || n >= x.s.p.Split {
			x.t.Errorf("segment %d/%d of %d has %d items", l, g.number, len(all), n)
		}
		for k, it := range g.items {
			p := x.tree.placeOf(it)
			if (i > 0 || k > 0) && last.compare(p) >= 0 {
				x.t.Errorf("segment %d/%d: item %d is out of order", l, g.number, k)
			}
			last = p
			if code, ok := codes[it.ID]; !ok || code != it.Code {
				x.t.Errorf("segment %d/%d: item %d is in no layer below, or in two segments", l, g.number, it.ID)
			}
			delete(codes, it.ID)
		}
		if err := x.summary(l, &g); err != nil {
			return err
		}
	}
	if err := x.waiting(l, all, below, codes); err != nil {
		return err
	}
	if len(all) > 0 && len(codes) > 0 {
		x.t.Errorf("%d nodes of layer %d are in no segment", len(codes), l-1)
	}
	return nil
}

// waiting checks the nodes that wait: they are in no segment, too few of each bucket
// to make one. What is known of where nodes are is right. It takes them out of codes.
func (x *treeCheck) waiting(l uint8, all []segment, below []runs.Item, codes map[uint64]uint64) error {
	in := map[uint64]uint64{}
	for _, g := range all {
		for _, it := range g.items {
			in[it.ID] = g.number
		}
	}
	items, err := x.tree.waiting(l, layerKey('w', l), layerKey('w', l+1))
	if err != nil {
		return err
	}
	buckets := map[uint64]int{}
	for _, it := range items {
		if code, ok := codes[it.ID]; !ok || code != it.Code {
			x.t.Errorf("node %d waits for layer %d, and is in no layer below, or in a segment", it.ID, l)
		}
		delete(codes, it.ID)
		in[it.ID] = 0
		rank := x.tree.sizes.Rank(it.Code) >> x.tree.shift(uint64(len(below)))
		if buckets[rank]++; buckets[rank] == x.s.p.Min {
			x.t.Errorf("%d nodes of bucket %x wait for layer %d", buckets[rank], rank, l)
		}
	}
	if x.s.p.Bucket == 0 {
		in = map[uint64]uint64{}
	}
	err = x.tree.ids('m', l, func(id uint64, value []byte) error {
		number, _, err := x.tree.member(l, id)
		if want, ok := in[id]; !ok || want != number {
			x.t.Errorf("node %d is said to be in segment %d of layer %d, and is in %d", id, number, l, want)
		}
		delete(in, id)
		return err
	})
	if len(in) > 0 {
		x.t.Errorf("of %d nodes of layer %d it is not known where they are", len(in), l-1)
	}
	return err
}

// summary checks a segment's summary: the model's answer for its items' texts.
func (x *treeCheck) summary(l uint8, g *segment) error {
	if g.of != g.digest() {
		x.t.Errorf("segment %d/%d: the summary is of other items", l, g.number)
	}
	n, err := x.v.Node(g.summary)
	if err != nil {
		return fmt.Errorf("summary %d of segment %d/%d: %w", g.summary, l, g.number, err)
	}
	lost, some, err := x.tree.loss(l, g.number)
	if err != nil {
		return err
	}
	if rules := strings.Contains(n.Key, byRulesMark); rules != some || some && (lost.due(x.s.p.Lag) || lost.part == 0) {
		x.t.Errorf("summary %s of segment %d/%d, which has lost %+v", n.Key, l, g.number, lost)
	}
	if n.Prop(propLayer).AsInt() != int64(l) || n.Prop(propSegment).AsInt() != int64(g.number) {
		x.t.Errorf("summary %s is of segment %d/%d", n.Key, l, g.number)
	}
	sources, err := x.v.Sources(engine.NodeTarget(g.summary))
	if err != nil {
		return err
	}
	var texts []string
	for _, it := range g.items {
		if !sources.Contains(uint32(it.ID)) {
			x.t.Errorf("summary %s does not rest on %d", n.Key, it.ID)
		}
		text, _, err := x.s.textOf(context.Background(), x.snap, engine.NodeID(it.ID))
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	if int(sources.GetCardinality()) != len(g.items) {
		x.t.Errorf("summary %s rests on %d nodes, not %d", n.Key, sources.GetCardinality(), len(g.items))
	}
	want, _, err := local.New(local.Options{Tokens: x.c.Tokens().Count}).Do(context.Background(),
		llm.Task{Kind: llm.Summarise, Input: llm.SummariseInput{Texts: texts, MaxTokens: x.s.p.Tokens}})
	if err != nil {
		return err
	}
	text, err := summaryText(x.v, n)
	if err != nil {
		return err
	}
	if err := x.words(n.ID, text); err != nil {
		return err
	}
	if text != strings.TrimSpace(want.Text) {
		x.t.Errorf("summary %s says %q, want %q", n.Key, text, want.Text)
	}
	return nil
}

// words checks that a summary is found by the words of its text.
func (x *treeCheck) words(id engine.NodeID, text string) error {
	want := map[string]uint32{}
	for _, term := range x.c.Analyze(text) {
		want[term]++
	}
	have, err := x.v.TermsOf(fieldSummaries, id)
	if err != nil {
		return err
	}
	for _, term := range have {
		if want[term.Term] != term.Freq {
			x.t.Errorf("summary %d has %q %d times, want %d", id, term.Term, term.Freq, want[term.Term])
		}
	}
	if len(have) != len(want) {
		x.t.Errorf("summary %d is found by %d words of %d", id, len(have), len(want))
	}
	return nil
}

// vectors checks that what is searched are the nodes of the tree in their
// layers, and that there are no summaries beside them.
func (x *treeCheck) vectors() error {
	if x.c.Options().Models == nil {
		return nil
	}
	vecs, err := x.v.Vectors(spaceOf(x.model))
	if graph.IsMissing(err) && len(x.live) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	h := &graphops.Hyperplanes{}
	b, err := x.tree.Get([]byte{'h'}, nil)
	if err == nil {
		err = h.UnmarshalBinary(b)
	}
	if err != nil {
		return err
	}
	n := 0
	for e, err := range vecs.All(context.Background()) {
		if err != nil {
			return err
		}
		n++
		layer, ok := x.live[engine.NodeID(e.ID)]
		if !ok || layer != e.Layer {
			x.t.Errorf("vector %d of layer %d is of no node", e.ID, e.Layer)
			continue
		}
		want, err := h.Code(e.Vector)
		if err != nil {
			return err
		}
		// The codes of a tree whose model is trained again are of the first vectors.
		frozen := treeOfModel(x.model) != x.model
		if code, _, err := x.tree.code(layer, engine.NodeID(e.ID)); err != nil || code != want && !frozen {
			x.t.Errorf("node %d has the code %x, want %x (%v)", e.ID, code, want, err)
		}
	}
	if n != len(x.live) {
		x.t.Errorf("%d vectors of %d nodes", n, len(x.live))
	}
	summaries := 0
	for _, l := range x.live {
		if l > 0 {
			summaries++
		}
	}
	if typ, ok := x.v.NodeType(typeSummary); ok {
		set, err := x.v.Nodes(typ)
		if err != nil {
			return err
		}
		if int(set.GetCardinality()) != summaries {
			x.t.Errorf("%d summaries are nodes, %d of the tree", set.GetCardinality(), summaries)
		}
		stats, err := x.v.FieldStats(fieldSummaries)
		if err != nil {
			return err
		}
		if int(stats.Nodes) != summaries {
			x.t.Errorf("%d summaries have words, %d are of the tree", stats.Nodes, summaries)
		}
	}
	return nil
}

func sorted(docs []ragtest.Doc) []ragtest.Doc {
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b ragtest.Doc) int { return strings.Compare(a.Key, b.Key) })
	return docs
}

func TestBuild(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	c.Index(t, small, ragtest.Docs(3, 40)...)
	t.Log(layers(t, c, small, "hashes"))
	checkTree(t, c, small, "hashes")
	ragtest.Check(t, c.DB())
	if r := c.Index(t, small); len(r.Stages) > 0 {
		t.Errorf("left to do: %+v", r.Stages)
	}
}
