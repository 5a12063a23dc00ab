package local

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/encoder"
)

// rulesVersion is the version of the rules; it moves when replies do.
const rulesVersion = "rules.v3"

// Options are the options of [New]. The zero value works.
type Options struct {
	// Names are the case statistics of the corpus, by which ordinary words at
	// the start of a sentence are told from names. nil: nothing is known.
	Names *text.CaseStats
	// Embedder adds similarity to what questions and evidence share in words:
	// a [Live], an [Embedder] or any other. nil: words alone.
	Embedder llm.Embedder
	// Tokens counts tokens, for limits and usage, as text.Tokenizer.Count
	// does. nil: a token for every four bytes.
	Tokens func(string) int
	// Tagger adds the names that it finds to those of the rules, with their types.
	// nil: the rules alone.
	Tagger encoder.Tagger
}

// Provider answers tasks by rules. It is safe for concurrent use.
type Provider struct {
	names    *text.CaseStats
	embedder llm.Embedder
	tokens   func(string) int
	tagger   encoder.Tagger
}

var _ llm.Provider = (*Provider)(nil)

// New returns a provider.
func New(o Options) *Provider {
	if o.Tokens == nil {
		o.Tokens = func(s string) int { return (len(s) + 3) / 4 }
	}
	return &Provider{o.Names, o.Embedder, o.Tokens, o.Tagger}
}

// Name implements [llm.Provider]: "local/" and the version of the rules, and behind
// a + the name of the tagger if there is one.
func (p *Provider) Name() string {
	if p.tagger != nil {
		return "local/" + rulesVersion + "+" + p.tagger.Name()
	}
	return "local/" + rulesVersion
}

// Can implements [llm.Provider]: every kind but judge and make-questions.
func (p *Provider) Can(k llm.Kind) bool {
	switch k {
	case llm.Extract, llm.Glean, llm.RepairRelation, llm.Decompose, llm.Insights, llm.Attribute, llm.CommunityReport,
		llm.Summarise, llm.MergeDescriptions, llm.SummaryEntities, llm.QueryElements,
		llm.Keywords, llm.HypotheticalPassage, llm.WholeQuestion, llm.FilterPoints, llm.Answer, llm.ShortAnswer, llm.Select:
		return true
	}
	return false
}

// Do implements [llm.Provider]. It reads Kind, Input and MaxTokens of the
// task, and gives equal replies to equal tasks; MaxTokens bounds texts and
// reports, not lists. Errors are [llm.ErrKind] for the kinds that
// it cannot do, [ErrInput] for an input that is not of the kind's type (a
// value, not a pointer),
// [llm.ErrNoEvidence] for an answer without evidence, an [llm.ReplyError] for a
// relation beyond repair, the context's, the embedder's, and the tagger's.
func (p *Provider) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	reply, read, err := p.do(ctx, t)
	if err != nil {
		return llm.Reply{}, llm.Usage{}, phase.Errorf("%s: %w", t.Kind, err)
	}
	u := llm.Usage{Calls: 1, OutTokens: p.tokens(reply)}
	for _, s := range read {
		u.InTokens += p.tokens(s)
	}
	return llm.Reply{Text: reply}, u, nil
}

