package llmtest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
	"github.com/ragdb/ragdb/rag/prompts"
)

// post sends a request and returns its status and body; err is that of reading.
func post(t *testing.T, url, body string) (int, string, error) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func chat(prompt, format string) string {
	b, _ := json.Marshal(prompt)
	s := `{"model":"m","messages":[{"role":"user","content":` + string(b) + `}]`
	if format != "" {
		s += `,"response_format":` + format
	}
	return s + "}"
}

// content returns the text of an answer.
func content(t *testing.T, body string) string {
	t.Helper()
	var o struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal([]byte(body), &o); err != nil || len(o.Choices) != 1 {
		t.Fatalf("%v: %s", err, body)
	}
	return o.Choices[0].Message.Content
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Options{})
	named := func(name string) string {
		return `{"type":"json_schema","json_schema":{"name":"` + name + `","schema":{}}}`
	}
	const text = "Find things.\n```text\nIn 1843 Ada Lovelace wrote to Charles Babbage. The Engine was never built.\n```\n"
	for _, c := range []struct {
		name, prompt, format string
		kind                 llm.Kind
		want                 string // in the canonical reply
	}{
		{"extract by name", text, named("extract"), llm.Extract, `{"source":"Ada Lovelace","target":"Charles Babbage","description":"In 1843 Ada Lovelace wrote to Charles Babbage","strength":1}`},
		{"extract by fields", `Fields "entities", "relations".` + text, "", llm.Extract, `{"name":"Engine","type":"thing","description":"The Engine was never built"}`},
		{"tags", "Instructions of Others\n<text id=1>\nBerlin is large.\n</text>\n", named("query-elements"), llm.QueryElements, `{"entities":["Berlin"]}`},
		{"report", text, named("community-report"), llm.CommunityReport, `"title":"Ada Lovelace, Charles Babbage, Engine and others"`},
		{"keywords", text, named("keywords"), llm.Keywords, `"low_level":["Ada Lovelace","Charles Babbage","Engine"]`},
		{"points", text, named("filter-points"), llm.FilterPoints, `"score":50`},
		{"verdict", text, named("judge"), llm.Judge, `"winner":0`},
		{"relation", text, named("repair-relation"), llm.RepairRelation, `"target":"Charles Babbage"`},
		{"answer", "Q?\n\"\"\"\n[1] Rain falls. Snow too.\n[2] No.\n\"\"\"", "", llm.Answer, "Rain falls [1]."},
		{"summary", text, "", llm.Summarise, "In 1843 Ada Lovelace wrote to Charles Babbage."},
	} {
		status, body, err := post(t, s.URL+"/chat/completions", chat(c.prompt, c.format))
		if err != nil || status != 200 {
			t.Fatalf("%s: %d %v %s", c.name, status, err, body)
		}
		got, err := llm.CheckReply(c.kind, content(t, body))
		if err != nil || !strings.Contains(got.Text, c.want) {
			t.Errorf("%s: %s, %v\nwant %s", c.name, got.Text, err, c.want)
		}
	}
	for i, r := range s.Requests() {
		if r.N != i || !r.Delivered || r.Status != 200 || r.Digest == [32]byte{} {
			t.Errorf("logged %+v", r)
		}
	}
	if c := s.Counters(); c.Requests != 10 || c.Chats != 10 || c.Delivered != 10 || c.Repeated != 0 {
		t.Errorf("%+v", c)
	}
}

