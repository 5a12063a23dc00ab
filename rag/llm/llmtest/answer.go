package llmtest

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/llm"
)

// Chat is a chat request as the rules see it.
type Chat struct {
	Model string
	// Kind is what is asked for.
	Kind llm.Kind
	// Prompt is all messages; Text the part that the task is about.
	Prompt, Text string
	Messages     []llm.Message
}

func (s *Server) readChat(r *wireRequest) Chat {
	c := Chat{Model: r.Model}
	var all strings.Builder
	for _, m := range r.Messages {
		c.Messages = append(c.Messages, llm.Message{Role: m.Role, Content: m.Content})
		all.WriteString(m.Content)
		all.WriteByte('\n')
	}
	c.Prompt = all.String()
	c.Text = fenced(c.Messages)
	name, schema := "", c.Prompt
	if f := r.ResponseFormat; f != nil {
		name = f.JSONSchema.Name
		if len(f.JSONSchema.Schema) > 0 {
			schema = string(f.JSONSchema.Schema)
		}
	}
	c.Kind = kindOf(llm.Kind(name), schema, c)
	return c
}

// kindOf tells what is asked for.
func kindOf(name llm.Kind, schema string, c Chat) llm.Kind {
	if name.Form() != llm.FormUnknown {
		return name
	}
	has := func(field string) bool { return strings.Contains(schema, `"`+field+`"`) }
	switch {
	case has("findings"):
		return llm.CommunityReport
	case has("relations"):
		return llm.Extract
	case has("high_level"):
		return llm.Keywords
	case has("points"):
		return llm.FilterPoints
	case has("winner"):
		return llm.Judge
	case has("source") && has("target"):
		return llm.RepairRelation
	case has("entities"):
		return llm.QueryElements
	case strings.Contains(c.Text, "[1]"):
		return llm.Answer
	}
	return llm.Summarise
}

// fenced returns the last fenced part of the messages of the user, else the
// last of them.
func fenced(messages []llm.Message) string {
	last := ""
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		if m.Role != "user" {
			continue
		}
		if last == "" {
			last = m.Content
		}
		if s, ok := fencedIn(m.Content); ok {
			return s
		}
	}
	return last
}

func fencedIn(s string) (string, bool) {
	for _, mark := range []string{"```", `"""`} {
		if end := strings.LastIndex(s, mark); end > 0 {
			if start := strings.LastIndex(s[:end], mark); start >= 0 {
				_, in, ok := strings.Cut(s[start+len(mark):end], "\n") // after the fence's language
				if !ok {
					in = s[start+len(mark) : end]
				}
				return strings.TrimSpace(in), true
			}
		}
	}
	// The last pair of tags on lines of their own.
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
				return strings.TrimSpace(strings.Join(lines[j+1:i], "\n")), true
			}
		}
	}
	return "", false
}

// maxNames bounds the names of an extraction.
const maxNames = 40

// answer answers a chat by the rules.
func (s *Server) answer(c Chat) string {
	if s.o.Answer != nil {
		if text, ok := s.o.Answer(c); ok {
			return text
		}
	}
	var v any
	switch c.Kind {
	case llm.Extract, llm.Glean, llm.SummaryEntities:
		v = extract(c.Text)
	case llm.RepairRelation:
		x := extract(c.Text)
		r := llm.Relation{Source: "Nobody", Target: "Nothing", Description: first(c.Text), Strength: 1}
		if len(x.Relations) > 0 {
			r = x.Relations[0]
		}
		v = r
	case llm.CommunityReport:
		v = llm.Report{Title: strings.Join(names(c.Text, 3), ", ") + " and others", Summary: first(c.Text) + ".", Rating: 5,
			Reason: "by rule", Findings: []llm.Finding{{Summary: "by rule", Explanation: first(c.Text)}}}
	case llm.QueryElements:
		v = llm.Elements{Entities: names(c.Text, maxNames)}
	case llm.Keywords:
		v = llm.KeywordSet{High: strings.Fields(first(c.Text)), Low: names(c.Text, maxNames)}
	case llm.FilterPoints:
		v = llm.Points{Points: []llm.Point{{Description: first(evidence(c.Text)), Score: 50, N: 1}}}
	case llm.Judge:
		v = llm.Verdict{Winner: 0, Reason: "by rule"}
	case llm.Answer:
		return first(evidence(c.Text)) + " [1]."
	default:
		return first(c.Text) + "."
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// evidence returns what follows the first [1].
func evidence(s string) string {
	if _, after, ok := strings.Cut(s, "[1]"); ok {
		return after
	}
	return s
}

// first returns the first sentence of a text without its full stop.
func first(s string) string {
	for _, line := range strings.Split(s, "\n") {
		line = strings.Trim(line, " \t:-#*")
		if i := strings.Index(line, ". "); i >= 0 {
			line = line[:i]
		}
		if line = strings.TrimRight(line, ". "); line != "" {
			return line
		}
	}
	return "Nothing"
}

// extract finds the names of a text; two that follow each other in a sentence
// are related.
func extract(s string) llm.Extraction {
	x := llm.Extraction{Entities: []llm.Entity{}, Relations: []llm.Relation{}}
	seen := map[string]bool{}
	for _, sentence := range strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == '\n' || r == '!' || r == '?' }) {
		sentence = strings.TrimSpace(sentence)
		before := ""
		for _, n := range names(sentence, maxNames) {
			if !seen[n] && len(x.Entities) < maxNames {
				seen[n] = true
				x.Entities = append(x.Entities, llm.Entity{Name: n, Type: "thing", Description: sentence})
			}
			if before != "" && seen[n] && seen[before] {
				x.Relations = append(x.Relations, llm.Relation{Source: before, Target: n, Description: sentence, Strength: 1})
			}
			before = n
		}
	}
	return x
}

// small reports whether a word is capitalised because a sentence begins.
func small(word string) bool {
	switch word {
	case "The", "A", "An", "In", "On", "At", "It", "Its", "He", "She", "They", "This", "That", "These", "Those", "We", "I",
		"And", "But", "Or", "Of", "For", "To", "By", "As", "If", "When", "Who", "What", "Where", "Which", "How", "Why",
		"Is", "Was", "Were", "Are":
		return true
	}
	return false
}

// names returns the runs of capitalised words of a text, each once, at most n.
func names(s string, n int) []string {
	out, seen := []string{}, map[string]bool{}
	var run []string
	end := func() {
		if name := strings.Join(run, " "); name != "" && !seen[name] && len(out) < n {
			seen[name] = true
			out = append(out, name)
		}
		run = run[:0]
	}
	for _, w := range strings.Fields(s) {
		word := strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
		r, _ := utf8.DecodeRuneInString(word)
		if !unicode.IsUpper(r) || small(word) {
			end()
			continue
		}
		run = append(run, word)
		if !strings.HasSuffix(w, word) {
			end()
		}
	}
	end()
	return out
}

// Vector is the vector of a text, of length 1.
func Vector(text string, dim int) []float32 {
	sum := make([]float64, dim)
	add := func(w string) {
		h := fnv.New64a()
		h.Write([]byte(w))
		x := h.Sum64()
		for i := range sum {
			x = x*6364136223846793005 + 1442695040888963407
			sum[i] += float64(int32(x>>32)) / (1 << 31)
		}
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		add(w)
	}
	norm := 0.0
	for _, x := range sum {
		norm += x * x
	}
	if norm == 0 {
		add(text)
		for _, x := range sum {
			norm += x * x
		}
	}
	out := make([]float32, dim)
	for i, x := range sum {
		out[i] = float32(x / math.Sqrt(norm))
	}
	return out
}
