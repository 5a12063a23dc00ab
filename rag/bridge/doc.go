// Package bridge is ragdb's own retrieval method, in no paper. It answers
// questions of two hops or three: a first text names what the second one is about.
//
// "Where was the director of the film born?" has its answer in a text about the
// director, which does not mention the film. The text about the film is found by
// its words, and names the director; the question does not. So the method takes
// the first hits of an ordinary search, the names in them that the question lacks,
// and the chunks about those names, and from these on once more. A chunk ranks higher
// if it holds more of the question's unmatched words.
//
// The method calls no model, builds no graph and needs only what every index has:
// the words, vectors and names of the chunks. The bridge opens as far as no single
// hit has the question's words, and as they stand in names; the first hit of the
// ordinary search stays first.
// docs/methods/bridge.md has the formula, what each option is worth, and the
// limits.
package bridge
