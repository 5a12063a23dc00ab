// Package tokenizer turns text into the token numbers that a pretrained
// encoder was trained with. It reads the files that models are published with
// and returns, token by token, what the reference implementation (the library
// tokenizers of Hugging Face) returns for the same text.
//
// # Files
//
// [Load] reads tokenizer.json. That file alone decides; only its settings for
// truncation and padding are left out, as both belong to the caller. Without
// it, Load reads the WordPiece vocabulary vocab.txt, with the settings of
// tokenizer_config.json and special_tokens_map.json where these are there.
//
// # Steps
//
// A text goes through these steps:
//
//  1. Bytes that are not UTF-8 become U+FFFD, one for each byte.
//  2. Added tokens such as [MASK] are searched, the longest first (addedTokens).
//  3. What stands between them is normalised (normalizer), and added tokens
//     that are marked so are searched again.
//  4. Pre-tokenizers cut it into words (preTokenizer).
//  5. The model cuts each word into pieces: wordPiece, unigram or bpe.
//  6. A template puts special tokens around them, after the texts were cut to
//     the allowed length.
//
// # What is supported
//
//	models           WordPiece; Unigram with byte fallback; BPE, byte level or with byte fallback
//	normalizers      BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Replace,
//	                 Prepend, Nmt, Precompiled, ByteLevel, Sequence
//	pre-tokenizers   BertPreTokenizer, Whitespace, WhitespaceSplit, Punctuation, Digits,
//	                 CharDelimiterSplit, Split, Metaspace, ByteLevel, Sequence
//	post-processors  BertProcessing, RobertaProcessing, TemplateProcessing, ByteLevel, Sequence
//
// Another component, or a setting that is not supported, makes Load fail with
// an error that names it. Regular expressions are those that Go can express:
// no look-around except in the ending of the expressions of GPT-2 and its
// heirs, no possessive repetition, no sets in sets.
//
// # Where the reference is odd
//
// The tokens of a model are what it was trained with, so oddities are kept:
//
//   - Properties of characters come from tables of several versions of Unicode;
//     unicode.go lists where they differ from Go's.
//   - Precompiled replaces a user-perceived character of less than six bytes by
//     the replacement of the shortest beginning that has one. The rest is lost.
//   - Scores of Unigram pieces are read with an error in the last bit, which
//     decides between cuts of nearly equal scores (score in json.go).
//   - Special tokens that stand in the text count as special tokens.
//
// Two things differ. A WordPiece or Unigram model without an unknown token is
// refused, where the reference fails at the first unknown word. And a
// normalizer that makes a text more than 32 times longer is cut off there.
//
// # Limits
//
// A file has at most 64 MiB, an added token and a piece that can match 1,024 bytes, a
// replacement 256 bytes. The time of a call grows with the length of the text
// times the length of the longest piece that it holds. A loaded tokenizer
// takes about 12 bytes for each node of the tree of its pieces: 1 MB for the
// 30,000 pieces of BERT, 13 MB for the 250,000 of multilingual-e5 with scores.
package tokenizer
