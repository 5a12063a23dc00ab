package eval

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/ragdb/ragdb/rag"
)

// TestOutcomes counts answers by what they say or cite, and refusals.
func TestOutcomes(t *testing.T) {
	answered := func(doc string) *rag.Answer {
		return &rag.Answer{Answered: true, Sources: []rag.Source{{Doc: doc}}}
	}
	refused := func(near string) *rag.Answer { return &rag.Answer{Nearest: []rag.Passage{{Doc: "r9", Text: near}}} }
	questions := []question{
		{Text: "When was the mill built?", Answers: []string{"1891"}},
		{Text: "When was the mill built?", Answers: []string{"1891"}},
		{Text: "When was the mill built?", Answers: []string{"1891"}},
		{Text: "Why did the mill close?", Answers: []string{"storm broke wheel dam roof"}},
		{Text: "What is a mill?", Supporting: []string{"r1"}},
		{Text: "What is a mill?", Supporting: []string{"r2"}},
		{Text: "When was the moon built?", Unanswerable: true},
		{Text: "Who built the moon?", Unanswerable: true},
		{Text: "no answer is known"},
	}
	replies := []given{
		{text: "It was built in 1891.", answer: answered("r1")},
		{text: "It was built in 1892.", answer: answered("r1")},
		{answer: refused("The mill is of 1891.")},
		{text: "The storm broke the wheel.", answer: answered("r1")},
		{text: "A mill grinds.", answer: answered("r1")},
		{text: "A mill grinds.", answer: answered("r1")},
		{answer: refused("The mill is of 1891.")},
		{text: "Ada Kestrel.", answer: answered("r1")},
		{text: "?", answer: answered("r1")},
	}
	got := countOutcomes(questions, replies, func(doc string, _ [2]int64) []string { return []string{doc} })
	want := &outcomes{Answerable: 6, Right: 3, Wrong: 2, Refused: 1, Near: 1, Unanswerable: 2, RightlyRefused: 1}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := countOutcomes(questions, make([]given, len(questions)), nil); got != nil {
		t.Errorf("of answers of another prompt: %+v", got)
	}
}

// TestQuestionRows reads questions from tables.
func TestQuestionRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "q.tsv")
	if err := os.WriteFile(path, []byte("Who?\tAda| Ida \n\nWhen?\tname\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := readQuestions(path)
	want := []question{{Text: "Who?", Answers: []string{"Ada", "Ida"}}, {Text: "When?", Answers: []string{"name"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err = readUnanswerable(path); err != nil || len(got) != 2 || !got[1].Unanswerable || got[1].Answers != nil {
		t.Errorf("%+v, %v", got, err)
	}
}
