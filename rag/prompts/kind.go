package prompts

import (
	"reflect"

	"github.com/ragdb/ragdb/rag/llm"
)

// kindInfo is what the package knows of a kind.
type kindInfo struct {
	kind       llm.Kind
	input      reflect.Type
	structured bool // the reply is JSON
}

// inParagraphs names the prompt of [llm.Answer] for an answer of several paragraphs.
// No task is of this kind.
const inParagraphs llm.Kind = "answer-paragraphs"

// promptOf returns the kind whose prompt a task is asked by.
func promptOf(t *llm.Task) llm.Kind {
	if in, ok := t.Input.(llm.AnswerInput); ok && in.Paragraphs && t.Kind == llm.Answer {
		return inParagraphs
	}
	return t.Kind
}

// kinds lists the kinds in the order of their constants, and inParagraphs behind
// answers.
func kinds() []kindInfo {
	return []kindInfo{
		{llm.Extract, reflect.TypeFor[llm.ExtractInput](), true},
		{llm.Glean, reflect.TypeFor[llm.GleanInput](), true},
		{llm.RepairRelation, reflect.TypeFor[llm.RepairInput](), true},
		{llm.Decompose, reflect.TypeFor[llm.ExtractInput](), true},
		{llm.Attribute, reflect.TypeFor[llm.AttributeInput](), false},
		{llm.Insights, reflect.TypeFor[llm.InsightsInput](), true},
		{llm.CommunityReport, reflect.TypeFor[llm.ReportInput](), true},
		{llm.Summarise, reflect.TypeFor[llm.SummariseInput](), false},
		{llm.MergeDescriptions, reflect.TypeFor[llm.MergeInput](), false},
		{llm.SummaryEntities, reflect.TypeFor[llm.SummaryEntitiesInput](), true},
		{llm.QueryElements, reflect.TypeFor[llm.QuestionInput](), true},
		{llm.Keywords, reflect.TypeFor[llm.QuestionInput](), true},
		{llm.HypotheticalPassage, reflect.TypeFor[llm.QuestionInput](), false},
		{llm.WholeQuestion, reflect.TypeFor[llm.FollowUpInput](), false},
		{llm.FilterPoints, reflect.TypeFor[llm.AnswerInput](), true},
		{llm.Answer, reflect.TypeFor[llm.AnswerInput](), false},
		{inParagraphs, reflect.TypeFor[llm.AnswerInput](), false},
		{llm.Judge, reflect.TypeFor[llm.JudgeInput](), true},
		{llm.ShortAnswer, reflect.TypeFor[llm.ShortAnswerInput](), false},
		{llm.MakeQuestions, reflect.TypeFor[llm.QuestionsInput](), true},
	}
}

func promptFile(k llm.Kind) string { return string(k) + ".md" }

func schemaFile(k llm.Kind) string { return string(k) + ".schema.json" }
