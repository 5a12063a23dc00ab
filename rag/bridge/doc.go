// Package bridge is ragdb's own retrieval method, in no paper: it answers
// questions whose answer is told of something that only another text names.
//
// "Where was the director of the film born?" has its answer in a text about
// the director, which says nothing of the film. The text about the film is
// found by its words, and names the director, whom the question does not
// name. So the method takes the first hits of an ordinary search, the names in
// them that the question lacks, and the chunks that are about those names,
// the more the better they hold what of the question is not matched yet.
//
// It calls no model, builds no graph and needs nothing but what every index
// has: the words, vectors and names of the chunks. Questions that name nothing
// are answered by the ordinary search alone, and its first hit stays first.
// docs/methods/bridge.md has the formula, what each option is worth, and the
// limits.
package bridge
