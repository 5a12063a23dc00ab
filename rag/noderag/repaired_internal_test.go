package noderag

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// mender gives one relation for each malformed one: it has the ends that reply names, and
// is no relation if that is "".
type mender struct {
	reply map[string]string // by the relation: source|target
	asked []llm.RepairInput
}

func (p *mender) Name() string      { return "mender" }
func (*mender) Can(k llm.Kind) bool { return k == llm.RepairRelation }

func (p *mender) Do(_ context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	in := t.Input.(llm.RepairInput)
	p.asked = append(p.asked, in)
	reply := p.reply[in.Relation]
	if reply == "" {
		return llm.Reply{}, llm.Usage{}, &llm.ReplyError{Kind: t.Kind, Raw: "no", Why: "no"}
	}
	from, to, _ := strings.Cut(reply, "|")
	raw, err := json.Marshal(llm.Relation{Source: from, Target: to, Description: "mended", Strength: 9})
	return llm.Reply{Text: string(raw)}, llm.Usage{}, err
}

// TestRepaired: a model is asked for what is malformed alone, and is told the text, the
// relation and the entities. What it mends keeps sentence and strength; what it cannot
// mend, or gives without a word at an end, is left out.
func TestRepaired(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	c.Use(ragtest.Fixed)
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &mender{reply: map[string]string{", met, Brom": "Ada|Brom", "Ada, left, Karrow, Norway": "Ada|--"}}
	reading := &knowledge.Reading{Keys: []string{"a.txt#0", "a.txt#1"}, Texts: []string{"First.", "Second."}}
	x := llm.Extraction{
		Entities: []llm.Entity{{Name: "Ada"}, {Name: "Orsk, Norway"}},
		Relations: []llm.Relation{
			{Source: "Ada", Description: "knew", Target: "Brom"},
			{Source: "", Description: "met", Target: "Brom", Sentence: "She met Brom.", Strength: 3},
			{Source: "Ada", Description: "saw", Target: "Orsk, Norway"},
			{Source: "Ada", Description: "left", Target: "Karrow, Norway"},
			{Source: "!", Description: "is", Target: "?"},
		},
	}
	got, err := (&extractStage{s: s}).repaired(t.Context(), ragtest.Provide(c.OpenModels(t), p), method.WorkItem{Key: "x"}, reading, 1, x)
	if err != nil {
		t.Fatal(err)
	}
	want := []llm.Relation{x.Relations[0], {Source: "Ada", Description: "mended", Target: "Brom", Sentence: "She met Brom.", Strength: 3}, x.Relations[2]}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	var asked []string
	for _, in := range p.asked {
		asked = append(asked, in.Relation)
		if in.Text != "Second." || !slices.Equal(in.Entities, []string{"Ada", "Orsk, Norway"}) {
			t.Errorf("asked %+v", in)
		}
	}
	if want := []string{", met, Brom", "Ada, left, Karrow, Norway", "!, is, ?"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}
