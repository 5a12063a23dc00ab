package extractive

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// unspaced is the language of a question in Chinese or Japanese, which have no
// blanks between words.
const unspaced = "unspaced"

// What a sentence must have of a question without blanks.
const (
	coverageUnspaced = .75
	coverageRun      = .5 // of each run
)

// A run is a piece of a question between function words, such as 灯塔.
type run struct {
	text   string
	pairs  []string // of neighbouring characters; the text itself if it is one
	weight []float64
	exact  bool // a number or a word in letters: it must be met as it is
}

// readRuns reads what a question without blanks is about.
func (q *question) readRuns(stats selection.WordStats) {
	n := float64(stats.Texts())
	weigh := func(term string) float64 {
		df := float64(stats.DF(term))
		return math.Log(1 + (max(n, df)-df+.5)/(df+.5))
	}
	for _, f := range splitRuns(text.Topic(measured.Replace(q.text))) {
		if len(q.runs) == maxTerms {
			break
		}
		r := run{text: f}
		first, size := utf8.DecodeRuneInString(f)
		if !isIdeograph(first) {
			r.exact = true
			r.pairs, r.weight = []string{f}, []float64{max(1, weigh(stemOf(strings.ToLower(f))))}
		} else if len(f) == size {
			r.pairs, r.weight = []string{f}, []float64{.5 * weigh(f)}
		}
		for i := size; len(r.pairs) < maxTerms && i < len(f) && isIdeograph(first); {
			_, k := utf8.DecodeRuneInString(f[i:])
			pair := f[i-size : i+k]
			r.pairs, r.weight = append(r.pairs, pair), append(r.weight, weigh(pair))
			i, size = i+k, k
		}
		q.runs = append(q.runs, r)
	}
	q.kind = unspacedKind(q.text)
}

// measured takes out of how tall, how long and so on what asks.
var measured = strings.NewReplacer("有多高", " 高", "多高", " 高", "有多长", " 长", "多长时间", " ", "多长", " 长", "有多重", " 重", "多重", " 重",
	"有多深", " 深", "多深", " 深", "有多大", " 大", "多大", " 大", "有多远", " ", "多远", " ", "有多宽", " 宽", "多宽", " 宽", "多久", " ",
	"多少钱", " ", "多少錢", " ", "どのくらい", " ")

// splitRuns splits a text into runs of ideographs and kana, and of other
// letters and digits.
func splitRuns(s string) []string {
	var out []string
	start, ideographs := -1, false
	end := func(at int) {
		if start >= 0 {
			out = append(out, s[start:at])
		}
		start = -1
	}
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			end(i)
			continue
		}
		if start >= 0 && isIdeograph(r) != ideographs {
			end(i)
		}
		if start < 0 {
			start, ideographs = i, isIdeograph(r)
		}
	}
	end(len(s))
	return out
}

func isIdeograph(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// unspacedKinds are phrases that ask, and what they ask for.
var unspacedKinds = []struct {
	kind    kind
	phrases []string
}{
	{date, []string{"什么时候", "什麼時候", "何时", "何時", "哪年", "哪一年", "几月", "幾月", "几点", "いつ", "何年", "何月", "何日"}},
	{money, []string{"多少钱", "多少錢", "价格", "價格", "いくら", "値段"}},
	{number, []string{"多少", "几", "幾", "多长", "多高", "多重", "多大", "多深", "多远", "多久", "いくつ", "何人", "何個"}},
	{person, []string{"谁", "誰", "だれ"}},
	{place, []string{"哪里", "哪裡", "哪儿", "在哪", "何处", "どこ"}},
}

// unspacedKind reads what a question without blanks asks for.
func unspacedKind(s string) kind {
	for _, k := range unspacedKinds {
		for _, p := range k.phrases {
			if strings.Contains(s, p) {
				return k.kind
			}
		}
	}
	return anything
}

// weighUnspaced puts a sentence through the gates of questions without blanks:
// every run is met by half in the sentence, its headings or its title, and all
// together by three quarters; a number or a word in letters as it is; and the
// value is there.
func (q *question) weighUnspaced(p *passage, i int) (c candidate, refusal selection.Refusal) {
	s := &p.sentences[i]
	c = candidate{index: i, s: s, lean: -1}
	if s.role != prose {
		return c, selection.NoWords
	}
	head := ""
	for _, h := range s.section.headings {
		head += h.text[:min(len(h.text), 1<<8)] + "\n"
	}
	got, own, total := 0.0, 0.0, 0.0
	refusal = ""
	for k := range q.runs {
		r := &q.runs[k]
		found, all := 0.0, 0.0
		for x, pair := range r.pairs {
			w := r.weight[x]
			all += w
			switch {
			case holds(s.text, pair, r.exact):
				found += w
				own += w
			case holds(head, pair, r.exact):
				found += inHeading * w
			}
		}
		got, total = got+found, total+all
		if found < coverageRun*all {
			refusal = selection.NoName
		}
	}
	if total == 0 {
		return c, selection.NoWords
	}
	c.coverage, c.ownShare = got/total, own/total
	switch {
	case refusal != "":
	case c.coverage < coverageUnspaced || own == 0:
		refusal = selection.NoWords
	case !q.unspacedValue(s):
		refusal = selection.NoValue
	}
	c.valued = refusal == ""
	return c, refusal
}

// holds reports whether a text has a piece; an exact one stands between others
// than letters and digits of its script.
func holds(s, piece string, exact bool) bool {
	if !exact {
		return strings.Contains(s, piece)
	}
	low, piece := strings.ToLower(s), strings.ToLower(piece)
	for from := 0; ; {
		at := strings.Index(low[from:], piece)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(low[:at])
		after, _ := utf8.DecodeRuneInString(low[at+len(piece):])
		if !isAlphanumeric(before) && !isAlphanumeric(after) {
			return true
		}
		from = at + len(piece)
	}
}

func isAlphanumeric(r rune) bool {
	return r != utf8.RuneError && !isIdeograph(r) && (unicode.IsLetter(r) || unicode.IsNumber(r))
}

// unspacedValue reports whether a sentence has what is asked for, as far as
// that can be seen: a number or a date that the question lacks.
func (q *question) unspacedValue(s *sentence) bool {
	if q.kind != number && q.kind != money && q.kind != date {
		return true
	}
	if q.kind == date && strings.ContainsAny(s.text, "年月日天春夏秋冬周点時时") {
		return true
	}
	for _, r := range s.text {
		if (unicode.IsDigit(r) || strings.ContainsRune("一二三四五六七八九十百千万萬两兩半", r)) && !strings.ContainsRune(q.text, r) {
			return true
		}
	}
	for i := range s.words {
		if hasDigit(s.words[i].text) && !q.known[s.words[i].text] {
			return true
		}
	}
	return false
}

// startsWithTopic reports whether a sentence begins with what the question is
// about.
func (q *question) startsWithTopic(s *sentence) bool {
	return len(q.runs) > 0 && strings.HasPrefix(s.text, q.runs[0].text)
}
