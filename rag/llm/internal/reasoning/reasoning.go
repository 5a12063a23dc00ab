// Package reasoning removes what models think aloud from what they write.
package reasoning

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// reasoningTags are the marks between which models think aloud. They are
// compared without regard to the case of ASCII letters.
func reasoningTags() [10][2]string {
	return [10][2]string{
		{"<think>", "</think>"},
		{"<thinking>", "</thinking>"},
		{"<thought>", "</thought>"},
		{"<reasoning>", "</reasoning>"},
		{"<reflection>", "</reflection>"},
		{"<seed:think>", "</seed:think>"},
		{"[think]", "[/think]"},
		{"<|begin_of_thought|>", "<|end_of_thought|>"},
		{"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"},
		{"◁think▷", "◁/think▷"},
	}
}

// maxPasses bounds how often tags are looked for in what is left without tags.
const maxPasses = 8

// Strip returns a model's text without its reasoning: without what
// stands between a pair of tags, after a tag that is not closed, and before a
// closing tag that was not opened, since some servers leave the opening one
// out. White space around what is left is gone, and control characters other
// than line breaks and tabs.
func Strip(s string) string {
	for range maxPasses {
		var v Visible
		t := v.Write(s)
		t += v.Rest()
		if t == s {
			return s
		}
		s = t
	}
	return "" // tags in tags in tags: there is no other text
}

// lowerASCII returns s with small ASCII letters, in the same number of bytes.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// DropControls returns s as valid UTF-8 without control characters other than line
// breaks and tabs.
func DropControls(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// Visible takes a text of a model piece by piece and gives what people may see
// of it: what it gives for all pieces together, with what Rest gives at the
// end, is what [Strip] makes of the text. There is one exception: what
// stands before a closing tag that was not opened is seen when it was given
// already. The zero value is at the start of a text. It is not safe for
// concurrent use.
type Visible struct {
	held  string // the beginning of a tag, perhaps
	space string // white space that ends the text, perhaps
	until string // the closing tag of the reasoning that the text is in
	begun bool   // something was given
}

// Write takes the next piece and returns what can be given now.
func (v *Visible) Write(piece string) string {
	text := v.held + DropControls(piece)
	lower := lowerASCII(text)
	var out strings.Builder
	from := 0
	for from < len(text) {
		if v.until != "" {
			end := strings.Index(lower[from:], v.until)
			if end < 0 {
				break
			}
			from, v.until = from+end+len(v.until), ""
			continue
		}
		at, mark, until := nextTag(lower, from)
		switch {
		case mark == "":
			keep := tagStart(lower[from:])
			out.WriteString(text[from : len(text)-keep])
			from = len(text) - keep
			v.held = text[from:]
			return v.give(out.String())
		case until == "": // everything before it was reasoning
			out.Reset()
			v.space = ""
		default:
			out.WriteString(text[from:at])
		}
		from, v.until = at+len(mark), until
	}
	v.held = text[from:]
	if v.until != "" {
		v.held = v.held[len(v.held)-tagStart(lower[from:]):]
	}
	return v.give(out.String())
}

// Rest returns what is left at the end of the text.
func (v *Visible) Rest() string {
	s := v.held
	v.held = ""
	if v.until != "" {
		return ""
	}
	return v.give(s)
}

// give returns s without the white space that begins or may end the text.
func (v *Visible) give(s string) string {
	if !v.begun {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
		v.begun = s != ""
	}
	s = v.space + s
	out := strings.TrimRightFunc(s, unicode.IsSpace)
	v.space = s[len(out):]
	return out
}

// nextTag finds the first tag from a place on. mark is the tag, "" for none;
// until is the tag that closes it, "" if it is a closing one itself.
func nextTag(lower string, from int) (at int, mark, until string) {
	for i := from; i < len(lower); i++ {
		if c := lower[i]; c != '<' && c != '[' && c != "◁"[0] {
			continue
		}
		for _, t := range reasoningTags() {
			if strings.HasPrefix(lower[i:], t[0]) {
				return i, t[0], t[1]
			}
			if strings.HasPrefix(lower[i:], t[1]) {
				return i, t[1], ""
			}
		}
	}
	return 0, "", ""
}

// tagStart returns how many bytes at the end may be the beginning of a tag.
func tagStart(lower string) int {
	keep := 0
	for _, t := range reasoningTags() {
		for _, mark := range t {
			for n := min(len(mark)-1, len(lower)); n > keep; n-- {
				if strings.HasSuffix(lower, mark[:n]) {
					keep = n
				}
			}
		}
	}
	return keep
}
