package llmtest

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/llm"
)

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
	case llm.Extract:
		v = extract(c.Text)
	case llm.Glean: // the first reading found all
		v = llm.Extraction{Entities: []llm.Entity{}, Relations: []llm.Relation{}}
	case llm.Decompose:
		v = decomposed(c.Text)
	case llm.Insights:
		list := rows(c.Text)
		v = llm.InsightList{Insights: []llm.Insight{{Title: "About " + list[0], Description: "What is said of " + strings.Join(list, ", ") + " belongs together."}}}
	case llm.SummaryEntities:
		v = summaryEntities(c.Text)
	case llm.RepairRelation:
		v = repaired(c)
	case llm.CommunityReport:
		list := strings.Join(rows(c.Text)[:min(len(rows(c.Text)), 3)], ", ")
		v = llm.Report{Title: list + " and others", Summary: "It is about " + list + ".", Rating: 5,
			Reason: "by rule", Findings: []llm.Finding{{Summary: "by rule", Explanation: first(c.Text)}}}
	case llm.QueryElements:
		v = llm.Elements{Entities: names(c.Text, maxNames)}
	case llm.Keywords:
		v = llm.KeywordSet{High: strings.Fields(first(c.Text)), Low: names(c.Text, maxNames)}
	case llm.FilterPoints:
		n, text := piece(c)
		v = llm.Points{Points: []llm.Point{{Description: first(text), Score: 50, N: n}}}
	case llm.MakeQuestions:
		v = items(c)
	case llm.Judge:
		v = llm.Verdict{Winner: 0, Reason: "by rule"}
	case llm.Answer:
		n, text := piece(c)
		return first(text) + " [" + strconv.Itoa(n) + "]."
	case llm.ShortAnswer:
		_, text := piece(c)
		return first(text)
	default:
		_, text := piece(c)
		return first(text) + "."
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// items lists five users, tasks of the user, or questions for the task, by
// number.
func items(c Chat) (q llm.Questions) {
	what, of := "User", ""
	if user, ok := c.Fences["user"]; ok {
		what, of = "Task", " of "+user
	}
	if task, ok := c.Fences["task"]; ok {
		what, of = "Question", " for "+task
	}
	for i := range 5 {
		q.Items = append(q.Items, what+" "+strconv.Itoa(i+1)+of)
	}
	return q
}

// piece returns the first of the numbered pieces of the text with the most
// words of the question, without its number; the text itself if it has
// none, with the number 1.
func piece(c Chat) (n int, text string) {
	n, text = 1, c.Text
	question := map[string]bool{}
	for _, w := range words(c.Fences["question"]) {
		question[w] = len(w) > 3
	}
	best := -1
	for _, line := range strings.Split(c.Text, "\n") {
		number, rest, ok := strings.Cut(strings.TrimPrefix(line, "["), "] ")
		i, err := strconv.Atoi(number)
		if !strings.HasPrefix(line, "[") || !ok || err != nil {
			continue
		}
		hits := 0
		for _, w := range words(rest) {
			if question[w] {
				hits++
			}
		}
		if hits > best {
			best, n, text = hits, i, rest
		}
	}
	return n, text
}

func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// rows returns the names of a list of records, one a line, else the names of a
// text.
func rows(s string) (out []string) {
	lines := strings.Split(s, "\n")
	if strings.HasPrefix(lines[0], "name |") {
		lines = lines[1:]
	}
	for _, line := range lines {
		if name, _, ok := strings.Cut(line, " |"); ok {
			out = append(out, strings.TrimSpace(name))
		}
	}
	if len(out) == 0 {
		out = append(names(s, maxNames), "Nothing")
	}
	return out
}

// summaryEntities sums entities up by one that is named by the first.
func summaryEntities(s string) llm.Extraction {
	list := rows(s)
	whole := "Things like " + list[0]
	x := llm.Extraction{Entities: []llm.Entity{{Name: whole, Type: "group", Description: whole + " are " + strings.Join(list, ", ") + "."}}}
	for _, name := range list {
		x.Relations = append(x.Relations, llm.Relation{Source: name, Target: whole, Description: name + " is one of the things like " + list[0], Strength: 5})
	}
	return x
}

// repaired relates the first two entities of a prompt's list, else of its text.
func repaired(c Chat) llm.Relation {
	list := strings.Split(c.Fences["entities"], "\n")
	if len(list) < 2 {
		list = append(names(c.Text, 2), "Nobody", "Nothing")
	}
	return llm.Relation{Source: list[0], Target: list[1], Description: first(c.Text), Strength: 1}
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
	x := llm.Extraction{Entities: []llm.Entity{}, Relations: []llm.Relation{}, Units: []llm.Unit{}}
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
		if before != "" {
			x.Units = append(x.Units, llm.Unit{Text: sentence + "."})
		}
	}
	return x
}

// decomposed is what extract finds, by sentences.
func decomposed(s string) llm.Decomposition {
	x := extract(s)
	out := llm.Decomposition{Units: []llm.Event{}}
	for _, u := range x.Units {
		e := llm.Event{Text: u.Text, Entities: names(u.Text, maxNames), Relations: []llm.Stated{}}
		for i := range e.Entities[1:] {
			e.Relations = append(e.Relations, llm.Stated{Source: e.Entities[i], Relation: "stands beside", Target: e.Entities[i+1]})
		}
		out.Units = append(out.Units, e)
	}
	return out
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
	for _, w := range words(text) {
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
