package local_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// TestExtractOfLanguages: entities and relations of scripts without capitals.
func TestExtractOfLanguages(t *testing.T) {
	p := local.New(local.Options{Tokens: func(s string) int { return (len(s) + 2) / 3 }})
	for _, c := range []struct {
		text      string
		entities  []string
		relations []string // source, target, description
	}{
		{"潮汐磨坊\n潮汐磨坊由工程师米拉设计。她于1891年来到港口。",
			[]string{"潮汐磨坊", "工程师米拉设计", "1891", "港口"},
			[]string{"潮汐磨坊 | 工程师米拉设计 | 潮汐磨坊由工程师米拉设计", "潮汐磨坊 | 1891 | 潮汐磨坊于1891", "1891 | 港口 | 1891年来到港口"}},
		{"港町の潮汐水車は技師の佐藤花子が設計した。",
			[]string{"港町", "潮汐水車", "技師", "佐藤花子", "設計"},
			[]string{"技師 | 佐藤花子 | 技師の佐藤花子", "佐藤花子 | 設計 | 佐藤花子が設計した"}},
		{"조석 방앗간은 기술자 김미라가 설계했다.",
			[]string{"조석 방앗간", "기술자 김미라"},
			[]string{"조석 방앗간 | 기술자 김미라 | 조석 방앗간은 기술자 김미라가 설계했다"}},
	} {
		e := do[llm.Extraction](t, p, llm.Extract, llm.ExtractInput{Text: c.text})
		var entities, relations []string
		for _, x := range e.Entities {
			entities = append(entities, x.Name)
			if !strings.Contains(c.text, x.Name) {
				t.Errorf("entity %q is not in the text", x.Name)
			}
		}
		for _, r := range e.Relations {
			relations = append(relations, r.Source+" | "+r.Target+" | "+r.Description)
		}
		if !slices.Equal(entities, c.entities) {
			t.Errorf("entities\n%q, want\n%q", entities, c.entities)
		}
		for _, r := range c.relations {
			if !slices.Contains(relations, r) {
				t.Errorf("no relation %q in\n%q", r, relations)
			}
		}
	}
}

// TestAnswersOfLanguages: of two sentences with the same words of the question
// the one is taken that has what it asks for, and question words count for
// nothing.
func TestAnswersOfLanguages(t *testing.T) {
	p := local.New(local.Options{Tokens: func(s string) int { return (len(s) + 2) / 3 }})
	for _, c := range []struct{ question, evidence, want string }{
		{"渡船什么时候出发？", "有人问渡船什么时候出发。渡船1957年出发。", "渡船1957年出发。 [1]"},
		{"塔有多少台阶？", "塔的台阶很陡。塔有二百级台阶。", "塔有二百级台阶。 [1]"},
		{"磨坊是什么？", "人们不知道磨坊里有什么。磨坊是博物馆。", "磨坊是博物馆。 [1]"},
		{"船はいつ出ましたか？", "船は大きい。船は1957年に出た。", "船は1957年に出た。 [1]"},
		{"Wann wurde die Mühle gebaut?", "Wann die Flut kam, weiß die Mühle nicht. Gebaut wurde die Mühle 1891.", "Gebaut wurde die Mühle 1891. [1]"},
		{"Wie viele Stufen hat der Turm?", "Der Turm hat Stufen aus Stein. Der Turm hat 200 Stufen.", "Der Turm hat 200 Stufen. [1]"},
	} {
		in := llm.AnswerInput{Question: c.question, MaxSentences: 1, Evidence: []llm.Evidence{{N: 1, Text: c.evidence}}}
		reply, _, err := p.Do(t.Context(), llm.Task{Kind: llm.Answer, Input: in})
		if err != nil || reply.Text != c.want {
			t.Errorf("%s: %s %v, want %s", c.question, reply.Text, err, c.want)
		}
	}
}
