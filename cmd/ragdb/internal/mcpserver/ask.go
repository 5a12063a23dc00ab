package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ragdb/ragdb/internal/plain"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
)

func (s *server) askTool() *tool {
	return &tool{
		name: "ask", title: "Ask the documents",
		about: `Answer a question from the documents, with numbered sources.

Ask in a whole sentence, with names instead of "it" or "he": the call knows nothing of your conversation. One question a call.

The result begins with answered: true or false. True: the answer follows, and [1] in it is source 1 below. False: no sentence was found that says it; the passages that come nearest follow, which may be about something else.`,
		args: []arg{
			questionArg(`The question, whole: "Who designed the lighthouse on Lantern Point?"`),
			methodArg(), whereArg(), tokensArg(),
		},
		run: func(ctx context.Context, _ *mcp.CallToolRequest, c *corpus, a arguments) (*mcp.CallToolResult, error) {
			k, err := prepare(ctx, c, a)
			if err != nil {
				return nil, err
			}
			r, err := k.Reply(ctx, service.ReplyOptions{})
			if err != nil {
				return nil, err
			}
			return answerPage(c, r.Result, a.number("max_tokens"))
		},
	}
}

// prepare opens the question of a call.
func prepare(ctx context.Context, c *corpus, a arguments) (*service.Asking, error) {
	where := strings.TrimSpace(a.text("where"))
	if _, err := service.ParseWhere(where, false); err != nil {
		e := *service.Explain(err)
		e.Hint = "write it like format = 'md' AND key STARTS WITH 'docs/'"
		return nil, &e
	}
	return c.Prepare(ctx, service.Request{Question: a.text("question"), Method: strings.TrimSpace(a.text("method")), Where: where, Top: a.number("top")})
}

// answer is an answer that may have been cut.
type answer struct {
	*service.Answer
	LeftOut *leftOut `json:"left_out,omitempty"`
}

func answerPage(c *corpus, whole *service.Answer, most int) (*mcp.CallToolResult, error) {
	r, text := *whole, *whole.Answer
	r.Sources, r.Answer, r.Question = []rag.Source{}, nil, short(r.Question, 300)
	var near []rag.Passage
	if whole.Nearest != nil {
		near, r.Nearest = *whole.Nearest, &[]rag.Passage{}
	}
	p, err := newPage(c, most, whole, &r)
	if err != nil {
		return nil, err
	}
	p.take(nil, func() { p.say("answered: %t\n", *whole.Answered) })
	notes(p, whole)
	out := &answer{Answer: &r}
	r.Answer = &text
	if *whole.Answered {
		cut, _ := p.takeCut(&text, &text, func() {
			p.say("The answer; numbers in brackets are its sources:\n")
			p.quote(text)
		})
		if cut {
			out.LeftOut = &leftOut{0, len(whole.Sources), "The answer was cut: ask again with a higher max_tokens."}
		}
		p.take(nil, func() { p.say("\nSources:\n") })
		for i := range whole.Sources {
			src := whole.Sources[i]
			if !p.take(&src, func() {
				p.say("[%d] %s\n", src.N, place(src.Chunk, src.Doc, src.Heading, src.Page))
				if src.Quote != "" {
					p.quote(src.Quote)
				}
			}) {
				break
			}
			r.Sources = append(r.Sources, src)
		}
		if n := len(r.Sources); n < len(whole.Sources) {
			out.LeftOut = &leftOut{n, len(whole.Sources), "Ask again with a higher max_tokens for all sources."}
		}
	} else {
		p.take(nil, func() {
			p.say("%s", service.NoAnswer)
			if len(near) > 0 {
				p.say(" Nearest passages, which may be about something else:\n")
			}
		})
		for i := range near {
			ok := false
			if i == 0 {
				_, ok = p.takeCut(&near[i].Text, &near[i], func() { sayPassage(p, &near[i]) })
			} else {
				ok = p.take(&near[i], func() { sayPassage(p, &near[i]) })
			}
			if !ok {
				break
			}
			*r.Nearest = append(*r.Nearest, near[i])
		}
		if len(near) > 0 && len(*r.Nearest) < len(near) {
			out.LeftOut = &leftOut{len(*r.Nearest), len(near), "Use search to read passages."}
		}
	}
	p.tell(out.LeftOut)
	return p.result(out)
}

func sayPassage(p *page, x *rag.Passage) {
	p.say("- %s\n", place(x.Chunk, x.Doc, x.Heading, x.Page))
	p.quote(x.Text)
}

// place names a passage and where it stands.
func place(id, doc, heading string, page int) string {
	s := "id " + quoted(id) + ", document " + quoted(doc)
	if heading != "" {
		s += ", under " + quoted(heading)
	}
	if page > 0 {
		s += fmt.Sprintf(", page %d", page)
	}
	return s
}

// notes say how the answer came about.
func notes(p *page, r *service.Answer) {
	p.take(nil, func() {
		for _, n := range r.Notes {
			p.say("note: %s\n", quoted(n))
		}
		if r.Supported != nil && !*r.Supported {
			p.say("note: no sentence of the evidence says this in so many words; check the sources before you rely on it\n")
		}
	})
}

