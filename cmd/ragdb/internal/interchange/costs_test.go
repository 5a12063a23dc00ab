package interchange

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/growthtest"
)

// table is a file of nodes or edges with n of a part; %d is which of them it is.
type table struct{ before, part, after string }

func (x table) text(n int) string {
	var b strings.Builder
	b.WriteString(x.before)
	for i := range n {
		b.WriteString(strings.ReplaceAll(x.part, "%d", fmt.Sprint(i)))
	}
	return b.String() + x.after
}

const graphML = `<graphml><key id="a" for="node" attr.name="a" attr.type="string"/><graph edgedefault="directed">`

// TestCosts: what a file of a graph costs grows with what is in it, and not with
// the square, whether the file is right or refused.
func TestCosts(t *testing.T) {
	xml := func(before, part, after string) func(n int) func(Reader) error {
		x := table{graphML + before, part, after + "</graph></graphml>"}
		return func(n int) func(Reader) error {
			text := x.text(n)
			return func(to Reader) error { return ReadGraphML(strings.NewReader(text), to) }
		}
	}
	csv := func(nodes, edges table) func(n int) func(Reader) error {
		return func(n int) func(Reader) error {
			a, b := nodes.text(n), edges.text(n)
			return func(to Reader) error { return ReadCSV(strings.NewReader(a), strings.NewReader(b), to) }
		}
	}
	noEdges := table{before: ":START_ID,:END_ID,:TYPE\n"}
	people := table{":ID,:LABEL,a\nh,N,x\n", "n%d,N,x\n", ""}
	for name, file := range map[string]func(n int) func(Reader) error{
		"GraphML: nodes":             xml("", `<node id="n%d"><data key="a">x</data></node>`, ""),
		"GraphML: nodes of one id":   xml("", `<node id="n"/>`, ""),
		"GraphML: edges":             xml(`<node id="h"/>`, `<node id="n%d"/><edge source="h" target="n%d"/>`, ""),
		"GraphML: edges first":       xml("", `<edge source="h" target="n%d"/>`, `<node id="h"/>`),
		"GraphML: one edge":          xml(`<node id="a"/><node id="b"/>`, `<edge source="a" target="b"/>`, ""),
		"GraphML: characters":        xml(`<node id="n"><data key="a">`, "x", "</data></node>"),
		"GraphML: entities":          xml(`<node id="n"><data key="a">`, "&amp;", "</data></node>"),
		"GraphML: data of a node":    xml(`<node id="n">`, `<data key="a">x</data>`, "</node>"),
		"GraphML: keys":              xml("", `<key id="k%d" for="node" attr.name="k%d" attr.type="string"/>`, ""),
		"GraphML: attributes":        xml("<node id='n' ", "a%d='x' ", "/>"),
		"GraphML: elements within":   xml("", "<x>", ""),
		"GraphML: graphs in nodes":   xml("", `<node id="n%d"><graph edgedefault="directed">`, ""),
		"GraphML: comments":          xml("", "<!-- x -->", ""),
		"GraphML: open comments":     xml("", "<!-- ", ""),
		"GraphML: open tags":         xml("", "<", ""),
		"CSV: nodes":                 csv(people, noEdges),
		"CSV: nodes of one id":       csv(table{":ID,:LABEL\n", "n,N\n", ""}, noEdges),
		"CSV: edges":                 csv(people, table{":START_ID,:END_ID,:TYPE,a\n", "h,n%d,T,x\n", ""}),
		"CSV: one edge":              csv(table{":ID,:LABEL\n", "", "h,N\n"}, table{":START_ID,:END_ID,:TYPE\n", "h,h,T\n", ""}),
		"CSV: edges to nobody":       csv(people, table{":START_ID,:END_ID,:TYPE\n", "h,x%d,T\n", ""}),
		"CSV: columns":               csv(table{":ID,:LABEL", ",c%d", "\n"}, noEdges),
		"CSV: columns of one name":   csv(table{":ID,:LABEL", ",c", "\n"}, noEdges),
		"CSV: labels":                csv(table{":ID,:LABEL\nn,", "L%d;", "L\n"}, noEdges),
		"CSV: characters":            csv(table{":ID,:LABEL,a\nn,N,", "x", "\n"}, noEdges),
		"CSV: quotes":                csv(table{":ID,:LABEL,a\nn,N,\"", "\"\"", "\"\n"}, noEdges),
		"CSV: items of a list":       csv(table{":ID,:LABEL,a:string[]\nn,N,", "x;", "x\n"}, noEdges),
		"CSV: lines of an open cell": csv(table{":ID,:LABEL,a\nn,N,\"", "x\n", ""}, noEdges),
	} {
		t.Run(name, func(t *testing.T) {
			growthtest.Check(t, growthtest.Sizes{From: 512}, func(n int) time.Duration { return loadCost(t, file(n)) })
		})
	}
}

// loadCost returns the processor time of a load of a file.
func loadCost(t *testing.T, read func(Reader) error) time.Duration {
	t.Helper()
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	ns, err := db.Namespace(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	g, err := ns.Graph(t.Context(), "g")
	if err != nil {
		t.Fatal(err)
	}
	cost := growthtest.Cost(func() {
		_, err = Load(t.Context(), db, g, read) // what is refused costs, too
	})
	if testing.Verbose() && err != nil {
		t.Logf("%.100v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return cost
}
