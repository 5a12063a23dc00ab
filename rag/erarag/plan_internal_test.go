package erarag

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/baseline"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

func kinds(ev *rag.Evidence) (chunks, summaries int) {
	for _, it := range ev.Items() {
		if it.Kind == method.ChunkNodeType {
			chunks++
		} else {
			summaries++
		}
	}
	return chunks, summaries
}

// TestSearch says what each search takes, what it cites and why it is there.
func TestSearch(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	const set = ",chunks=cl100k/150/0/paragraph"
	const short = small + set
	docs := ragtest.Docs(5, 40)
	c.Index(t, short, docs...)
	shape := layers(t, c, short, "hashes")
	if len(shape) < 4 {
		t.Fatalf("layers %v", shape)
	}
	q := method.Question{Text: "Who repaired the lighthouse in Karrow, and what did " + docs[7].Hero + " know?"}
	for _, rank := range []string{"hybrid", "vector"} {
		t.Run(rank, func(t *testing.T) { checkSearches(t, c, short+",rank="+rank, q, len(shape)-1) })
	}
	// The nearest chunks of a detailed search are those of a dense ranking.
	c.Methods["dense"] = baseline.Open("dense")
	dense := c.Evidence(t, "dense:"+set[1:], q).Items()
	for i, it := range c.Evidence(t, short+",k=10,search=detailed,p=1,rank=vector", q).Items() {
		if it.Keys[0] != dense[i].Keys[0] || it.Text != dense[i].Text {
			t.Errorf("chunk %d is %s, want %s", i, it.Keys[0], dense[i].Keys[0])
		}
	}
}

// checkSearches says what the searches take of a tree with some layers of
// summaries.
func checkSearches(t *testing.T, c *ragtest.Corpus, spec string, q method.Question, layers int) {
	for _, x := range []struct {
		spec              string
		chunks, summaries int // -1 for any that make up k
	}{
		{"k=12", -1, -1},
		{"k=12,search=detailed", 9, 3},
		{"k=12,search=detailed,p=0.5", 6, 6},
		{"k=10,search=summarised", 2, 8},
		{"k=10,search=summarised,p=1", 0, 10},
		{"k=10,search=detailed,p=1", 10, 0},
		{"k=2,search=layers", 2, 2 * layers},
	} {
		ev := c.Evidence(t, spec+","+x.spec, q)
		chunks, summaries := kinds(ev)
		if x.chunks < 0 {
			if chunks+summaries != 12 || chunks == 0 || summaries == 0 {
				t.Errorf("%s: %d chunks, %d summaries", x.spec, chunks, summaries)
			}
		} else if chunks != x.chunks || summaries != x.summaries {
			t.Errorf("%s: %d chunks, %d summaries; want %d, %d", x.spec, chunks, summaries, x.chunks, x.summaries)
		}
		first := ev.Items()[0].Kind
		if strings.Contains(x.spec, "detailed") && first != "chunk" || strings.Contains(x.spec, "summarised") && first != "summary" {
			t.Errorf("%s begins with a %s", x.spec, first)
		}
		for _, it := range ev.Items() {
			checkCited(t, c, spec, &it)
		}
	}
}

