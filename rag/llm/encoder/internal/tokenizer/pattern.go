package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// pattern finds parts of a text.
type pattern interface {
	// find appends the parts of a text: each match, and what stands between.
	find(cuts []cut, text []byte) []cut
}

// parsePattern makes a pattern of {"String": "..."} or {"Regex": "..."}.
func parsePattern(raw json.RawMessage) (pattern, error) {
	var def struct {
		String *string
		Regex  *string
	}
	if err := json.Unmarshal(raw, &def); err != nil {
		return nil, err
	}
	switch {
	case def.String != nil && *def.String != "":
		return literal(*def.String), nil
	case def.Regex != nil && *def.Regex != "":
		return newExpression(*def.Regex)
	}
	return nil, errors.New("a pattern is empty")
}

// literal matches one text.
type literal []byte

func (p literal) find(cuts []cut, text []byte) []cut {
	done := 0
	for {
		i := bytes.Index(text[done:], p)
		if i < 0 {
			break
		}
		if i > 0 {
			cuts = append(cuts, cut{done, done + i, false})
		}
		done += i + len(p)
		cuts = append(cuts, cut{done - len(p), done, true})
	}
	if done < len(text) {
		cuts = append(cuts, cut{done, len(text), false})
	}
	return cuts
}

// inverted matches what stands between the matches of another pattern.
type inverted struct{ pattern }

func (p inverted) find(cuts []cut, text []byte) []cut {
	n := len(cuts)
	cuts = p.pattern.find(cuts, text)
	for i := range cuts[n:] {
		cuts[n+i].match = !cuts[n+i].match
	}
	return cuts
}

// expression is a regular expression of Oniguruma's language, as far as Go's
// can say the same.
type expression struct {
	re *regexp.Regexp
	// blanks says that the expression ended in blanksTail. Its last group is
	// then white space, which gives its last character to what follows.
	blanks bool
}

// blanksTail ends the expressions of GPT-2 and its heirs. Go has no negative
// look-ahead, so these two branches are done by hand.
const blanksTail = `|\s+(?!\S)|\s+`

func newExpression(text string) (pattern, error) {
	head, blanks := strings.CutSuffix(text, blanksTail)
	translated, err := translate(head)
	if err != nil {
		return nil, err
	}
	if blanks {
		translated += `|([` + spaceSet + `]+)`
	}
	re, err := regexp.Compile(`(?m)` + translated)
	if err != nil {
		return nil, fmt.Errorf("the regular expression %q is not supported", shorten(text))
	}
	return expression{re, blanks}, nil
}

func (p expression) find(cuts []cut, text []byte) []cut {
	if !p.blanks {
		done := 0
		for _, m := range p.re.FindAllIndex(text, -1) {
			if done < m[0] {
				cuts = append(cuts, cut{done, m[0], false})
			}
			cuts = append(cuts, cut{m[0], m[1], true})
			done = m[1]
		}
		if done < len(text) {
			cuts = append(cuts, cut{done, len(text), false})
		}
		return cuts
	}
	for done := 0; done < len(text); {
		m := p.re.FindSubmatchIndex(text[done:])
		if m == nil || m[0] == m[1] {
			return append(cuts, cut{done, len(text), false})
		}
		start, end := done+m[0], done+m[1]
		if m[len(m)-2] >= 0 && end < len(text) {
			if _, size := utf8.DecodeLastRune(text[start:end]); start < end-size {
				end -= size
			}
		}
		if done < start {
			cuts = append(cuts, cut{done, start, false})
		}
		cuts = append(cuts, cut{start, end, true})
		done = end
	}
	return cuts
}

// The sets that \s, \w and \d mean there, as members of a set of Go's.
const (
	spaceSet = `\t\n\v\f\r \x{85}\p{Z}`
	wordSet  = `\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}` + newerLetters + newerMarks + newerNumbers +
		`\x{B2}-\x{B3}\x{B9}\x{BC}-\x{BE}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}`
	digitSet = `\p{Nd}` + newerNumbers
)

// propertySets are the properties of which Go lacks newer characters.
var propertySets = map[string]string{
	"{L}": `\p{L}` + newerLetters, "{M}": `\p{M}` + newerMarks, "{N}": `\p{N}` + newerNumbers,
}

// translate writes an expression of Oniguruma's language in Go's. It refuses
// what Go lacks or means otherwise.
func translate(text string) (string, error) {
	var out strings.Builder
	refuse := func() (string, error) {
		return "", fmt.Errorf("the regular expression %q is not supported", shorten(text))
	}
	sets := map[byte]string{'s': spaceSet, 'w': wordSet, 'd': digitSet}
	inSet, copies := false, 1
	if len(text) > maxExpression {
		return refuse()
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		rest := text[i+1:]
		switch {
		case c == '\\' && rest == "":
			return refuse()
		case c == '\\':
			i++
			e := text[i]
			lower := e | 0x20
			set, known := sets[lower]
			switch {
			case known && inSet && e == lower:
				out.WriteString(set)
			case known && inSet:
				return refuse()
			case known && e == lower:
				out.WriteString("[" + set + "]")
			case known:
				out.WriteString("[^" + set + "]")
			case strings.IndexByte("pPtnrfvx", e) >= 0 || lower < 'a' || lower > 'z' || e >= utf8.RuneSelf:
				if e >= '0' && e <= '9' {
					return refuse()
				}
				name := ""
				if n := strings.IndexByte(rest[1:], '}'); n > 0 && rest[1] == '{' && strings.IndexByte("pPx", e) >= 0 {
					name = rest[1 : n+2]
					i += len(name)
				}
				switch set := propertySets[name]; {
				case set == "" || e == 'x' || e == 'P' && inSet:
					out.WriteByte('\\')
					out.WriteByte(e)
					out.WriteString(name)
				case inSet:
					out.WriteString(set)
				case e == 'P':
					out.WriteString("[^" + set + "]")
				default:
					out.WriteString("[" + set + "]")
				}
			default:
				return refuse()
			}
			continue
		case inSet && (c == '[' || c == '&' && strings.HasPrefix(rest, "&")):
			return refuse()
		case c == '[' && !inSet:
			inSet = true
			if strings.HasPrefix(rest, "]") || strings.HasPrefix(rest, "^]") {
				return refuse()
			}
		case c == ']' && inSet:
			inSet = false
		case !inSet && c == '{':
			// Nested repetitions multiply, and Go writes each copy out.
			if copies *= max(largest(rest), 1); copies > maxCopies {
				return refuse()
			}
		case !inSet && strings.IndexByte("*+?}", c) >= 0 && strings.HasPrefix(rest, "+"):
			return refuse() // a possessive repetition
		case !inSet && c == '(' && strings.HasPrefix(rest, "?") && !strings.HasPrefix(rest, "?:") && !strings.HasPrefix(rest, "?i:"):
			return refuse()
		}
		out.WriteByte(c)
	}
	return out.String(), nil
}

const (
	maxExpression = 4096 // bytes
	maxCopies     = 1000 // the product of all counts of repetitions
)

// largest returns the largest number before the closing brace.
func largest(text string) int {
	most, n := 0, 0
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			n = min(n*10+int(c-'0'), maxCopies+1)
			most = max(most, n)
		case c == '}':
			return most
		default:
			n = 0
		}
	}
	return most
}

// shorten makes a text fit for a message.
func shorten(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
