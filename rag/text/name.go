package text

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	lex "github.com/ragdb/ragdb/engine/text"
)

// A Kind says by which rule a [Name] was found.
type Kind uint8

const (
	Proper Kind = iota // capitalised words, or the title of the text
	Date               // a day, month and year, a year, decade or century
	Quote              // a short quotation
	Common             // common nouns, from [Terms]
)

// String returns "name", "date", "quote" or "term".
func (k Kind) String() string {
	switch k {
	case Proper:
		return "name"
	case Date:
		return "date"
	case Quote:
		return "quote"
	}
	return "term"
}

// A Name is one mention of something that a text names.
type Name struct {
	Key        string // see [Key]; equal for all mentions of the name
	Surface    string // text[Start:End]
	Start, End int    // bytes of the text
	Kind       Kind
	Sentence   int // number of its sentence in [Sentences], from 0
}

// Key returns the form in which names are compared: the folded words of s
// (engine/text.Words) with a blank between them, so without case, accents,
// punctuation and possessive 's. A leading article with white space behind it
// is dropped if more follows: "The Beatles" is "beatles", but "A.J." is "a j".
// Key is empty where s has no word.
func Key(s string) string {
	var words []string
	article := false
	for w := range lex.Words(s) {
		if len(words) == 0 {
			article = isArticle(w.Text) && skipSpace(s, w.End) > w.End
		}
		words = append(words, w.Text)
	}
	if article && len(words) > 1 {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

func isArticle(w string) bool { return w == "the" || w == "a" || w == "an" }

const (
	maxNameTokens = 10  // a longer run of capitals is a headline or a table
	maxQuoteWords = 8   // a longer quotation is speech
	maxQuoteBytes = 128 // how far a closing quote is looked for
)

// Names returns the names in a text by their start, the longer first where
// two start together. A title and a quotation may hold other names; no two
// names have the same span.
//
// The rules are made for English and find names in other languages that
// capitalise them and only them, in German also other nouns; in scripts without
// case they find titles, quotations, years, and names in Latin letters. Stop
// words are those of English and of the text's [Language]. Within a sentence
// ([Sentences]):
//
//   - Dates come first: "16 June 1957", "June 16, 1957", "June 1957",
//     "16 June", "1957", "1950s", "20th century".
//   - A run of capitalised words is a name. Up to two small words such as of,
//     the, de, von may join its parts, and so may &; and, in, for may not.
//     Numbers directly behind a capitalised word belong to it (Apollo 11), and
//     a year directly before two of them (1924 Summer Olympics). Punctuation
//     and a possessive 's end a run. Abbreviations keep their dots.
//   - Stop words at its ends are cut off, but not a roman number at the end
//     (Francis I). Runs of more than ten words are no names.
//   - A single word is a name unless the corpus shows it to be an ordinary
//     one: inside sentences it stands more than twice as often with a small
//     letter as with a capital; at the start of a sentence, more often.
//   - A quotation of up to eight words that starts with a letter which is not
//     a small one.
//   - The title that opens the text (see [Sentences]), of up to ten words.
//
// The statistics are those of the whole corpus, counted before (see
// [CaseStats]); nil means that nothing is known, and every capitalised single
// word that is no stop word is a name. Deterministic; linear time.
func Names(text string, stats *CaseStats) []Name {
	f := finder{text: text, stats: stats, lang: Language(text)}
	var sentences []Span
	for _, p := range paragraphs(text) {
		sentences = appendSentences(sentences[:0], text, p)
		for _, sent := range sentences {
			f.scan(sent)
			if p.heading && f.sentence == 0 {
				f.title(sent)
			}
			f.sentence++
		}
	}
	slices.SortStableFunc(f.out, func(a, b Name) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	return slices.CompactFunc(f.out, func(a, b Name) bool {
		return a.Start == b.Start && a.End == b.End
	})
}

// A finder collects the names of a text, sentence by sentence.
type finder struct {
	text     string
	stats    *CaseStats
	lang     string
	sentence int     // number of the sentence being read
	toks     []token // of that sentence
	out      []Name
}

// emit adds a name, unless it has no word.
func (f *finder) emit(start, end int, k Kind) {
	if key := Key(f.text[start:end]); key != "" {
		f.out = append(f.out, Name{key, f.text[start:end], start, end, k, f.sentence})
	}
}

// scan adds the names of a sentence.
func (f *finder) scan(sent Span) {
	f.toks = appendTokens(f.toks[:0], f.text, sent)
	for i := 0; i < len(f.toks); {
		n := f.dateAt(i)
		if n > 0 {
			f.emit(f.toks[i].start, f.toks[i+n-1].end, Date)
		} else {
			n = f.proper(i)
		}
		i += n
	}
	f.quotes(sent)
}

// title adds the opening line of the text, whose tokens are read.
func (f *finder) title(line Span) {
	body := strings.TrimLeft(f.text[line.Start:line.End], "# \t")
	if r, _ := utf8.DecodeRuneInString(body); !unicode.IsLower(r) && len(f.toks) <= maxNameTokens {
		f.emit(line.End-len(body), line.End, Proper)
	}
}

// proper adds the name that starts at token i, if one does, and returns the
// number of tokens read, at least 1.
func (f *finder) proper(i int) int {
	if !f.toks[i].capital && !isYear(f.word(i)) || f.stop(i) {
		return 1
	}
	last := i
	for {
		next := last + 1
		for k := 0; k < 2 && f.adjacent(next) && isConnector(f.word(next)); k++ {
			next++
		}
		number := next == last+1 && f.adjacent(next) && f.toks[next].number
		if !f.capitalAt(next) && !number || f.dateAt(next) > 1 {
			break
		}
		last = next
	}
	n := last + 1 - i
	for last > i && f.stop(last) && !isRoman(f.word(last)) {
		last--
	}
	if n <= maxNameTokens && (last > i || f.single(i)) {
		f.emit(f.toks[i].start, f.toks[last].end, Proper)
	}
	return n
}

// single reports whether the capitalised token i is a name by itself.
func (f *finder) single(i int) bool {
	w := strings.TrimSuffix(f.word(i), ".")
	if utf8.RuneCountInString(w) < 2 {
		return false
	}
	c := f.stats.of(lex.Fold(w))
	if i == 0 {
		return c.lower <= c.upper
	}
	return c.lower <= 2*c.upper
}

// word returns the text of token i, and "" beyond the last.
func (f *finder) word(i int) string {
	if i >= len(f.toks) {
		return ""
	}
	return f.text[f.toks[i].start:f.toks[i].end]
}

// adjacent reports whether token i exists and only white space lies between
// it and the one before.
func (f *finder) adjacent(i int) bool {
	return i < len(f.toks) && !f.toks[i].apart && !f.toks[i-1].possessive
}

// capitalAt reports whether token i is adjacent and starts with a capital.
func (f *finder) capitalAt(i int) bool { return f.adjacent(i) && f.toks[i].capital }

// stop reports whether token i is a stop word, in any case.
func (f *finder) stop(i int) bool {
	w := f.word(i)
	return len(w) <= 20 && (lex.IsStop(strings.ToLower(w)) || isStopIn(f.lang, lex.Fold(w)))
}

// quotes adds the short quotations of a sentence.
func (f *finder) quotes(sent Span) {
	s := f.text[:sent.End]
	for i := sent.Start; i < sent.End; {
		open, shut := quoteAt(s[i:])
		if open == 0 {
			i++
			continue
		}
		i += open
		k := strings.Index(s[i:min(sent.End, i+maxQuoteBytes)], shut)
		if k < 0 {
			continue
		}
		sp := trim(s, Span{i, i + k})
		i += k + len(shut)
		body := s[sp.Start:sp.End]
		r, _ := utf8.DecodeRuneInString(body)
		if unicode.IsLetter(r) && !unicode.IsLower(r) && len(strings.Fields(body)) <= maxQuoteWords {
			f.emit(sp.Start, sp.End, Quote)
		}
	}
}

// quoteAt returns the length of the opening quote at the start of s and the
// quote that closes it, or 0.
func quoteAt(s string) (open int, shut string) {
	switch s[0] {
	case '"':
		return 1, `"`
	case '`':
		if strings.HasPrefix(s, "``") {
			return 2, "''"
		}
	case 0xC2, 0xE2, 0xE3:
		for _, q := range [...][2]string{{"“", "”"}, {"«", "»"}, {"「", "」"}, {"『", "』"}, {"《", "》"}} {
			if strings.HasPrefix(s, q[0]) {
				return len(q[0]), q[1]
			}
		}
	}
	return 0, ""
}
