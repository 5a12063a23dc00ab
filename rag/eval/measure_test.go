package eval_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// expected are a method's figures, as the test works them out.
type expected struct {
	coverage, raw, word, at2, at5, perfect, mrr, tokens float64
}

// plain is the form in which answers are compared, for the ASCII texts of the
// test.
func plain(s string) []string {
	s = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(".,;:!?-#'\"()", r):
			return -1
		}
		return r
	}, strings.ToLower(s))
	return slices.DeleteFunc(strings.Fields(s), func(w string) bool { return w == "the" || w == "a" || w == "an" })
}

// measure works out what a method should be reported with, from the evidence
// that it retrieves of a database that eval kept. owner names the records of
// an item.
func measure(t *testing.T, c *rag.Corpus, spec method.Spec, questions []question, budget int, owner func(it rag.Cited) []string) expected {
	t.Helper()
	ctx := t.Context()
	sys, err := methods.All().Open(ctx, c.Docs(), spec)
	check(t, err)
	m, err := c.OpenLocal(ctx, false, rag.Parts{})
	check(t, err)
	var e expected
	answered, golden := 0.0, 0.0
	for _, q := range questions {
		ev, err := c.Retrieve(ctx, sys, m, method.Question{Text: q.Question, Budget: budget})
		check(t, err)
		if ev.Tokens > budget {
			t.Errorf("%s: %d tokens of %d", spec.Title(), ev.Tokens, budget)
		}
		e.tokens += float64(ev.Tokens) / float64(len(questions))
		normal, raw, word := false, false, false
		var order []string
		for _, s := range ev.Sections {
			for _, it := range s.Items {
				words := plain(it.Text)
				for _, a := range q.Answers {
					want := plain(a)
					normal = normal || strings.Contains(strings.Join(words, " "), strings.Join(want, " "))
					raw = raw || strings.Contains(strings.ToLower(it.Text), strings.ToLower(a))
					for i := range max(0, len(words)-len(want)+1) {
						word = word || slices.Equal(words[i:i+len(want)], want)
					}
				}
				if ids := owner(it); len(ids) == 1 && !slices.Contains(order, ids[0]) {
					order = append(order, ids[0])
				}
			}
		}
		count := func(x *float64, ok bool) {
			if ok {
				*x++
			}
		}
		if len(q.Answers) > 0 {
			answered++
			count(&e.coverage, normal)
			count(&e.raw, raw)
			count(&e.word, word)
		}
		if len(q.Supporting) > 0 {
			golden++
			in := func(k int) (share float64) {
				for _, g := range q.Supporting {
					if slices.Contains(order[:min(k, len(order))], g) {
						share += 1 / float64(len(q.Supporting))
					}
				}
				return share
			}
			e.at2 += in(2)
			e.at5 += in(5)
			count(&e.perfect, in(5) > 0.999)
			if i := slices.IndexFunc(order, func(id string) bool { return slices.Contains(q.Supporting, id) }); i >= 0 {
				e.mrr += 1 / float64(i+1)
			}
		}
	}
	for _, x := range []*float64{&e.coverage, &e.raw, &e.word} {
		*x /= answered
	}
	for _, x := range []*float64{&e.at2, &e.at5, &e.perfect, &e.mrr} {
		*x /= golden
	}
	return e
}

// chunkDocs is the rule for records apart: the documents of the chunks.
func chunkDocs(it rag.Cited) []string {
	docs := map[string]bool{}
	for _, key := range it.Chunks {
		docs[key[:strings.LastIndex(key, "#")]] = true
	}
	return slices.Sorted(maps.Keys(docs))
}

// touched is the rule for joined records: those that the item's spans meet.
func touched(corpus string) func(it rag.Cited) []string {
	type place struct {
		id       string
		from, to int64
	}
	var places []place
	at := int64(0)
	for _, line := range strings.Split(strings.TrimSpace(corpus), "\n") {
		var r struct{ ID, Title, Text string }
		if json.Unmarshal([]byte(line), &r) != nil {
			continue
		}
		n := int64(len(r.Title) + 1 + len(r.Text))
		places = append(places, place{r.ID, at, at + n})
		at += n + 1
	}
	return func(it rag.Cited) []string {
		var out []string
		if len(it.Spans) < len(it.Chunks) {
			return nil
		}
		for _, s := range it.Spans {
			for _, p := range places {
				if p.from < s.Bytes[1] && s.Bytes[0] < p.to && !slices.Contains(out, p.id) {
					out = append(out, p.id)
				}
			}
		}
		return out
	}
}
