package text

import (
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
)

// codeChars may stand in a name of code.
const codeChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.-"

// codeNames emits the names in a sentence whose form shows that they are of files, options,
// commands or parts of programs: --no-verify, /var/spool, hugo.yaml, .Site.Data,
// ref_index_position, publishDate, lstat(2), dpkg. Their words are part of no other name.
func (f *finder) codeNames(sent Span) {
	next := 0 // of toks
	for end := sent.Start; end < sent.End; end++ {
		start := end
		for end < sent.End && strings.IndexByte(" \n\t\r|", f.text[end]) < 0 {
			end++
		}
		sp, ok := f.codeName(start, end)
		if !ok {
			continue
		}
		f.emit(sp.Start, sp.End, Proper)
		for ; next < len(f.toks) && f.toks[next].start < sp.End; next++ {
			if t := &f.toks[next]; t.end > sp.Start {
				t.apart, t.capital, t.number = true, false, false
			}
		}
		if next < len(f.toks) {
			f.toks[next].apart = true
		}
	}
}

// codeName returns the name of code that is all between two blanks but for marks around it.
func (f *finder) codeName(start, end int) (Span, bool) {
	w := strings.TrimLeft(f.text[start:end], "\"'`([{<“„‘«»*")
	start = end - len(w)
	w, args, call := strings.Cut(strings.TrimRight(w, "\"'`)]}>”“’»,;:!?.*/"), "(")
	call = call && (len(args) == 1 && isDigits(args) || strings.HasPrefix(f.text[start+len(w):], "()"))
	w, _, _ = strings.Cut(w, "=")
	name := strings.TrimLeft(w, "-./~@_:")
	marks := w[:len(w)-len(name)]
	if len(name) < 2 || name[0] < 'A' || name[len(name)-1] == '-' || strings.Trim(name, codeChars) != "" || args != "" && !call {
		return Span{}, false
	}
	switch marks {
	case "--", "@", "/", "~/", "./", "../", ":":
		call = true
	case ".", "_":
		call = call || len(name) > 2 && name[len(name)-1] != '_' // no emphasis
	}
	return Span{start, start + len(w)}, call || (marks == "" || marks == "." || marks == "_") && f.isCodeName(name)
}

// isCodeName reports whether a word of codeChars has the form of a name of code.
func (f *finder) isCodeName(w string) bool {
	switch at := strings.LastIndexByte(w, '/'); {
	case at > 0:
		left, _, _ := strings.Cut(w, "/")
		c := f.stats.casesOf(left) // of debian/rules
		return strings.ContainsAny(w[at:], "._") || c.upper > c.lower
	case strings.Contains(strings.TrimRight(w, "_"), "_"):
		return true
	case strings.Contains(w, "."):
		return isDottedName(w)
	case w[0] < 'a' || strings.ContainsAny(w, "0123456789"):
		return false
	case strings.Contains(w, "-"):
		return f.entry || isUnspoken(w)
	}
	return isUnspoken(w) || len(w) > 3 && strings.ToLower(w) != w
}

// isDottedName reports whether the parts of a word between dots name a file or a part of
// a program: they are no initials, no numbers but that of a version (go1.11), the last is no
// domain of the network, and no sentence begins behind a dot.
func isDottedName(w string) bool {
	at := strings.LastIndexByte(w, '.')
	last, number := w[at+1:], isDigits(w[at-1:at])
	switch folded := lex.Fold(last); folded {
	case "com", "org", "net", "edu", "gov", "io", "de", "uk", "fr", "eu":
		return false
	default:
		opens := lex.IsStop(folded) || w[0] >= 'a' && last != folded && classOf(folded) != rareWord
		return len(w) > 5 && !isDotted(w) && !strings.Contains(w, "..") && !opens && (!isDigits(last) || number)
	}
}

// isUnspoken reports whether a part of a word in small letters has no vowel, as names have that are
// typed and not spoken: dpkg, commit-msg.
func isUnspoken(w string) bool {
	for part := range strings.SplitSeq(w, "-") {
		switch part {
		case "mph", "kph", "rpm", "lbs", "hrs", "yrs", "nth", "pts", "vgl", "bzw", "ggf", "hmm", "sch", "str":
			return false
		}
		if len(part) > 2 && strings.Trim(part, "bcdfghjklmnpqrstvwxz") == "" {
			return true
		}
	}
	return false
}

// isEntry reports whether a paragraph is a short line that begins with a small letter and ends
// without a mark, as what the parts of a list of definitions stand under.
func isEntry(s string) bool {
	return strings.Count(s, " ") < 4 && s[0] >= 'a' && s[0] <= 'z' && !endsSentence(s)
}

// isCode reports whether a paragraph is program text or mark-up.
func isCode(s string) bool {
	return !endsSentence(s) && (isCodeLine(s) || s[0] == '<' && strings.Contains(s, ">") || strings.HasPrefix(s, "{{") ||
		s[0] == '"' && strings.Contains(s, `":`))
}
