package rag

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm"
)

// Answer is an answer with its proof.
type Answer struct {
	Question string
	// Text is the answer with markers [1], [2] that name Sources; "" where
	// Answered is false.
	Text string
	// Answered is false where the evidence does not speak of the question.
	Answered bool
	Method   string
	Sources  []Source
	Evidence *Evidence
	Trace    string
	Usage    llm.Usage
	// ModelTime is what making the answer of the evidence took.
	ModelTime time.Duration
	// Dropped counts markers that named no evidence and were taken out.
	Dropped int
}

// Source is a source that an answer cites.
type Source struct {
	N       int      `json:"n"`
	Doc     string   `json:"doc"`
	Page    int      `json:"page,omitempty"`
	Heading string   `json:"heading,omitempty"`
	Bytes   [2]int64 `json:"bytes"`
	Chunk   string   `json:"chunk"`
	Score   float64  `json:"score"`
	Quote   string   `json:"quote"`
}

// quoteBytes is about how much of a source is quoted.
const quoteBytes = 240

// Ask answers a question from what a method retrieves.
func (c *Corpus) Ask(ctx context.Context, sys System, m *Models, q Question) (*Answer, error) {
	ev, err := c.Retrieve(ctx, sys, m, q)
	if err != nil {
		return nil, err
	}
	a := &Answer{Question: q.Text, Method: sys.Instance(), Evidence: ev}
	if err := c.answer(ctx, m, q, a); err != nil {
		return nil, fmt.Errorf("rag: answer: %w", err)
	}
	if a.Trace, err = c.KeepTrace(ctx, q.Text, ev); err != nil {
		return nil, err
	}
	return a, nil
}

func (c *Corpus) answer(ctx context.Context, m *Models, q Question, a *Answer) error {
	items := a.Evidence.Items()
	if len(items) == 0 {
		return nil
	}
	in := llm.AnswerInput{Question: q.Text}
	for _, s := range a.Evidence.Sections {
		for _, it := range s.Items {
			in.Evidence = append(in.Evidence, llm.Evidence{N: len(in.Evidence) + 1, Section: s.Name, Text: it.Text})
		}
	}
	before, start := m.Usage(), time.Now()
	reply, err := m.Do(ctx, "ask", llm.Task{Kind: llm.Answer, Input: in})
	a.ModelTime = time.Since(start)
	after := m.Usage()
	a.Usage = llm.Usage{
		Calls: after.Calls - before.Calls, InTokens: after.InTokens - before.InTokens, OutTokens: after.OutTokens - before.OutTokens,
	}
	if errors.Is(err, llm.ErrNoEvidence) {
		return nil
	}
	if err != nil {
		return err
	}
	a.Answered = true
	a.number(reply.Text, items)
	return c.DB.View(ctx, func(s *engine.Snapshot) error {
		base := s.Graph(c.Base)
		for i := range a.Sources {
			src := &a.Sources[i]
			sp, err := c.Locate(base, src.Doc, int(src.Bytes[0]), int(src.Bytes[1]))
			if isMissing(err) {
				continue // removed since it was retrieved
			}
			if err != nil {
				return err
			}
			src.Page, src.Heading = sp.Page, sp.Heading
		}
		return nil
	})
}

var marker = regexp.MustCompile(`\[(\d+(?:\s*,\s*\d+)*)\]`)

// number replaces the markers of a reply, which count all evidence, by numbers
// that count the sources cited, in order of appearance. A marker that names no
// evidence is dropped.
func (a *Answer) number(reply string, items []Cited) {
	numbers := map[string]int{} // chunk -> number
	last := 0
	var out strings.Builder
	for _, at := range marker.FindAllStringSubmatchIndex(reply, -1) {
		said := reply[last:at[0]]
		out.WriteString(said)
		last = at[1]
		for _, f := range strings.Split(reply[at[2]:at[3]], ",") {
			n, err := strconv.Atoi(strings.TrimSpace(f))
			if err != nil || n < 1 || n > len(items) || len(items[n-1].Chunks) == 0 || len(items[n-1].Spans) == 0 {
				a.Dropped++
				continue
			}
			it := items[n-1]
			num := numbers[it.Chunks[0]]
			if num == 0 {
				num = len(a.Sources) + 1
				numbers[it.Chunks[0]] = num
				sp := it.Spans[0]
				a.Sources = append(a.Sources, Source{
					N: num, Doc: sp.Doc, Bytes: sp.Bytes,
					Chunk: it.Chunks[0], Score: it.Score, Quote: quote(it.Text, lastSentence(said)),
				})
			}
			fmt.Fprintf(&out, "[%d]", num)
		}
	}
	out.WriteString(reply[last:])
	a.Text = strings.TrimSpace(out.String())
}

// lastSentence returns the end of what an answer says before a marker.
func lastSentence(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexAny(strings.TrimRight(s, ".!?"), ".!?"); i >= 0 {
		s = s[i+1:]
	}
	return strings.TrimSpace(s)
}

// quote returns the part of a source that an answer rests on: where what was
// said stands in it word for word, that, else its beginning.
func quote(source, said string) string {
	from := 0
	if i := strings.Index(source, said); said != "" && i >= 0 {
		from = i
	}
	s := source[from:]
	if len(s) <= quoteBytes {
		return strings.Join(strings.Fields(s), " ")
	}
	cut := strings.LastIndexByte(s[:quoteBytes], ' ')
	if cut < quoteBytes/2 {
		cut = quoteBytes
		for cut > 0 && s[cut]&0xC0 == 0x80 {
			cut--
		}
	}
	return strings.Join(strings.Fields(s[:cut]), " ") + " …"
}
