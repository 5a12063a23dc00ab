package text_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/internal/text"
)

func cut(s string, spans []text.Span) []string {
	var out []string
	for _, sp := range spans {
		out = append(out, s[sp.Start:sp.End])
	}
	return out
}

// A broken bar marks where a sentence ends; it is not in the text.
func TestSentences(t *testing.T) {
	for _, c := range []struct{ name, marked string }{
		{"empty", ""},
		{"blank", " \n\t "},
		{"one without a stop", "no stop at all"},
		{"plain", "One.¦ Two!¦ Three?¦ Four"},
		{"titles", "Dr. Smith met Mrs. Jones and Gen. Lee.¦ They left."},
		{"initials", "J. K. Rowling and George W. Bush spoke.¦ Then C. S. Lewis did."},
		{"initial before a sentence", "It lacks vitamin C.¦ The doctor knew."},
		{"dotted", "The U.S. Army left at 5 p.m. on Monday.¦ He has a Ph.D. in law."},
		{"dotted at the end", "He moved to the U.S.¦ In 1990 he left."},
		{"latin", "Many birds, e.g. Owls, i.e. Night birds, fly.¦ Yes."},
		{"companies", "Apple Inc. Chairman Levinson spoke.¦ It is by Apple Inc.¦ The rest is not."},
		{"numbers announced", "See Fig. 2 and No. 5 on p. 7 of vol. 3.¦ Done."},
		{"not announced", "He said no.¦ We left."},
		{"months", "Born on Sept. 3 in Rome.¦ Died Jan. 1990."},
		{"numbers", "Pi is 3.14 and 1,000.5 more.¦ Version 2.0 came.¦ 3 left."},
		{"enumerator", "1. Open the door.¦ 2. Close it."},
		{"small letter follows", "It was done by Yahoo! in 1999.¦ \"Why?\" he asked."},
		{"quotes and brackets", "He said “Go.”¦ She left (at last.)¦ End."},
		{"ellipsis", "Wait... what?¦ Wait…¦ Then go."},
		{"spaced stops", "Wait . . .¦ Now go.¦ .NET is it."},
		{"marks without words", "What?! !!! ...¦ Yes."},
		{"quotes between blanks", "He said `` Go . '' ¦She left ."},
		{"footnotes", "It fell.[12]¦ It rose.[1][2]¦ End."},
		{"no blank", "See example.com/a.b?c=d now.¦ Yes."},
		{"chinese", "你好。¦你是谁？¦我是“王”。”¦他说：3.5元。"},
		{"japanese", "東京は首都です。¦はい！¦終わり"},
		{"hindi", "यह एक है। ¦यह दो है।"},
		{"arabic", "من هذا؟¦ هذا"},
		{"lines", "A title\n¦One line here. ¦Two.\n¦Another line"},
		{"heading", "# Head. Of\n¦text\n\n¦## Next\n¦more"},
		{"list", "Items:\n¦- one thing\n¦- two. ¦Three\n¦* four"},
		{"hard wrap", "The quick brown fox jumped over the lazy\ndog and the cat. ¦He then goes to the\nriver and drinks the water that is there."},
		{"hard wrap, two paragraphs", "The quick brown fox jumped over the lazy\ndog and the cat sleeps.\n\n¦Then he goes to the river and drinks the\nwater that is there."},
		{"carriage returns", "The quick brown fox jumped over the lazy\r\ndog and the cat sleeps.\r\n\r\n¦Then. ¦End."},
		{"poem is not wrapped", "Short line\n¦longer line of it\n¦end"},
		{"code fence", "```\n¦# not a heading\n¦a = 1\n¦```\n¦Text. ¦More."},
		{"table", "| a | b |\n¦| c | d |"},
		{"not utf-8", "a\xff. ¦B\xfe!¦ C"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := strings.ReplaceAll(c.marked, "¦", "")
			var want []string
			for part := range strings.SplitSeq(c.marked, "¦") {
				if part = strings.TrimSpace(part); part != "" {
					want = append(want, part)
				}
			}
			if got := cut(s, text.Sentences(s)); !slices.Equal(got, want) {
				t.Errorf("Sentences(%q)\n got %q\nwant %q", s, got, want)
			}
		})
	}
}