func (s *server) searchTool() *tool {
	return &tool{
		name: "search", title: "Search passages",
		about: `Find the passages of the documents that fit a question or some words, the best first, and read them. No answer is made of them: you read and decide. Use it if ask did not answer, to read more, or to look for several things.

Each passage has an id: give it to show for its surroundings. Passages always come; that does not mean that they are about what you look for.`,
		args: []arg{
			questionArg(`What to look for: a question, or words that a passage about it would have.`),
			{name: "top", kind: isNumber, min: 1, max: 100, usual: 10, example: "10", about: "The most passages to find, from 1 to 100."},
			offsetArg("passages"), methodArg(), whereArg(), tokensArg(),
		},
		run: func(ctx context.Context, _ *mcp.CallToolRequest, c *corpus, a arguments) (*mcp.CallToolResult, error) {
			k, err := prepare(ctx, c, a)
			if err != nil {
				return nil, err
			}
			r, err := k.Reply(ctx, service.ReplyOptions{EvidenceOnly: true})
			if err != nil {
				return nil, err
			}
			return evidencePage(c, r.Result, a.number("max_tokens"), a.number("offset"))
		},
	}
}

func evidencePage(c *corpus, whole *service.Answer, most, offset int) (*mcp.CallToolResult, error) {
	r := *whole
	items := *whole.Items
	r.Items, r.Question = &[]service.Item{}, short(r.Question, 300)
	p, err := newPage(c, most, whole, &r)
	if err != nil {
		return nil, err
	}
	notes(p, whole)
	if len(items) == 0 {
		p.say("Nothing was found.\n")
	} else if offset >= len(items) {
		return nil, service.Usage("give a smaller one", "the offset %d is beyond the %s that were found", offset, plain.Plural(len(items), "passage"))
	}
	out := &answer{Answer: &r}
	n := offset
	for ; n < len(items); n++ {
		it := items[n]
		write := func() {
			p.say("%d. %s\n", it.Rank, itemPlace(&it))
			p.quote(it.Text)
		}
		ok := false
		if n == offset {
			_, ok = p.takeCut(&it.Text, &it, write)
		} else {
			ok = p.take(&it, write)
		}
		if !ok {
			break
		}
		*r.Items = append(*r.Items, it)
	}
	if n < len(items) || offset > 0 {
		out.LeftOut = &leftOut{n - offset, len(items), fmt.Sprintf("For the rest call search again with the same arguments and offset %d.", n)}
		if n == len(items) {
			out.LeftOut.How = "This is the end."
		}
	}
	p.tell(out.LeftOut)
	return p.result(out)
}

// itemPlace names an item and where it stands.
func itemPlace(it *service.Item) string {
	if len(it.Sources) == 0 {
		return "id " + quoted(it.ID)
	}
	src := &it.Sources[0]
	s := place(it.ID, src.Doc, src.Heading, src.Page)
	if more := len(it.Sources) - 1; more > 0 {
		s += fmt.Sprintf(" and %s", plain.Plural(more, "other place"))
	}
	return s
}

func (s *server) whyTool() *tool {
	return &tool{
		name: "why", title: "Why was it found, or not",
		about: `Tell why a passage, entity or document is, or is not, among what is found for a question: which step of the search found it, its rank there, and which step lost it. Use it to explain an answer, or if a document that you expect is missing. Give the question, method and where of the call that you wonder about.`,
		args: []arg{
			questionArg(`The question that was asked or searched.`),
			idArg("What to look for among what was found."),
			methodArg(), whereArg(), tokensArg(),
		},
		run: func(ctx context.Context, _ *mcp.CallToolRequest, c *corpus, a arguments) (*mcp.CallToolResult, error) {
			k, err := prepare(ctx, c, a)
			if err != nil {
				return nil, err
			}
			found, err := k.Why(ctx, strings.TrimSpace(a.text("id")))
			if err != nil {
				return nil, err
			}
			return whyPage(c, found, a.number("max_tokens"))
		},
	}
}

// whys is what why tells of several items.
type whys struct {
	V       int           `json:"v"`
	Items   []service.Why `json:"items"`
	LeftOut *leftOut      `json:"left_out,omitempty"`
}

func whyPage(c *corpus, found []service.Why, most int) (*mcp.CallToolResult, error) {
	out := &whys{V: 1, Items: []service.Why{}}
	p, err := newPage(c, most, found, out)
	if err != nil {
		return nil, err
	}
	for i := range found {
		w := found[i]
		w.Question = short(w.Question, 300)
		write := func() { sayWhy(p, &w, len(found) == 1) }
		if !p.take(&w, write) {
			if i > 0 {
				break
			}
			for steps := 6; steps >= 0; steps -= 3 {
				w.Path, w.Ops = w.Path[:min(steps, len(w.Path))], w.Ops[:min(steps, len(w.Ops))]
				if p.take(&w, write) {
					break
				}
			}
			out.LeftOut = &leftOut{1, len(found), "Steps were left out: call why with a higher max_tokens."}
		}
		out.Items = append(out.Items, w)
	}
	if n := len(out.Items); n < len(found) {
		out.LeftOut = &leftOut{n, len(found), "For the others call why with the id of one passage, as show lists them, or with a higher max_tokens."}
	}
	p.tell(out.LeftOut)
	if len(found) == 1 && out.LeftOut == nil {
		return p.result(found[0])
	}
	return p.result(out)
}

func sayWhy(p *page, w *service.Why, steps bool) {
	p.say("%s %s\n", quoted(w.ID), showHidden(strings.ReplaceAll(w.Verdict, "\n", " ")))
	for _, s := range w.Path {
		p.say("  by %s\n", quoted(s.String()))
	}
	if !steps {
		return
	}
	p.say("\nSteps of the search, the last first; rank 0 is not found:\n")
	for _, op := range w.Ops {
		lost := ""
		if op.Lost && !w.Kept {
			lost = ", lost here"
		}
		p.say("%s- rank %d of %d%s: %s\n", strings.Repeat("  ", op.Depth), op.Rank, op.Rows, lost, quoted(op.Op))
	}
}
