package cypher

import "strings"

// labelOp says what a label expression is.
type labelOp uint8

const (
	labelName labelOp = iota
	labelAny          // %: any label
	labelAnd
	labelOr
	labelNot
)

// labelExpr is an expression over labels, as in (n:A&(B|!C)). A nil one holds for
// every node.
type labelExpr struct {
	Op   labelOp
	Name string // of labelName
	Args []*labelExpr
}

// and returns the expression that holds if both do.
func (e *labelExpr) and(f *labelExpr) *labelExpr {
	switch {
	case e == nil:
		return f
	case f == nil:
		return e
	case e.Op == labelAnd:
		return &labelExpr{Op: labelAnd, Args: append(e.Args[:len(e.Args):len(e.Args)], f)}
	}
	return &labelExpr{Op: labelAnd, Args: []*labelExpr{e, f}}
}

// names returns the labels of an expression that joins labels by "and" alone, and
// false for others.
func (e *labelExpr) names() ([]string, bool) {
	switch {
	case e == nil:
		return nil, true
	case e.Op == labelName:
		return []string{e.Name}, true
	case e.Op != labelAnd:
		return nil, false
	}
	var out []string
	for _, arg := range e.Args {
		names, ok := arg.names()
		if !ok {
			return nil, false
		}
		out = append(out, names...)
	}
	return out, true
}

// one returns a label that every node of the expression has, "" if it names none.
func (e *labelExpr) one() string {
	switch {
	case e == nil:
	case e.Op == labelName:
		return e.Name
	case e.Op == labelAnd:
		for _, arg := range e.Args {
			if name := arg.one(); name != "" {
				return name
			}
		}
	}
	return ""
}

// holds evaluates the expression. has reports whether there is a label of the
// name, or any label for the empty name.
func (e *labelExpr) holds(has func(name string) bool) bool {
	if e == nil {
		return true
	}
	switch e.Op {
	case labelName:
		return has(e.Name)
	case labelAny:
		return has("")
	case labelNot:
		return !e.Args[0].holds(has)
	case labelAnd:
		for _, arg := range e.Args {
			if !arg.holds(has) {
				return false
			}
		}
		return true
	}
	for _, arg := range e.Args {
		if arg.holds(has) {
			return true
		}
	}
	return false
}

// String writes the expression as a pattern has it, with its colon: :A:B, :A|B,
// :A&(B|!C).
func (e *labelExpr) String() string {
	if e == nil {
		return ""
	}
	var b strings.Builder
	b.WriteByte(':')
	if names, ok := e.names(); ok {
		for i, name := range names {
			if i > 0 {
				b.WriteByte(':')
			}
			b.WriteString(quoteName(name))
		}
		return b.String()
	}
	e.write(&b, labelOr)
	return b.String()
}

// write writes the expression as a part of another one.
func (e *labelExpr) write(b *strings.Builder, in labelOp) {
	switch e.Op {
	case labelName:
		b.WriteString(quoteName(e.Name))
		return
	case labelAny:
		b.WriteByte('%')
		return
	case labelNot:
		b.WriteByte('!')
		e.Args[0].write(b, labelNot)
		return
	}
	sign := "&"
	if e.Op == labelOr {
		sign = "|"
	}
	group := in == labelNot || in == labelAnd && e.Op == labelOr
	if group {
		b.WriteByte('(')
	}
	for i, arg := range e.Args {
		if i > 0 {
			b.WriteString(sign)
		}
		arg.write(b, e.Op)
	}
	if group {
		b.WriteByte(')')
	}
}

// labels parses :A:B, or an expression such as :A&(B|!C). With bar unset, | ends
// it outside of parentheses. Without a colon there are no labels.
func (p *parser) labels(bar bool) *labelExpr {
	var e *labelExpr
	plain := true // so far
	for p.is(tokColon) {
		colon := p.next()
		if p.is(tokParam) {
			p.unsupported(p.tok(), "labels as parameters")
		}
		f := p.labelOr(bar)
		plain = plain && f.Op == labelName
		if e != nil && !plain {
			p.unsupported(colon, "label expressions that mix : with | & or !; write :A&B for both labels")
		}
		e = e.and(f)
	}
	return e
}

func (p *parser) labelOr(bar bool) *labelExpr {
	e := p.labelAnd()
	for bar && p.accept(tokBar) {
		p.accept(tokColon)
		f := p.labelAnd()
		if e.Op == labelOr {
			e.Args = append(e.Args, f)
		} else {
			e = &labelExpr{Op: labelOr, Args: []*labelExpr{e, f}}
		}
	}
	return e
}

func (p *parser) labelAnd() *labelExpr {
	e := p.labelUnary()
	for p.isSymbol("&") {
		p.next()
		e = e.and(p.labelUnary())
	}
	return e
}

func (p *parser) labelUnary() *labelExpr {
	p.enter()
	defer p.leave()
	switch {
	case p.isSymbol("!"):
		p.operator()
		p.next()
		return &labelExpr{Op: labelNot, Args: []*labelExpr{p.labelUnary()}}
	case p.accept(tokPercent):
		return &labelExpr{Op: labelAny}
	case p.accept(tokLeftParen):
		e := p.labelOr(true)
		p.expect(tokRightParen)
		return e
	}
	return &labelExpr{Name: p.anyName("a label")}
}

// isSymbol reports whether the next token is an operator that only labels have.
func (p *parser) isSymbol(text string) bool {
	return p.is(tokForeign) && p.source(p.tok()) == text
}
