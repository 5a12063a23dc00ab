package extractive

import (
	"math"
	"regexp"
	"slices"
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
	coverageUnspaced = .6
	coverageExact    = .75 // if a value is asked for
	coverageRun      = .5  // of each run, if a value is asked for
	ownUnspaced      = .35
	unusedPair       = .3 // weight of a pair that the documents do not have, against others
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
		w := min(maxRarity, math.Log(1+(max(n, df)-df+.5)/(df+.5)))
		if df == 0 {
			w *= unusedPair // across the end of a word, or a word that only the question has
		}
		return w
	}
	for _, f := range splitRuns(unspacedSmall.Replace(text.Topic(measured.Replace(q.text)))) {
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
	q.kind, q.preset = unspacedKind(q.text), unspacedPreset.MatchString(q.text)
}

// measured takes out of how tall, how long and so on what asks.
var measured = strings.NewReplacer("有多高", " 高", "多高", " 高", "有多长", " 长", "多长时间", " ", "多长", " 长", "有多重", " 重", "多重", " 重",
	"有多深", " 深", "多深", " 深", "有多大", " 大", "多大", " 大", "有多远", " ", "多远", " ", "有多宽", " 宽", "多宽", " 宽", "多久", " ",
	"多少钱", " ", "多少錢", " ", "どのくらい", " ")

// unspacedSmall blanks out words that say little.
var unspacedSmall = smallRuns(`一块 一种 最多 最少 至少 起来 东西 里面 分别 比较 应该 應該 可以 需要 怎样 这个 那个 一个 的时候 时候 以后 以前 的话 如果 想要 想 把 被 让 给 跟 和 与 在 里 了 吗 呢 要 会 能 用 得 着 从 到 对 还 也 都 就 才 请 您 你 我
	について によって として という こと もの ところ とき 場合 ため です ます ました する した して ください たい 使う 使える`)

func smallRuns(list string) *strings.Replacer {
	var pairs []string
	for _, w := range strings.Fields(list) {
		pairs = append(pairs, w, " ")
	}
	return strings.NewReplacer(pairs...)
}

// splitRuns splits a text into runs of ideographs, of katakana, and of other
// letters, digits and the signs that join them; hiragana only inflects.
func splitRuns(s string) []string {
	var out []string
	start, script := -1, 0
	end := func(at int) {
		if run := strings.Trim(s[max(start, 0):at], "-_./"); start >= 0 && run != "" {
			out = append(out, run)
		}
		start = -1
	}
	for i, r := range s {
		of := scriptOf(r)
		if of == 0 || start >= 0 && of != script {
			end(i)
		}
		if of != 0 && start < 0 {
			start, script = i, of
		}
	}
	end(len(s))
	return out
}