// checkCited checks that a piece of evidence cites the chunks it stands on and
// says why it is there. The local summary is made of sentences of the chunks.
func checkCited(t testing.TB, c *ragtest.Corpus, spec string, it *rag.Cited) {
	t.Helper()
	if len(it.Chunks) == 0 || len(it.Spans) == 0 {
		t.Fatalf("%s %v cites nothing", it.Kind, it.Keys)
	}
	if why := it.Why; len(why) < 2 || why[0].Op != "vector" && why[0].Op != "bm25" || why[len(why)-1].Op != "pack" {
		t.Errorf("%v: why %+v", it.Keys, why)
	}
	if it.Kind == "chunk" {
		if !slices.Equal(it.Chunks, it.Keys) {
			t.Errorf("chunk %v cites %v", it.Keys, it.Chunks)
		}
		return
	}
	var all strings.Builder
	s := opened(t, c, spec)
	err := c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
		for _, key := range it.Chunks {
			text, _, err := c.TextOf(t.Context(), snap, s.p.Chunks, key)
			if err != nil {
				return err
			}
			all.WriteString(strings.Join(strings.Fields(text), " ") + " ")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, sentence := range strings.SplitAfter(it.Text, ". ") {
		if s := strings.Join(strings.Fields(sentence), " "); !strings.Contains(all.String(), s) {
			t.Errorf("summary %v says %q, which is in none of its %d chunks", it.Keys, s, len(it.Chunks))
		}
	}
}

// TestBudget says that a context never has more tokens than its budget.
func TestBudget(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	c.Index(t, small, ragtest.Docs(6, 30)...)
	for _, search := range []string{"collapsed", "detailed", "summarised", "layers"} {
		for _, budget := range []int{1, 7, 20, 35, 60, 150, 400, 3000} {
			ev := c.Evidence(t, small+",search="+search, method.Question{Text: "Who sold the ferry in Tarn?", Budget: budget})
			var text strings.Builder
			for _, it := range ev.Items() {
				text.WriteString(it.Text + "\n")
			}
			if n := c.Tokens().Count(text.String()); ev.Tokens > budget || n > budget {
				t.Errorf("%s: %d tokens said, %d there, of a budget of %d", search, ev.Tokens, n, budget)
			}
			if budget >= 150 && len(ev.Items()) == 0 {
				t.Errorf("%s: nothing fits %d tokens", search, budget)
			}
		}
	}
}

// TestWhere says that a summary is used only where all that it rests on may
// be, or any with WhereAny.
func TestWhere(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	docs := ragtest.Docs(7, 30)
	c.Index(t, small, docs...)
	where, err := cypher.ParseWhere("year < 1850")
	if err != nil {
		t.Fatal(err)
	}
	early := map[string]bool{}
	for _, d := range docs {
		early[d.Key] = d.Year < 1850
	}
	mixed := 0
	for _, anyOf := range []bool{false, true} {
		for _, it := range c.Evidence(t, small+",k=500", method.Question{Text: "Who met whom in Selby?", Where: where, WhereAny: anyOf}).Items() {
			passing := 0
			for _, key := range it.Chunks {
				if early[method.DocOf(key)] {
					passing++
				}
			}
			if passing < len(it.Chunks) {
				mixed++
			}
			if passing == 0 || !anyOf && passing < len(it.Chunks) {
				t.Errorf("any %v: %v rests on %d chunks, of which %d pass", anyOf, it.Keys, len(it.Chunks), passing)
			}
		}
	}
	if mixed == 0 {
		t.Error("nothing rests on both")
	}
}

func TestParams(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		given map[string]string
		want  string // part of the error, "" for none
	}{
		{map[string]string{}, ""},
		{map[string]string{"min": "9", "max": "12"}, "split=16"},
		{map[string]string{"min": "4", "max": "20"}, "split=16"},
		{map[string]string{"min": "9", "max": "12", "split": "18"}, ""},
		{map[string]string{"max": "7"}, "max=7"},
		{map[string]string{"p": "1.5"}, "p=1.5"},
		{map[string]string{"search": "deep"}, "search=deep"},
		{map[string]string{"size": "3"}, `no parameter "size"`},
		{map[string]string{"profile": "cheap"}, `profile "cheap"`},
	} {
		_, r := parse(x.given)
		if err := r.Err(); (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v: %v, want %q", x.given, err, x.want)
		}
	}
	p, r := parse(map[string]string{"profile": "paper"})
	if err := r.Err(); err != nil || p.K != 5 || p.Bucket != 0 || p.Rank != "vector" || r.All["chunks"] != "cl100k/1200/100/window" {
		t.Errorf("profile=paper: k %d, rank %s, %s (%v)", p.K, p.Rank, r.All["chunks"], err)
	}
	c := corpus(t)
	if got := opened(t, c, "erarag:k=7,search=detailed,p=0.2,rank=vector").Instance(); got != Name {
		t.Errorf("a question's parameters make the instance %s", got)
	}
	if got := opened(t, c, "erarag:split=20,k=7").Instance(); got != Name+"#split=20" {
		t.Errorf("instance %s", got)
	}
}

