// Package openai asks models over HTTP, of any server that speaks the API of
// OpenAI: OpenAI itself, vLLM, llama.cpp, Ollama, and the many others.
//
// A [Chat] answers tasks and an [Embedder] turns texts into vectors. They are
// configured apart, and may share a [Limiter]. [Probe] says what a server
// offers.
//
// # A task
//
// A chat sends the task's prompt. It asks for JSON by the task's schema, if
// the server takes that; else for any JSON, with the schema in the prompt; else
// by the prompt alone. It finds out by the server's refusals, and remembers.
// The same holds for the temperature, the name of the limit of the reply's
// length, and the usage of streams.
//
// The reply is checked by [llm.CheckReply]. One that cannot be used is sent
// back with the reason, Options.ReAsks times.
//
// # Replies
//
// What is needed of a reply is read, and nothing else: a text, vectors or scores, in
// each form in which servers are known to give them. One reader takes event streams,
// lines of JSON and whole replies, whichever was asked for. A stream is complete if
// it has a finish_reason or ends with [DONE]. The requests are go-openai's.
//
// # What goes wrong
//
//   - An error with status 200 counts as one of the status that it names. One that
//     names none is tried again, as a broken reply is.
//   - 429, 5xx, time-outs, broken connections and broken replies are tried
//     again, after a wait that doubles each time, with jitter. Retry-After is
//     honoured, and holds back everything that shares the limiter.
//   - 401, 403, 404 and 405 end all calls of the object when they come before
//     any call succeeded, or three times in a row. An account without quota, a
//     redirect, and a server that is not there at the first call end them at
//     once. From then on every call returns the same error and sends nothing.
//   - 400, 413 and 422 concern one request. Ten of them before any call
//     succeeded end all calls.
//
// Until a call has succeeded, one is made at a time.
//
// Errors are a [*ProviderError], which is an [llm.ErrProvider], or an
// [llm.ErrRefused] if another task may succeed; a [*llm.ReplyError]; a
// [*VectorError]; or the context's. A call that is cancelled returns at
// once; what it was waiting for is lost, and was perhaps paid.
//
// # Usage
//
// Usage is what the server says, or what Options.Count counts if it says
// nothing. It counts every request that was answered with status 200: replies
// that could not be used and those that broke off, too. Requests without an
// answer, or with an error in place of a reply, count nothing.
//
// # Secrets
//
// A key goes to its host in a header and nowhere else: no error, log line or
// printed value has it, nor what looks like one in a server's message.
// Redirects are not followed.
//
// # Concurrency
//
// Chats, embedders and limiters are safe for concurrent use. No goroutine
// outlives a call but those of the transport's idle connections, which Close
// ends.
package openai
