package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/method"
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

// evidenceItem is a retrieved item as --no-llm prints it.
type evidenceItem struct {
	Rank    int           `json:"rank"`
	Section string        `json:"section"`
	Kind    string        `json:"kind"`
	ID      string        `json:"id"`
	Score   float64       `json:"score"`
	Tokens  int           `json:"tokens"`
	Sources []method.Span `json:"sources"`
	Why     why           `json:"why"`
	Text    string        `json:"text"`
}

// why tells how an item came into the evidence.
type why struct {
	// Seed is what the search began with, Path the steps from there.
	Seed string   `json:"seed"`
	Path []string `json:"path"`
	// PPR is the item's mass if the plan spread it over the graph.
	PPR *float64 `json:"ppr,omitempty"`
	// Cut is how the item stood to the budget.
	Cut string `json:"cut"`
}

func newWhy(steps []pathStep) why {
	w := why{Path: []string{}}
	for i, s := range steps {
		switch {
		case s.Op == "pack":
			w.Cut = s.Note
			continue
		case s.Op == "ppr":
			mass := s.Score
			w.PPR = &mass
		}
		if i == 0 {
			w.Seed = s.String()
		} else {
			w.Path = append(w.Path, s.String())
		}
	}
	return w
}

// evidence returns what lists in out the items of some evidence with their ids, at the state that they were retrieved from.
func (k *asking) evidence(out *[]evidenceItem) func(*engine.Snapshot, *rag.Evidence) error {
	return func(snap *engine.Snapshot, ev *rag.Evidence) error {
		*out = []evidenceItem{}
		for _, s := range ev.Sections {
			for i := range s.Items {
				it := &s.Items[i]
				name, err := refName(snap, k.graphs(), it.Ref())
				if err != nil {
					return err
				}
				steps, err := path(snap, k.graphs(), it.Why)
				if err != nil {
					return err
				}
				kind := it.Kind
				if strings.HasPrefix(kind, method.ChunkNodeType+":") {
					kind = method.ChunkNodeType
				}
				spans := it.Spans
				if spans == nil {
					spans = []method.Span{}
				}
				*out = append(*out, evidenceItem{
					Rank: len(*out) + 1, Section: s.Name, Kind: kind, ID: name, Score: it.Score, Tokens: it.Tokens,
					Sources: spans, Why: newWhy(steps), Text: it.Text,
				})
			}
		}
		return nil
	}
}

// graphs are the graphs that a plan's items can be in.
func (k *asking) graphs() []*engine.Graph {
	if g := k.system.Graph(); g != nil {
		return []*engine.Graph{g, k.corpus.Base()}
	}
	return []*engine.Graph{k.corpus.Base()}
}

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

// printEvidence prints the retrieved items as rows, or one below the other.
func (a *app) printEvidence(k *asking, ev *rag.Evidence, items []evidenceItem) {
	for _, n := range evidenceNotes(ev) {
		a.out.note("%s", n)
	}
	if !a.out.text() {
		t := &table{head: []string{"rank", "section", "kind", "id", "score", "tokens", "text"}, right: []bool{true, false, false, false, true, true, false}}
		for _, it := range items {
			t.add(it, number(it.Rank), it.Section, it.Kind, it.ID, score(it.Score), number(it.Tokens), oneLine(it.Text))
		}
		a.out.rows(t)
		return
	}
	if len(items) == 0 {
		a.out.print("Nothing was found.\n")
	}
	for _, it := range items {
		a.out.print("%s %s %s\n", a.out.bold(fmt.Sprintf("%d.", it.Rank)), escape(it.ID),
			a.out.dim(fmt.Sprintf("· %s · score %s · %s", it.Section, score(it.Score), plural(it.Tokens, "token"))))
		for _, s := range it.Sources {
			a.out.print("   %s\n", escape(place(s.Doc, s.Heading, s.Page, s.Bytes)))
		}
		a.out.print("%s\n", wrap(escape(it.Text), a.out.width, "   "))
	}
	a.out.print("%s\n", a.out.dim(fmt.Sprintf("%s · %s · %s · %s", duration(ev.Time), k.by(ev.Method), plural(len(items), "item"), plural(ev.Tokens, "token"))))
}

// printExplanation prints the plan and what its operators did.
func (a *app) printExplanation(k *asking, ev *rag.Evidence, items []evidenceItem) {
	o := a.out
	o.print("\n%s\n%s", o.bold("plan"), escape(explainPlan(ev.Plan)))
	a.printOps(ev.Trace.Ops)
	o.print("\n%s\n", o.bold("evidence"))
	for i := range items {
		a.printWay(items[i].Rank, items[i].ID, items[i].Why)
	}
}

// printOps prints what the operators of a plan did.
func (a *app) printOps(ops []query.OpTrace) {
	t := &table{head: []string{"rows", "ms", "operator"}, right: []bool{true, true}}
	for i := range ops {
		op := &ops[i]
		name := strings.Repeat("  ", op.Depth) + op.Op
		if len(op.Notes) > 0 {
			name += " (" + strings.Join(op.Notes, "; ") + ")"
		}
		t.add(op, number(op.Rows), fmt.Sprintf("%.2f", ms(op.Time)), name)
	}
	a.out.print("\n%s\n", a.out.bold("trace"))
	a.out.rows(t)
}

// printWay prints on one line how an item came into the evidence.
func (a *app) printWay(rank int, id string, w why) {
	line := fmt.Sprintf("%2d. %s · %s", rank, id, w.Seed)
	for _, p := range w.Path {
		line += " → " + p
	}
	if w.Cut != "" {
		line += " → " + w.Cut
	}
	a.out.print("%s\n", escape(line))
}
