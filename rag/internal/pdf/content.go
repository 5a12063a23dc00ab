package pdf

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

// Bounds of a content stream.
const (
	maxOperands = 64
	maxStates   = 256 // saved at a time
	maxForms    = 12  // drawn inside each other
)

// matrix is [a b c d e f] of 8.3.3.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times returns m × n: first m, then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) at(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// state is the part of the graphics state that places text (8.4, 9.3).
type state struct {
	ctm                  matrix
	font                 *font
	size                 float64
	charSpace, wordSpace float64
	scale, leading, rise float64
}

// A run is text that one operator shows: along is the place on its base line
// where it starts and ends, across that of the base line, both turned so that
// text goes to the right and lines go down.
type run struct {
	text     string
	from, to float64
	across   float64
	size     float64
	dir      [2]float64 // of writing, of length 1
}

// An interpreter draws a page, which is to say it collects its runs.
type interpreter struct {
	f         *File
	state     state
	saved     []state
	text      matrix // of the text, and of its line
	line      matrix
	out       func(run)
	operators int
}

// draw interprets the content of the page.
func (f *File) draw(p page, out func(run)) error {
	var parts [][]byte
	contents := f.get(p.dict["Contents"])
	list, ok := contents.(array)
	if !ok && contents != nil {
		list = array{contents}
	}
	for _, v := range list {
		s, ok := f.get(v).(*stream)
		if !ok {
			if f.err == nil {
				return fmt.Errorf("%w: a part of its content is missing", ErrDamaged)
			}
			return f.err
		}
		data, err := f.decode(s)
		if err != nil {
			return err
		}
		parts = append(parts, data)
	}
	in := interpreter{f: f, out: out}
	in.state = state{ctm: identity, scale: 1}
	return in.content(bytes.Join(parts, []byte{'\n'}), p.resources, 0)
}

// content interprets a content stream. Operators with wrong operands are
// passed over.
func (in *interpreter) content(data []byte, resources dict, forms int) error {
	f := in.f
	if !f.spend(len(data) + 1024) {
		return f.err
	}
	fonts, drawn := f.dict(resources["Font"]), f.dict(resources["XObject"])
	depth := len(in.saved)
	l := newLexer(data, 0)
	var args array
	for f.err == nil {
		l.elements = maxElements
		v := l.object(false)
		o, ok := v.(op)
		if !ok {
			if len(args) < maxOperands {
				args = append(args, v)
			}
			continue
		}
		if in.operators++; in.operators%4096 == 0 && f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		switch o {
		case end:
			in.restore(depth)
			return nil
		case "Tf":
			if n, ok := arg[name](args, 0); ok {
				in.state.font, in.state.size = f.fontOf(fonts[n]), number64(args, 1)
			}
		case "Do":
			n, _ := arg[name](args, 0)
			if form, ok := f.get(drawn[n]).(*stream); ok && f.get(form.dict["Subtype"]) == name("Form") && forms < maxForms {
				if err := in.form(form, resources, forms); err != nil {
					return err
				}
			}
		case "ID":
			skipImage(l)
		case "q":
			if len(in.saved)-depth < maxStates {
				in.saved = append(in.saved, in.state)
			}
		case "Q":
			if len(in.saved) > depth {
				in.restore(len(in.saved) - 1)
			}
		default:
			in.operator(o, args)
		}
		args = args[:0]
	}
	return f.err
}

// restore goes back to the state that was saved when n were.
func (in *interpreter) restore(n int) {
	if len(in.saved) > n {
		in.state = in.saved[n]
		in.saved = in.saved[:n]
	}
}

// form draws a form (8.10).
func (in *interpreter) form(form *stream, resources dict, forms int) error {
	data, err := in.f.decode(form)
	if err != nil {
		return err
	}
	if r := in.f.dict(form.dict["Resources"]); r != nil {
		resources = r
	}
	before, text, line := in.state, in.text, in.line
	if m, ok := matrixOf(in.f.array(form.dict["Matrix"])); ok {
		in.state.ctm = m.times(in.state.ctm)
	}
	err = in.content(data, resources, forms+1)
	in.state, in.text, in.line = before, text, line
	return err
}

// skipImage skips the data of an inline image, whose length nothing tells.
func skipImage(l *lexer) {
	for {
		i := bytes.Index(l.b[l.pos:], []byte("EI"))
		if i < 0 {
			l.pos = len(l.b)
			return
		}
		at := l.pos + i
		l.pos = at + 2
		if isSpace(l.b[at-1]) && (l.pos == len(l.b) || isSpace(l.b[l.pos])) {
			return
		}
	}
}

