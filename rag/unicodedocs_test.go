package rag_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing/fstest"
	"unicode"
	"unicode/utf8"
)

// oddDoc is a document made of some characters, and a question made of them.
type oddDoc struct {
	file, text, question string
}

// codePoints returns all code points that UTF-8 can hold, so ordered that each
// stretch of them has some of every script and general category.
func codePoints(r *rand.Rand) []rune {
	var out []rune
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if utf8.ValidRune(c) {
			out = append(out, c)
		}
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// kinds returns some characters of each script and general category, in a fixed
// order, then those that are known to be odd.
func kinds(r *rand.Rand) (out []rune) {
	for _, tables := range []map[string]*unicode.RangeTable{unicode.Scripts, unicode.Categories, unicode.Properties} {
		for _, name := range slices.Sorted(maps.Keys(tables)) {
			t := tables[name]
			for range 3 {
				if n := len(t.R16) + len(t.R32); n > 0 {
					if i := r.IntN(n); i < len(t.R16) {
						x := t.R16[i]
						out = append(out, rune(x.Lo)+rune(r.IntN(int(x.Hi-x.Lo)/int(x.Stride)+1)*int(x.Stride)))
					} else {
						x := t.R32[i-len(t.R16)]
						out = append(out, rune(x.Lo)+rune(r.IntN(int(x.Hi-x.Lo)/int(x.Stride)+1)*int(x.Stride)))
					}
				}
			}
		}
	}
	return append(out, odd...)
}

// odd are characters that vanish, join, reverse, grow or mean nothing: letters
// that fold to nothing, zero-width and bidi controls, noncharacters, private
// ones, the replacement character, ones that grow when they are normalised.
var odd = []rune{
	0, 1, 0x7F, 0x85, 0xA0, 0xAD, 0x2BB, 0x2BC, 0x2BD, 0x34F, 0x378, 0x61C, 0x640, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028,
	0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2060, 0x2061, 0x2066, 0x2067, 0x2068, 0x2069, 0x206F, 0x3164, 0x115F, 0xE000, 0xF8FF,
	0xFB1D, 0xFB2C, 0xFDD0, 0xFDFA, 0xFE0F, 0xFEFF, 0xFF9E, 0xFFA0, 0xFFF9, 0xFFFC, 0xFFFD, 0xFFFE, 0xFFFF, 0x1D15E, 0x1D173, 0x1F1E6, 0x1F3FB,
	0x1FFFE, 0xE0001, 0xE0020, 0xE007F, 0xE0100, 0xF0000, 0x10FFFF, 0x130, 0x131, 0x149, 0x390, 0x1E9E, 0x212A, 0x3240, 0x2126, 0x1100, 0x1161,
	0x11A8, 0xAC00, 0xD7A3, 0x9FFF, 0x3007, 0x30FC, 0xFF70, 0x0E33, 0x0EB3, 0x17B4, 0x1039, 0x0903, 0x20DD, 0x1F468,
}

// oddDocs returns n documents. Together they hold each of the characters alone
// and doubled, between words, in words and in names.
func oddDocs(r *rand.Rand, n int, all []rune) []oddDoc {
	out := make([]oddDoc, n)
	for i := range out {
		some := all[i*len(all)/n : (i+1)*len(all)/n]
		if len(some) == 0 {
			some = []rune{odd[i%len(odd)]}
		}
		out[i] = oddDocument(r, i, some)
	}
	return out
}

func oddDocument(r *rand.Rand, i int, some []rune) oddDoc {
	pick := func() string { return string(some[r.IntN(len(some))]) }
	var b strings.Builder
	title, meta, value := "", "", ""
	for range 1 + r.IntN(4) {
		title, meta, value = title+pick(), meta+pick(), value+pick()
	}
	switch i % 4 {
	case 0:
		fmt.Fprintf(&b, "---\n%s: %s\nteam: %s\n---\n# %s %d\n\n", meta, value, value, title, i)
	case 1:
		fmt.Fprintf(&b, "%s\n\n", title)
	}
	for k, c := range some {
		s := string(c)
		switch (i + k) % 8 {
		case 0:
			fmt.Fprintf(&b, "In Hilo %s means leaf. ", s)
		case 1:
			fmt.Fprintf(&b, "Ada %s%s met %sBrom in La%sie. ", s, s, s, s)
		case 2:
			fmt.Fprintf(&b, "The %q of %s Fenn and %s. ", s, s, s+s)
		case 3:
			fmt.Fprintf(&b, "%s\n\n%s%s ", s, s, s)
		case 4:
			fmt.Fprintf(&b, "%s%s%s. %s ", pick(), pick(), pick(), s+s)
		case 5:
			fmt.Fprintf(&b, "“%s %s” %s, %s: ", s, s, s+s, pick())
		default:
			fmt.Fprintf(&b, "%s %s%s ", s, s, s)
		}
	}
	switch r.IntN(16) {
	case 0: // a long run of one character
		b.WriteString(strings.Repeat(pick(), 1+r.IntN(3000)))
	case 1: // a run of marks, or of controls, on nothing
		for range r.IntN(400) {
			b.WriteRune([]rune{0x301, 0x20DD, 0x200D, 0x202E, 0x2066, 0xFE0F, 0x200B, 0x3099}[r.IntN(8)])
		}
	case 2: // bytes that are not UTF-8: halves of a pair, a cut character
		b.WriteString("\xED\xA0\x80\xED\xB0\x80 \xF4\x90\x80\x80 \xE2\x82 \xFF")
	case 3:
		b.WriteString(strings.Repeat(pick()+" ", 200))
	}
	d := oddDoc{file: fmt.Sprintf("d%d.md", i), text: b.String(), question: pick() + pick() + " " + pick() + "?"}
	name := strings.Map(func(c rune) rune {
		if c < ' ' || strings.ContainsRune(`/\.`, c) || c == 0x7F {
			return -1
		}
		return c
	}, title)
	switch i % 5 {
	case 0:
		d.file = fmt.Sprintf("%sd%d%s.txt", name, i, name)
	case 1:
		line, _ := json.Marshal(map[string]any{"id": title + fmt.Sprint(i), "title": title, "text": d.text, "meta": map[string]any{meta: value, meta + "2": 7}})
		d.file, d.text = fmt.Sprintf("d%d.jsonl", i), string(line)
	case 2:
		d.file = fmt.Sprintf("%s/d%d.html", "x"+name, i)
	}
	return d
}

// oddFiles returns documents as files.
func oddFiles(docs []oddDoc) fstest.MapFS {
	fs := fstest.MapFS{}
	for _, d := range docs {
		fs[d.file] = &fstest.MapFile{Data: []byte(d.text)}
	}
	return fs
}
