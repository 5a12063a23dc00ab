package llm

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// WithoutEchoes returns the reply to t without the records that come from the
// task's instructions: from the example in a prompt, which small models copy, or
// from the marks around the data. A string is an echo if it stands in the prompt and
// not in the task's input, in capital or small letters. Entities by such a name and
// relations of one are dropped and counted; such a description of an entity is left
// out; a report with such a title is refused. A reply of text loses the marks.
//
// The error is a [*ReplyError] if nothing is left of the reply.
func (r Reply) WithoutEchoes(t Task) (Reply, error) {
	if t.Input == nil {
		return r, nil
	}
	var mend func(isEcho func(string) bool) (value any, dropped int, left bool)
	switch t.Kind {
	case Extract, Glean, SummaryEntities:
		var x Extraction
		if err := json.Unmarshal([]byte(r.Text), &x); err != nil {
			return r, nil // what it says is not ours to judge here
		}
		mend = func(isEcho func(string) bool) (any, int, bool) {
			n := len(x.Entities) + len(x.Relations)
			x.Entities = slices.DeleteFunc(x.Entities, func(e Entity) bool { return isEcho(e.Name) })
			x.Relations = slices.DeleteFunc(x.Relations, func(e Relation) bool {
				return isEcho(e.Source) || isEcho(e.Target) || isEcho(e.Description)
			})
			for i, e := range x.Entities {
				if isEcho(e.Description) {
					x.Entities[i].Description = ""
				}
			}
			kept := len(x.Entities) + len(x.Relations)
			return x, n - kept, kept > 0 || n == 0 || t.Kind == Glean // a second reading may find nothing
		}
	case Decompose:
		var x Decomposition
		if err := json.Unmarshal([]byte(r.Text), &x); err != nil {
			return r, nil
		}
		mend = func(isEcho func(string) bool) (any, int, bool) {
			n, gone := len(x.Units), 0
			x.Units = slices.DeleteFunc(x.Units, func(e Event) bool { return isEcho(e.Text) })
			for i, e := range x.Units {
				gone += len(e.Entities) + len(e.Relations)
				e.Entities = slices.DeleteFunc(e.Entities, isEcho)
				e.Relations = slices.DeleteFunc(e.Relations, func(s Stated) bool { return isEcho(s.Source) || isEcho(s.Target) })
				gone -= len(e.Entities) + len(e.Relations)
				x.Units[i] = e
			}
			return x, n - len(x.Units) + gone, len(x.Units) > 0 || n == 0
		}
	case Insights:
		var x InsightList
		if err := json.Unmarshal([]byte(r.Text), &x); err != nil {
			return r, nil
		}
		mend = func(isEcho func(string) bool) (any, int, bool) {
			n := len(x.Insights)
			x.Insights = slices.DeleteFunc(x.Insights, func(i Insight) bool { return isEcho(i.Description) })
			return x, n - len(x.Insights), len(x.Insights) > 0 || n == 0
		}
	case CommunityReport:
		var x Report
		if err := json.Unmarshal([]byte(r.Text), &x); err != nil {
			return r, nil
		}
		mend = func(isEcho func(string) bool) (any, int, bool) {
			n := len(x.Findings)
			x.Findings = slices.DeleteFunc(x.Findings, func(f Finding) bool { return isEcho(f.Explanation) })
			return x, n - len(x.Findings), !isEcho(x.Title)
		}
	default:
		if t.Kind.JSON() {
			return r, nil
		}
		return r.withoutMarks(t)
	}
	input, err := inputText(t.Input)
	if err != nil {
		return Reply{}, err
	}
	var prompt strings.Builder
	for _, m := range t.Prompt {
		prompt.WriteString(m.Content + "\n")
	}
	asked := plain(prompt.String())
	value, dropped, left := mend(func(s string) bool {
		s = plain(s)
		return s != "" && strings.Contains(asked, s) && !strings.Contains(input, s)
	})
	if !left {
		return Reply{}, &ReplyError{Kind: t.Kind, Raw: r.Text, Why: "it repeats the instructions and says nothing of the data"}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return Reply{}, phase.Errorf("%s: %w", t.Kind, err)
	}
	if string(text) == r.Text {
		return r, nil
	}
	r.Text = string(text)
	r.Mending.Dropped += dropped
	r.Mending.Mended = max(r.Mending.Mended, 1-r.Mending.Salvaged)
	return r, nil
}

// mark is a line that prompts put before and behind data, with the request's code.
var mark = regexp.MustCompile(`</?[a-z-]+-[0-9]{6}>`)

// withoutMarks returns a reply of text without the marks that the prompt puts around
// data, which small models write behind their answer too.
func (r Reply) withoutMarks(t Task) (Reply, error) {
	text := mark.ReplaceAllStringFunc(r.Text, func(s string) string {
		code := s[strings.LastIndexByte(s, '-')+1 : len(s)-1]
		for _, m := range t.Prompt {
			if strings.Contains(m.Content, code) {
				return ""
			}
		}
		return s
	})
	if text == r.Text {
		return r, nil
	}
	if text = strings.TrimSpace(text); text == "" {
		return Reply{}, &ReplyError{Kind: t.Kind, Raw: r.Text, Why: "it is empty but for the marks around data"}
	}
	r.Text, r.Mending.Mended = text, 1
	return r, nil
}

// plain returns s in small letters with single spaces, as texts are compared here.
func plain(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// inputText returns the strings of a task's input, one a line.
func inputText(input any) (string, error) {
	b, err := json.Marshal(input)
	if err != nil {
		return "", phase.Errorf("read a task's input: %w", err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return "", phase.Errorf("read a task's input: %w", err)
	}
	var all strings.Builder
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all.WriteString(plain(v) + "\n")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	return all.String(), nil
}