// scriptOf returns a number for each script of runs, 0 for what is in none.
func scriptOf(r rune) int {
	switch {
	case unicode.Is(unicode.Hiragana, r):
		return 0
	case unicode.Is(unicode.Katakana, r) || r == 'ー':
		return 1
	case isIdeograph(r):
		return 2
	case unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("-_./", r):
		return 3
	}
	return 0
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
	{reason, []string{"为什么", "為什麼", "为何", "為何", "なぜ", "どうして", "何故"}},
	{comparison, []string{"区别", "區別", "差别", "不同", "比起来", "相比", "違い", "違う", "違います", "比べ"}},
	{number, []string{"多少", "几", "幾", "多长", "多高", "多重", "多大", "多深", "多远", "多久", "いくつ", "何人", "何個", "何文字", "何台", "何分", "何秒", "何回", "何 ", "どれだけ", "どのくらい"}},
	{person, []string{"谁", "誰", "だれ"}},
	{place, []string{"哪里", "哪裡", "哪儿", "在哪", "何处", "どこ"}},
	{thing, []string{"哪个", "哪個", "哪种", "哪些", "哪一", "どの", "どれ"}},
	{definition, []string{"是什么", "是什麼", "什么意思", "什麼意思", "何ですか", "とは"}},
	{manner, []string{"怎么", "怎麼", "怎样", "如何", "どうやって", "どのように", "どうすれば"}},
	{yesOrNo, []string{"吗", "嗎", "ますか", "ですか", "できる？", "使える？"}},
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

// unspacedSigns are those of [demands] for questions without blanks.
var unspacedSigns = map[kind]*regexp.Regexp{
	reason:     regexp.MustCompile(`因为|因為|由于|因此|所以|为了|以免|否则|避免|导致|不会|ため|ので|から|理由|必要`),
	comparison: regexp.MustCompile(`而|但|不同|相比|比|より|違い|一方|異な|対し`),
	manner:     regexp.MustCompile(`请|請|可以|使用|选择|通过|运行|输入|添加|设置|ください|使って|使い|指定|でき|します`),
	definition: regexp.MustCompile(`是|指|即|提供|とは|です|である|意味|：|:`),
}

// unspacedDefault are the signs of what holds if nothing is said, unspacedPreset asks for it.
var unspacedDefault = regexp.MustCompile(`默认|缺省|预设|デフォルト(?:で|は|値|の[^。（()）]{0,20}は)|既定|初期値|指定しな|指定がな`)

var unspacedPreset = regexp.MustCompile(`默认|缺省|预设|不设置|デフォルト|既定|初期値|指定せず|のまま`)

// weighUnspaced puts a sentence through the gates of questions without blanks:
// words in letters and numbers are in it, in its headings or beside it, and it has
// enough of the pairs of characters, the signs of an answer and its value.
func (q *question) weighUnspaced(p *passage, i int) (c candidate, refusal selection.Refusal) {
	s := &p.sentences[i]
	c = candidate{passage: p.n, of: p, index: i, s: s}
	if s.role != prose && !(s.role == setting && (q.kind.valued() || q.preset)) {
		return c, selection.NoWords
	}
	head, beside := "", ""
	for _, h := range s.section.headings {
		head += h.text[:min(len(h.text), 1<<8)] + "\n"
	}
	for j := i - 1; j <= i+1; j += 2 {
		if j >= 0 && j < len(p.sentences) && p.sentences[j].section == s.section {
			beside += p.sentences[j].text + "\n"
		}
	}
	got, own, total := 0.0, 0.0, 0.0
	kana := strings.ContainsFunc(q.text, func(r rune) bool { return unicode.Is(unicode.Hiragana, r) })
	for k := range q.runs {
		r := &q.runs[k]
		found, all, here := 0.0, 0.0, 0.0
		for x, pair := range r.pairs {
			w := r.weight[x]
			all += w
			switch {
			case holds(s.text, pair, r.exact):
				found += w
				here += w
			case holds(head, pair, r.exact):
				found += inHeading * w
			case holds(beside, pair, r.exact):
				found += inParagraph * w
			}
		}
		got, own, total = got+found, own+here, total+all
		last := k == len(q.runs)-1 && !r.exact             // the attribute, in Chinese
		one := kana && utf8.RuneCountInString(r.text) == 1 // the stem of a verb
		if r.exact && found == 0 || q.kind.valued() && !one && (found < coverageRun*all || last && here < coverageRun*all) {
			refusal = selection.NoName
		}
	}
	if total == 0 {
		return c, selection.NoWords
	}
	c.coverage, c.ownShare = got/total, own/total
	signs, least := unspacedSigns[q.kind], coverageUnspaced
	if q.kind.valued() {
		least = coverageExact
	}
	if q.preset {
		signs = unspacedDefault
	}
	switch {
	case refusal != "":
	case q.kind == definition && q.opensTopic(p, i):
	case c.coverage < least+min(maxDeeper, deeper*float64(p.n)) || c.ownShare < ownUnspaced,
		signs != nil && !signs.MatchString(s.text),
		q.kind == definition && !q.isDefined(s):
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
		first, _ := utf8.DecodeRuneInString(piece)
		unit := unicode.IsDigit(before) && unicode.IsLetter(first) // 64MB
		if (unit || !isAlphanumeric(before)) && !isAlphanumeric(after) {
			return true
		}
		from = at + len(piece)
	}
}

func isAlphanumeric(r rune) bool {
	return r != utf8.RuneError && !isIdeograph(r) && (unicode.IsLetter(r) || unicode.IsNumber(r))
}

// unspacedValue reports whether a sentence has what is asked for, as far as
// that can be seen: a number, a date or a name in letters that the question lacks.
func (q *question) unspacedValue(s *sentence) bool {
	switch q.kind {
	case thing:
		return slices.ContainsFunc(s.words, func(w word) bool { return !isIdeograph(firstRune(w.raw)) && !q.known[w.text] })
	case date:
		if strings.ContainsAny(s.text, "年月日天春夏秋冬周点時时") {
			return true
		}
	case number, money:
	default:
		return true
	}
	for _, r := range s.text {
		if strings.ContainsRune("一二三四五六七八九十百千万萬两兩半", r) && !strings.ContainsRune(q.text, r) {
			return true
		}
	}
	return slices.ContainsFunc(s.words, func(w word) bool { return hasDigit(w.text) && !q.known[w.text] })
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// unspacedCopula stands between what is defined and what it is.
var unspacedCopula = regexp.MustCompile(`とは|是|指|は|：|: |提供`)

// opensTopic reports whether sentence i is the first of a passage under a heading
// that is what the question is about and little more.
func (q *question) opensTopic(p *passage, i int) bool {
	const more = 8 // bytes
	s := &p.sentences[i]
	if len(s.section.headings) == 0 || slices.ContainsFunc(p.sentences[:i], func(s sentence) bool { return s.role == prose }) {
		return false
	}
	rest := s.section.headings[len(s.section.headings)-1].text
	for _, r := range q.runs {
		if !strings.Contains(rest, r.text) {
			return false
		}
		rest = strings.Replace(rest, r.text, "", 1)
	}
	return len(rest) <= more
}

// unspacedEnd ends a sentence that says what something is.
var unspacedEnd = regexp.MustCompile(`(?:です|である|だ|をいう|を指す|を意味する)。?$`)

// isDefined reports whether a sentence defines what the question asks for: before
// its copula stands a part of the question and little more.
func (q *question) isDefined(s *sentence) bool {
	const near, more = 60, 8 // bytes
	head := strings.ToValidUTF8(s.text[:min(len(s.text), near)], "")
	at := unspacedCopula.FindStringIndex(head)
	if at == nil {
		return false
	}
	if head[at[0]:at[1]] == "は" && !unspacedEnd.MatchString(s.text) {
		return false
	}
	head = strings.Trim(head[:at[0]], "-•* ")
	rest, some := head, false
	for _, r := range q.runs {
		if strings.Contains(rest, r.text) {
			rest, some = strings.ReplaceAll(rest, r.text, ""), true
		} else if strings.HasPrefix(head, q.runs[0].text) {
			return false // of another thing whose name begins like it
		}
	}
	return some && len(rest) <= more
}

// startsWithTopic reports whether a sentence begins with what the question is
// about.
func (q *question) startsWithTopic(s *sentence) bool {
	said := strings.TrimLeft(s.text, "-•* “\"「『")
	return slices.ContainsFunc(q.runs, func(r run) bool { return strings.HasPrefix(said, r.text) })
}
