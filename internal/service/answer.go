package service

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/plain"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/method"
)

// NoAnswer says that evidence does not answer a question.
const NoAnswer = "No sentence was found that says it."

// Answer is what ask --json prints.
type Answer struct {
	V        int     `json:"v"`
	Question string  `json:"question"`
	Answer   *string `json:"answer,omitempty"`
	Answered *bool   `json:"answered,omitempty"`
	// Nearest are there if there is no answer, Refusal says what was missing.
	Nearest *[]rag.Passage `json:"nearest,omitempty"`
	Refusal string         `json:"refusal,omitempty"`
	// Supported is there if a model answered: false if the rules find no
	// sentence of the evidence that does.
	Supported *bool        `json:"supported,omitempty"`
	Method    string       `json:"method"`
	Model     string       `json:"model,omitempty"`
	NS        string       `json:"ns"`
	Sources   []rag.Source `json:"sources"`
	Items     *[]Item      `json:"items,omitempty"`
	// Notes say, in a sentence each, what was left out. Cut counts the pieces of evidence
	// that the model did not read whole.
	Notes  []string `json:"notes,omitempty"`
	Cut    int      `json:"cut,omitempty"`
	Trace  string   `json:"trace,omitempty"`
	Tokens Tokens   `json:"tokens"`
	USD    float64  `json:"usd"`
	// Usage is what models used, by stage and model.
	Usage []cost.Spent `json:"usage"`
	Ms    Timings      `json:"ms"`
	// Plan and Ops are there with --explain.
	Plan string          `json:"plan,omitempty"`
	Ops  []query.OpTrace `json:"ops,omitempty"`
}

// Tokens counts tokens: those of the evidence and those of the answer.
type Tokens struct {
	In  int `json:"in"`
	Out int `json:"out"`
}

// Timings are milliseconds by kind of work. Their sum is less than the total.
type Timings struct {
	Embed    float64 `json:"embed"`
	ANN      float64 `json:"ann"`
	Text     float64 `json:"text"`
	Graph    float64 `json:"graph"`
	PPR      float64 `json:"ppr"`
	Assemble float64 `json:"assemble"`
	LLM      float64 `json:"llm"`
	Total    float64 `json:"total"`
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// split sorts the time of a retrieval by the work of its operators. An operator's
// time includes its inputs', which follow it one level deeper.
func split(ev *rag.Evidence) Timings {
	t := Timings{Embed: ms(ev.Embed)}
	byWork := map[query.Work]*float64{
		query.WorkOnVectors: &t.ANN, query.WorkOnTexts: &t.Text, query.WorkOnMass: &t.PPR,
		query.WorkOnAssembly: &t.Assemble,
	}
	ops := ev.Trace.Ops
	for i := range ops {
		self := ops[i].Time
		for j := i + 1; j < len(ops) && ops[j].Depth > ops[i].Depth; j++ {
			if ops[j].Depth == ops[i].Depth+1 {
				self -= ops[j].Time
			}
		}
		field := byWork[ops[i].Work]
		if field == nil {
			field = &t.Graph
		}
		*field += ms(self)
	}
	// The question's vector is made inside the operator that wants it first.
	t.ANN = max(0, t.ANN-t.Embed)
	return t
}

// Reply is an answer with its evidence.
type Reply struct {
	// Answer has no text if only evidence was asked for.
	Answer *rag.Answer
	// Items are there if evidence was asked for, or an explanation.
	Items  []Item
	Took   time.Duration
	Result *Answer
}

// ReplyOptions say what is wanted of a question.
type ReplyOptions struct {
	// EvidenceOnly retrieves and asks nobody for an answer.
	EvidenceOnly bool
	// Explain adds the plan and what its operators did.
	Explain bool
}

// Reply answers the question, or retrieves for it.
func (k *Asking) Reply(ctx context.Context, o ReplyOptions) (*Reply, error) {
	start := time.Now()
	r := &Reply{Answer: &rag.Answer{Question: k.Question.Text, Method: k.System.Label()}}
	var err error
	if o.EvidenceOnly {
		r.Answer.Evidence, err = k.Corpus.Retrieve(ctx, k.System, k.Models, k.Question, k.evidence(&r.Items))
	} else {
		var look []func(*engine.Snapshot, *rag.Evidence) error
		if o.Explain {
			look = append(look, k.evidence(&r.Items))
		}
		r.Answer, err = k.Corpus.Ask(ctx, k.System, k.Models, k.Question, look...)
	}
	if err != nil {
		return nil, err
	}
	r.Took = time.Since(start)
	k.Trace = r.Answer.Trace
	var items []Item
	if o.EvidenceOnly {
		items = r.Items
	}
	r.Result = newAnswer(k, r.Answer, items, r.Took)
	if o.Explain {
		r.Result.Plan, r.Result.Ops = ExplainPlan(r.Answer.Evidence.Plan), r.Answer.Evidence.Trace.Ops
	}
	return r, nil
}

// newAnswer makes the result of an answer, or of evidence alone if items are given.
func newAnswer(k *Asking, ans *rag.Answer, items []Item, took time.Duration) *Answer {
	r := &Answer{
		V: 1, Question: ans.Question, Method: ans.Method, NS: k.Corpus.Namespace().Name(),
		Sources: []rag.Source{}, Notes: AnswerNotes(ans), Cut: ans.Cut, Trace: ans.Trace, Tokens: Tokens{In: ans.Evidence.Tokens}, Ms: split(ans.Evidence),
	}
	r.Ms.Total = ms(took)
	spent := k.Models.Meter().Total()
	if r.Usage = k.Models.Meter().Rows(); spent.USD != nil {
		r.USD = *spent.USD
	}
	if items != nil {
		r.Items = &items
		return r
	}
	r.Answer, r.Answered, r.Model = &ans.Text, &ans.Answered, k.Models.Provider().Name()
	r.Tokens.Out, r.Ms.LLM = ans.Usage.OutTokens, ms(ans.ModelTime)
	r.Supported = ans.Supported
	if !ans.Answered {
		near := append([]rag.Passage{}, ans.Nearest...)
		for i := range near {
			near[i].Chunk = ChunkID(near[i].Chunk)
		}
		r.Nearest, r.Refusal = &near, ans.Refusal
	}
	for _, s := range ans.Sources {
		s.Chunk = ChunkID(s.Chunk) // as why and show take it
		r.Sources = append(r.Sources, s)
	}
	return r
}

// AnswerNotes say what retrieval and the answer had to leave out.
func AnswerNotes(ans *rag.Answer) []string {
	notes := EvidenceNotes(ans.Evidence)
	if ans.Cut > 0 {
		notes = append(notes, fmt.Sprintf("the prompt did not fit the model's context: %d of %s were left out or cut; a lower --budget, or a model with a larger context, avoids that",
			ans.Cut, plain.Plural(len(ans.Evidence.Items()), "piece")+" of evidence"))
	}
	return notes
}

// EvidenceNotes say what retrieval could not do.
func EvidenceNotes(ev *rag.Evidence) []string { return slices.Clone(ev.Trace.Warnings) }

// ExplainPlan writes a plan as lines.
func ExplainPlan(p *method.Plan) string {
	var b strings.Builder
	// A strings.Builder takes everything.
	_ = query.Explain(&b, p.Op())
	return b.String()
}
