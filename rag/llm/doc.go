// Package llm says how the rest of the program asks a model: as a [Task] to a
// [Provider], and as texts to an [Embedder].
//
// # Tasks
//
// A task says the same thing three times, for three sorts of provider. Its
// [Kind] and its structured Input are for a provider that works by rules
// (rag/llm/local). Its Prompt and Schema are for a model over HTTP. Its digest
// ([Task.Digest]) is the name under which a reply is stored, so that nothing
// is paid for twice and a run can be replayed without a model.
//
// Each kind has one type of input and one type of reply; both stand beside the
// kind's constant. Replies that have a type are JSON in [Reply.Text], the
// others plain text. An answer cites its evidence as [n], n being
// [Evidence.N].
//
// A provider need not do all kinds: Can says which. A task of another kind is
// refused with [ErrKind]. A model's reply that has not the form asked for is a
// [*ReplyError]; no provider makes up a reply in its place. [CheckReply] turns
// what a model wrote into the form that callers read. [ErrNoEvidence] is not a
// failure but an answer: the evidence does not speak of the question.
// [ErrRefused] concerns one task, [ErrProvider] all of them.
//
// # Vectors
//
// An embedder is a pure function of a text and its model, whose name with its
// version is [SpaceInfo.Model]: vectors of different names are never compared
// or mixed. Recomputable marks vectors that cost nothing and are made again
// when their table is trained again.
//
// # Cost
//
// Every call returns its [Usage] in calls and tokens. What a token costs, and
// how much may be spent, is known to the layers above.
//
// # Concurrency
//
// Providers and embedders are safe for concurrent use. Inputs belong to the
// caller and are not changed; replies and vectors belong to the caller.
package llm
