package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ragdb/ragdb/rag"
)

// progress shows what a run is doing, on stderr.
type progress struct {
	w     io.Writer
	style string // bar, plain, json or none
	width func() int
	now   func() time.Time
	bytes bool // what is done are bytes

	last    rag.Event
	begun   time.Time // of the stage
	shown   rag.Event
	shownAt time.Time
	drawn   bool // a bar stands on the terminal's last line
}

// How often progress is shown.
const (
	barEvery   = 100 * time.Millisecond
	plainEvery = 10 * time.Second
)

// newProgress makes the progress that --progress asks for: by default a bar on
// a terminal, lines elsewhere, nothing for programs.
func (a *app) newProgress() *progress {
	p := &progress{w: a.out.stderr, style: a.global.progress.value, now: time.Now, width: func() int { return unknown }}
	if p.style == "auto" {
		switch {
		case a.out.quiet || a.out.machine():
			p.style = "none"
		case a.out.errTTY && a.env["TERM"] != "dumb":
			p.style = "bar"
		default:
			p.style = "plain"
		}
	}
	if a.out.errTTY {
		p.width = func() int {
			if w := columnsOf(a.out.stderr); w > 1 {
				return w
			}
			return unknown
		}
	}
	return p
}

// notify takes an event.
func (p *progress) notify(e rag.Event) {
	if e.Message != "" {
		return // told at the end, with the result
	}
	if e.Stage != p.last.Stage {
		p.finishStage()
		p.begun = p.now()
		if p.style == "bar" || p.style == "json" {
			p.shownAt = p.begun.Add(-barEvery)
		} else {
			p.shownAt = p.begun
		}
	}
	p.last = e
	every := plainEvery
	if p.style == "bar" || p.style == "json" {
		every = barEvery
	}
	if p.now().Sub(p.shownAt) >= every || e.Total > 0 && e.Done >= e.Total {
		p.show()
	}
}

// end shows what was not shown yet and leaves the terminal clean.
func (p *progress) end() {
	p.finishStage()
	p.last = rag.Event{}
}

// finishStage closes the stage's line.
func (p *progress) finishStage() {
	if p.last.Stage != "" && p.last != p.shown {
		p.show()
	}
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

func (p *progress) show() {
	p.shown, p.shownAt = p.last, p.now()
	switch p.style {
	case "bar":
		fmt.Fprint(p.w, "\r\x1b[K"+p.bar(p.width()-1))
		p.drawn = true
	case "plain":
		// Lines stay: a stage that took no time is not worth one.
		if p.last.Stage == "read" || p.now().Sub(p.begun) >= time.Second {
			fmt.Fprintln(p.w, p.line())
		}
	case "json":
		b, err := json.Marshal(struct {
			Event  string `json:"event"`
			Stage  string `json:"stage"`
			Done   int    `json:"done"`
			Total  int    `json:"total"`
			Failed int    `json:"failed"`
			Ms     int64  `json:"ms"`
		}{"progress", p.last.Stage, p.last.Done, p.last.Total, p.last.Failed, p.now().Sub(p.begun).Milliseconds()})
		if err == nil {
			fmt.Fprintf(p.w, "%s\n", b)
		}
	}
}

// stageName is what people see of a stage's name: without the chunk set.
func stageName(stage string) string {
	if name, rest, ok := strings.Cut(stage, " "); ok && strings.Contains(rest, "/") {
		return name
	}
	return stage
}

// line is progress as a line of text.
func (p *progress) line() string {
	s := pad(stageName(p.last.Stage), 10, false) + "  " + p.counts()
	if rest := p.left(); rest != "" {
		s += " · " + rest
	}
	return s
}

func (p *progress) counts() string {
	count := number[int]
	if p.bytes {
		count = size[int]
	}
	s := count(p.last.Done)
	if p.last.Total > 0 {
		s += "/" + count(p.last.Total)
	}
	if p.last.Failed > 0 {
		s += fmt.Sprintf(" · %s failed", number(p.last.Failed))
	}
	return s
}

// left is the time that the rate so far promises, "" if it tells nothing.
func (p *progress) left() string {
	spent := p.now().Sub(p.begun)
	if p.last.Done < 1 || p.last.Done >= p.last.Total || spent < time.Second {
		return ""
	}
	d := time.Duration(float64(spent) / float64(p.last.Done) * float64(p.last.Total-p.last.Done))
	if d < time.Minute {
		return fmt.Sprintf("%.0f s left", d.Seconds())
	}
	return duration(d) + " left"
}

// bar is progress as a bar of at most width columns.
func (p *progress) bar(width int) string {
	const room = 20
	left := pad(stageName(p.last.Stage), 10, false) + "  "
	right := "  " + p.counts()
	if rest := p.left(); rest != "" {
		right += " · " + rest
	}
	if p.last.Total == 0 {
		return cut(left+strings.TrimSpace(right), width)
	}
	full := min(room, room*p.last.Done/p.last.Total)
	return cut(left+strings.Repeat("█", full)+strings.Repeat("░", room-full)+right, width)
}

// saved says what of an interrupted stage is kept.
func (p *progress) saved() string {
	e := p.last
	switch {
	case e.Stage == "":
		return "nothing was begun"
	case e.Stage == "read":
		return plural(e.Done, "document") + " read and saved"
	case e.Total == 0:
		return stageName(e.Stage) + ": what was done is saved"
	}
	return fmt.Sprintf("%s: %s of %s items saved", stageName(e.Stage), number(e.Done), number(e.Total))
}
