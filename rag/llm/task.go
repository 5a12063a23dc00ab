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
	case Attribute, Summarise, MergeDescriptions, HypotheticalPassage, Answer, ShortAnswer:
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

// ExtractInput is a text to read entities and relations from.
type ExtractInput struct {
	Text string `json:"text"`
	// Title is the title of the text's document, "" for none.
	Title string `json:"title,omitempty"`
	// Types are the entity types wanted; nil leaves them open.
	Types []string `json:"types,omitempty"`
}

// GleanInput is a text that was read once and may hold more.
type GleanInput struct {
	ExtractInput
	Found Extraction `json:"found"`
}

// Extraction is what a text says of things.
type Extraction struct {
	Entities  []Entity   `json:"entities"`
	Relations []Relation `json:"relations"`
	// Units are what the text says, each a sentence or two that can be understood
	// alone. They are nil if the model gives none.
	Units []Unit `json:"units,omitempty"`
}

// Unit is one fact or event that a text says, in words that need no other text.
type Unit struct {
	Text string `json:"text"`
	// Time is when it was or is so, as the text gives it; "" if it does not.
	Time string `json:"time,omitempty"`
}

// Entity is a thing that a text names.
type Entity struct {
	Name        string `json:"name"`
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty"`
}

// Relation is what a text says of two of its entities.
type Relation struct {
	Source      string  `json:"source"`
	Target      string  `json:"target"`
	Description string  `json:"description"`
	Strength    float64 `json:"strength"` // 1 a mention
	// Sentence is the sentence of the text that says so, "" if the model
	// does not tell.
	Sentence string `json:"sentence,omitempty"`
}

// RepairInput is a relation whose form was wrong and the text it came from.
type RepairInput struct {
	Text     string   `json:"text"`
	Relation string   `json:"relation"`
	Entities []string `json:"entities"`
}

// Decomposition is a text taken apart to what it says, one event after the other.
type Decomposition struct {
	Units []Event `json:"units"`
}

// Event is one fact or event of a text, told so that it can be understood alone, with
// the names in it and what it says of two of them.
type Event struct {
	Text string `json:"text"`
	// Entities are names, and times in the form 2024-09-30, as much of it as is known.
	Entities  []string `json:"entities"`
	Relations []Stated `json:"relations"`
}

// Stated is what an event says of two of its entities.
type Stated struct {
	Source   string `json:"source"`
	Relation string `json:"relation"`
	Target   string `json:"target"`
}

// InsightsInput is what is known of a group of connected things: what is said of each,
// or insights on parts of the group.
type InsightsInput struct {
	Entities []Entity  `json:"entities"`
	Insights []Insight `json:"insights,omitempty"`
	// Most bounds the insights wanted; 0 leaves it to the model.
	Most int `json:"most,omitempty"`
}

// InsightList are insights on a group.
type InsightList struct {
	Insights []Insight `json:"insights"`
}

// Insight is what several statements come to together: a theme, a theory, an effect.
type Insight struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

// AttributeInput is an important entity and what surrounds it.
type AttributeInput struct {
	Name      string   `json:"name"`
	Units     []string `json:"units"`
	Relations []string `json:"relations"`
	MaxTokens int      `json:"max_tokens,omitempty"`
}

// ReportInput is a community to report on.
type ReportInput struct {
	Entities  []Entity   `json:"entities"`
	Relations []Relation `json:"relations"`
	Reports   []string   `json:"reports,omitempty"` // of its sub-communities
	MaxTokens int        `json:"max_tokens,omitempty"`
}

// Report is a community's report.
type Report struct {
	Title    string    `json:"title"`
	Summary  string    `json:"summary"`
	Rating   float64   `json:"rating"`
	Reason   string    `json:"rating_explanation"`
	Findings []Finding `json:"findings"`
}

// Finding is one insight of a report.
type Finding struct {
	Summary     string `json:"summary"`
	Explanation string `json:"explanation"`
}

