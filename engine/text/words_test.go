package text_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ragdb/ragdb/engine/text"
)

func TestWords(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"empty", "", nil},
		{"only punctuation", " .,;\n\t-- _ ", nil},
		{"plain", "The quick Fox", []string{"the", "quick", "fox"}},
		{"digits", "In 1969, 3.14 and A4", []string{"in", "1969", "3", "14", "and", "a4"}},
		{"possessive", "Bohr's dog’s IT'S", []string{"bohr", "dog", "it"}},
		{"possessive at the end", "dog's", []string{"dog"}},
		{"no possessive", "'sup o'so don't", []string{"sup", "o", "so", "don", "t"}},
		{"hyphen and underscore", "Wiley-Blackwell snake_case", []string{"wiley", "blackwell", "snake", "case"}},
		{"accents", "Łódź, Göttingen!", []string{"lodz", "gottingen"}},
		{"accent after ascii", "cafe\u0301 ole", []string{"cafe", "ole"}},
		{"han", "数据库db引擎", []string{"数", "据", "库", "db", "引", "擎"}},
		{"kana", "データがｶﾞ", []string{"デ", "ー", "タ", "が", "ガ"}},
		{"hangul", "한국어 text", []string{"한", "국", "어", "text"}},
		{"thai marks stay with the letter", "ที่นี่", []string{"ที่", "นี่"}},
		{"devanagari", "हिन्दी भाषा", []string{"हिन्दी", "भाषा"}},
		{"soft hyphen", "co\u00adoperate", []string{"cooperate"}},
		{"fraction", "½ cup", []string{"12", "cup"}},
		{"not utf-8", "ab\xffcd é\xfe", []string{"ab", "cd", "e"}},
		{"mark without a letter", "\u0301 a", []string{"a"}},
		{"long run is cut", long, []string{long[:128], long[:128], long[:44]}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for w := range text.Words(c.in) {
				got = append(got, w.Text)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("Words(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestWordsOffsets(t *testing.T) {
	s := "Łódź's Big数"
	var got []string
	for w := range text.Words(s) {
		got = append(got, s[w.Start:w.End])
	}
	if want := []string{"Łódź", "Big", "数"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWordsStopsEarly(t *testing.T) {
	n := 0
	for range text.Words("one two three") {
		n++
		break
	}
	if n != 1 {
		t.Errorf("yielded %d words after a break", n)
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"", "a's b’s", "数据 ab", "\xe6\x95", strings.Repeat("é", 100), "ﷺ ㈠ ½", "ʼ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		end := 0
		for w := range text.Words(s) {
			if w.Start < end || w.End <= w.Start || w.End > len(s) {
				t.Fatalf("%q: word %+v after offset %d", s, w, end)
			}
			end = w.End
			if !utf8.ValidString(s[w.Start:w.End]) {
				t.Fatalf("%q: word %+v cuts a character", s, w)
			}
			if w.Text == "" || text.Fold(w.Text) != w.Text {
				t.Fatalf("%q: word %+v is empty or not folded", s, w)
			}
			if w.End-w.Start > 128 {
				t.Fatalf("%q: word %+v is too long", s, w)
			}
		}
	})
}
