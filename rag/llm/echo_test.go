package llm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
)

// TestWithoutEchoes: what a model copied from its instructions does not get into a
// graph, and what the text says stays, also if the instructions have it too.
func TestWithoutEchoes(t *testing.T) {
	prompt := []llm.Message{
		{Role: "system", Content: `List the names. Example for "Mira Voss founded the Delta Observatory.": {"name":"Mira Voss"}`},
		{Role: "user", Content: "The code is 981694.\n<text-981694>\nOtto Linde opened a bridge in Steen with mira voss.\n</text-981694>"},
	}
	text := llm.ExtractInput{Text: "Otto Linde opened a bridge in Steen with mira  voss."}
	members := llm.ReportInput{Entities: []llm.Entity{{Name: "Steen", Description: "a town"}}}
	summaries := llm.SummaryEntitiesInput{Entities: []llm.Entity{{Name: "Steen"}, {Name: "Marrow"}}}
	for _, x := range []struct {
		name        string
		kind        llm.Kind
		input       any
		reply, want string
		dropped     int
	}{
		{"nothing to drop", llm.Extract, text, `{"entities":[{"name":"Otto Linde"},{"name":"Mira Voss"}],"relations":[]}`,
			`{"entities":[{"name":"Otto Linde"},{"name":"Mira Voss"}],"relations":[]}`, 0},
		{"a name that neither has", llm.Extract, text, `{"entities":[{"name":"O. Linde"}],"relations":[]}`,
			`{"entities":[{"name":"O. Linde"}],"relations":[]}`, 0},
		{"the example's name and a relation of it", llm.Extract, text,
			`{"entities":[{"name":"Delta Observatory"},{"name":"Steen"}],"relations":[{"source":"Steen","target":"DELTA observatory","description":"x","strength":1}]}`,
			`{"entities":[{"name":"Steen"}],"relations":[]}`, 2},
		{"a mark as a name, the code as a description", llm.Extract, text,
			`{"entities":[{"name":"text-981694"},{"name":"Steen","description":"The code is 981694."}],"relations":[]}`,
			`{"entities":[{"name":"Steen"}],"relations":[]}`, 1},
		{"nothing is left", llm.Extract, text, `{"entities":[{"name":"Delta Observatory"}],"relations":[]}`, "", 0},
		{"a second reading may find nothing", llm.Glean, llm.GleanInput{ExtractInput: text}, `{"entities":[{"name":"Delta Observatory"}],"relations":[]}`,
			`{"entities":[],"relations":[]}`, 1},
		{"a summary's name", llm.SummaryEntities, summaries, `{"entities":[{"name":"Towns"},{"name":"Mira Voss"}],"relations":[{"source":"Marrow","target":"Towns","description":"is one","strength":1}]}`,
			`{"entities":[{"name":"Towns"}],"relations":[{"source":"Marrow","target":"Towns","description":"is one","strength":1}]}`, 1},
		{"an event of the example, and its name in another", llm.Decompose, text,
			`{"units":[{"text":"Mira Voss founded the Delta Observatory.","entities":["Mira Voss"],"relations":[]},{"text":"Otto Linde opened a bridge.","entities":["Otto Linde","Delta Observatory"],"relations":[{"source":"Otto Linde","relation":"r","target":"Delta Observatory"}]}]}`,
			`{"units":[{"text":"Otto Linde opened a bridge.","entities":["Otto Linde"],"relations":[]}]}`, 3},
		{"events of the example alone", llm.Decompose, text, `{"units":[{"text":"Mira Voss founded the Delta Observatory.","entities":[],"relations":[]}]}`, "", 0},
		{"an insight of the example", llm.Insights, llm.InsightsInput{Entities: members.Entities},
			`{"insights":[{"title":"t","description":"Mira Voss founded the Delta Observatory."},{"title":"u","description":"Steen grew."}]}`,
			`{"insights":[{"title":"u","description":"Steen grew."}]}`, 1},
		{"a report of the example", llm.CommunityReport, members,
			`{"title":"Mira Voss","summary":"s","rating":1,"rating_explanation":"","findings":[]}`, "", 0},
		{"a finding of the example", llm.CommunityReport, members,
			`{"title":"Steen","summary":"s","rating":1,"rating_explanation":"","findings":[{"summary":"a","explanation":"Mira Voss founded the Delta Observatory."}]}`,
			`{"title":"Steen","summary":"s","rating":1,"rating_explanation":"","findings":[]}`, 1},
		{"the marks in free text", llm.Summarise, llm.SummariseInput{Texts: []string{"x"}}, "He built it <b-123456> [1].\n</answer-981694>", "He built it <b-123456> [1].", 0},
		{"free text is left alone", llm.Summarise, llm.SummariseInput{Texts: []string{"x"}}, "Mira Voss", "Mira Voss", 0},
	} {
		r, err := llm.CheckReply(x.kind, x.reply)
		if err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		got, err := r.WithoutEchoes(llm.Task{Kind: x.kind, Input: x.input, Prompt: prompt})
		if x.want == "" {
			if re := (*llm.ReplyError)(nil); !errors.As(err, &re) || !strings.Contains(re.Why, "instructions") {
				t.Errorf("%s: %q, %v", x.name, got.Text, err)
			}
			continue
		}
		if err != nil || got.Text != x.want || got.Mending.Dropped != x.dropped || (got.Mending.Mended == 1) != (got.Text != r.Text) {
			t.Errorf("%s: %s, %+v, %v", x.name, got.Text, got.Mending, err)
		}
	}
}
