package tokenizer

import "unicode/utf8"

// bertNormalizer cleans text as BERT does.
type bertNormalizer struct {
	clean   bool // drops control characters; makes all white space a blank
	han     bool // puts blanks around Chinese characters
	accents bool // decomposes, then drops marks without width
	lower   bool
}

func (n bertNormalizer) normalize(dst, src []byte, _ *scratch) ([]byte, bool) {
	d := decomposer{dst: dst, drop: isMn, lower: n.lower}
	cut := false
	for i := 0; i < len(src); {
		if c := src[i]; c < utf8.RuneSelf && asciiClasses[c]&isDropped == 0 {
			i++
			if n.clean && asciiClasses[c]&isSpace != 0 {
				c = ' '
			} else if n.lower && c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			if len(d.pending) > 0 {
				d.flush()
			}
			d.dst = append(d.dst, c)
			continue
		}
		r, size := utf8.DecodeRune(src[i:])
		props := classOf(r)
		if n.clean {
			if props&isDropped != 0 {
				cut = cut || len(d.dst)+len(d.pending) == len(dst)
				i += size
				continue
			}
			if props&isSpace != 0 {
				r, props = ' ', isSpace
			}
		}
		around := n.han && props&isHan != 0
		if around {
			d.blank()
		}
		switch {
		case n.accents:
			d.add(r, src[i:i+size])
		case n.lower:
			d.dst = appendLower(d.dst, r)
		default:
			d.dst = utf8.AppendRune(d.dst, r)
		}
		if around {
			d.blank()
		}
		i += size
	}
	d.flush()
	return d.dst, cut
}
