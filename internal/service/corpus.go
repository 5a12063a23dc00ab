package service

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// Corpus is a namespace with what it is asked by. It is safe for concurrent use.
type Corpus struct {
	*rag.Corpus
	// Methods are those that exist.
	Methods method.Methods
	// Models opens the models for a question: those that answer by rules if rules is
	// true. It opens one that is for this question alone, or one that counts what all
	// questions use.
	Models func(ctx context.Context, rules bool) (*rag.Models, error)
}

// Request is a question as programs write it.
type Request struct {
	Question string `json:"question" schema:"minlen=1,maxlen=100000"`
	// Method retrieves, as name[:key=value,...]; "" is that of the corpus.
	Method string `json:"method,omitempty"`
	// Where is a condition on the documents that may be used, in the query language.
	Where string `json:"where,omitempty"`
	// WhereAny uses what any passing document supports, not only what all do.
	WhereAny bool `json:"where_any,omitempty"`
	// Top bounds the pieces of evidence, Budget their tokens; 0 is the default.
	Top    int `json:"top,omitempty" schema:"min=0,max=100000"`
	Budget int `json:"budget,omitempty" schema:"min=0,max=10000000"`
	// Style is the form of a model's answer, Lang its language.
	Style string `json:"style,omitempty"`
	Lang  string `json:"lang,omitempty"`
	// Rules answers by rules, also if there is a model.
	Rules bool `json:"rules,omitempty"`
}

// Asking is a question with the method and the models that answer it. It is for one
// answer.
type Asking struct {
	Corpus   *Corpus
	System   *method.System
	Models   *rag.Models
	Question method.Question
	// Default says that nobody named the method.
	Default bool
	// Trace is the id under which the way of the answer is kept, once there is one.
	Trace string
}

// Prepare reads a request and opens its method and models. What the request leaves out
// is as the corpus keeps it ([rag.Corpus.KeepSettings]). An error for a wrong request
// is an [*Error].
func (c *Corpus) Prepare(ctx context.Context, r Request) (*Asking, error) {
	q := method.Question{Text: strings.TrimSpace(r.Question), Top: r.Top, Budget: r.Budget, WhereAny: r.WhereAny, Style: r.Style, Lang: r.Lang}
	var err error
	if q.Where, err = ParseWhere(r.Where, false); err != nil {
		return nil, err
	}
	if err := CheckQuestion(r.Question); err != nil {
		return nil, err
	}
	kept, err := c.Settings(ctx)
	if err != nil {
		return nil, err
	}
	if err := settle(&q, kept); err != nil {
		return nil, err
	}
	var spec method.Spec
	if r.Method == "" {
		spec, err = c.usualOf(kept)
	} else {
		spec, err = c.Spec(r.Method)
	}
	if err != nil {
		return nil, err
	}
	k, err := c.Open(ctx, spec, q, r.Rules)
	if err != nil {
		return nil, err
	}
	k.Default = r.Method == ""
	return k, nil
}

// usual returns the method of questions that name none.
func (c *Corpus) usual(ctx context.Context) (method.Spec, error) {
	kept, err := c.Settings(ctx)
	if err != nil {
		return method.Spec{}, err
	}
	return c.usualOf(kept)
}

// usualOf is usual by settings that are read already.
func (c *Corpus) usualOf(kept map[string]string) (method.Spec, error) {
	return c.Spec(cmp.Or(kept[methods.Setting], methods.ForQuestions))
}

// Open opens a method and the models for a question.
func (c *Corpus) Open(ctx context.Context, spec method.Spec, q method.Question, rules bool) (*Asking, error) {
	sys, err := c.Indexed(ctx, spec)
	if err != nil {
		return nil, err
	}
	m, err := c.Models(ctx, rules)
	if err != nil {
		return nil, err
	}
	return &Asking{Corpus: c, System: sys, Models: m, Question: q}, nil
}

// Spec reads the name of a method, with parameters.
func (c *Corpus) Spec(name string) (method.Spec, error) {
	spec, err := method.ParseSpec(name)
	switch {
	case err != nil:
		return spec, Usage("", "%s", err)
	case c.Methods[spec.Name] == nil:
		return spec, Usage("", "there is no method %q; there are %s", spec.Name, strings.Join(c.Methods.Names(), ", "))
	case spec.Rerank:
		return spec, Usage("", "%s is for evaluation alone", spec)
	}
	return spec, nil
}

// CheckQuestion refuses what is no question.
func CheckQuestion(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return Usage(`write it in quotes: ragdb ask DB "Who wrote it?"`, "the question is empty")
	case !utf8.ValidString(text):
		return Usage("", "the question is not UTF-8")
	}
	return nil
}

// ParseWhere reads a condition on documents; "" is none.
func ParseWhere(where string, anyOf bool) (engine.Predicate, error) {
	switch {
	case anyOf && where == "":
		return nil, Usage("add --where", "--where-any relaxes a filter, and there is none")
	case where == "":
		return nil, nil
	}
	p, err := cypher.ParseWhere(where)
	if err != nil {
		return nil, wrongWhere(err)
	}
	return p, nil
}

// wrongWhere is a condition of --where that does not parse. It does not wrap err,
// whose place would be taken for one in a statement of the shell.
func wrongWhere(err error) error {
	e := Usage(`write it like --where "lang = 'en'"`, "the filter is wrong: %s", err)
	var syntax *cypher.SyntaxError
	if errors.As(err, &syntax) {
		e.Detail = syntax.Caret()
	}
	return e
}
