package tokenizer

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The lists of unicode.go say where the reference differs from these versions
// of Go's tables. If a version changes, TestUnicodeAsReference says what to
// change in the lists.
func TestUnicodeVersions(t *testing.T) {
	t.Parallel()
	if unicode.Version != "15.0.0" || norm.Version != "15.0.0" {
		t.Errorf("Go's tables are of Unicode %s, x/text's of %s: unicode.go is made for 15.0.0", unicode.Version, norm.Version)
	}
}

// Each character has the properties that the reference gives it, and the same
// normal forms and lower case.
func TestUnicodeAsReference(t *testing.T) {
	root := os.Getenv("RAGDB_MODELS")
	if root == "" {
		t.Skip("RAGDB_MODELS names no directory of models (see bench/models/tokens.py)")
	}
	file, err := os.Open(filepath.Join(root, "unicode.tsv.gz"))
	if err != nil {
		t.Skip("the directory has no unicode.tsv.gz (see bench/models/tokens.py)")
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	flags := []struct {
		name string
		has  func(c class) bool
	}{
		{"otherDropped", func(c class) bool { return c&isDropped != 0 }},
		{"otherMn", func(c class) bool { return c&isMn != 0 }},
		{"otherMark", func(c class) bool { return c&isMark != 0 }},
		{"otherPunct", func(c class) bool { return c&isPunct != 0 }},
		{"otherWord", func(c class) bool { return c&isWord != 0 }},
		{"white space", func(c class) bool { return c&isSpace != 0 }},
		{"otherNumber", func(c class) bool { return c&isNumber != 0 }},
	}
	forms := []normalizer{
		unicodeForm{}, unicodeForm{compat: true}, unicodeForm{compose: true}, unicodeForm{compat: true, compose: true},
		eachRune(appendLower),
	}
	differ := map[string][]string{}
	characters := 0
	for sc := bufio.NewScanner(z); sc.Scan(); characters++ {
		cols := strings.Split(sc.Text(), "\t")
		n, err := strconv.ParseInt(cols[0], 16, 32)
		if err != nil || len(cols) != 9 || len(cols[1]) != len(flags) {
			t.Fatalf("line %q", sc.Text())
		}
		r, self := rune(n), []byte(string(rune(n)))
		for i, f := range flags {
			if want := cols[1][i] != '.'; f.has(classOf(r)) != want {
				differ[f.name] = append(differ[f.name], cols[0])
			}
		}
		for i, col := range cols[2:] {
			want, err := hex.DecodeString(col)
			if err != nil {
				t.Fatal(err)
			}
			var got []byte
			switch {
			case i < len(forms):
				got, _ = forms[i].normalize(nil, self, &scratch{})
			case i == len(forms):
				got, _ = forms[0].normalize(nil, []byte("a\u0345"+string(self)), nil)
			default:
				got, _ = forms[0].normalize(nil, []byte("a\u0334"+string(self)+"\u0334"), nil)
			}
			if string(got) != string(want) {
				name := fmt.Sprintf("column %d", i)
				differ[name] = append(differ[name], fmt.Sprintf("%s: %x, want %x", cols[0], got, want))
			}
		}
	}
	for name, list := range differ {
		t.Errorf("%s: %d characters differ: %s", name, len(list), strings.Join(list[:min(len(list), 40)], ", "))
	}
	t.Logf("%d characters", characters)
}

// Characters that the class table and the fast table both hold agree.
func TestASCIIClasses(t *testing.T) {
	t.Parallel()
	table := classes()
	for r := range rune(0x80) {
		if asciiClasses[r] != table.pages[table.page[0]][r] {
			t.Errorf("%q: %b", r, asciiClasses[r])
		}
	}
	for r, want := range map[rune]class{
		'港': isHan | isWord, '　': isSpace, '́': isMn | isMark | isWord, '។': isPunct, '½': isNumber, '\u00ad': isDropped, '\ue000': isDropped,
		'\u166d': isPunct, '\u2e52': 0, '\u0890': 0, '\u07fd': isWord, '\U00010d40': isWord | isNumber,
	} {
		if got := classOf(r); got != want {
			t.Errorf("%U: %b, want %b", r, got, want)
		}
	}
}