// TestModels says that after the word table was trained again every node has its vector
// by the new one and none by the old one, while the tree stays: summaries of segments
// that have not changed are the same nodes, and nothing is asked for them.
func TestModels(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	c.Use(nil)
	c.Learn(true)
	docs := sorted(ragtest.Docs(54, 24))
	const old, now = "local/rri-512@v1", "local/rri-512@v2"
	built := calls(c.Index(t, small, docs[:9]...))
	checkTree(t, c, small, old)
	before := summaries(t, c, small)
	grown := calls(c.Index(t, small, docs[:18]...))
	checkTree(t, c, small, now)
	after := summaries(t, c, small)
	stayed, came := 0, 0
	for id, text := range after {
		switch was, ok := before[id]; {
		case !ok:
			came++
		case was != text:
			t.Errorf("summary %d said %q, and says %q", id, was, text)
		default:
			stayed++
		}
	}
	if stayed == 0 || grown != came || built != len(before) {
		t.Errorf("%d calls for %d summaries; with twice the documents %d calls for %d new ones, and %d stayed",
			built, len(before), grown, came, stayed)
	}
	s := opened(t, c, small)
	view(t, c, s, func(v *engine.View) error {
		for _, name := range v.Spaces() {
			if name != spaceOf(now) {
				t.Errorf("space %s is left", name)
			}
		}
		return nil
	})
	if r := c.Index(t, small); len(r.Stages) > 0 {
		t.Errorf("left to do: %+v", r.Stages)
	}
	for _, d := range docs[2:18] {
		c.Remove(t, d.Key)
		if left := ragtest.Find(t, c.Store, d.Hero); len(left) > 0 {
			t.Errorf("%s is in %q", d.Hero, left)
		}
	}
	c.Index(t, small)
	checkTree(t, c, small, now)
	ragtest.Check(t, c.DB())
}

// TestRetrain says that a table which is trained again without a new document makes
// all vectors again and asks for no summary.
func TestRetrain(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	c.Use(nil)
	c.Learn(true)
	c.Index(t, small, ragtest.Docs(55, 12)...)
	before := summaries(t, c, small)
	err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		b, err := tx.Graph(c.Base()).MakeBucket("words")
		if err != nil {
			return err
		}
		return b.Delete([]byte("trained"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := calls(c.Index(t, small)); n > 0 {
		t.Errorf("%d calls", n)
	}
	checkTree(t, c, small, "local/rri-512@v2")
	if after := summaries(t, c, small); !maps.Equal(before, after) || len(after) == 0 {
		t.Errorf("summaries %v, were %v", after, before)
	}
}

// summaries returns the texts of the summaries by their nodes.
func summaries(t *testing.T, c *ragtest.Corpus, spec string) map[engine.NodeID]string {
	t.Helper()
	out := map[engine.NodeID]string{}
	s := opened(t, c, spec)
	view(t, c, s, func(v *engine.View) error {
		typ, _ := v.NodeType(typeSummary)
		set, err := v.Nodes(typ)
		if err != nil {
			return err
		}
		for it := set.Iterator(); it.HasNext(); {
			n, err := v.Node(engine.NodeID(it.Next()))
			if err != nil {
				return err
			}
			if out[n.ID], err = summaryText(v, n); err != nil {
				return err
			}
		}
		return nil
	})
	return out
}
