// Package selection has the input and the output of tasks of the kind
// [llm.Select]: an answer of whole sentences, chosen from passages.
package selection

import "github.com/ragdb/ragdb/rag/internal/text"

// Input is the input of a [llm.Select] task: a question with the passages to
// answer it from.
type Input struct {
	Question string
	// Passages are in the order of their retrieval, the best first.
	Passages []Passage
	// Words tells how the corpus uses the words of the question; nil counts
	// them in the passages.
	Words WordStats
	// MaxSentences bounds the answer; 0 is 2.
	MaxSentences int
}

// Passage is a piece of a document.
type Passage struct {
	// Title is the title of the document, "" for none.
	Title string
	Text  string
	// Headings say under which headings the parts of the text stand, by
	// ascending At. A text without them is read for headings of its own.
	Headings []Heading
	// Blocks say what the parts of the text are, by ascending At; what is before the first
	// is prose.
	Blocks []Block
}

// Heading is a place in a text from which on it stands under other headings.
type Heading struct {
	At   int      // bytes
	Path []string // from the outermost to the innermost
}

// Block is a place in a text from which on it is of a kind.
type Block struct {
	At   int // bytes
	Kind text.PartKind
}

// WordStats tells how a corpus uses words. Terms are those of the analyzer
// standard.v1, words are folded.
type WordStats interface {
	// Texts returns the number of texts, and DF how many of them have a term.
	Texts() int64
	DF(term string) int64
	// Upper and Lower return how often a word stands inside a sentence with a
	// capital, and with a small first letter.
	Upper(word string) int64
	Lower(word string) int64
}

// Output is the reply to a [llm.Select] task, as JSON: an answer of sentences of
// the passages, or the reason why there is none.
type Output struct {
	// Sentences are the answer, the best first; none if the passages do not
	// answer the question.
	Sentences []Sentence
	// Nearest are the indexes of at most three passages that come nearest to
	// the question, the nearest first, whether there is an answer or not.
	Nearest []int
	// Refusal names the test that all sentences failed; "" if there is an answer.
	Refusal Refusal
	// Open says that the question asks for no value that could be seen in a
	// sentence, such as how and why: its answer may take several sentences.
	Open bool
}

// Sentence is a sentence of an answer.
type Sentence struct {
	// Passage is the index of the passage that it is from, Start and End its
	// bytes in the text there.
	Passage    int
	Start, End int
	// Text is the sentence as it is shown: on one line, without footnote
	// marks, and behind a pronoun, in brackets, the name that it stands for.
	Text string
	// Line says that it stands on a line of its own, as an item of a list does.
	Line bool
	// Score orders sentences of one selection and means nothing else.
	Score float64
}

// Refusal says why passages do not answer a question: the last test that any
// of their sentences came to.
type Refusal string

// The refusals, from far to near.
const (
	// NoPassage: there is no passage, or none has a word of the question.
	NoPassage Refusal = "no passage"
	// NoName: a name, a number or a model that the question is about is
	// missing, or belongs to something else.
	NoName Refusal = "name"
	// NoWords: no sentence has enough of the question.
	NoWords Refusal = "words"
	// NoValue: what the question asks for, such as a date or a price, is
	// missing.
	NoValue Refusal = "value"
)
