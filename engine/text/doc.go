// Package text turns text into the terms of the inverted index and of the
// local embedder.
//
// # Vocabulary
//
// A word is a maximal run of letters, digits and their marks ([Words]). A
// term is what an analyzer makes of a word: its text, which is looked up in
// the index, and its position. The position counts every word of the text,
// stop words too, so that a phrase keeps its distances.
//
// Folding ([Fold]) makes words of different spelling equal: lower case, no
// accents, compatibility forms replaced. It is not reversible; what a reader
// sees is always cut from the original by the byte offsets of [Word].
//
// # Analyzers
//
// [Standard] is for ranked search: stop words dropped, Porter stems, and for
// scripts written without spaces single characters and pairs of neighbours.
// [Language] does the same for texts in other languages, and keeps names such as
// max_connections whole beside their parts. [Exact] is for phrases and names: every folded word, nothing dropped.
//
// An analyzer has a name with a version, such as "standard.v1". Text that
// was indexed under one name is not found under another: an index stores the
// name and refuses a different one. Any change of the terms an analyzer
// gives, or of [Fold], [Words] or [IsStop] below it, takes a new version.
//
// # Concurrency and ownership
//
// All functions and analyzers are pure and safe for concurrent use. Strings
// they return may share memory with their argument or with one folded copy
// of it; a caller who keeps single terms for long clones them.
package text