// checkSpans reports whether spans are in order, on character borders,
// without white space at their ends, and hold all of s but white space.
func checkSpans(t *testing.T, s string, spans []text.Span) {
	t.Helper()
	at := 0
	for _, sp := range append(slices.Clip(spans), text.Span{Start: len(s), End: len(s)}) {
		if sp.Start < at || sp.End < sp.Start || sp.End > len(s) {
			t.Fatalf("%q: span %v after %d", s, sp, at)
		}
		if strings.TrimSpace(s[at:sp.Start]) != "" {
			t.Fatalf("%q: %q is in no span", s, s[at:sp.Start])
		}
		at = sp.End
	}
	for _, sp := range spans {
		part := s[sp.Start:sp.End]
		if part == "" || strings.TrimSpace(part) != part {
			t.Fatalf("%q: span %v is %q", s, sp, part)
		}
		if utf8.ValidString(s) && !utf8.ValidString(part) {
			t.Fatalf("%q: span %v cuts a character", s, sp)
		}
	}
}

func TestSentencesRandom(t *testing.T) {
	for seed := range uint64(2000) {
		s := randomText(rand.New(rand.NewPCG(seed, 1)))
		checkSpans(t, s, text.Sentences(s))
	}
}

// randomText returns text made of what the rules look at.
func randomText(rnd *rand.Rand) string {
	units := []string{"word", "The", "Dr", "U.S", "e.g", "No", "5", "1.", "# ", "- ", "| ", "```", "~~~", "\n", "\n\n",
		"\r\n", " ", " ", " ", ". ", "! ", "?", "…", "。", "数据", "\"", "(", ")", "[1]", "'s", "\u2028", "\u00a0",
		"January", "1969", "19th century", "of", "Göttingen", "“", "”", "\xff", "e\u0301", "🙂", "&", "-",
		strings.Repeat("long ", 30), strings.Repeat("x", 200), strings.Repeat("数", 80)}
	var b strings.Builder
	for range rnd.IntN(60) {
		b.WriteString(units[rnd.IntN(len(units))])
	}
	return b.String()
}

func TestSentencesHostile(t *testing.T) {
	for name, s := range hostile() {
		t.Run(name, func(t *testing.T) {
			spans := text.Sentences(s)
			if len(spans) == 0 && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) }) >= 0 {
				t.Error("no sentence")
			}
		})
	}
}

// hostile returns a megabyte each of what makes careless code quadratic.
func hostile() map[string]string {
	return map[string]string{
		"one letter":   strings.Repeat("a", 1<<20),
		"blanks":       "A." + strings.Repeat(" ", 1<<20),
		"stops":        strings.Repeat(".", 1<<20),
		"spaced stops": strings.Repeat(". ", 1<<19),
		"brackets":     "A." + strings.Repeat("(", 1<<20),
		"closers":      strings.Repeat(".)", 1<<19),
		"short lines":  strings.Repeat("a\n", 1<<19),
		"empty lines":  strings.Repeat("\r\n", 1<<19),
		"headings":     strings.Repeat("# \n# x\n", 1<<17),
		"fences":       strings.Repeat("```\n", 1<<18),
		"abbreviated":  strings.Repeat("U.S. ", 1<<18),
		"footnotes":    strings.Repeat("a.[1", 1<<18),
		"han":          strings.Repeat("数", 1<<18),
		"names":        strings.Repeat("Aa Of ", 1<<17),
		"joined names": strings.Repeat("Aa of the ", 1<<16),
		"quotes":       strings.Repeat("\"A ", 1<<18),
		"not utf-8":    strings.Repeat("\xff", 1<<19),
	}
}

func FuzzSentences(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(randomText(rand.New(rand.NewPCG(seed, 1))))
	}
	f.Fuzz(func(t *testing.T, s string) { checkSpans(t, s, text.Sentences(s)) })
}

func BenchmarkSentences(b *testing.B) {
	s := musique(b)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		text.Sentences(s)
	}
}
