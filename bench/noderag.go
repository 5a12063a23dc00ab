package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	ragquery "github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/text"
)

// nodeRAG measures NodeRAG on a drawn corpus: what its index takes beside model
// calls, what a retrieval takes, and the room on disk.
type nodeRAG struct {
	texts, dim, questions, opens int
	seed                         uint64
	params, dir, keep            string

	r    *report
	d    *nodeRAGData
	path string
}

// paperParams make the graph of the paper and retrieve as its code does, from texts that
// are given.
const paperParams = "sr=on,neighbours=0,match=phrase,names=0,quotas=shared,order=paper"

func nodeRAGFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	n := &nodeRAG{}
	fs.IntVar(&n.texts, "texts", 1985, "`number` of texts; 1,985 is the size of the paper's HotpotQA")
	fs.IntVar(&n.dim, "dim", 1536, "`elements` of a vector")
	fs.IntVar(&n.questions, "questions", 1000, "`number` of retrievals")
	fs.IntVar(&n.opens, "opens", 20, "`times` that the database is opened for a first retrieval")
	fs.StringVar(&n.params, "params", paperParams, "of the method; the default has the edges of the paper's graph and retrieves as its code does")
	fs.Uint64Var(&n.seed, "seed", 1, "of all that is drawn")
	fs.StringVar(&n.dir, "dir", "", "`folder` for the database, removed after; the system's for temporary files if empty")
	fs.StringVar(&n.keep, "keep", "", "`folder` of a database that is made where it is not there, and kept: what is built is measured only then")
	return func(ctx context.Context, r *report) error {
		n.r = r
		return n.run(ctx)
	}
}

func (n *nodeRAG) spec() string {
	if n.params == "" {
		return "noderag"
	}
	return "noderag:" + n.params
}