// operator does an operator of text or of the graphics state.
func (in *interpreter) operator(o op, args array) {
	s := &in.state
	switch o {
	case "cm":
		if m, ok := matrixOf(args); ok {
			s.ctm = m.times(s.ctm)
		}
	case "BT":
		in.text, in.line = identity, identity
	case "Tm":
		if m, ok := matrixOf(args); ok {
			in.text, in.line = m, m
		}
	case "Td":
		in.move(number64(args, 0), number64(args, 1))
	case "TD":
		s.leading = -number64(args, 1)
		in.move(number64(args, 0), number64(args, 1))
	case "T*":
		in.move(0, -s.leading)
	case "Tc":
		s.charSpace = number64(args, 0)
	case "Tw":
		s.wordSpace = number64(args, 0)
	case "Tz":
		s.scale = number64(args, 0) / 100
	case "TL":
		s.leading = number64(args, 0)
	case "Ts":
		s.rise = number64(args, 0)
	case "Tj":
		in.show(args)
	case "TJ":
		if list, ok := arg[array](args, 0); ok {
			in.show(list)
		}
	case "'":
		in.move(0, -s.leading)
		in.show(args)
	case "\"":
		s.wordSpace, s.charSpace = number64(args, 0), number64(args, 1)
		in.move(0, -s.leading)
		if len(args) == 3 {
			in.show(args[2:])
		}
	}
}

func (in *interpreter) move(x, y float64) {
	in.line = matrix{1, 0, 0, 1, x, y}.times(in.line)
	in.text = in.line
}

// wordGap is the gap, in parts of the size, from which on it parts two words.
const wordGap = .17

// show shows strings with adjustments between them. A great step back starts
// another run.
func (in *interpreter) show(list array) {
	s := &in.state
	if s.font == nil {
		return
	}
	var b strings.Builder
	start := in.text
	flush := func() {
		in.emit(b.String(), start)
		b.Reset()
		start = in.text
	}
	for _, v := range list {
		str, ok := v.(string)
		if !ok {
			gap := -float(v) / 1000
			in.advance(gap * s.size)
			switch {
			case gap < -1:
				flush()
			case gap > wordGap && b.Len() > 0 && needsBlank(b.String(), gap):
				b.WriteByte(' ')
			}
			continue
		}
		for len(str) > 0 {
			g, n := s.font.next(str)
			str = str[n:]
			b.WriteString(g.text)
			step := g.width*s.size + s.charSpace
			if g.blank {
				step += s.wordSpace
			}
			in.advance(step)
		}
	}
	flush()
}

// advance moves the place of writing on.
func (in *interpreter) advance(by float64) {
	if in.state.font.vertical {
		in.text = matrix{1, 0, 0, 1, 0, -by}.times(in.text)
	} else {
		in.text = matrix{1, 0, 0, 1, by * in.state.scale, 0}.times(in.text)
	}
}

// emit hands out what was shown between start and the present place.
func (in *interpreter) emit(text string, start matrix) {
	if text == "" {
		return
	}
	s := &in.state
	m := start.times(s.ctm)
	dir := [2]float64{m[0], m[1]}
	if s.font.vertical {
		dir = [2]float64{-m[2], -m[3]}
	}
	length := math.Hypot(dir[0], dir[1])
	if length == 0 || math.IsInf(length, 0) || math.IsNaN(length) {
		dir, length = [2]float64{1, 0}, 1
	}
	dir[0], dir[1] = dir[0]/length, dir[1]/length
	x0, y0 := m.at(0, s.rise)
	x1, y1 := in.text.times(s.ctm).at(0, s.rise)
	r := run{
		text: text, dir: dir,
		from: x0*dir[0] + y0*dir[1], to: x1*dir[0] + y1*dir[1],
		across: -x0*dir[1] + y0*dir[0],
		size:   math.Abs(s.size) * math.Hypot(m[2], m[3]),
	}
	for _, x := range []float64{r.from, r.to, r.across, r.size} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return
		}
	}
	in.out(r)
}

func matrixOf(a array) (m matrix, ok bool) {
	if len(a) != 6 {
		return m, false
	}
	for i := range m {
		m[i] = number64(a, i)
	}
	return m, true
}

func number64(args array, i int) float64 {
	if i >= len(args) {
		return 0
	}
	return float(args[i])
}

func arg[T any](args array, i int) (v T, ok bool) {
	if i < len(args) {
		v, ok = args[i].(T)
	}
	return v, ok
}
