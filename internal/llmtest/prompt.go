package llmtest

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/ragdb/ragdb/rag/llm"
)

// Chat is a chat request as the rules see it.
type Chat struct {
	Model string
	// Kind is what is asked for.
	Kind     llm.Kind
	Messages []llm.Message
	// Fences are the texts of the prompt between lines <LABEL-CODE> and
	// </LABEL-CODE>, where CODE is a number, by their labels.
	Fences map[string]string
	// Text is the one that the task is about; without fences of that form
	// another fenced text, or the last message of the user.
	Text string
}

// readChat reads what a request asks for.
func readChat(r *wireRequest) Chat {
	c := Chat{Model: r.Model, Fences: map[string]string{}}
	outside := ""
	for _, m := range r.Messages {
		c.Messages = append(c.Messages, llm.Message{Role: m.Role, Content: m.Content})
		outside += unfence(m.Content, c.Fences) + "\n"
	}
	name := ""
	if f := r.ResponseFormat; f != nil {
		name = f.JSONSchema.Name
		if len(f.JSONSchema.Schema) > 0 {
			outside = string(f.JSONSchema.Schema)
		}
	}
	plain := plainText(c.Messages)
	c.Kind = kindOf(llm.Kind(name), outside, plain, c.Fences)
	c.Text = plain
	if s, ok := c.Fences[subject(c.Kind)]; ok {
		c.Text = s
	}
	return c
}

// unfence adds the fences of a message to a set and returns what stands outside
// of them.
func unfence(s string, fences map[string]string) string {
	lines := strings.Split(s, "\n")
	var outside []string
	for i := 0; i < len(lines); i++ {
		label, ok := fenceLine(lines[i])
		end := -1
		for j := i + 1; ok && j < len(lines); j++ {
			if lines[j] == "</"+lines[i][1:] {
				end = j
				break
			}
		}
		if end < 0 {
			outside = append(outside, lines[i])
			continue
		}
		fences[label] = strings.Join(lines[i+1:end], "\n")
		i = end
	}
	return strings.Join(outside, "\n")
}

// fenceLine returns the label of a line <LABEL-CODE>.
func fenceLine(line string) (label string, ok bool) {
	if len(line) < 4 || line[0] != '<' || line[1] == '/' || line[len(line)-1] != '>' {
		return "", false
	}
	label, code, ok := strings.Cut(line[1:len(line)-1], "-")
	return label, ok && code != "" && strings.Trim(code, "0123456789") == ""
}

// subject is the label of the text that a kind of task is about.
func subject(k llm.Kind) string {
	switch k {
	case llm.Answer, llm.ShortAnswer, llm.FilterPoints:
		return "evidence"
	case llm.CommunityReport, llm.SummaryEntities, llm.Insights:
		return "entities"
	case llm.QueryElements, llm.Keywords, llm.HypotheticalPassage, llm.WholeQuestion:
		return "question"
	case llm.Attribute:
		return "statements"
	case llm.Summarise:
		return "texts"
	case llm.MergeDescriptions:
		return "descriptions"
	case llm.Judge:
		return "answers"
	}
	return "text"
}

// kindOf tells what is asked for: by the name of a schema, by the fields that
// the prompt speaks of, by its fences.
func kindOf(name llm.Kind, outside, plain string, fences map[string]string) llm.Kind {
	if name.Known() {
		return name
	}
	field := func(name string) bool { return strings.Contains(outside, `"`+name+`"`) }
	fence := func(label string) bool { _, ok := fences[label]; return ok }
	switch {
	case field("insights"):
		return llm.Insights
	case field("units") && !field("strength"):
		return llm.Decompose
	case field("findings"):
		return llm.CommunityReport
	case field("relations") && fence("found"):
		return llm.Glean
	case field("relations") && fence("entities") && !fence("text"):
		return llm.SummaryEntities
	case field("relations"):
		return llm.Extract
	case field("high_level"):
		return llm.Keywords
	case field("points"):
		return llm.FilterPoints
	case field("winner"):
		return llm.Judge
	case field("source") && field("target"):
		return llm.RepairRelation
	case field("entities"):
		return llm.QueryElements
	case field("items"): // which the schema of every list has
		return llm.MakeQuestions
	case fence("question") && strings.Contains(outside, "few words"):
		return llm.ShortAnswer
	case fence("statements"), fence("entity"):
		return llm.Attribute
	case fence("descriptions"):
		return llm.MergeDescriptions
	case fence("texts"):
		return llm.Summarise
	case fence("earlier"):
		return llm.WholeQuestion
	case fence("evidence"), strings.Contains(plain, "[1]"):
		return llm.Answer
	case fence("question"):
		return llm.HypotheticalPassage
	}
	return llm.Summarise
}

// plainText returns the last text of the user's messages in backticks, quotes
// or tags, else the last of the messages.
func plainText(messages []llm.Message) string {
	last := ""
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		if m.Role != "user" {
			continue
		}
		last = cmp.Or(last, m.Content)
		for _, in := range []func(string) (string, bool){inQuotes, inTags} {
			if s, ok := in(m.Content); ok {
				return strings.TrimSpace(s)
			}
		}
	}
	return last
}

// inQuotes returns what stands between the last pair of ``` or of three quotes.
func inQuotes(s string) (string, bool) {
	for _, mark := range []string{"```", `"""`} {
		end := strings.LastIndex(s, mark)
		if end <= 0 {
			continue
		}
		start := strings.LastIndex(s[:end], mark)
		if start < 0 {
			continue
		}
		in := s[start+len(mark) : end]
		if _, after, ok := strings.Cut(in, "\n"); ok {
			in = after // the language stands in the first line
		}
		return in, true
	}
	return "", false
}

// inTags returns what stands between the last pair of tags on lines of their
// own.
func inTags(s string) (string, bool) {
	lines := strings.Split(s, "\n")
	for i := len(lines) - 1; i > 0; i-- {
		name, ok := strings.CutPrefix(strings.TrimSpace(lines[i]), "</")
		if !ok || !strings.HasSuffix(name, ">") {
			continue
		}
		name = strings.TrimSuffix(name, ">")
		for j := i - 1; j >= 0; j-- {
			open := strings.TrimSpace(lines[j])
			if open == "<"+name+">" || strings.HasPrefix(open, "<"+name+" ") && strings.HasSuffix(open, ">") {
				return strings.Join(lines[j+1:i], "\n"), true
			}
		}
	}
	return "", false
}

// schemaOf is the part of a response_format that is of use here.
type schemaOf struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}
