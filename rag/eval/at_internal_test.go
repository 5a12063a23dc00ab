package eval

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
)

// chunkItem returns a chunk of records, led to as its steps say: bm25 is a search, from
// another item's step, self a step from itself, start that of a walk that started at it as
// the fourth, twin that of a chunk in another graph.
func chunkItem(records string, steps ...string) rag.Cited {
	it := rag.Cited{Item: query.Item{Graph: 1, ID: 7, Text: records}, Kind: "chunk", Chunks: strings.Fields(records)}
	for _, s := range steps {
		step := query.Step{Op: s}
		switch s {
		case "self":
			step.From = it.Ref()
		case "start":
			step.From, step.Rank = it.Ref(), 4
		case "from":
			step.From = query.Ref{Graph: 1, ID: 8}
		case "twin":
			step.From, it.Graph = it.Ref(), it.Graph+1
		}
		it.Why = append(it.Why, step)
	}
	return it
}

func TestOfGraph(t *testing.T) {
	t.Parallel()
	summary := chunkItem("a", "vector")
	summary.Kind = "summary"
	tests := []struct {
		it    rag.Cited
		items int // of the section
		want  bool
	}{
		{chunkItem("a"), 1, false},
		{chunkItem("a", "bm25", "vector", "pack"), 1, false},
		{chunkItem("a", "bm25", "from", "pack"), 1, true},
		{chunkItem("a", "from"), 1, true},
		{chunkItem("a", "vector", "self"), 1, false},
		{chunkItem("a", "vector", "twin", "pack"), 1, false},
		{chunkItem("a", "vector", "self", "twin"), 1, false},
		{chunkItem("a", "from", "twin", "pack"), 1, true},
		{summary, 1, true},
		// The fourth of the starts is among four items without the walk too.
		{chunkItem("a", "vector", "start", "pack"), 3, true},
		{chunkItem("a", "vector", "start", "pack"), 4, false},
		{chunkItem("a", "vector", "start", "twin", "pack"), 3, true},
	}
	for _, tt := range tests {
		if got := ofGraph(&tt.it, tt.items); got != tt.want {
			t.Errorf("%s %+v of %d: %v", tt.it.Kind, tt.it.Why, tt.items, got)
		}
	}
}

// evidenceOf makes evidence of sections.
func evidenceOf(tokens int, sections ...rag.EvidenceSection) *rag.Evidence {
	return &rag.Evidence{Tokens: tokens, Sections: sections}
}

func section(name string, items ...rag.Cited) rag.EvidenceSection {
	return rag.EvidenceSection{Name: name, Items: items}
}

func chunksOf(it *rag.Cited) []string { return it.Chunks }