// TestPrompts asks by the prompts of rag/prompts for every kind, with a schema
// and without, and wants replies of the right type that are about the input.
func TestPrompts(t *testing.T) {
	t.Parallel()
	set, err := prompts.Default()
	if err != nil {
		t.Fatal(err)
	}
	text := llm.ExtractInput{Text: "Mira Voss drew the Tide Mill. It stood in Harn.", Title: "The \"points\" of Others"}
	entities := []llm.Entity{{Name: "tide mill", Type: "t", Description: "Old [1]."}, {Name: "Harn", Type: "t", Description: "A place."}}
	evidence := []llm.Evidence{{N: 3, Section: "s", Text: "Rain fell on Harn. It was cold."}, {N: 5, Text: "Mira Voss drew the mill. It was a toy."}}
	s := llmtest.New(t, llmtest.Options{})
	for _, c := range []struct {
		kind  llm.Kind
		input any
		want  string
	}{
		{llm.Extract, text, `{"source":"Mira Voss","target":"Tide Mill","description":"Mira Voss drew the Tide Mill","strength":1}`},
		{llm.Glean, llm.GleanInput{ExtractInput: text, Found: llm.Extraction{Entities: entities}}, `{"entities":[],"relations":[]}`},
		{llm.RepairRelation, llm.RepairInput{Text: text.Text, Relation: "x", Entities: []string{"tide mill", "Harn"}}, `{"source":"tide mill","target":"Harn"`},
		{llm.Attribute, llm.AttributeInput{Name: "Harn", Units: []string{"Harn is old. Or new."}}, "Harn is old."},
		{llm.CommunityReport, llm.ReportInput{Entities: entities}, `"title":"tide mill, Harn and others"`},
		{llm.Summarise, llm.SummariseInput{Texts: []string{"One is odd. Yes.", "Two."}}, "One is odd."},
		{llm.MergeDescriptions, llm.MergeInput{Name: "n", Descriptions: []string{"Dry.", "Wet."}}, "Dry."},
		{llm.SummaryEntities, llm.SummaryEntitiesInput{Entities: entities}, `{"source":"Harn","target":"Things like tide mill"`},
		{llm.QueryElements, llm.QuestionInput{Question: "Who is Mira Voss?"}, `{"entities":["Mira Voss"]}`},
		{llm.Keywords, llm.QuestionInput{Question: "Who is Mira Voss?"}, `"low_level":["Mira Voss"]`},
		{llm.WholeQuestion, llm.FollowUpInput{Turns: []llm.Turn{{Question: "Who is Mira Voss?"}}, Question: "Where was she born?"}, "Where was she born?."},
		{llm.HypotheticalPassage, llm.QuestionInput{Question: "Who is Mira Voss?"}, "Who is Mira Voss?."},
		{llm.FilterPoints, llm.AnswerInput{Question: "Who drew the mill?", Evidence: evidence}, `"n":5`},
		{llm.Answer, llm.AnswerInput{Question: "Who drew the mill?", Evidence: evidence}, "Mira Voss drew the mill [5]."},
		{llm.Judge, llm.JudgeInput{Question: "q", Answers: []string{"a", "b"}}, `"winner":0`},
		{llm.ShortAnswer, llm.ShortAnswerInput{Question: "Who drew the mill?", Evidence: evidence}, "Mira Voss drew the mill"},
		{llm.MakeQuestions, llm.QuestionsInput{Texts: []string{"Rain fell."}, User: "U", Task: "T", Count: 5}, `"Question 2 for T"`},
	} {
		task := llm.Task{Kind: c.kind, Input: c.input}
		if err := set.Fill(&task); err != nil {
			t.Fatal(c.kind, err)
		}
		for _, refuse := range [][]string{nil, {"json_schema", "json_object"}} {
			s := s
			if refuse != nil {
				s = llmtest.New(t, llmtest.Options{RefuseFormats: refuse})
			}
			chat, err := openai.NewChat(openai.Config{BaseURL: s.URL, Model: "m"}, openai.Options{ReAsks: -1})
			if err != nil {
				t.Fatal(err)
			}
			reply, _, err := chat.Do(t.Context(), task)
			if err != nil || !strings.Contains(reply.Text, c.want) {
				t.Errorf("%s, refused %v: %q, %v\nwant %q", c.kind, refuse, reply.Text, err, c.want)
			}
			chat.Close()
			if log := s.Requests(); log[len(log)-1].Kind != c.kind {
				t.Errorf("%s was taken for %s", c.kind, log[len(log)-1].Kind)
			}
		}
	}
}

func TestVector(t *testing.T) {
	t.Parallel()
	dot := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	a := llmtest.Vector("the cat sat", 256)
	if n := dot(a, a); n < 0.999 || n > 1.001 {
		t.Errorf("length %v", n)
	}
	near, far := dot(a, llmtest.Vector("The cat ran", 256)), dot(a, llmtest.Vector("stocks fell sharply", 256))
	if near < 0.4 || far > 0.3 {
		t.Errorf("near %v, far %v", near, far)
	}
	if !slices.Equal(a, llmtest.Vector("the cat sat", 256)) || dot(llmtest.Vector("!", 8), llmtest.Vector("!", 8)) < 0.99 {
		t.Error("not a function, or zero")
	}
}

