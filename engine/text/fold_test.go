package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ragdb/ragdb/engine/text"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"lower ascii", "plain text 42", "plain text 42"},
		{"ascii capitals", "Graph-RAG 2.0", "graph-rag 2.0"},
		{"accents", "Ångström Čapek naïve Pelé", "angstrom capek naive pele"},
		{"decomposed accents", "e\u0301te\u0301", "ete"},
		{"letters without decomposition", "Straße ẞ Łódź Ærø Þór Đà İı œuvre", "strasse ss lodz aero thor da ii oeuvre"},
		{"ligatures and full width", "ﬁne ＡＢＣ１２ ²", "fine abc12 2"},
		{"greek", "Ὀδυσσεύς", "οδυσσευσ"},
		{"cyrillic", "Ёлка Й", "елка и"},
		{"hebrew points", "שָׁלוֹם", "שלום"},
		{"arabic signs", "مُحَمَّد ـ", "محمد "},
		{"devanagari keeps its vowels", "हिन्दी", "हिन्दी"},
		{"hangul stays composed", "한국어", "한국어"},
		{"voiced kana stays composed", "が ｶﾞ", "が ガ"},
		{"han", "数据库", "数据库"},
		{"soft hyphen and joiner", "co\u00adop\u200derate", "cooperate"},
		{"not utf-8", "a\xffB", "a\ufffdb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := text.Fold(c.in); got != c.want {
				t.Errorf("Fold(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"", "Ünïcode İ ẞ ﷺ", "e\u0301\u0327", "\xff\xfe", "ϔ ΐ ŉ ǰ ﬃ", "\u1100\u1161\u11a8"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := text.Fold(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Fold(%q) = %q is not UTF-8", s, got)
		}
		if again := text.Fold(got); again != got {
			t.Fatalf("Fold(%q) = %q, folded again %q", s, got, again)
		}
		if ascii := strings.ToLower(s); isASCII(s) && got != ascii {
			t.Fatalf("Fold(%q) = %q, want %q", s, got, ascii)
		}
	})
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

func BenchmarkFold(b *testing.B) {
	for _, c := range []struct{ name, unit string }{
		{"ascii", "The Quick Brown Fox jumps over the lazy dog. "},
		{"latin", "Čapek était à Göttingen près de Malmö. "},
		{"han", "游戏开始时矿车为损坏状态，无法搭乘。"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := strings.Repeat(c.unit, 1<<16/len(c.unit))
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				text.Fold(s)
			}
		})
	}
}
