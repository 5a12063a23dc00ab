package llm

import (
	"context"
	"crypto/sha256"
	"encoding/json"
)

// Kind is what a task asks for.
type Kind string

// The kinds of tasks. Each names its input and its reply type.
const (
	Extract             Kind = "extract"              // ExtractInput -> Extraction
	Glean               Kind = "glean"                // GleanInput -> Extraction
	RepairRelation      Kind = "repair-relation"      // RepairInput -> Relation
	Decompose           Kind = "decompose"            // ExtractInput -> Decomposition
	Attribute           Kind = "attribute"            // AttributeInput -> text
	Insights            Kind = "insights"             // InsightsInput -> InsightList
	CommunityReport     Kind = "community-report"     // ReportInput -> Report
	Summarise           Kind = "summarise"            // SummariseInput -> text
	MergeDescriptions   Kind = "merge-descriptions"   // MergeInput -> text
	SummaryEntities     Kind = "summary-entities"     // SummaryEntitiesInput -> Extraction
	QueryElements       Kind = "query-elements"       // QuestionInput -> Elements
	Keywords            Kind = "keywords"             // QuestionInput -> KeywordSet
	HypotheticalPassage Kind = "hypothetical-passage" // QuestionInput -> text
	WholeQuestion       Kind = "whole-question"       // FollowUpInput -> text
	FilterPoints        Kind = "filter-points"        // AnswerInput -> Points
	Answer              Kind = "answer"               // AnswerInput -> text with [n] markers
	Judge               Kind = "judge"                // JudgeInput -> Verdict
	ShortAnswer         Kind = "short-answer"         // ShortAnswerInput -> text
	MakeQuestions       Kind = "make-questions"       // QuestionsInput -> Questions

	// Select is answered by rules. It has no prompt: chat models cannot do it.
	Select Kind = "select"
)

// Known reports whether the kind is one that a chat model can do: whether it has a
// prompt. [Select] is not.
func (k Kind) Known() bool {
	switch k {
	case Attribute, Summarise, MergeDescriptions, HypotheticalPassage, WholeQuestion, Answer, ShortAnswer:
		return true
	}
	return k.JSON()
}

// JSON reports whether the reply of the kind is JSON. The others are text.
func (k Kind) JSON() bool {
	switch k {
	case Extract, Glean, RepairRelation, Decompose, Insights, CommunityReport, SummaryEntities, QueryElements,
		Keywords, FilterPoints, Judge, MakeQuestions:
		return true
	}
	return false
}

// Message is one turn of a prompt.
type Message struct {
	Role    string `json:"role"` // system, user or assistant
	Content string `json:"content"`
}

// Task is one model call. A provider over HTTP reads Prompt and Schema, the
// local one Kind and Input, and a replay its digest.
type Task struct {
	Kind Kind
	// Input is the structured input, of the type that the kind names.
	Input any
	// Prompt is the same as text for a model.
	Prompt []Message
	// Schema is the JSON schema of the reply; nil asks for free text.
	Schema []byte
	// MaxTokens bounds the reply; 0 leaves it to the provider.
	MaxTokens int
	// Lang is the language that the reply should have, "" for the input's.
	Lang string
	// Stream, if it is not nil, receives the reply's text as it comes, on the
	// goroutine of the caller. The pieces together are the text of the reply. A
	// provider that has no pieces does not call it. An error of it ends the call and
	// is returned. It does not change the task's digest.
	Stream func(piece string) error
}

// Digest identifies what is asked of a model: equal digests have equal
// replies, so a reply is stored under it and never paid twice.
func (t Task) Digest(model string) ([32]byte, error) {
	input, err := json.Marshal(t.Input)
	if err != nil {
		return [32]byte{}, phase.Errorf("digest of a %s task: %w", t.Kind, err)
	}
	b, err := json.Marshal(struct {
		Model     string          `json:"model"`
		Kind      Kind            `json:"kind"`
		Input     json.RawMessage `json:"input"`
		Prompt    []Message       `json:"prompt"`
		Schema    string          `json:"schema"`
		MaxTokens int             `json:"max_tokens"`
		Lang      string          `json:"lang"`
	}{model, t.Kind, input, t.Prompt, string(t.Schema), t.MaxTokens, t.Lang})
	if err != nil {
		return [32]byte{}, phase.Errorf("digest of a %s task: %w", t.Kind, err)
	}
	return sha256.Sum256(b), nil
}

// Reply is what a model answered: JSON if the task has a schema, else text.
type Reply struct {
	Text string
	// Mending says what had to be done to what the model wrote.
	Mending Mending
	// Cut counts the pieces of evidence that were left out or shortened so that the
	// prompt fit the model's context.
	Cut int
}

// Mending counts what [CheckReply] did to replies so that they could be used.
type Mending struct {
	// Mended replies had their JSON among other words or not written as JSON is,
	// or held records that could not be used.
	Mended int `json:"mended,omitempty"`
	// Salvaged replies had no end. What was complete of them is used.
	Salvaged int `json:"salvaged,omitempty"`
	// Dropped counts the records that could not be used, and those that said the
	// same as an earlier one of their reply.
	Dropped int `json:"dropped,omitempty"`
	// Fitted tasks were divided or cut so that they fit the model's context.
	Fitted int `json:"fitted,omitempty"`
	// Again counts the calls that asked for a reply once more, because the first
	// could not be used, or for the rest of one that was cut off.
	Again int `json:"again,omitempty"`
}

// Add adds m to the sum.
func (s *Mending) Add(m Mending) {
	s.Mended += m.Mended
	s.Salvaged += m.Salvaged
	s.Dropped += m.Dropped
	s.Fitted += m.Fitted
	s.Again += m.Again
}

// Usage counts what calls cost.
type Usage struct {
	Calls     int `json:"calls"`
	InTokens  int `json:"in_tok"`
	OutTokens int `json:"out_tok"`
	// Mending counts what had to be done to the replies.
	Mending
}

// Add adds u to the sum.
func (s *Usage) Add(u Usage) {
	s.Calls += u.Calls
	s.InTokens += u.InTokens
	s.OutTokens += u.OutTokens
	s.Mending.Add(u.Mending)
}

// Provider answers tasks. It is safe for concurrent use.
type Provider interface {
	// Do answers a task. The error is ErrKind for a kind that it cannot do.
	// All that a provider can do is a kind or a field of the task, so that a
	// provider that wraps another one hides nothing of it.
	Do(ctx context.Context, t Task) (Reply, Usage, error)
	// Name is the model with its version, as digests hold it.
	Name() string
	Can(k Kind) bool
}

// Embedder turns texts into vectors: a pure function of text and model. It is
// safe for concurrent use.
type Embedder interface {
	// Embed returns one vector a text, which the caller owns. A nil vector is
	// that of a text in which there is nothing to embed.
	Embed(ctx context.Context, texts []string) ([][]float32, Usage, error)
	Space() SpaceInfo
}

// Reranker says how well passages answer a question, such as a model that reads
// both together. It is safe for concurrent use.
type Reranker interface {
	// Rerank returns a finite score for each passage, the greatest for the best.
	Rerank(ctx context.Context, question string, passages []string) ([]float64, Usage, error)
	// Name is the model with its version.
	Name() string
}

// SpaceInfo describes the vectors of an embedder.
type SpaceInfo struct {
	// Model is the model with its version.
	Model string
	Dim   int
	// Recomputable says that vectors cost nothing and depend on a table that
	// is trained again from time to time; canonical exports leave them out.
	Recomputable bool
}
