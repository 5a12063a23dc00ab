package text

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"
)

// paragraphs implements the rule Paragraph.
func (c *Chunker) paragraphs(ctx context.Context, text string, parts []Part) ([]Chunk, error) {
	p := packer{tok: c.tok, size: c.set.Size, text: text}
	paras := inParts(text, paragraphs(text), parts)
	p.leads = leadEnds(paras)
	for i := 0; i < len(paras); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		first := i
		for i++; i < len(paras) && (paras[i-1].heading || paras[i-1].leads || paras[i].part > 0 && paras[i].part == paras[i-1].part); i++ {
		}
		p.add(paras[first:i])
	}
	p.close()
	for i := range p.out {
		p.out[i].Parent = i
	}
	return p.out, nil
}

// A packer joins short paragraphs and cuts long ones.
type packer struct {
	tok  *Tokenizer
	size int
	text string
	out  []Chunk

	leads map[int]bool // ends of the paragraphs that belong with the next one

	open   []Span // the paragraphs of the chunk being built
	tokens int    // of the open chunk, nearly: exact for one paragraph
}

// add puts a paragraph, with the headings above it, in the open chunk or
// starts another.
func (p *packer) add(unit []paragraph) {
	sp := Span{unit[0].Start, unit[len(unit)-1].End}
	n := p.count(sp)
	if unit[0].heading || n > p.size {
		p.close()
	}
	if n > p.size {
		var sentences []Span
		for _, q := range unit {
			if q.part > 0 && p.count(q.Span) <= p.size {
				sentences = append(sentences, q.Span)
			} else {
				sentences = appendSentences(sentences, p.text, q)
			}
		}
		p.cut(p.weigh(sp, p.glue(sentences)), bySentence)
		return
	}
	if len(p.open) > 0 {
		last := p.open[len(p.open)-1]
		joined := p.tokens + n + p.gap(Span{last.End, sp.Start})
		if short := p.size / 3; joined <= p.size && (p.tokens < short || n < short) {
			p.open = append(p.open, sp)
			p.tokens = joined
			return
		}
		p.close()
	}
	p.open = append(p.open, sp)
	p.tokens = n
}

// gap returns the tokens that the white space between two paragraphs adds. A
// line break behind punctuation is part of its token.
func (p *packer) gap(sp Span) int {
	if s := p.text; sp.End == sp.Start+1 && strings.IndexByte(".!?:;,)", s[sp.Start-1]) >= 0 {
		return 0
	}
	return p.count(sp)
}

// close writes the open chunk. If the estimate was too low it leaves out
// the last paragraphs and writes them as a chunk of their own.
func (p *packer) close() {
	for open := p.open; len(open) > 0; {
		k, n := len(open), p.tokens
		if len(p.open) > 1 {
			n = p.count(Span{open[0].Start, open[k-1].End})
		}
		for n > p.size {
			k--
			n = p.count(Span{open[0].Start, open[k-1].End})
		}
		p.out = append(p.out, Chunk{Start: open[0].Start, End: open[k-1].End, Tokens: n})
		open = open[k:]
	}
	p.open, p.tokens = p.open[:0], 0
}

func (p *packer) count(sp Span) int { return p.tok.Count(p.text[sp.Start:sp.End]) }

// A grain is into what a piece that is too long is cut.
type grain uint8

const (
	bySentence grain = iota
	byWord
	byRune
)

// An atom is what is not cut at the present grain.
type atom struct {
	Span
	tokens int // in the encoding of the whole that is cut
}

// cut writes atoms, which have more than size tokens together, as the fewest
// chunks of nearly equal length. They are of grain g.
func (p *packer) cut(atoms []atom, g grain) {
	rest := 0 // tokens of atoms[first:]
	for _, a := range atoms {
		rest += a.tokens
	}
	for first := 0; first < len(atoms); {
		pieces := max(1, (rest+p.size-1)/p.size)
		target := (rest + pieces - 1) / pieces
		sum, next := 0, first
		for next < len(atoms) && (sum < target || next == first) {
			n := atoms[next].tokens
			full := sum+n > p.size
			// Stopping short of the target is better than passing it by
			// more, unless it would take one more piece.
			early := sum+n-target > target-sum && rest-sum <= (pieces-1)*p.size
			if next > first && (full || early) {
				break
			}
			sum += n
			next++
		}
		if next < len(atoms) && sum < p.size/3 && atoms[next].tokens > p.size {
			sum += atoms[next].tokens // a short start goes with the long atom
			next++
		}
		n, tokens := p.write(atoms[first:next], g)
		first += n
		rest -= tokens
	}
}

// write writes atoms as one chunk if they fit; if not it leaves out some at
// the end, or cuts finer. It returns how many atoms it has written, at least
// one, and their tokens.
func (p *packer) write(atoms []atom, g grain) (n, tokens int) {
	for n = len(atoms); ; n-- {
		sp := trim(p.text, Span{atoms[0].Start, atoms[n-1].End})
		long := g < byRune && atoms[n-1].tokens > p.size
		if !long {
			if size := p.count(sp); size <= p.size {
				if size > 0 {
					p.out = append(p.out, Chunk{Start: sp.Start, End: sp.End, Tokens: size})
				}
				break
			}
		}
		if long || n == 1 {
			p.cut(p.weigh(sp, p.split(sp, g+1)), g+1)
			break
		}
	}
	for _, a := range atoms[:n] {
		tokens += a.tokens
	}
	return n, tokens
}

// glue joins spans between which no cut may be: the end of a paragraph that
// belongs with the next one, and what follows.
func (p *packer) glue(spans []Span) []Span {
	out := spans[:0]
	for _, sp := range spans {
		if n := len(out); n > 0 && p.leads[trim(p.text, out[n-1]).End] {
			out[n-1].End = sp.End
		} else {
			out = append(out, sp)
		}
	}
	return out
}

// split splits sp into words, each with the blanks behind it, or characters. In
// scripts without blanks a comma ends a word.
func (p *packer) split(sp Span, g grain) []Span {
	var out []Span
	for i := sp.Start; i < sp.End; {
		end := i
		if g == byWord {
			if k := strings.IndexFunc(p.text[i:sp.End], endsWord); k >= 0 {
				_, n := utf8.DecodeRuneInString(p.text[i+k:])
				end = skipSpace(p.text[:sp.End], i+k+n)
			} else {
				end = sp.End
			}
		} else {
			_, n := utf8.DecodeRuneInString(p.text[i:sp.End])
			end = i + n
		}
		out = append(out, Span{i, end})
		i = end
	}
	if g == byWord {
		out = p.glue(out)
	}
	return out
}

// endsWord reports whether a word can end with r: a blank, or a full-width mark
// inside a sentence.
func endsWord(r rune) bool {
	switch r {
	case '，', '、', '；', '：':
		return true
	}
	return unicode.IsSpace(r)
}

// weigh counts the tokens of spans in the encoding of the whole, sp: a token
// belongs to the span in which it ends.
func (p *packer) weigh(sp Span, spans []Span) []atom {
	out := make([]atom, len(spans))
	for i, a := range spans {
		out[i].Span = a
	}
	k := 0
	for _, end := range p.tok.Ends(p.text[sp.Start:sp.End]) {
		for k < len(out)-1 && sp.Start+end > out[k].End {
			k++
		}
		out[k].tokens++
	}
	return out
}
