package local_test

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

func ExampleTrain() {
	chunks := []string{
		"The cat chased a mouse through the barn.",
		"A mouse hides from the cat in the hay.",
		"The bank raised its interest rate again.",
		"Interest at the bank is paid in May.",
	}
	texts := func(yield func(string, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
	}
	table, err := local.Train(context.Background(), texts, local.TrainOptions{Version: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	cat, _ := table.Embed("cat")
	mouse, _ := table.Embed("mice and hay") // no word in common with cat
	rate, _ := table.Embed("interest rate")
	var near, far float32
	for i, x := range cat {
		near += x * mouse[i]
		far += x * rate[i]
	}
	fmt.Println(table.Head().Model(), near > 2*far)
	// Output: local/rri-512@v1 true
}

func ExampleProvider() {
	p := local.New(local.Options{})
	reply, _, err := p.Do(context.Background(), llm.Task{
		Kind: llm.Answer,
		Input: llm.AnswerInput{
			Question: "When was the warranty extended?",
			Evidence: []llm.Evidence{
				{N: 1, Text: "The warranty is two years from delivery."},
				{N: 2, Text: "The warranty was extended in June 2021. Keep the receipt."},
			},
			MaxSentences: 1,
		},
	})
	fmt.Println(reply.Text, err)
	// Output: The warranty was extended in June 2021. [2] <nil>
}
