package text

// porter is a word on its way through Porter's algorithm (Porter 1980) in the
// form of Snowball's stemmer "porter", which the tests compare it with. A y is
// Y where it is no vowel.
type porter struct {
	b      []byte
	p1, p2 int // where the regions R1 and R2 begin, len(b) at first if they are empty
	room   [maxWord + 8]byte
}

// stem returns the stem of an ASCII word in lower case. Other words, and those
// of one or two letters, are their own stems (Porter 1980, section 2).
func (p *porter) stem(word string) string {
	if len(word) <= 2 {
		return word
	}
	hasY := false
	p.b = append(p.room[:0], word...)
	for i, c := range p.b {
		if c >= 0x80 {
			return word
		}
		if c == 'y' && (i == 0 || isVowel(p.b[i-1])) {
			p.b[i], hasY = 'Y', true
		}
	}
	p.mark()
	p.plural()
	p.participle()
	p.finalY()
	p.double()
	p.ending()
	p.suffix()
	p.finalE()
	if hasY {
		for i, c := range p.b {
			if c == 'Y' {
				p.b[i] = 'y'
			}
		}
	}
	if n := len(p.b); n <= len(word) && string(p.b) == word[:n] {
		return word[:n]
	}
	return string(p.b)
}

func isVowel(c byte) bool {
	const vowels = 1<<('a'-'a') | 1<<('e'-'a') | 1<<('i'-'a') | 1<<('o'-'a') | 1<<('u'-'a') | 1<<('y'-'a')
	return c-'a' < 26 && vowels>>(c-'a')&1 != 0
}

// mark sets the regions: each begins after the first consonant that follows a
// vowel, R2 within R1.
func (p *porter) mark() {
	next := func(i int) int {
		for i < len(p.b) && !isVowel(p.b[i]) {
			i++
		}
		for i < len(p.b) && isVowel(p.b[i]) {
			i++
		}
		return min(i+1, len(p.b))
	}
	p.p1 = next(0)
	p.p2 = next(p.p1)
}

func (p *porter) ends(s string) bool {
	n := len(p.b) - len(s)
	return n >= 0 && string(p.b[n:]) == s
}

// replace puts s in place of the last n bytes.
func (p *porter) replace(n int, s string) { p.b = append(p.b[:len(p.b)-n], s...) }

// rule puts add in place of the last drop bytes if the word ends with suffix and
// that is in the region that begins at from. It reports whether the word ends so.
func (p *porter) rule(from int, suffix string, drop int, add string) bool {
	if !p.ends(suffix) {
		return false
	}
	if from <= len(p.b)-len(suffix) {
		p.replace(drop, add)
	}
	return true
}

func hasVowel(b []byte) bool {
	for _, c := range b {
		if isVowel(c) {
			return true
		}
	}
	return false
}

// short reports whether b ends with a consonant, a vowel and a consonant other
// than w, x and Y.
func short(b []byte) bool {
	n := len(b)
	if n < 3 {
		return false
	}
	c := b[n-1]
	return !isVowel(c) && c != 'w' && c != 'x' && c != 'Y' && isVowel(b[n-2]) && !isVowel(b[n-3])
}

// plural is step 1a.
func (p *porter) plural() {
	switch {
	case p.b[len(p.b)-1] != 's':
	case p.ends("sses"):
		p.replace(2, "")
	case p.ends("ies"):
		p.replace(2, "")
	case !p.ends("ss"):
		p.replace(1, "")
	}
}

// participle is step 1b.
func (p *porter) participle() {
	n := 0
	switch {
	case p.rule(p.p1, "eed", 1, ""):
		return
	case p.ends("ed"):
		n = 2
	case p.ends("ing"):
		n = 3
	}
	if n == 0 || !hasVowel(p.b[:len(p.b)-n]) {
		return
	}
	p.replace(n, "")
	last, before := p.b[len(p.b)-1], byte(0)
	if len(p.b) > 1 {
		before = p.b[len(p.b)-2]
	}
	switch {
	case last == 't' && before == 'a', last == 'l' && before == 'b', last == 'z' && before == 'i':
		p.replace(0, "e")
	case last == before:
		switch last {
		case 'b', 'd', 'f', 'g', 'm', 'n', 'p', 'r', 't':
			p.replace(1, "")
			return
		}
		fallthrough
	default:
		if len(p.b) == p.p1 && short(p.b) {
			p.replace(0, "e")
		}
	}
}

// finalY is step 1c.
func (p *porter) finalY() {
	n := len(p.b) - 1
	if n >= 0 && (p.b[n] == 'y' || p.b[n] == 'Y') && hasVowel(p.b[:n]) {
		p.b[n] = 'i'
	}
}

// double is step 2.
func (p *porter) double() {
	in := func(suffix string, drop int, add string) bool { return p.rule(p.p1, suffix, drop, add) }
	switch p.b[len(p.b)-1] {
	case 'i':
		_ = in("anci", 1, "e") || in("enci", 1, "e") || in("abli", 1, "e") ||
			in("alli", 2, "") || in("ousli", 2, "") || in("entli", 2, "") || in("eli", 2, "") ||
			in("aliti", 3, "") || in("biliti", 5, "le") || in("iviti", 3, "e")
	case 'l':
		_ = in("ational", 5, "e") || in("tional", 2, "")
	case 'm':
		in("alism", 3, "")
	case 'n':
		_ = in("ization", 5, "e") || in("ation", 3, "e")
	case 'r':
		_ = in("izer", 1, "") || in("ator", 2, "e")
	case 's':
		_ = in("iveness", 4, "") || in("fulness", 4, "") || in("ousness", 4, "")
	}
}

// ending is step 3.
func (p *porter) ending() {
	in := func(suffix string, drop int) bool { return p.rule(p.p1, suffix, drop, "") }
	switch p.b[len(p.b)-1] {
	case 'e':
		_ = in("icate", 3) || in("ative", 5) || in("alize", 3)
	case 'i':
		in("iciti", 3)
	case 'l':
		_ = in("ical", 2) || in("ful", 3)
	case 's':
		in("ness", 4)
	}
}

// suffix is step 4.
func (p *porter) suffix() {
	in := func(suffix string) bool { return p.rule(p.p2, suffix, len(suffix), "") }
	switch p.b[len(p.b)-1] {
	case 'c':
		in("ic")
	case 'e':
		_ = in("ance") || in("ence") || in("able") || in("ible") || in("ate") || in("ive") || in("ize")
	case 'i':
		in("iti")
	case 'l':
		in("al")
	case 'm':
		in("ism")
	case 'n':
		if n := len(p.b) - 3; n > 0 && p.ends("ion") && (p.b[n-1] == 's' || p.b[n-1] == 't') {
			in("ion")
		}
	case 'r':
		in("er")
	case 's':
		in("ous")
	case 't':
		_ = in("ant") || in("ement") || in("ment") || in("ent")
	case 'u':
		in("ou")
	}
}

// finalE is step 5.
func (p *porter) finalE() {
	n := len(p.b) - 1
	if p.b[n] == 'e' && (p.p2 <= n || p.p1 <= n && !short(p.b[:n])) {
		p.replace(1, "")
		n--
	}
	if n > 0 && p.b[n] == 'l' && p.p2 <= n && p.b[n-1] == 'l' {
		p.replace(1, "")
	}
}