// SummariseInput are texts to be told as one.
type SummariseInput struct {
	Texts     []string `json:"texts"`
	MaxTokens int      `json:"max_tokens"`
}

// MergeInput are descriptions of one entity or relation to be made one.
type MergeInput struct {
	Name         string   `json:"name"`
	Descriptions []string `json:"descriptions"`
	MaxTokens    int      `json:"max_tokens"`
}

// SummaryEntitiesInput is a cluster of entities to be summed up by entities of
// a higher layer.
type SummaryEntitiesInput struct {
	Entities []Entity `json:"entities"`
	Types    []string `json:"types,omitempty"`
}

// QuestionInput is a question.
type QuestionInput struct {
	Question string `json:"question"`
	// Related allows [QueryElements] to add terms that are surely close to what the
	// question names. Rules add none.
	Related bool `json:"related,omitempty"`
}

// Elements are the entities that a question names.
type Elements struct {
	Entities []string `json:"entities"`
}

// KeywordSet are a question's keywords: themes and particulars.
type KeywordSet struct {
	High []string `json:"high_level"`
	Low  []string `json:"low_level"`
}

// AnswerInput is a question with the evidence to answer it from.
type AnswerInput struct {
	Question string     `json:"question"`
	Evidence []Evidence `json:"evidence"`
	// MaxSentences bounds an extractive answer; 0 is 2.
	MaxSentences int `json:"max_sentences,omitempty"`
	// Unaided asks for an answer from what the model knows, without evidence,
	// and Steps for one that it reasons towards step by step.
	Unaided bool `json:"unaided,omitempty"`
	Steps   bool `json:"steps,omitempty"`
	// Paragraphs asks for several paragraphs in place of the shortest answer. Rules
	// do not heed it.
	Paragraphs bool `json:"paragraphs,omitempty"`
}

// Evidence is one numbered piece of evidence; an answer cites it as [N].
type Evidence struct {
	N       int    `json:"n"`
	Section string `json:"section,omitempty"`
	Text    string `json:"text"`
}

// Points are the points that a map step finds, for a reduce step.
type Points struct {
	Points []Point `json:"points"`
}

// Point is one point with its score from 0 to 100.
type Point struct {
	Description string  `json:"description"`
	Score       float64 `json:"score"`
	// N is the number of the evidence that it was found in, 0 if the model
	// does not tell.
	N int `json:"n,omitempty"`
}

// ShortAnswerInput is a question whose answer is compared with a known one:
// the shortest that is right is wanted, without citations.
type ShortAnswerInput struct {
	Question string `json:"question"`
	// Evidence is what to answer from; nil asks what the model knows.
	Evidence []Evidence `json:"evidence"`
	// Options, each behind its letter as in "A. Paris", ask for a letter.
	Options []string `json:"options,omitempty"`
	// Steps asks for an answer that the model reasons towards, in the last line.
	Steps bool `json:"steps,omitempty"`
}

// QuestionsInput asks for questions about a collection of texts, in three
// steps: without a User for Count users, with one for Count tasks of the user,
// and with a Task for Count questions.
type QuestionsInput struct {
	// About describes the texts; it may be empty.
	About string `json:"about,omitempty"`
	// Texts are the beginnings of some of them.
	Texts []string `json:"texts"`
	User  string   `json:"user,omitempty"`
	Task  string   `json:"task,omitempty"`
	Count int      `json:"count"`
}

// Questions are the users, tasks or questions that were asked for.
type Questions struct {
	Items []string `json:"items"`
}

// JudgeInput are two answers to be compared, or one to be held to a truth.
type JudgeInput struct {
	Question string   `json:"question"`
	Answers  []string `json:"answers"`
	Truth    []string `json:"truth,omitempty"`
}

// Verdict is a judge's.
type Verdict struct {
	Winner int    `json:"winner"` // index of the better answer, -1 for none
	Reason string `json:"reason"`
}
