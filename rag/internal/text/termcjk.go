package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxIdeographs is the length in characters of the longest term in Han.
const maxIdeographs = 8

// ideographTerms returns the terms in a run of Han and kana.
func ideographTerms(text string, run Span, lang string) []Span {
	var out []Span
	start, n := run.Start, 0 // of the open term, and its characters
	kata := false
	flush := func(end int) {
		if n >= 2 && (n <= maxIdeographs || kata) {
			out = append(out, Span{start, end})
		}
		n = 0
	}
	for i := run.Start; i < run.End; {
		r, size := utf8.DecodeRuneInString(text[i:run.End])
		isKata := unicode.Is(unicode.Katakana, r) || r == 'ー'
		gap := 0 // bytes that are part of no term
		switch {
		case unicode.Is(unicode.Hiragana, r):
			gap = size
		case lang != "ja" && !isKata:
			gap = functionWordAt(text[i:run.End])
		}
		if gap > 0 {
			flush(i)
			i += gap
			continue
		}
		if n > 0 && isKata != kata && !unicode.IsMark(r) {
			flush(i)
		}
		if n == 0 {
			start, kata = i, isKata
		}
		n++
		i += size
	}
	flush(run.End)
	return out
}

// functionWordAt returns the length of the Chinese function word that s starts
// with, 0 for none.
func functionWordAt(s string) int {
	_, one := utf8.DecodeRuneInString(s)
	_, two := utf8.DecodeRuneInString(s[one:])
	if two > 0 && chineseWords[s[:one+two]] {
		return one + two
	}
	if chineseWords[s[:one]] {
		return one
	}
	return 0
}

// chineseWords are Chinese function words of one and two characters.
var chineseWords = wordSet(`的 了 是 在 和 与 與 及 或 等 个 個 这 這 那 也 都 就 被 把 从 從 到 为 為 以 由 于 於 其 之 而 但 并 並
	它 他 她 们 們 我 你 您 很 着 吗 嗎 呢 吧 让 讓 给 給 每 将 將 有 不 某 此 该 該 各 又 再 还 還 更 最 则 則 即
	可以 能够 能夠 可能 一种 一種 一个 一個 一件 一些 一位 这些 這些 那些 某些 通过 通過 用来 用來 用于 用於 进行 進行 以及 并且 並且 因为 因為 所以
	如果 但是 不能 不会 不會 任何 什么 什麼 自己 没有 沒有 可用 使用 其中 其他 例如 因此 然后 然後 时候 時候 之后 之後 之前 来自 來自 来到 來到 成为 成為`)

// koreanParticles are what is put behind a noun, longer ones before those they
// end with.
var koreanParticles = strings.Fields("으로부터 에서는 에게서 이라는 까지 부터 에서 에게 으로 라는 이다 는 은 이 가 을 를 의 에 와 과 도 로 만")

// koreanStem returns the length of a Korean word without its particle, and
// whether it has one. Other words have none. Two syllables are left at least.
func koreanStem(word string) (end int, particle bool) {
	if !unicode.Is(unicode.Hangul, firstRune(word)) {
		return len(word), false
	}
	for _, p := range koreanParticles {
		if stem, ok := strings.CutSuffix(word, p); ok && utf8.RuneCountInString(stem) >= 2 {
			return len(stem), true
		}
	}
	return len(word), false
}

// isKoreanVerb reports whether a word has the ending of a Korean verb.
func isKoreanVerb(word string) bool {
	if !unicode.Is(unicode.Hangul, firstRune(word)) {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(word)
	return strings.ContainsRune("다요고며면까", r)
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
