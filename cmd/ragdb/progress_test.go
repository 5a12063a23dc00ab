package main

import (
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/rag"
)

// TestProgress drives progress by a clock of its own.
func TestProgress(t *testing.T) {
	type step struct {
		after time.Duration
		event rag.Event
	}
	for _, c := range []struct {
		name, style string
		steps       []step
		want        string
	}{
		{"plain tells of each stage once, if it took a while", "plain", []step{
			{0, rag.Event{Stage: "read", Done: 3}},
			{0, rag.Event{Stage: "embed a/b", Done: 1, Total: 2}},
			{2 * time.Second, rag.Event{Stage: "embed a/b", Done: 2, Total: 2}},
			{0, rag.Event{Stage: "near", Done: 1, Total: 1}},
		}, "read        3\nembed       2/2\n"},
		{"plain tells every ten seconds, with the time left", "plain", []step{
			{0, rag.Event{Stage: "extract", Done: 10, Total: 100}},
			{9 * time.Second, rag.Event{Stage: "extract", Done: 15, Total: 100}},
			{time.Second, rag.Event{Stage: "extract", Done: 20, Total: 100, Failed: 1}},
			{40 * time.Second, rag.Event{Stage: "extract", Done: 100, Total: 100, Failed: 1}},
		}, "extract     20/100 · 1 failed · 40 s left\nextract     100/100 · 1 failed\n"},
		{"a bar is wiped away", "bar", []step{
			{0, rag.Event{Stage: "extract", Done: 50, Total: 100}},
		}, "\r\x1b[Kextract     ██████████░░░░░░░░░░  50/100\r\x1b[K"},
		{"json", "json", []step{
			{0, rag.Event{Stage: "near", Done: 1, Total: 1}},
		}, `{"event":"progress","stage":"near","done":1,"total":1,"failed":0,"ms":0}` + "\n"},
		{"none", "none", []step{{0, rag.Event{Stage: "near", Done: 1, Total: 1}}}, ""},
		{"messages are not progress", "plain", []step{{0, rag.Event{Stage: "read", Message: "bad"}}}, ""},
		{"the bar of a stage of unknown size", "bar", []step{{0, rag.Event{Stage: "node", Done: 7}}}, "\r\x1b[Knode        7\r\x1b[K"},
	} {
		var b strings.Builder
		now := time.Unix(0, 0)
		p := &progress{w: &b, style: c.style, now: func() time.Time { return now }, width: func() int { return 80 }}
		for _, s := range c.steps {
			now = now.Add(s.after)
			p.notify(s.event)
		}
		p.end()
		if b.String() != c.want {
			t.Errorf("%s: %q, want %q", c.name, b.String(), c.want)
		}
	}
}

func TestBarFits(t *testing.T) {
	p := &progress{now: func() time.Time { return time.Unix(60, 0) }, begun: time.Unix(0, 0),
		last: rag.Event{Stage: "a stage with a long name", Done: 123456, Total: 1234567, Failed: 99}}
	for width := 1; width < 100; width++ {
		if n := columns(p.bar(width)); n > width {
			t.Errorf("%d columns for %d", n, width)
		}
	}
}