func (n *nodeRAG) run(ctx context.Context) (err error) {
	if n.texts < 40 || n.dim < 1 || n.questions < 1 || n.opens < 1 {
		return inputError{errors.New("-texts must be at least 40, -dim, -questions and -opens at least 1")}
	}
	tokens := text.NewCL100K()
	n.d = drawNodeRAG(n.texts, n.dim, n.questions, n.seed, tokens)
	n.r.Input = fmt.Sprintf("%s, %d texts, %d nodes, %d edges but for near ones, %d vectors of %d dimensions, seed %d",
		n.spec(), n.texts, len(n.d.graph.types), len(n.d.graph.edges), len(n.d.vectors), n.dim, n.seed)
	fmt.Fprintln(n.r.log, n.r.Input)
	n.path = n.keep
	if n.keep == "" {
		if n.dir, err = os.MkdirTemp(n.dir, "ragdb-bench-*"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(n.dir)) }()
		n.path = filepath.Join(n.dir, "noderag")
	}
	if _, err := os.Stat(n.path); errors.Is(err, os.ErrNotExist) {
		if err := n.build(ctx); err != nil {
			return err
		}
	}
	n.d = &nodeRAGData{asked: n.d.asked} // the rest would be collected at the retrievals' cost
	for _, step := range []func(ctx context.Context) error{n.measureSize, n.measureOpens, n.measureFirst, n.measureWarm} {
		runtime.GC()
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// with calls fn with the database, opened for it.
func (n *nodeRAG) with(ctx context.Context, fn func(s *nodeRAGStore) error) (err error) {
	s, err := openNodeRAG(ctx, n.path, n.spec(), n.d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	return fn(s)
}

// build loads the corpus and runs the stages that call no model.
func (n *nodeRAG) build(ctx context.Context) error {
	return n.with(ctx, func(s *nodeRAGStore) error {
		sw := start()
		if err := s.readDocuments(ctx, n.d); err != nil {
			return err
		}
		if err := s.load(ctx, n.d, s.sys.Params()["sr"] == "on"); err != nil {
			return err
		}
		_, cpu := sw.stop()
		n.r.atMost("load of texts, nodes and edges", cpu.Seconds(), "CPU-s", 0, "")
		sum := time.Duration(0)
		for _, st := range []struct {
			name      string
			apply     bool // else what a model told would be dropped again
			augmented bool
		}{
			{"vectors", true, false}, {"summary vectors", true, false},
			{"importance", false, true}, {"communities", true, true}, {"match", true, true}, {"near", true, false},
		} {
			sw := start()
			if err := s.stage(ctx, st.name, st.apply); err != nil {
				return fmt.Errorf("stage %s: %w", st.name, err)
			}
			_, cpu := sw.stop()
			n.r.atMost("stage "+st.name, cpu.Seconds(), "CPU-s", 0, "")
			if st.augmented {
				sum += cpu
			}
			if st.name == "communities" {
				if err := s.tellElements(ctx); err != nil {
					return err
				}
			}
		}
		n.r.atMost("augmentation without model calls", sum.Seconds(), "CPU-s", 60, "k-core and betweenness, Leiden, k-means and matching")
		return s.db.Compact(ctx)
	})
}

// The parts of a database by families of keys.
var nodeRAGParts = []struct {
	name string
	tags []layout.Tag
}{
	{"nodes", []layout.Tag{layout.TagNode, layout.TagExternalKey, layout.TagNodesOfType}},
	{"adjacency", []layout.Tag{layout.TagOut, layout.TagIn, layout.TagPromoted, layout.TagEdge, layout.TagEdgeBlock}},
	{"names", []layout.Tag{layout.TagPostings, layout.TagLexSum, layout.TagTermsOf}},
	{"contributions with their texts, sources", []layout.Tag{layout.TagContribution, layout.TagSources}},
	{"texts", []layout.Tag{layout.TagText}},
	{"vectors", []layout.Tag{layout.TagVector}},
	{"codes", []layout.Tag{layout.TagCode}},
	{"links and slots of vectors", []layout.Tag{layout.TagLinks, layout.TagSlot, layout.TagSlotOf}},
}

// measureSize measures the room that the families of keys take.
func (n *nodeRAG) measureSize(ctx context.Context) error {
	if err := n.with(ctx, func(*nodeRAGStore) error { return nil }); err != nil {
		return err // logs and files that are done with go at an opening
	}
	return n.with(ctx, func(s *nodeRAGStore) error {
		size, err := directoryBytes(n.path)
		if err != nil {
			return err
		}
		t := table{Title: "Storage", Columns: []string{"part", "MB", "share %"}}
		row := func(name string, bytes float64) {
			t.Rows = append(t.Rows, []string{name, number(bytes / 1e6), number(100 * bytes / float64(size))})
		}
		rest, graph := float64(size), 0.0
		for i, p := range nodeRAGParts {
			sum := 0.0
			for _, tag := range p.tags {
				bytes, err := s.store.DiskBytes(ctx, []byte{byte(tag)}, []byte{byte(tag) + 1})
				if err != nil {
					return err
				}
				sum += float64(bytes)
			}
			if rest -= sum; i < 3 {
				graph += sum
			}
			row(p.name, sum)
		}
		row("all else", rest)
		row("all", float64(size))
		n.r.Tables = append(n.r.Tables, t)
		limit := 214.0
		if strings.Contains(n.params, "vectors=f16") {
			limit = 160
		}
		n.r.atMost("storage", float64(size)/1e6, "MB", limit, "")
		n.r.atMost("graph part: nodes, adjacency, names", graph/1e6, "MB", 25, "")
		return s.db.View(ctx, func(snap *engine.Snapshot) error {
			st, err := snap.Stats(ctx)
			if err != nil {
				return err
			}
			counts := table{Title: "Graph", Columns: []string{"what", "number"}}
			for _, g := range st.Graphs {
				if g.Name == s.sys.Instance() {
					for _, c := range slices.Concat(g.NodeTypes, g.EdgeTypes) {
						counts.Rows = append(counts.Rows, []string{c.Name, fmt.Sprint(c.Count)})
					}
					counts.Rows = append(counts.Rows, []string{"all nodes", fmt.Sprint(g.Nodes)}, []string{"all edges", fmt.Sprint(g.Edges)})
				}
			}
			n.r.Tables = append(n.r.Tables, counts)
			return nil
		})
	})
}

// retrieve runs the plan of a question and, where cite is set, finds the chunks
// that its items rest on.
func (s *nodeRAGStore) retrieve(ctx context.Context, q *nodeRAGQuestion, cite bool) (items int, err error) {
	question := method.Question{Text: q.text}
	if cite {
		ev, err := s.corpus.Retrieve(ctx, s.sys, s.models, question)
		if err != nil {
			return 0, err
		}
		return len(ev.Items()), nil
	}
	err = s.db.View(ctx, func(snap *engine.Snapshot) error {
		plan, err := s.sys.Plan(ctx, s.models, question)
		if err != nil {
			return err
		}
		set, err := ragquery.Run(ctx, s.corpus.Env(snap, s.models, question, nil), plan.Op())
		items = len(set.Items)
		return err
	})
	if err == nil && items == 0 {
		err = errors.New("nothing was found")
	}
	return items, err
}

// measureOpens measures the first retrieval of databases just opened.
func (n *nodeRAG) measureOpens(ctx context.Context) error {
	var open, first, firstCPU, second latencies
	for i := range n.opens {
		t := time.Now()
		err := n.with(ctx, func(s *nodeRAGStore) error {
			open = append(open, time.Since(t))
			for k, l := range []*latencies{&first, &second} {
				sw := start()
				if _, err := s.retrieve(ctx, &n.d.asked[(2*i+k)%len(n.d.asked)], false); err != nil {
					return err
				}
				wall, cpu := sw.stop()
				if *l = append(*l, wall); k == 0 {
					firstCPU = append(firstCPU, cpu)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	note := fmt.Sprintf("n = %d openings", n.opens)
	n.r.atMost("opening, p50", open.at(0.5)/1e3, "ms", 0, note)
	n.r.atMost("first retrieval after opening, p50", first.at(0.5)/1e3, "ms", 50, note)
	n.r.atMost("first retrieval after opening, worst", first.at(1)/1e3, "ms", 50, note)
	n.r.atMost("first retrieval after opening, processor time, p50", firstCPU.at(0.5)/1e3, "CPU-ms", 0, note)
	n.r.atMost("second retrieval after opening, p50", second.at(0.5)/1e3, "ms", 50, note)
	return nil
}

// measureFirst measures the retrievals that follow an opening.
func (n *nodeRAG) measureFirst(ctx context.Context) error {
	return n.with(ctx, func(s *nodeRAGStore) error { return n.measure(ctx, s, "right after opening", false, 50) })
}

// measureWarm measures retrievals that were done before.
func (n *nodeRAG) measureWarm(ctx context.Context) error {
	return n.with(ctx, func(s *nodeRAGStore) error {
		for i := range n.d.asked {
			if _, err := s.retrieve(ctx, &n.d.asked[i], true); err != nil {
				return err
			}
		}
		if err := n.measure(ctx, s, "warm", false, 10); err != nil {
			return err
		}
		return n.measure(ctx, s, "warm, with citations", true, 0)
	})
}

// measure asks all questions, one after the other.
func (n *nodeRAG) measure(ctx context.Context, s *nodeRAGStore, when string, cite bool, target float64) error {
	var l latencies
	sum := 0
	sw := start()
	worst := time.Duration(0)
	for i := range n.d.asked {
		t := time.Now()
		items, err := s.retrieve(ctx, &n.d.asked[i], cite)
		if err != nil {
			return err
		}
		l = append(l, time.Since(t))
		worst = max(worst, l[i])
		sum += items
	}
	_, cpu := sw.stop()
	note := fmt.Sprintf("n = %d, %s items each", len(l), number(float64(sum)/float64(len(l))))
	n.r.atMost("retrieval "+when+", p50", l.at(0.5)/1e3, "ms", 0, note)
	n.r.atMost("retrieval "+when+", p99", l.at(0.99)/1e3, "ms", target, note)
	n.r.atMost("retrieval "+when+", worst", milliseconds(worst), "ms", 0, note)
	n.r.atMost("retrieval "+when+", processor time", milliseconds(cpu)/float64(len(l)), "CPU-ms", 0, "mean, all threads")
	return nil
}
