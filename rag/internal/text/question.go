package text

import (
	"slices"
	"strings"
	"unicode"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/functionword"
)

// maxMatchWords is the length in words of the longest name that is looked for
// in a question. A name of ten tokens can have some more words.
const maxMatchWords = 16

// MatchNames returns the keys of known names that a question mentions, each
// once, in the order of the question. has reports whether a key (see [Key])
// is known. From each word on the longest match is taken, and the search goes
// on behind it. Case does not matter; words that are all stop words match
// nothing.
//
// It calls has up to 16 times for each word.
func MatchNames(question string, has func(key string) bool) []string {
	words, lang := slices.Collect(lex.Words(question)), Language(question)
	isContentWord := func(w lex.Word) bool { return !isStopIn(lang, w.Text) }
	// The key of words[i:k] is joined[at[i] : at[k]-1].
	var joined strings.Builder
	at := make([]int, 0, len(words)+1)
	for _, w := range words {
		at = append(at, joined.Len())
		joined.WriteString(w.Text)
		joined.WriteByte(' ')
	}
	at = append(at, joined.Len())
	var out []string
	for i := 0; i < len(words); {
		first := i // word of the key
		if isArticle(words[i].Text) && skipSpace(question, words[i].End) > words[i].End {
			first++
		}
		k := min(i+maxMatchWords, len(words))
		for ; k > i; k-- {
			key := joined.String()[at[min(first, k-1)] : at[k]-1]
			if slices.ContainsFunc(words[i:k], isContentWord) && has(key) {
				if !slices.Contains(out, key) {
					out = append(out, key)
				}
				break
			}
		}
		i = max(k, i+1)
	}
	return out
}

// Topic returns what a question is about: the question without the words that
// only ask, which would be looked for in vain or, worse, found. It is for
// languages other than English, whose question words are not terms. In Chinese,
// Japanese and Korean they are phrases such as 是什么 and ですか; in the languages
// of [Language] that are told by their words, function words. What is left has
// blanks in their place. A question of such words only is returned as it is.
func Topic(question string) string {
	lang := ""
	for _, r := range question { // among other words, too
		switch {
		case unicode.Is(unicode.Han, r) && lang == "":
			lang = "zh"
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			lang = "ja"
		case unicode.Is(unicode.Hangul, r):
			lang = "ko"
		}
	}
	if lang == "" {
		lang = Language(question)
	}
	out := question
	if phrases := questionPhrases[lang]; phrases != nil {
		out = phrases.Replace(question)
	} else if lang != "en" && lang != "" {
		var b strings.Builder
		last := 0
		for w := range lex.Words(question) {
			if functionword.Is(lang, w.Text) {
				b.WriteString(question[last:w.Start])
				b.WriteByte(' ')
				last = w.End
			}
		}
		b.WriteString(question[last:])
		out = b.String()
	}
	for range lex.Words(out) {
		return out
	}
	return question
}

// questionPhrases lists interrogative phrases for languages without separate question words.
// Of several that begin at one place the first in the list is taken.
var questionPhrases = map[string]*strings.Replacer{
	"zh": blankOut(`请问 請問 你能告诉我什么 你能告訴我什麼 告诉我 告訴我 能不能 可不可以 有没有 有沒有 是不是 为什么 為什麼 为何 為何
		是什么意思 是什麼意思 是什么 是什麼 有什么用 有什麼用 有什么 有什麼 做什么 做什麼 干什么 什么时候 什麼時候 什么 什麼 何时 何時 何处 何處
		是谁 是誰 谁 誰 在哪里 在哪裡 在哪儿 在哪 哪里 哪裡 哪儿 哪些 哪个 哪個 哪年 哪一年 哪 怎么样 怎麼樣 怎么 怎麼 怎样 怎樣 如何
		有多少 多少 有几 有幾 几个 幾個 几 幾 有关 有關 关于 關於 介绍一下 介紹一下 吗 嗎 呢 的`),
	"ja": blankOut(`何ですか なんですか でしょうか でしたか ましたか ですか ますか とは何 とは 何年 何人 何時 いつ どこで どこに どこ だれが だれ 誰が 誰
		なぜ どうして どうやって どのように どんな どの どれ どう いくつ いくら について 教えてください 教えて 何が 何を 何 か？ か。`),
	"ko": blankOut(`누구입니까 무엇입니까 어디입니까 누구의 누구를 누가 누구 무엇을 무엇이 무엇 어디에서 어디에 어디서 어디 언제 어떻게 어떤 어느 얼마나 얼마
		몇 왜 습니까 입니까 인가요 나요 까요`),
}

// blankOut returns a replacer of phrases by blanks.
func blankOut(list string) *strings.Replacer {
	var pairs []string
	for _, p := range strings.Fields(list) {
		pairs = append(pairs, p, " ")
	}
	return strings.NewReplacer(pairs...)
}
