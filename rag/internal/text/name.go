package text

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

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
// Key is empty if s has no word.
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
// capitalise them and only them. In German, which capitalises all nouns, a name
// has two words, or is what stands behind a title or at once behind a
// preposition of place, or is the last word of such a name again; articles join no
// parts, and a first word that the corpus has in small letters is no part. In scripts
// without case they find titles, quotations, years, and names in Latin letters.
// Stop words are those of English and of the text's [Language], or, if that is not
// clear, of the paragraph's. Program text and mark-up have only names of code. Within a
// sentence ([Sentences]):
//
//   - The form of a word shows that it names code: an option (--log), a path, a file,
//     a part of a program (core.quotePath, log_position, publishDate, lstat(2)), a word that
//     cannot be spoken (dpkg), and one with a hyphen on a short line of its own.
//   - A program that the corpus has with a capital, too, and what it is to do are a
//     command: git push, git ls-files.
//   - Dates come first: "16 June 1957", "June 16, 1957", "June 1957",
//     "16 June", "1957", "1950s", "20th century". Days of the week are not names.
//   - A run of capitalised words is a name. Up to two small words such as of,
//     the, de, von may join its parts, and so may &; and, in, for may not, and
//     "of the" does not follow a person.
//     Numbers directly behind a capitalised word belong to it (Apollo 11), and
//     a year directly before two of them (1924 Summer Olympics). Punctuation
//     and a possessive 's end a run. Abbreviations keep their dots.
//   - Stop words and contractions at its ends are cut off, but not a roman
//     number at the end (Francis I). Runs of more than ten words are not names.
//   - The first word of a sentence, clause or quotation has a capital anyway.
//     Before other capitals a verb or adverb there is left out (Suddenly Oswin,
//     Install Petrel), and so is a plural before "of" (Shares of Tarn).
//   - A single word is a name unless the corpus shows it to be an ordinary
//     one: inside sentences it stands more than twice as often with a small
//     letter as with a capital; at the start of a sentence, more often. A
//     common English word at the start is a name only if the corpus has it
//     more often with a capital.
//   - In headings and lines of capitals every word counts as a first one, and
//     a run of common words is not a name. Figure 3 is none.
//   - A quotation of up to eight words that starts with a letter which is not
//     a small one, and that reads like a title: it ends without a mark or has
//     capitals throughout, and it says neither I nor you.
//   - The title that opens the text (see [Sentences]), of up to ten words, if it has
//     capitals, and is a name or stands again in the text.
//
// The statistics are those of the whole corpus, counted before (see
// [CaseStats]); nil means that nothing is known, and capitals and the list of
// common words decide. Deterministic; linear time.
func Names(text string, stats *CaseStats) []Name {
	f := finder{text: text, stats: stats, lang: Language(text)}
	paras := paragraphs(text)
	if f.lang == "de" {
		f.surnames = germanSurnames(&f, paras)
	}
	var sentences []Span
	mixed := f.lang == ""
	for _, p := range paras {
		if mixed {
			f.lang = Language(text[p.Start:p.End])
		}
		f.heading = p.heading || p.leads && !endsSentence(text[p.Start:p.End])
		sentences = appendSentences(sentences[:0], text, p)
		code := isCode(text[p.Start:p.End])
		f.entry = isEntry(text[p.Start:p.End])
		for _, sent := range sentences {
			f.read(sent)
			f.codeNames(sent)
			if !code {
				f.scan(sent)
			}
			if p.heading && f.sentence == 0 && len(f.toks) > 0 {
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
	surnames map[string]bool // of a German text, folded
	heading  bool            // the sentence being read is a heading
	shouted  bool            // it is written in capitals
	entry    bool            // see isEntry
	sentence int             // its number
	toks     []token         // its tokens
	out      []Name
}

// emit adds a name, unless it has no word.
func (f *finder) emit(start, end int, k Kind) {
	if key := Key(f.text[start:end]); key != "" {
		f.out = append(f.out, Name{key, f.text[start:end], start, end, k, f.sentence})
	}
}

// read reads the tokens of a sentence.
func (f *finder) read(sent Span) {
	f.toks = appendTokens(f.toks[:0], f.text, sent)
	f.shouted = len(f.toks) > 1 && isShouted(f.text[sent.Start:sent.End])
}

// scan adds the names of a sentence whose tokens are read.
func (f *finder) scan(sent Span) {
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

// title adds the opening line of the text, whose tokens are read, without its number: if its
// words have capitals, and the text below says it again or, except in German, it is a name
// without function words.
func (f *finder) title(line Span) {
	if f.toks[0].number && strings.Contains(f.word(0), ".") && len(f.toks) > 1 {
		line.Start, f.toks = f.toks[1].start, f.toks[1:]
	}
	body := strings.TrimLeft(f.text[line.Start:line.End], "# \t")
	said, _, _ := strings.Cut(body, " (")
	plain := f.lang == "de"
	for i, t := range f.toks {
		stop := f.stop(i) && !isConnector(f.word(i))
		if f.toks[0].capital && unicode.IsLower(firstRune(f.text[t.start:])) && !stop && !isConnector(f.word(i)) && t.start < line.End-len(body)+len(said) {
			return
		}
		plain = plain || stop && i > 0
	}
	if len(f.toks) <= maxNameTokens && !unicode.IsLower(firstRune(body)) && (!f.toks[0].capital || !plain && f.many(0, len(f.toks)-1) || strings.Contains(f.text[line.End:], said)) {
		f.emit(line.End-len(body), line.End, Proper)
	}
}

// proper adds the name that starts at token i, if one does, and returns the
// number of tokens read, at least 1.
func (f *finder) proper(i int) int {
	if last := f.command(i); last > i {
		f.emit(f.toks[i].start, f.toks[last].end, Proper)
		return last + 1 - i
	}
	if !f.toks[i].capital && !isYear(f.word(i)) || f.stop(i) {
		return 1
	}
	if f.isOpener(i) {
		if f.capitalAt(i + 1) {
			f.toks[i+1].opens = true
		}
		return 1
	}
	last := i
	for {
		next := last + 1
		for k := 0; k < 2 && f.adjacent(next) && isConnector(f.word(next)) && (f.lang != "de" || f.word(next) == "von" || f.word(next) == "van"); k++ {
			next++
		}
		number := next == last+1 && f.adjacent(next) && f.toks[next].number
		if !f.capitalAt(next) && !number || f.dateAt(next) > 1 || f.heading && f.stop(next) {
			break
		}
		if next > last+1 && !f.joins(i, last, next) {
			break
		}
		last = next
	}
	n := last + 1 - i
	for last > i && f.stop(last) && !isRoman(f.word(last)) {
		last--
	}
	first := f.afterGermanNoun(i, last)
	if n <= maxNameTokens && !f.refers(first, last) && (last > first && f.many(first, last) || last == first && f.single(first)) {
		f.emit(f.toks[first].start, f.toks[last].end, Proper)
	}
	return n
}

// word returns the text of token i, and "" beyond the last.
func (f *finder) word(i int) string {
	if i < 0 || i >= len(f.toks) {
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

// stop reports whether token i is a stop word, in any case, or a contraction.
func (f *finder) stop(i int) bool {
	w := f.word(i)
	return len(w) <= 20 && (lex.IsStop(strings.ToLower(w)) || isStopIn(f.lang, lex.Fold(w)) || isContraction(w))
}
