// Package ragtest has what the tests of a program that embeds ragdb need, so
// that they run without a network and say the same every time: a model whose
// replies are scripted, an embedder that hashes words, and a corpus in memory
// that closes with the test.
//
// A test scripts what it is about and leaves the rest to the rules:
//
//	c := ragtest.Open(t)
//	model := ragtest.NewModel(t, c).On(llm.Answer, func(llm.Task) (any, error) {
//		return "Two years [1].", nil
//	})
//	c = ragtest.Use(c, model, ragtest.Embedder{})
//	ragtest.Index(t, c, "naive", map[string]string{"pump.md": "Model B ..."})
//	answer := ragtest.Ask(t, c, "naive", "How long is the warranty?")
//
// For failures of a server, such as limits, timeouts and broken replies, there
// is package llmtest.
package ragtest
