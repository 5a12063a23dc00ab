package llm

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

// FollowUpInput is a question that continues a conversation.
type FollowUpInput struct {
	// Turns are what was asked and answered before, the oldest first.
	Turns    []Turn `json:"turns"`
	Question string `json:"question"`
}

// Turn is a question of a conversation with its answer, "" if it had none.
type Turn struct {
	Question string `json:"question"`
	Answer   string `json:"answer,omitempty"`
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
