package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
)

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
func by(k *service.Asking, method string) string {
	if k.Default {
		return method + ", " + byDefault
	}
	return method
}

// printSaid prints an answer with its sources, the text left out if it was
// printed as it came.
func (a *app) printSaid(ans *rag.Answer, streamed bool) {
	o := a.out
	defer func() {
		for _, n := range service.AnswerNotes(ans) {
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

func (a *app) printAnswer(k *service.Asking, ans *rag.Answer, took time.Duration) {
	o := a.out
	a.printSaid(ans, k.Question.Stream != nil)
	who := "answered by rules, without a model"
	if k.Models.Free() && !ans.Answered {
		who = "read by rules, without a model"
	}
	if !k.Models.Free() {
		who = "answered by " + k.Models.Provider().Name()
		if t := k.Models.Meter().Total(); t.USD != nil && *t.USD > 0 {
			who += " for " + money(*t.USD)
		}
	}
	line := fmt.Sprintf("%s · %s · %s of evidence · %s",
		duration(took), by(k, ans.Method), plural(ans.Evidence.Tokens, "token"), who)
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
		o.print("%s\n", service.NoAnswer)
		o.note("%s came near: add --no-llm to read them", plural(evidence, "piece")+" of evidence")
		return
	}
	o.print("%s; nearest passages:\n", strings.TrimSuffix(service.NoAnswer, "."))
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
