// Package metric scores answers against known ones, as the papers on
// question answering do. All functions are pure and safe for concurrent use.
//
// A score is from 0 to 1. If a question has several right answers it is the
// one for the answer that fits best. Without right answers it is 0: such
// questions are not to be counted.
//
// # Tokens
//
// [Accuracy], [ExactMatch], [F1] and [Recall] compare texts in the normal form
// of SQuAD's script (Rajpurkar et al. 2016): lower case, no punctuation, no
// articles, single blanks. Punctuation is that of Unicode, as in MLQA's script.
// Accents stay.
//
// [BLEU1], [ROUGEL] and [METEOR] compare words: runs of letters and digits, in
// lower case. Articles stay.
//
// In both, a character of a script that is written without blanks (Han,
// Hiragana, Katakana, Thai, Lao, Khmer, Myanmar), and of Hangul, is a token by
// itself with its marks. Composed and decomposed characters are the same.
package metric
