package local_test

import (
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// TestWholeQuestion makes the last question of conversations one that stands alone.
func TestWholeQuestion(t *testing.T) {
	p := local.New(local.Options{})
	for _, tt := range []struct {
		turns          []llm.Turn
		question, want string
	}{
		{nil, "Who designed the lighthouse?", "Who designed the lighthouse?"},
		{[]llm.Turn{{Question: "Who designed the lighthouse?", Answer: "Ada Kestrel designed it."}}, "When was it finished?", "When was the lighthouse finished?"},
		{[]llm.Turn{{Question: "Who designed the lighthouse?", Answer: "Ada Kestrel designed it."}}, "When was she born?", "When was Ada Kestrel born?"},
		{[]llm.Turn{{Question: "Who was Ada Kestrel?", Answer: ""}}, "What were her works?", "What were Ada Kestrel's works?"},
		{[]llm.Turn{{Question: "Who was Ada Kestrel?"}}, "Who paid for her?", "Who paid for Ada Kestrel?"},
		{[]llm.Turn{{Question: "How long is the warranty on Model B?"}}, "And Model C?", "How long is the warranty on Model C?"},
		{[]llm.Turn{{Question: "How long is the warranty on Model B?"}}, "What about Model C?", "How long is the warranty on Model C?"},
		{[]llm.Turn{{Question: "How long is the warranty on Model B?"}, {Question: "And Model C?"}}, "How heavy is it?", "How heavy is Model C?"},
		{[]llm.Turn{{Question: "Who designed the lighthouse?"}}, "Which ship brought the mirror of the telescope to Skarholm?", "Which ship brought the mirror of the telescope to Skarholm?"},
		{[]llm.Turn{{Question: "How long is the warranty on Model B?"}}, "Why?", "How long is the warranty on Model B? Why?"},
		{[]llm.Turn{{Question: "谁建造了这座灯塔？"}}, "什么时候？", "谁建造了这座灯塔？ 什么时候？"},
		{[]llm.Turn{{Question: "谁建造了这座灯塔？"}}, "天文台的望远镜是哪一年运到岛上的？", "天文台的望远镜是哪一年运到岛上的？"},
		{[]llm.Turn{{Question: ""}}, "What is it?", "What is it?"},
	} {
		r, _, err := p.Do(t.Context(), llm.Task{Kind: llm.WholeQuestion, Input: llm.FollowUpInput{Turns: tt.turns, Question: tt.question}})
		if err != nil || r.Text != tt.want {
			t.Errorf("%v %q: %q, %v; want %q", tt.turns, tt.question, r.Text, err, tt.want)
		}
	}
}
