package rag

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/prompts"
)

// answerWriter makes an Answer of a reply that comes piece by piece: its
// markers, which count all evidence, become numbers that count the sources
// cited, in order of appearance. A marker that names no evidence is dropped.
type answerWriter struct {
	a     *Answer
	items []Cited
	// source tells where an item says what was said.
	source func(it *Cited, said string) (Source, error)
	on     func(text string) error // receives the answer; may be nil

	numbers map[string]int  // of chunks
	rest    string          // what may be the beginning of a marker
	since   strings.Builder // the reply since the last marker
	said    string          // the last sentence before a marker
	text    strings.Builder
	held    string // the beginning, while it may still say that there is no evidence
	open    bool   // nothing is held any more
}

var marker = regexp.MustCompile(`\[(\d+(?:\s*,\s*\d+)*)\]`)

// maxMarker is the longest marker that is looked for, and heldBytes the
// beginning of a reply in which it may say that the evidence is silent.
const (
	maxMarker = 64
	heldBytes = 64
)

// hold is write for replies that may say that there is no evidence.
func (w *answerWriter) hold(s string) error {
	if w.open {
		return w.write(s)
	}
	w.held += s
	if len(w.held) < heldBytes {
		return nil
	}
	w.open = true
	s, w.held = w.held, ""
	return w.write(s)
}

// write takes the next piece of the reply.
func (w *answerWriter) write(s string) error {
	w.open = true
	s = w.rest + s
	w.rest = ""
	if i := strings.LastIndexByte(s, '['); i >= 0 && len(s)-i < maxMarker && !strings.Contains(s[i:], "]") {
		s, w.rest = s[:i], s[i:]
	}
	return w.take(s)
}

// end takes what is left.
func (w *answerWriter) end() error {
	if w.held != "" {
		if prompts.IsNoEvidence(w.held) {
			return llm.ErrNoEvidence
		}
		if err := w.write(w.held); err != nil {
			return err
		}
	}
	if err := w.take(w.rest); err != nil {
		return err
	}
	w.a.Text = strings.TrimSpace(w.text.String())
	return nil
}

// take takes text in which every marker is whole.
func (w *answerWriter) take(s string) error {
	var out strings.Builder
	last := 0
	for _, at := range marker.FindAllStringSubmatchIndex(s, -1) {
		w.since.WriteString(s[last:at[0]])
		if said := lastSentence(w.since.String()); said != "" {
			w.said = said // else another marker of the same sentence
		}
		w.since.Reset()
		out.WriteString(s[last:at[0]])
		last = at[1]
		for _, f := range strings.Split(s[at[2]:at[3]], ",") {
			num, err := w.cite(f)
			if err != nil {
				return err
			}
			if num > 0 {
				out.WriteString(markerOf(num))
			}
		}
	}
	w.since.WriteString(s[last:])
	out.WriteString(s[last:])
	w.text.WriteString(out.String())
	if w.on == nil || out.Len() == 0 {
		return nil
	}
	return w.on(out.String())
}

// markerOf returns the marker of a source.
func markerOf(n int) string { return "[" + strconv.Itoa(n) + "]" }

// cite returns the number of the source that a marker's number leads to, 0
// if it leads to none.
func (w *answerWriter) cite(number string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || n < 1 || n > len(w.items) || len(w.items[n-1].Spans) == 0 {
		w.a.Dropped++
		return 0, nil
	}
	src, err := w.source(&w.items[n-1], w.said)
	if err != nil {
		return 0, err
	}
	num := w.numbers[src.Chunk]
	if num == 0 {
		num = len(w.a.Sources) + 1
		w.numbers[src.Chunk] = num
		src.N = num
		w.a.Sources = append(w.a.Sources, src)
	}
	return num, nil
}
