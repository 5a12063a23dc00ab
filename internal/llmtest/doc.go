// Package llmtest is a server of the OpenAI API for tests: over real HTTP, with
// answers that depend on the request alone, and with failures by plan.
//
// It serves /v1/chat/completions, also as a stream, /v1/embeddings and
// /v1/models. [New] starts it for a test, [Listen] for a program.
//
// # Answers
//
// A chat is answered by simple rules from its prompt. The name of the
// request's JSON schema, which is a [llm.Kind], tells the task. Without one, the
// fields that the prompt names tell it, then its fences, which are those of
// rag/prompts; anything else asks for a summary. The subject of the task is the
// fence that the kind has for it; in other prompts the last text in backticks,
// three quotes or a pair of tags on lines of their own, else the last message.
//
// The names of an extraction are the capitalised words of the text, and two
// that follow each other in a sentence are related. An answer is the first
// sentence of the piece of evidence with the most words of the question, with
// its number; a short one is without. A gleaning finds nothing. Questions that
// are to be made are five, with numbers. Options.Answer puts other answers in
// their place.
//
// A vector is the sum of pseudorandom vectors of a text's words, of length 1.
//
// # Failures
//
// A [Fault] hits requests by number, or a share of them by chance. Chance is a
// function of the seed, the request's body and how often that body has come, so
// that the order of requests plays no part. The first fault of the plan that
// hits a request counts.
//
// # Log
//
// The server keeps a [Request] for each request that it read, with whether all
// of the reply was written before the client went away.
package llmtest
