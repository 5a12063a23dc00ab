package text_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine/text"
)

// TestLanguage looks at the terms of texts in several languages, with their positions.
func TestLanguage(t *testing.T) {
	for _, c := range []struct {
		lang, s, want string
	}{
		{"en", "The default of max_connections is 100.", "default@1 max@3 max_connections@3 connect@4 100@6"},
		{"en", "Set maxConnections in config.yaml", "set@0 maxconnect@1 max@1 connect@1 config@3 config.yaml@3 yaml@4"},
		{"en", "multi-tenancy, e.g. here", "multi@0 multi-tenancy@0 tenanc@1 e@2 e.g@2 g@3"},
		{"en", "one. Two", "two@1"},
		{"de", "Die Häuser der Gründer", "haus@1 grund@3"},
		{"de-AT", "die Straßen", "strass@1"},
		{"fr", "les données chiffrées", "don@1 chiffr@2"},
		{"es", "las conexiones", "conexion@1"},
		{"ru", "и книги", "книг@1"},
		{"nb", "husene", "hus@0"},
		{"", "running dogs", "run@0 dog@1"},
		{"xx", "running dogs", "run@0 dog@1"},
		{"zh", "数据库 ABC", "数@0 数据@0 据@1 据库@1 库@2 abc@3"},
		{"de", "sha256 x86_64", "sha256@0 x86@1 x86_64@1 64@2"},
		{"en", "", ""},
	} {
		var got []string
		for _, term := range text.Language(c.lang).Terms(c.s) {
			got = append(got, fmt.Sprintf("%s@%d", term.Text, term.Pos))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q: %s, want %s", c.lang, c.s, s, c.want)
		}
	}
}

// TestLanguageOfPlainWords: of English words without marks the terms are those of
// Standard.
func TestLanguageOfPlainWords(t *testing.T) {
	s := "Running dogs were never connected to the house of the king, nor to 12 cats; 日本語 is another language"
	if got, want := text.Language("en").Terms(s), (text.Standard{}).Terms(s); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// FuzzLanguage: terms are folded, none is empty, and positions ascend.
func FuzzLanguage(f *testing.F) {
	for _, s := range []string{"max_connections", "Überall-im_Haus.de", "数据a_b", "\xff_\xff", "ｆｏｏ_bar", "aB_cD-e.f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, lang := range []text.Language{"en", "de", "fr", "es", "it", "pt", "nl", "sv", "no", "da", "fi", "hu", "ro", "tr", "ru", "zh"} {
			last := uint32(0)
			for _, term := range lang.Terms(s) {
				if term.Text == "" || term.Pos < last || text.Fold(term.Text) != term.Text {
					t.Fatalf("%s: %q has the term %q at %d, after %d", lang, s, term.Text, term.Pos, last)
				}
				last = term.Pos
			}
		}
	})
}
