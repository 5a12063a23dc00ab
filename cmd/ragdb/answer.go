package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
)

// answerResult is what ask --json prints.
type answerResult struct {
	V        int     `json:"v"`
	Question string  `json:"question"`
	Answer   *string `json:"answer,omitempty"`
	Answered *bool   `json:"answered,omitempty"`
	// Nearest are there if there is no answer, Refusal says what was missing.
	Nearest *[]rag.Passage `json:"nearest,omitempty"`
	Refusal string         `json:"refusal,omitempty"`
	// Supported is there if a model answered: false if the rules find no
	// sentence of the evidence that does.
	Supported *bool           `json:"supported,omitempty"`
	Method    string          `json:"method"`
	Model     string          `json:"model,omitempty"`
	NS        string          `json:"ns"`
	Sources   []rag.Source    `json:"sources"`
	Items     *[]evidenceItem `json:"items,omitempty"`
	// Notes say, in a sentence each, what was left out. Cut counts the pieces of evidence
	// that the model did not read whole.
	Notes  []string   `json:"notes,omitempty"`
	Cut    int        `json:"cut,omitempty"`
	Trace  string     `json:"trace,omitempty"`
	Tokens tokenCount `json:"tokens"`
	USD    float64    `json:"usd"`
	// Usage is what models used, by stage and model.
	Usage []cost.Spent `json:"usage"`
	Ms    timings      `json:"ms"`
	// Plan and Ops are there with --explain.
	Plan string          `json:"plan,omitempty"`
	Ops  []query.OpTrace `json:"ops,omitempty"`
}

// tokenCount counts tokens: those of the evidence and those of the answer.
type tokenCount struct {
	In  int `json:"in"`
	Out int `json:"out"`
}

