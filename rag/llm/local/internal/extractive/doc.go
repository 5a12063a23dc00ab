// Package extractive answers a question with a sentence of the passages by
// rules, or says that no sentence answers it. Package local answers
// tasks of the kind [llm.Select] with it.
//
// A question is read for what it asks for (kind.go), its terms (term.go), its
// names (name.go) and its subject (grammar.go). A question for two things is two
// questions, which are answered if both are. A term is hard,
// and must be met, or soft, and counts by its rarity. A passage is read for its
// sentences, headings and sections (passage.go). A term is met by a word at a
// level between 0 and 1 (level.go): the same word, another form of it, one of the same
// stem in the question's language, a derivation, a synonym; in the sentence, in what its
// pronoun stands for, in its headings, beside it, or elsewhere in its section.
//
// A sentence is an answer if it passes every gate (gate.go): names, numbers, what
// a question of its kind demands of coverage and of signs (demand.go), the
// subject of values, the value of the kind asked for
// (value.go), definitions (definition.go). A row of a table or a key with its value
// (code.go) answers only a question for a value. A sentence that only refers elsewhere,
// or that mail quotes, answers nothing. Under a heading
// that asks the same question (faq.go) some gates are open. Of several the one
// with the best score is taken (order.go), in which the rank of its passage weighs
// most. It is quoted with what goes on in its paragraph, the other items of a short list,
// a list that it announces, or the steps of a list, up to some [maxQuoted] words
// (follow.go). Chinese and Japanese go by pairs of characters
// (unspaced.go).
//
// The rules are about English and German, and know the phrases that ask in French;
// other languages fall to what all have in common: words, names, numbers and rarity. The tables (tables*.go)
// hold words of the languages and nothing of any data set.
//
// Everything is deterministic, and linear in the length of the passages: a
// question counts for its first [maxTerms] terms.
package extractive
