package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/text"
)

// TestNodeRAG runs the suite on a small corpus.
func TestNodeRAG(t *testing.T) {
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	args := []string{"noderag", "-json", "-texts", "60", "-dim", "64", "-questions", "20", "-opens", "2", "-dir", "."}
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Measures {
		if m.Name == "" || m.Unit == "" || m.Value <= 0 {
			t.Errorf("measure %+v", m)
		}
	}
	if len(r.Measures) < 20 || len(r.Tables) != 2 {
		t.Fatalf("%d measures, tables %v", len(r.Measures), r.Tables)
	}
	// What is stored is what was drawn, by the counts of newLayered.
	counts := map[string]int{}
	for _, row := range r.Tables[1].Rows {
		counts[row[0]], _ = strconv.Atoi(row[1])
	}
	for name, want := range map[string]int{
		"chunk": 60, "unit": 480, "entity": 2700, "attribute": 20, "element": 135, "overview": 135, "source": 480, "titles": 135,
	} {
		if counts[name] != want {
			t.Errorf("%d of %s, want %d", counts[name], name, want)
		}
	}
	if counts["near"] < 655 || counts["covers"] < 135 {
		t.Errorf("%d near, %d covers", counts["near"], counts["covers"])
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestNodeRAGFinds checks that a question leads to what it was drawn beside:
// nodes of every type that the method shows, and the entities by their names.
func TestNodeRAGFinds(t *testing.T) {
	tokens := text.NewCL100K()
	n := &nodeRAG{texts: 60, dim: 64, questions: 20, seed: 3, params: paperParams, r: &report{log: io.Discard}, path: t.TempDir() + "/db"}
	n.d = drawNodeRAG(n.texts, n.dim, n.questions, n.seed, tokens)
	again := drawNodeRAG(n.texts, n.dim, n.questions, n.seed, tokens)
	if !slices.Equal(n.d.says, again.says) || !slices.Equal(n.d.asked[5].vector, again.asked[5].vector) {
		t.Error("two draws of one seed differ")
	}
	sum := 0
	for u, says := range n.d.says {
		if kind := n.d.graph.types[u]; kind == layerUnit || kind == layerText {
			sum += tokens.Count(says)
		}
	}
	if mean := sum / (9 * n.texts); mean < 75 || mean > 105 {
		t.Errorf("texts and units have %d tokens, not about 90", mean)
	}
	if err := n.build(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	err := n.with(t.Context(), func(s *nodeRAGStore) error {
		for _, q := range n.d.asked {
			ev, err := s.corpus.Retrieve(t.Context(), s.sys, s.models, method.Question{Text: q.text})
			if err != nil {
				return err
			}
			for _, it := range ev.Items() {
				found[it.Kind]++
				if len(it.Chunks) == 0 || !strings.HasPrefix(it.Chunks[0], "text0") {
					t.Errorf("%s rests on %v", it.Kind, it.Chunks)
				}
			}
			for _, name := range q.names {
				if err := s.db.View(t.Context(), func(snap *engine.Snapshot) error {
					v := snap.Graph(s.sys.Graph())
					entity, _ := v.NodeType("entity")
					_, err := v.Lookup(entity, name)
					return err
				}); err != nil {
					t.Errorf("%q: %v", name, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"chunk", "unit", "relationship", "attribute", "element"} {
		if found[kind] == 0 {
			t.Errorf("no %s among %v", kind, found)
		}
	}
}