// timings are milliseconds by kind of work. Their sum is less than the total.
type timings struct {
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
func split(ev *rag.Evidence) timings {
	t := timings{Embed: ms(ev.Embed)}
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

func newAnswerResult(k *asking, ans *rag.Answer, items []evidenceItem, took time.Duration) *answerResult {
	r := &answerResult{
		V: 1, Question: ans.Question, Method: ans.Method, NS: k.corpus.Namespace().Name(),
		Sources: []rag.Source{}, Notes: answerNotes(ans), Cut: ans.Cut, Trace: ans.Trace, Tokens: tokenCount{In: ans.Evidence.Tokens}, Ms: split(ans.Evidence),
	}
	r.Ms.Total = ms(took)
	spent := k.models.Meter().Total()
	if r.Usage = k.models.Meter().Rows(); spent.USD != nil {
		r.USD = *spent.USD
	}
	if items != nil {
		r.Items = &items
		return r
	}
	r.Answer, r.Answered, r.Model = &ans.Text, &ans.Answered, k.models.Provider().Name()
	r.Tokens.Out, r.Ms.LLM = ans.Usage.OutTokens, ms(ans.ModelTime)
	r.Supported = ans.Supported
	if !ans.Answered {
		near := append([]rag.Passage{}, ans.Nearest...)
		for i := range near {
			near[i].Chunk = chunkID(near[i].Chunk)
		}
		r.Nearest, r.Refusal = &near, ans.Refusal
	}
	for _, s := range ans.Sources {
		s.Chunk = chunkID(s.Chunk) // as why and show take it
		r.Sources = append(r.Sources, s)
	}
	return r
}

// answerNotes say what retrieval and the answer had to leave out.
func answerNotes(ans *rag.Answer) []string {
	notes := evidenceNotes(ans.Evidence)
	if ans.Cut > 0 {
		notes = append(notes, fmt.Sprintf("the prompt did not fit the model's context: %d of %s were left out or cut; a lower --budget, or a model with a larger context, avoids that",
			ans.Cut, plural(len(ans.Evidence.Items()), "piece")+" of evidence"))
	}
	return notes
}

// evidenceNotes say what retrieval could not do.
func evidenceNotes(ev *rag.Evidence) []string { return slices.Clone(ev.Trace.Warnings) }

// place writes where a span stands: doc §heading p. 3 (bytes a–b).
func place(doc, heading string, page int, bytes [2]int64) string {
	s := doc
	if heading != "" {
		s += " §" + heading
	}
	if page > 0 {
		s += fmt.Sprintf(" p. %d", page)
	}
	return s + fmt.Sprintf(" (bytes %d–%d)", bytes[0], bytes[1])
}

// by names the method that retrieved, and adds why if the user did not choose it.
func (k *asking) by(method string) string {
	if k.chosen != "" {
		return method + ", " + k.chosen
	}
	return method
}

// printSaid prints an answer with its sources, the text left out if it was
// printed as it came.
func (a *app) printSaid(ans *rag.Answer, streamed bool) {
	o := a.out
	defer func() {
		for _, n := range answerNotes(ans) {
			o.note("%s", n)
		}
	}()
	if !ans.Answered {
		a.printNearest(ans.Nearest, len(ans.Evidence.Items()))
		return
	}
	if streamed {
		o.print("\n")
	} else {
		o.print("%s\n", wrap(escape(ans.Text), o.width, ""))
	}
	a.printSources(ans.Sources)
	if ans.Supported != nil && !*ans.Supported {
		o.note("no sentence of the evidence says this by itself: check the sources")
	}
}

func (a *app) printSources(sources []rag.Source) {
	o := a.out
	for _, s := range sources {
		o.print(" %s %s\n", o.bold(fmt.Sprintf("[%d]", s.N)), place(s.Doc, s.Heading, s.Page, s.Bytes))
		if o.verbose > 0 {
			o.print("%s", o.dim(wrap(escape(s.Quote), o.width, "     ")))
		}
	}
}

func (a *app) printAnswer(k *asking, ans *rag.Answer, took time.Duration) {
	o := a.out
	a.printSaid(ans, k.q.Stream != nil)
	by := "answered by rules, without a model"
	if k.models.Free() && !ans.Answered {
		by = "read by rules, without a model"
	}
	if !k.models.Free() {
		by = "answered by " + k.models.Provider().Name()
		if t := k.models.Meter().Total(); t.USD != nil && *t.USD > 0 {
			by += " for " + money(*t.USD)
		}
	}
	line := fmt.Sprintf("%s · %s · %s of evidence · %s",
		duration(took), k.by(ans.Method), plural(ans.Evidence.Tokens, "token"), by)
	if ans.Trace != "" {
		line += " · trace " + ans.Trace
	}
	o.print("\n%s\n", o.dim(line))
}

// shownPassage is about how many bytes of a passage are printed.
const shownPassage = 600

// printNearest prints that there is no answer, and the passages that come
// nearest of so many pieces of evidence.
func (a *app) printNearest(near []rag.Passage, evidence int) {
	o := a.out
	switch {
	case evidence == 0:
		o.print("Nothing was found.\n")
		return
	case len(near) == 0:
		o.print("The documents do not say so.\n")
		o.note("%s came near: add --no-llm to read them", plural(evidence, "piece")+" of evidence")
		return
	}
	o.print("The documents do not say so; nearest passages:\n")
	for _, p := range near {
		o.print(" · %s\n", place(p.Doc, p.Heading, p.Page, p.Bytes))
		if p.Text != "" {
			o.print("%s", o.dim(wrap(escape(beginning(p.Text, shownPassage)), o.width, "   ")))
		}
	}
}

// beginning returns the beginning of a text without blank lines, cut at a blank.
func beginning(s string, most int) string {
	lines := strings.Split(s, "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" })
	s = strings.Join(lines, "\n")
	if len(s) <= most {
		return s
	}
	cut := strings.LastIndexAny(s[:most], " \n")
	if cut < most/2 {
		for cut = most; cut > 0 && s[cut]&0xC0 == 0x80; {
			cut--
		}
	}
	return s[:cut] + " …"
}
