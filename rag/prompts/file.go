package prompts

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/ragdb/ragdb/rag/llm"
)

// message is a message of a prompt before it is filled.
type message struct {
	role string
	tmpl *template.Template
}

// prompt is a prompt file that was read.
type prompt struct {
	maxTokens int // 0 leaves it to the provider
	ratio     int // tokens of the reply for a token of the input's texts; 0 does not bound it
	messages  []message
}

// parse reads a prompt file: the front part, a note for people, the messages.
func parse(file, source string) (*prompt, error) {
	refuse := func(line int, format string, args ...any) error {
		return &FileError{File: file, Line: line, Reason: fmt.Sprintf(format, args...)}
	}
	p := &prompt{}
	lines := strings.Split(source, "\n")
	at := 0
	if strings.TrimRight(lines[0], " ") == "---" {
		for at = 1; ; at++ {
			if at == len(lines) {
				return nil, refuse(1, "the front part has no second ---")
			}
			line := strings.TrimSpace(lines[at])
			if line == "---" {
				at++
				break
			}
			if line == "" || line[0] == '#' {
				continue
			}
			name, value, ok := strings.Cut(line, ":")
			setting, most := &p.maxTokens, maxMaxTokens
			switch {
			case ok && name == "max_ratio":
				setting, most = &p.ratio, maxRatio
			case !ok || name != "max_tokens":
				return nil, refuse(at+1, "%q is not a setting; there are max_tokens: NUMBER and max_ratio: NUMBER", line)
			}
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil || n < 0 || n > most {
				return nil, refuse(at+1, "%s is a number from 0 to %d", name, most)
			}
			*setting = n
		}
	}
	role, start := "", 0
	end := func(at int) error {
		if role == "" {
			return nil
		}
		// The template begins on its line of the file, so that its errors name
		// that line.
		text := strings.Repeat("\n", start) + strings.Join(lines[start:at], "\n")
		t, err := template.New(file).Option("missingkey=error").Funcs((&page{}).funcs()).Parse(text)
		if err != nil {
			return templateError(file, err)
		}
		p.messages = append(p.messages, message{role, t})
		return nil
	}
	for ; at < len(lines); at++ {
		switch next := strings.TrimRight(lines[at], " "); next {
		case "# system", "# user", "# assistant":
			if err := end(at); err != nil {
				return nil, err
			}
			role, start = next[2:], at+1
			if role == "system" && len(p.messages) > 0 {
				return nil, refuse(at+1, "only the first message is the system's")
			}
		}
	}
	if err := end(len(lines)); err != nil {
		return nil, err
	}
	if role != "user" {
		return nil, refuse(0, "the last message is not # user")
	}
	return p, nil
}

// maxMaxTokens bounds the setting max_tokens, maxRatio max_ratio.
const (
	maxMaxTokens = 1_000_000
	maxRatio     = 100
)

// A text has about a token for each tokenBytes bytes, and a reply that is bounded
// by max_ratio may always have leastTokens.
const (
	tokenBytes  = 3
	leastTokens = 300
)

// bound returns the bound of a reply to an input whose texts have some bytes, given
// the length that was asked for, 0 for none.
func (p *prompt) bound(asked, bytes int) int {
	n := p.maxTokens
	if asked > 0 {
		asked = min(asked, maxMaxTokens)
		n = asked + asked/2 + 100
	}
	if most := leastTokens + p.ratio*(bytes/tokenBytes); p.ratio > 0 && (n == 0 || n > most) {
		n = min(most, maxMaxTokens)
	}
	return n
}

var templateMessage = regexp.MustCompile(`(?s)^template: [^:]*:(\d+)(?::\d+)?: (?:executing "[^"]*" at )?(.*)$`)

// templateError makes a FileError of an error of text/template.
func templateError(file string, err error) error {
	e := &FileError{File: file, Reason: err.Error()}
	if m := templateMessage.FindStringSubmatch(e.Reason); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Reason = m[2]
	}
	return e
}

// fill executes the messages with what stands on a page.
func (p *prompt) fill(file string, pg *page) ([]llm.Message, error) {
	out := make([]llm.Message, 0, len(p.messages))
	for _, m := range p.messages {
		// A page belongs to one task, a template to all.
		t, err := m.tmpl.Clone()
		if err != nil {
			return nil, templateError(file, err)
		}
		var b strings.Builder
		if err := t.Funcs(pg.funcs()).Execute(&b, pg.fields); err != nil {
			return nil, templateError(file, err)
		}
		out = append(out, llm.Message{Role: m.role, Content: strings.TrimSpace(b.String())})
	}
	return out, nil
}