// TestPlanIsOfRequests sends the same requests in two orders: the same fail.
func TestPlanIsOfRequests(t *testing.T) {
	t.Parallel()
	run := func(order []int, seed uint64) map[int]string {
		s := llmtest.New(t, llmtest.Options{Seed: seed, Plan: []llmtest.Fault{
			{Failure: llmtest.ServerError, Share: .3}, {Failure: llmtest.TooMany, Share: .3, RetryAfter: 2 * time.Second}}})
		got := map[int]string{}
		for range 2 { // each time it comes, a request may fail
			for _, i := range order {
				status, _, err := post(t, s.URL+"/chat/completions", chat(strings.Repeat("a ", i+1), ""))
				if err != nil {
					t.Fatal(err)
				}
				got[i] += http.StatusText(status) + " "
			}
		}
		return got
	}
	var up, down []int
	for i := range 40 {
		up = append(up, i)
	}
	down = slices.Clone(up)
	slices.Reverse(down)
	a, b, c := run(up, 1), run(down, 1), run(up, 2)
	same, kinds := true, map[string]int{}
	for i := range up {
		if a[i] != b[i] {
			t.Fatalf("request %d: %s in one order, %s in the other", i, a[i], b[i])
		}
		same = same && a[i] == c[i]
		kinds[a[i]]++
	}
	if same || len(kinds) < 5 {
		t.Errorf("other seed the same: %v; %v", same, kinds)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for f, want := range map[llmtest.Failure]string{
		llmtest.TooMany: "429", llmtest.ServerError: "500", llmtest.Unavailable: "503", llmtest.Unauthorized: "401",
		llmtest.Forbidden: "403", llmtest.NotFound: "404", llmtest.Refused: "400", llmtest.Invalid: "400", llmtest.NoQuota: "429",
		llmtest.Hangup: "EOF", llmtest.Cut: "EOF", llmtest.Redirect: "404", llmtest.NotJSON: "<html>",
		llmtest.BadJSON: `\"more\"`, llmtest.AtLimit: `"length"`, llmtest.Prose: "Certainly", llmtest.Empty: `"content":""`, llmtest.NoChoice: `"choices":[]`,
		llmtest.Think: "think", llmtest.OnlyThink: "think", llmtest.Slow: "stop", llmtest.LimitHeaders: "stop",
	} {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t, llmtest.Options{Plan: []llmtest.Fault{{Failure: f, First: 1, On: "chat"}}})
			format := `{"type":"json_schema","json_schema":{"name":"keywords"}}`
			status, body, err := post(t, s.URL+"/chat/completions", chat("Hello", format))
			var got bytes.Buffer
			json.NewEncoder(&got).Encode(status)
			got.WriteString(body)
			if err != nil {
				got.WriteString(err.Error())
			}
			if !strings.Contains(got.String(), want) {
				t.Errorf("got %s, want %s", got.String(), want)
			}
			if c := s.Counters(); c.Failures[f] != 1 {
				t.Errorf("%+v", c)
			}
			if status, body, err := post(t, s.URL+"/chat/completions", chat("Hello", format)); status != 200 || err != nil || !strings.Contains(body, "stop") {
				t.Errorf("then: %d %s %v", status, body, err)
			}
		})
	}
}

// TestDelivered has a client go before the answer.
func TestDelivered(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.Slow, First: 1, Delay: time.Minute}}})
	c := http.Client{Timeout: 300 * time.Millisecond}
	if _, err := c.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(chat("a", ""))); err == nil {
		t.Fatal("the client did not go")
	}
	for range 2 {
		if status, _, err := post(t, s.URL+"/chat/completions", chat("a", "")); status != 200 || err != nil {
			t.Fatal(status, err)
		}
	}
	got := s.Requests()
	if len(got) != 3 || got[0].Delivered || !got[1].Delivered || !got[2].Delivered {
		t.Errorf("%+v", got)
	}
	if n := s.Counters(); n.Repeated != 1 || n.Delivered != 2 {
		t.Errorf("%+v", n)
	}
	s.Reset()
	if n := s.Counters(); n.Requests != 0 || len(s.Requests()) != 0 {
		t.Errorf("after a reset: %+v", n)
	}
}

func TestListen(t *testing.T) {
	t.Parallel()
	s, err := llmtest.Listen("127.0.0.1:0", llmtest.Options{Key: "k", Models: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	if status, _, err := post(t, s.URL+"/chat/completions", chat("a", "")); status != 401 || err != nil {
		t.Errorf("without a key: %d %v", status, err)
	}
	if _, err := llmtest.Listen(strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/v1"), llmtest.Options{}); err == nil {
		t.Error("two servers at one address")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := post(t, s.URL+"/models", ""); err == nil {
		t.Error("it serves after Close")
	}
}

func BenchmarkChat(b *testing.B) {
	s := llmtest.New(b, llmtest.Options{})
	body := chat(strings.Repeat("Ada Lovelace wrote to Charles Babbage about the Engine. ", 10), `{"type":"json_schema","json_schema":{"name":"extract"}}`)
	for b.Loop() {
		resp, err := http.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}