// TestAtFigure holds the figures at equal tokens to those worked out by hand, for
// three questions.
//
//   - q1 has the gold records a, b, c and d. Plain search shows a and b. The method
//     shows a by text, and c by its graph alone; d is found by the graph and by
//     text, and b only in an item that also rests on x, so it is not shown. Recall is
//     3/4, gain 1/4 (c: the graph alone has it; d it has not alone), cost 1/4 (b).
//     The section of paths shows c and d, that of texts a and d: 2/4 each.
//   - q2 has the gold record e alone, which both show: recall 1, neither gain nor
//     cost, and no set. It has no section of paths.
//   - q3 has the gold records f and g, and the answer "oak". The method shows both, g
//     by its graph, which plain search shows too: recall 1, the set whole, gain 0.
//   - q4 has answers only: it counts for coverage and nothing else.
func TestAtFigure(t *testing.T) {
	t.Parallel()
	questions := []question{
		{ID: "q1", Supporting: []string{"a", "b", "c", "d"}, Answers: []string{"elm"}},
		{ID: "q2", Supporting: []string{"e"}},
		{ID: "q3", Supporting: []string{"f", "g"}, Answers: []string{"f"}},
		{ID: "q4", Answers: []string{"b"}},
	}
	plain := []*rag.Evidence{
		evidenceOf(90, section("texts", chunkItem("a", "bm25"), chunkItem("b", "bm25"))),
		evidenceOf(90, section("texts", chunkItem("e", "bm25"))),
		evidenceOf(90, section("texts", chunkItem("g", "bm25"))),
		evidenceOf(90),
	}
	ours := []*rag.Evidence{
		evidenceOf(100,
			section("paths", chunkItem("c", "vector", "from"), chunkItem("d", "from"), chunkItem("b x", "from")),
			section("texts", chunkItem("a", "bm25"), chunkItem("d", "from"), chunkItem("d", "vector"), chunkItem("d", "from"), chunkItem("x", "bm25"))),
		evidenceOf(80, section("texts", chunkItem("x", "bm25"), chunkItem("e", "bm25"))),
		evidenceOf(60, section("paths", chunkItem("g", "from")), section("texts", chunkItem("f", "bm25"))),
		evidenceOf(40, section("texts", chunkItem("b", "bm25"))),
	}
	var rows, naive []*atRow
	for i := range questions {
		row, other := scoreAt(&questions[i], ours[i], alone(chunksOf)), scoreAt(&questions[i], plain[i], alone(chunksOf))
		row.gain, row.cost = graphCounts(row.gold, other.gold)
		rows, naive = append(rows, row), append(naive, other)
	}
	f := atFigure(100, rows, questions, 1)
	// Ranks: c d a x, then x e, then g f.
	want := fmt.Sprint(
		70.0,    // tokens: (100+80+60+40)/4
		3, 3, 2, // with answers, with gold records, with several
		2./3,               // coverage: q3 and q4, not q1
		(3./4+1+1)/3,       // recall
		(3./4+1+1)/3,       // recall@5
		(1+1./2+1)/3,       // mrr
		1./2,               // set recall: q3 of q1 and q3
		(1./4)/3, (1./4)/3, // gain and cost of the graph
		"paths", (2./4+0+1./2)/3, "texts", (2./4+1+1./2)/3,
	)
	got := fmt.Sprint(f.Tokens, f.Answered, f.Golden, f.Several, *f.Coverage, *f.Recall, *f.Recall5, *f.MRR, *f.SetRecall, *f.GraphGain, *f.GraphCost,
		f.Sections[0].Name, f.Sections[0].Recall, f.Sections[1].Name, f.Sections[1].Recall)
	if got != want || len(f.Sections) != 2 || f.Budget != 100 {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// Recall less that of plain search is gain less cost, and what the method's
	// own text search gained: d of q1 and f of q3.
	p := atFigure(100, naive, questions, 1)
	if d := *f.Recall - *p.Recall - (*f.GraphGain - *f.GraphCost + (1./4+1./2)/3); d > 1e-12 || d < -1e-12 {
		t.Errorf("recall %v, plain %v, gain %v, cost %v", *f.Recall, *p.Recall, *f.GraphGain, *f.GraphCost)
	}
	// By question: a, c and d of q1, e, both of q3; q4 has no gold records, q2 no answers.
	one := []*answerScore{{0, 0, 0.5}, nil, {1, 1, 1}, {1, 0, 0.25}}
	byQuestion, err := json.Marshal(rowsOf(rows, &AnswerFigure{scores: one}))
	if want := `{"tokens":[100,80,60,40],"covered":[0,null,1,1],"shown":[3,1,2,null],"gain":[1,0,0,null],"cost":[1,0,0,null],` +
		`"acc":[0,null,1,1],"em":[0,null,1,0],"f1":[0.5,null,1,0.25]}`; err != nil || string(byQuestion) != want {
		t.Errorf("by question %s, %v, want %s", byQuestion, err, want)
	}
	if asked := fmt.Sprint(questionsOf(questions)); asked != "[{q1 4} {q2 1} {q3 2} {q4 0}]" {
		t.Errorf("questions %s", asked)
	}
	if x, y := pairsAt(rows, naive); fmt.Sprint(x, y) != "[0 1 1] [0 0 0]" {
		t.Errorf("coverage by question %v, %v", x, y)
	}
	// Plain search covers none of the three, the method the last two.
	if ci := intervalAt(rows, naive, 1); ci == nil || *ci != interval([]float64{0, 1, 1}, []float64{0, 0, 0}, 1) {
		t.Errorf("the interval of coverage is %v", ci)
	}
	for i := range questions {
		questions[i].Answers = nil
		rows[i], naive[i] = scoreAt(&questions[i], ours[i], alone(chunksOf)), scoreAt(&questions[i], plain[i], alone(chunksOf))
	}
	if x, y := pairsAt(rows, naive); fmt.Sprint(x, y) != "[0.75 1 1] [0.5 1 0.5]" {
		t.Errorf("recall by question %v, %v", x, y)
	}
	if ci := intervalAt(rows, naive, 1); ci == nil || *ci != interval([]float64{0.75, 1, 1}, []float64{0.5, 1, 0.5}, 1) {
		t.Errorf("the interval of recall is %v", ci)
	}
	if ci := intervalAt(rows[3:], naive[3:], 1); ci != nil {
		t.Errorf("the interval of nothing is %v", ci)
	}
	if f := atFigure(100, rows[3:], questions[3:], 1); f.Coverage != nil || f.Recall != nil || f.SetRecall != nil || f.GraphGain != nil || f.GraphCI != nil || f.Sections != nil {
		t.Errorf("of nothing: %+v", f)
	}
}

func TestGraphCounts(t *testing.T) {
	t.Parallel()
	no, text, graph := shownGold{}, shownGold{shown: true}, shownGold{true, true}
	tests := []struct {
		name        string
		ours, plain []shownGold
		gain, cost  int
	}{
		{"no gold records", nil, nil, 0, 0},
		{"the graph alone", []shownGold{graph, no}, []shownGold{no, no}, 1, 0},
		{"plain search has it too", []shownGold{graph}, []shownGold{text}, 0, 0},
		{"other text search", []shownGold{text}, []shownGold{no}, 0, 0},
		{"pushed out", []shownGold{no, text, no, no}, []shownGold{text, text, text, no}, 0, 2},
		{"both", []shownGold{graph, no, no, graph}, []shownGold{no, text, no, no}, 2, 1},
	}
	for _, tt := range tests {
		if gain, cost := graphCounts(tt.ours, tt.plain); gain != tt.gain || cost != tt.cost {
			t.Errorf("%s: gain %v, cost %v", tt.name, gain, cost)
		}
	}
}

func TestSeveral(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{"": false, "a": false, "a a": false, "a b": true, "a a b": true} {
		if got := several(strings.Fields(in)); got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
}

func TestAtBudgets(t *testing.T) {
	t.Parallel()
	given := []int{4000, 1000, 4000}
	if got, err := atBudgets(given); err != nil || fmt.Sprint(got, given) != "[1000 4000] [4000 1000 4000]" {
		t.Errorf("%v of %v, %v", got, given, err)
	}
	if got, err := atBudgets(nil); err != nil || got != nil {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range [][]int{{0}, {1000, -1}} {
		if _, err := atBudgets(bad); err == nil || !strings.Contains(err.Error(), "give 1 or more") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