// do returns the reply and the texts that it was made from.
func (p *Provider) do(ctx context.Context, t llm.Task) (reply string, read []string, err error) {
	if err := ctx.Err(); err != nil {
		return "", nil, err
	}
	if !p.Can(t.Kind) {
		return "", nil, llm.ErrKind
	}
	switch in := t.Input.(type) {
	case llm.ExtractInput:
		if t.Kind == llm.Extract {
			found, err := p.extract(ctx, in)
			if err != nil {
				return "", nil, err
			}
			return structured(found, in.Title, in.Text)
		}
		if t.Kind == llm.Decompose {
			found, err := p.decompose(ctx, in)
			if err != nil {
				return "", nil, err
			}
			return structured(found, in.Title, in.Text)
		}
	case llm.GleanInput:
		if t.Kind == llm.Glean {
			// A second reading by the same rules finds nothing new.
			return structured(llm.Extraction{Entities: []llm.Entity{}, Relations: []llm.Relation{}}, in.Text)
		}
	case llm.RepairInput:
		if t.Kind == llm.RepairRelation {
			r, err := repair(in)
			if err != nil {
				return "", nil, err
			}
			return structured(r, in.Relation)
		}
	case llm.AttributeInput:
		if t.Kind == llm.Attribute {
			reply, err := p.attribute(ctx, in, limit(in.MaxTokens, t.MaxTokens, defaultSummary))
			return reply, slices.Concat(in.Units, in.Relations), err
		}
	case llm.ReportInput:
		if t.Kind == llm.CommunityReport {
			r, read, err := p.report(ctx, in, limit(in.MaxTokens, t.MaxTokens, defaultReport))
			if err != nil {
				return "", nil, err
			}
			return structured(r, read...)
		}
	case llm.InsightsInput:
		if t.Kind == llm.Insights {
			list, read, err := p.insights(ctx, in, limit(0, t.MaxTokens, defaultReport))
			if err != nil {
				return "", nil, err
			}
			return structured(list, read...)
		}
	case llm.SummariseInput:
		if t.Kind == llm.Summarise {
			reply, err := p.summary(ctx, in.Texts, limit(in.MaxTokens, t.MaxTokens, defaultSummary))
			return reply, in.Texts, err
		}
	case llm.MergeInput:
		if t.Kind == llm.MergeDescriptions {
			reply, err := p.merge(ctx, in.Descriptions, limit(in.MaxTokens, t.MaxTokens, defaultSummary))
			return reply, in.Descriptions, err
		}
	case llm.SummaryEntitiesInput:
		if t.Kind == llm.SummaryEntities {
			x, read, err := p.summaryEntities(ctx, in, limit(t.MaxTokens, 0, defaultSummary))
			if err != nil {
				return "", nil, err
			}
			return structured(x, read...)
		}
	case llm.QuestionInput:
		switch t.Kind {
		case llm.QueryElements:
			return structured(p.elements(in.Question), in.Question)
		case llm.Keywords:
			return structured(p.keywords(in.Question), in.Question)
		case llm.HypotheticalPassage:
			reply := statement(in.Question)
			if t.MaxTokens > 0 {
				reply = p.cut(reply, t.MaxTokens)
			}
			return reply, []string{in.Question}, nil
		}
	case llm.FollowUpInput:
		if t.Kind == llm.WholeQuestion {
			read := []string{in.Question}
			for _, turn := range in.Turns {
				read = append(read, turn.Question, turn.Answer)
			}
			return p.whole(in), read, nil
		}
	case llm.ShortAnswerInput:
		if t.Kind == llm.ShortAnswer {
			return p.shortAnswer(ctx, in, t.MaxTokens)
		}
	case selection.Input:
		if t.Kind == llm.Select {
			reply, err := selected(ctx, in)
			return reply, nil, err
		}
	case llm.AnswerInput:
		read := make([]string, len(in.Evidence), len(in.Evidence)+1)
		for i, e := range in.Evidence {
			read[i] = e.Text
		}
		read = append(read, in.Question)
		switch t.Kind {
		case llm.Answer:
			reply, err := p.answer(ctx, in, t.MaxTokens)
			return reply, read, err
		case llm.FilterPoints:
			points, err := p.points(ctx, in)
			if err != nil {
				return "", nil, err
			}
			return structured(points, read...)
		}
	}
	return "", nil, fmt.Errorf("%w: %T", ErrInput, t.Input)
}

// structured returns a reply as JSON.
func structured(reply any, read ...string) (string, []string, error) {
	b, err := json.Marshal(reply)
	return string(b), read, err
}
