package llm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/internal/reasoning"
)

func TestCheckReply(t *testing.T) {
	t.Parallel()
	const extraction = `{"entities":[{"name":"Ada","type":"person"}],"relations":[{"source":"Ada","target":"Babbage","description":"wrote to","strength":2}]}`
	for _, c := range []struct {
		name  string
		kind  llm.Kind
		reply string
		want  string
	}{
		{"text", llm.Answer, "  Yes [1].\r\n", "Yes [1]."},
		{"text after reasoning", llm.Answer, "<think>No {x}</think>\n\nYes [1].", "Yes [1]."},
		{"reasoning inside", llm.Answer, "Yes <THINKING>hm</Thinking>[1].", "Yes [1]."},
		{"reasoning without its opening", llm.Summarise, "let me see</think> Short.", "Short."},
		{"reasoning without its end", llm.Summarise, "Short. <think>or not", "Short."},
		{"reasoning in square brackets", llm.Answer, "[THINK]a[/THINK]b", "b"},
		{"reasoning by channel", llm.Answer, "<|channel|>analysis<|message|>a<|channel|>final<|message|>b", "b"},
		{"citations are no tags", llm.Answer, "a < b [1] <b>", "a < b [1] <b>"},
		{"control characters", llm.Attribute, "a\x00b\x1b[31m\tc\xff", "ab[31m\tc\uFFFD"},

		{"as it should be", llm.Extract, extraction, extraction},
		{"code fence", llm.Extract, "Here it is:\n```json\n" + extraction + "\n```\nI hope it helps {really}!", extraction},
		{"other object before", llm.Extract, `Given {"text": "x"} I say ` + extraction, extraction},
		{"inside another object", llm.Glean, `{"result": ` + extraction + `}`, extraction},
		{"reasoning with JSON", llm.Extract, `<think>{"entities":[{"name":"No"}]}</think>` + extraction, extraction},
		{"commas", llm.Extract, `{"entities":[{"name":"Ada",},],"relations":[,],}`, `{"entities":[{"name":"Ada"}],"relations":[]}`},
		{"commas in strings", llm.QueryElements, `{"entities":["a,]"]}`, `{"entities":["a,]"]}`},
		{"line break in a string", llm.Extract, "{\"entities\":[{\"name\":\"Ada\nKing\",\"description\":\"a\nb\"}]}", `{"entities":[{"name":"Ada King","description":"a\nb"}],"relations":[]}`},
		{"escaped quotes", llm.QueryElements, `{"entities":["\"}"]}`, `{"entities":["\"}"]}`},
		{"number as string", llm.RepairRelation, `{"source":"a","target":"b","description":"c","strength":" 2.5 "}`, `{"source":"a","target":"b","description":"c","strength":2.5}`},
		{"no strength", llm.RepairRelation, `{"source":"a","target":"b"}`, `{"source":"a","target":"b","description":"","strength":1}`},
		{"one relation in a list", llm.RepairRelation, `[{"source":"a","target":"b"}]`, `{"source":"a","target":"b","description":"","strength":1}`},
		{"other names of fields", llm.SummaryEntities, `{"nodes":[{"entity_name":"a","entity_type":"t"}],"relationships":null}`, `{"entities":[{"name":"a","type":"t"}],"relations":[]}`},
		{"nothing found", llm.Extract, `{"entities":[],"relations":[]}`, `{"entities":[],"relations":[]}`},
		{"an empty place holder", llm.Extract, `{"entities":[{"name":"","type":""},{"name":"a"}]}`, `{"entities":[{"name":"a"}],"relations":[]}`},
		{"units", llm.Extract, `{"entities":[],"units":["A is.",{"text":" B was. ","time":"1931"},{"text":""}]}`,
			`{"entities":[],"relations":[],"units":[{"text":"A is."},{"text":"B was.","time":"1931"}]}`},
		{"report", llm.CommunityReport, `{"title":"T","summary":"S","rating":"7","rating_explanation":"R","findings":["F",{"summary":"a","explanation":"b"}],"more":1}`,
			`{"title":"T","summary":"S","rating":7,"rating_explanation":"R","findings":[{"summary":"F","explanation":""},{"summary":"a","explanation":"b"}]}`},
		{"decomposition", llm.Decompose, `{"units":[{"text":"A is b.","entities":["A",{"name":"b"},"A"],"relations":[{"source":"A","relation":"is","target":"b"},{"source":"A","relation":"is"},7]},{"text":"A is b."},{"text":""},{"semantic_unit":"C."},3]}`,
			`{"units":[{"text":"A is b.","entities":["A","b"],"relations":[{"source":"A","relation":"is","target":"b"}]},{"text":"C.","entities":[],"relations":[]}]}`},
		{"decomposition in a bare list", llm.Decompose, `[{"text":"A is b.","entities":[],"relations":[]}]`, `{"units":[{"text":"A is b.","entities":[],"relations":[]}]}`},
		{"insights", llm.Insights, `{"high_level_elements":[{"title":" T  t ","description":"D."},{"title":"alone"},{"title":"","description":""},{"title":"T t","description":"D."}]}`,
			`{"insights":[{"title":"T t","description":"D."}]}`},
		{"elements", llm.QueryElements, `{"entities":[" a  b ","",{"name":"c"},1984]}`, `{"entities":["a b","c","1984"]}`},
		{"bare list of elements", llm.QueryElements, `The names: ["a","b"].`, `{"entities":["a","b"]}`},
		{"a citation before", llm.QueryElements, `By [1]: {"entities":["a"]}`, `{"entities":["a"]}`},
		{"keywords", llm.Keywords, `{"high_level_keywords":["a"]}`, `{"high_level":["a"],"low_level":[]}`},
		{"points", llm.FilterPoints, `{"points":[{"description":"a","score":"80","n":2}]}`, `{"points":[{"description":"a","score":80,"n":2}]}`},
		{"bare list of points", llm.FilterPoints, `[{"description":"a","score":0}]`, `{"points":[{"description":"a","score":0}]}`},
		{"verdict", llm.Judge, `{"winner":-1,"reason":"equal"}`, `{"winner":-1,"reason":"equal"}`},
		{"questions", llm.MakeQuestions, `{"items":["Why \n it?"," ","Why it?","Who?"]}`, `{"items":["Why it?","Who?"]}`},
		{"questions in a bare list", llm.MakeQuestions, "1: [\"Why?\", \"Who?\",]", `{"items":["Why?","Who?"]}`},
		{"tag in a string", llm.Judge, `{"winner":0,"reason":"\u003cthink>a"}`, `{"winner":0,"reason":"\u003cthink\u003ea"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := llm.CheckReply(c.kind, c.reply)
			if err != nil || got.Text != c.want {
				t.Fatalf("got %q, %v\nwant %q", got.Text, err, c.want)
			}
			again, err := llm.CheckReply(c.kind, got.Text)
			if err != nil || again != (llm.Reply{Text: got.Text}) {
				t.Fatalf("a second time: %q, %v", again.Text, err)
			}
		})
	}
}

// TestMending looks at what is kept of replies that cannot be used whole, and at
// what is counted.
func TestMending(t *testing.T) {
	t.Parallel()
	const good = `{"entities":[{"name":"Ada"}],"relations":[{"source":"Ada","target":"Bob","description":"met","strength":2}]}`
	for _, c := range []struct {
		name  string
		kind  llm.Kind
		reply string
		want  string
		did   llm.Mending
	}{
		{"as it should be", llm.Extract, good, good, llm.Mending{}},
		{"words around", llm.Extract, "Here: " + good, good, llm.Mending{Mended: 1}},
		{"a comma too many", llm.Extract, `{"entities":[{"name":"Ada"},],"relations":[]}`, `{"entities":[{"name":"Ada"}],"relations":[]}`, llm.Mending{Mended: 1}},
		{"bad records", llm.Extract, `{"entities":[{"name":"Ada"},{"type":"t"},7],"relations":[{"source":"Ada"},{"source":"Ada","target":"Bob","description":"met","strength":2},
			{"source":"Ada","target":"Bob","strength":-2},"x"]}`, good, llm.Mending{Mended: 1, Dropped: 5}},
		{"the same again", llm.Extract, `{"entities":[{"name":"Ada"},{"name":" Ada "}],"relations":[]}`, `{"entities":[{"name":"Ada"}],"relations":[]}`, llm.Mending{Mended: 1, Dropped: 1}},
		{"cut in a record", llm.Extract, `{"entities":[{"name":"Ada"},{"name":"Bo`, `{"entities":[{"name":"Ada"}],"relations":[]}`, llm.Mending{Salvaged: 1}},
		{"cut after a record", llm.Extract, `{"entities":[{"name":"Ada"}`, `{"entities":[{"name":"Ada"}],"relations":[]}`, llm.Mending{Salvaged: 1}},
		{"cut in the second list", llm.Extract, "```json\n" + `{"entities":[{"name":"Ada"}],"relations":[{"source":"Ada","target":"Bob","description":"met","strength":2},{"source":"B\"`, good, llm.Mending{Salvaged: 1}},
		{"cut between lists", llm.Extract, `{"entities":[{"name":"Ada"}],"relat`, `{"entities":[{"name":"Ada"}],"relations":[]}`, llm.Mending{Salvaged: 1}},
		{"cut in an object in the reply", llm.Extract, `{"result":{"entities":[{"name":"Ada"},{`, "", llm.Mending{}},
		{"cut in a nested list", llm.Extract, `{"entities":[{"name":"Ada"},{"name":"Bob","alias":["x","y"`, `{"entities":[{"name":"Ada"}],"relations":[]}`, llm.Mending{Salvaged: 1}},
		{"a loop", llm.Keywords, `{"high_level":["a"],"low_level":["b","b","b","b`, `{"high_level":["a"],"low_level":["b"]}`, llm.Mending{Mended: 1, Salvaged: 1, Dropped: 2}},
		{"report", llm.CommunityReport, `{"title":"T","summary":"S","findings":[{"summary":"a","explanation":"b"},{"summary":"c`,
			`{"title":"T","summary":"S","rating":0,"rating_explanation":"","findings":[{"summary":"a","explanation":"b"}]}`, llm.Mending{Salvaged: 1}},
		{"bare list", llm.FilterPoints, `[{"description":"a","score":1},{"description":"b","sc`, `{"points":[{"description":"a","score":1}]}`, llm.Mending{Salvaged: 1}},
		{"a point without a score", llm.FilterPoints, `{"points":[{"description":"a"},{"description":"b","score":1}]}`, `{"points":[{"description":"b","score":1}]}`, llm.Mending{Mended: 1, Dropped: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := llm.CheckReply(c.kind, c.reply)
			if c.want == "" {
				if !errors.Is(err, llm.ErrReply) {
					t.Fatalf("got %+v, %v", got, err)
				}
				return
			}
			if err != nil || got != (llm.Reply{Text: c.want, Mending: c.did}) {
				t.Fatalf("got %+v, %v\nwant %+v %s", got, err, c.did, c.want)
			}
		})
	}
}

// TestSalvageIsLinear gives a long reply of each shape without an end.
func TestSalvageIsLinear(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"[", "{", `[""`, `["",`, `{"a":[`, `[{},`, `{"entities":[{"name":"a"},`, `"`, `]`} {
		_, err := llm.CheckReply(llm.Extract, `{"entities":[{"name":"b"},`+strings.Repeat(s, 1<<19/len(s)))
		if err != nil && !errors.Is(err, llm.ErrReply) {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// TestJoin joins the two halves of a reply.
func TestJoin(t *testing.T) {
	t.Parallel()
	got, err := llm.Reply{Text: `{"entities":[{"name":"a"},{"name":"b"}],"relations":[]}`}.Join(llm.Extract,
		llm.Reply{Text: `{"entities":[{"name":"b"},{"name":"c"}],"relations":[{"source":"a","target":"c","description":"","strength":1}],"units":[{"text":"A is."}]}`})
	want := llm.Reply{Text: `{"entities":[{"name":"a"},{"name":"b"},{"name":"c"}],"relations":[{"source":"a","target":"c","description":"","strength":1}],"units":[{"text":"A is."}]}`,
		Mending: llm.Mending{Mended: 1, Dropped: 1}}
	if err != nil || got != want {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	if _, err := (llm.Reply{Text: "x"}).Join(llm.Extract, llm.Reply{Text: "{}"}); !errors.Is(err, llm.ErrReply) {
		t.Errorf("no JSON: %v", err)
	}
}

func TestCheckReplyRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		kind  llm.Kind
		reply string
		why   string
	}{
		{"empty text", llm.Answer, " \n", "empty"},
		{"only reasoning", llm.Answer, "<think>a</think>", "empty"},
		{"empty JSON", llm.Extract, "", "empty"},
		{"reasoning without end", llm.Extract, `<think>{"entities":[]}`, "empty"},
		{"prose", llm.Extract, "I found nothing.", "no JSON object"},
		{"cut off", llm.Judge, `{"reason":"Ada", "winner"`, "no end"},
		{"not JSON", llm.Extract, `{entities: none}`, "not JSON"},
		{"another object", llm.Extract, `{"text":"a"}`, `neither "entities" nor "relations"`},
		{"a list of entities", llm.Extract, `["a"]`, "list"},
		{"entities of another type", llm.Extract, `{"entities":"Ada"}`, "not a list"},
		{"no name", llm.Extract, `{"entities":[{},{"name":" ","type":"t"}]}`, "entity 2: it has no name"},
		{"cut off in its first record", llm.Extract, `{"entities":[{"name":"Ada","tags":["x"],"type":`, "no end"},
		{"brackets crossed", llm.Extract, `{"entities":[{"name":"Ada"]`, "no end"},
		{"name of another type", llm.Extract, `{"entities":[{"name":["a"]}]}`, `"name" is not a string`},
		{"a number for a unit", llm.Extract, `{"entities":[],"units":[3]}`, "unit 1: it is not an object"},
		{"no source", llm.Extract, `{"entities":[],"relations":[{"target":"b"}]}`, "relation 1: it has no source"},
		{"no target", llm.RepairRelation, `{"source":"a","target":""}`, "no target"},
		{"beyond repair", llm.RepairRelation, `{"source":"","target":"","description":"","strength":1}`, "beyond repair"},
		{"NaN", llm.RepairRelation, `{"source":"a","target":"b","strength":"NaN"}`, "not a finite number"},
		{"bare NaN", llm.RepairRelation, `{"source":"a","target":"b","strength":NaN}`, "not JSON"},
		{"too large", llm.RepairRelation, `{"source":"a","target":"b","strength":1e999}`, "not a finite number"},
		{"negative", llm.RepairRelation, `{"source":"a","target":"b","strength":-1}`, "negative"},
		{"words for a number", llm.RepairRelation, `{"source":"a","target":"b","strength":"strong"}`, "not a finite number"},
		{"no summary", llm.CommunityReport, `{"title":"T","summary":""}`, "title and a summary"},
		{"no elements", llm.QueryElements, `{"names":[]}`, `no "entities"`},
		{"no keywords", llm.Keywords, `{"keywords":[]}`, "neither"},
		{"no score", llm.FilterPoints, `{"points":[{"description":"a"}]}`, "no score"},
		{"score", llm.FilterPoints, `{"points":[{"description":"a","score":101}]}`, "0 to 100"},
		{"no winner", llm.Judge, `{"reason":"a"}`, "no \"winner\""},
		{"no questions", llm.MakeQuestions, `{"items":[" "]}`, "no items"},
		{"a question of another kind", llm.MakeQuestions, `{"items":["",{"q":1}]}`, "item 2: it is not a string"},
		{"questions by another name", llm.MakeQuestions, `{"list":["Why?"]}`, "no \"items\""},
		{"half a winner", llm.Judge, `{"winner":0.5}`, "index"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := llm.CheckReply(c.kind, c.reply)
			var re *llm.ReplyError
			if !errors.As(err, &re) || !errors.Is(err, llm.ErrReply) {
				t.Fatalf("got %+v, %v", got, err)
			}
			if re.Final != (c.name == "beyond repair") {
				t.Errorf("final: %+v", re)
			}
			if re.Kind != c.kind || re.Raw != c.reply || !strings.Contains(re.Why, c.why) {
				t.Fatalf("got %+v, want why %q", re, c.why)
			}
		})
	}
	if _, err := llm.CheckReply("poem", "a"); !errors.Is(err, llm.ErrKind) {
		t.Fatalf("an unknown kind: %v", err)
	}
}

// TestVisible gives texts in all cuts in two and byte by byte.
func TestVisible(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "  ", "plain", "  a b  ", "<think>x</think>  answer [1].  ", "a <think>x</think> b", "a <thin> b <", "a <think>x",
		"a [think]b[/think]\n\n", "a ◁think▷b◁/think▷ c", "<THINKING>a</thinking>b<reasoning>c</reasoning> d ",
	} {
		want := reasoning.Strip(text)
		check := func(pieces ...string) {
			t.Helper()
			var v reasoning.Visible
			got := ""
			for _, p := range pieces {
				got += v.Write(p)
				if !strings.HasPrefix(want, got) {
					t.Fatalf("%q: gave %q, which is not in %q", pieces, got, want)
				}
			}
			if got += v.Rest(); got != want {
				t.Fatalf("%q: got %q, want %q", pieces, got, want)
			}
		}
		runes := strings.Split(text, "")
		check(runes...)
		for i := range runes {
			check(strings.Join(runes[:i], ""), strings.Join(runes[i:], ""))
		}
	}
}

func TestStripReasoningIsLinear(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		strings.Repeat("</think>", 1<<17), strings.Repeat("<think></think>", 1<<16), strings.Repeat("<th", 1<<18) + strings.Repeat("ink>", 1<<18),
		strings.Repeat("<", 1<<20),
	} {
		got := reasoning.Strip(s)
		if again := reasoning.Strip(got); again != got {
			t.Fatalf("%.40q: not the same a second time", s)
		}
	}
}

func FuzzCheckReply(f *testing.F) {
	kinds := []llm.Kind{llm.Extract, llm.RepairRelation, llm.Answer, llm.CommunityReport, llm.QueryElements,
		llm.Keywords, llm.FilterPoints, llm.Judge}
	for i, s := range []string{
		`{"entities":[{"name":"a"}],"relations":[{"source":"a","target":"b","strength":"1"}]}`,
		`{"source":"a","target":"b",}`, "<think>a</think>b", `{"title":"a","summary":"b","findings":["c"]}`,
		`["a","b"]`, `{"high_level":["a"]}`, `[{"description":"a","score":1}]`, "```json\n{\"winner\":1}\n```",
	} {
		f.Add(i, s)
	}
	f.Fuzz(func(t *testing.T, i int, s string) {
		k := kinds[uint(i)%uint(len(kinds))]
		got, err := llm.CheckReply(k, s)
		if err != nil {
			if !errors.Is(err, llm.ErrReply) || got != (llm.Reply{}) {
				t.Fatalf("%+v, %v", got, err)
			}
			return
		}
		if k.JSON() && !json.Valid([]byte(got.Text)) {
			t.Fatalf("not JSON: %q", got.Text)
		}
		if again, err := llm.CheckReply(k, got.Text); err != nil || again != (llm.Reply{Text: got.Text}) {
			t.Fatalf("%q became %+v, %v", got.Text, again, err)
		}
		if !k.JSON() {
			return
		}
		// A reply joined with itself says nothing new, unless it is of one record.
		if all, err := got.Join(k, got); err != nil || all.Text != got.Text {
			t.Fatalf("%q and itself became %+v, %v", got.Text, all, err)
		}
	})
}
