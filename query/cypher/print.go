package cypher

import (
	"math"
	"strconv"
	"strings"
)

// exprString writes an expression in one line, with the brackets that it needs:
// the text parses to the same tree.
func exprString(x expr) string {
	var p printer
	p.expr(x, levelOr)
	return p.String()
}

// printer writes syntax trees as text.
type printer struct {
	strings.Builder
	// noBar is set if a | would end the text; see parser.exprUntil.
	noBar bool
	// most, if not 0, is after how many bytes the rest is left out; then names
	// that no query can write are written _.
	most int
}

// levelPostfix is the level of expressions that never need brackets.
const levelPostfix = levelUnary + 1

// level returns how an expression binds.
func (p *printer) level(x expr) int {
	switch x := x.(type) {
	case *binaryExpr:
		return binaryOps[x.Op].level
	case *isNullExpr:
		return levelPredicate
	case *unaryExpr:
		if x.Op == opNot {
			return levelNot
		}
		return levelUnary
	case *literal:
		switch x.Value.Kind() {
		case KindInt:
			if x.Value.AsInt() < 0 {
				return levelUnary
			}
		case KindFloat:
			if math.Signbit(x.Value.AsFloat()) {
				return levelUnary
			}
		}
	case *labelsExpr:
		if x.Labels.Op == labelOr && p.noBar {
			return 0
		}
		return levelUnary
	}
	return levelPostfix
}

// expr writes an expression as an operand of a level, in brackets if it binds less
// tightly.
func (p *printer) expr(x expr, level int) {
	if p.most > 0 && p.Len() > p.most {
		return
	}
	if p.level(x) < level {
		p.group(x)
		return
	}
	switch x := x.(type) {
	case *binaryExpr:
		p.binary(x)
	case *unaryExpr:
		p.WriteString([...]string{opNot: "NOT ", opNegative: "-", opPositive: "+"}[x.Op])
		if x.Op == opNot {
			p.expr(x.X, levelNot)
			return
		}
		// The sign of a number would become a part of it.
		if _, ok := x.X.(*literal); ok {
			p.group(x.X)
			return
		}
		p.expr(x.X, levelUnary)
	case *isNullExpr:
		p.expr(x.X, levelPredicate)
		p.WriteString(" IS ")
		if x.Not {
			p.WriteString("NOT ")
		}
		p.WriteString("NULL")
	case *literal:
		p.literal(x.Value)
	case *param:
		p.WriteString("$" + quoteParam(x.Name))
	case *variable:
		if p.most > 0 && shownName(x.Name) == "" {
			p.WriteString("_")
			return
		}
		p.WriteString(quoteVariable(x.Name))
	case *property:
		p.postfixOperand(x.X)
		p.WriteString("." + quoteName(x.Name))
	case *labelsExpr:
		p.hasLabels(x)
	case *indexExpr:
		p.postfixOperand(x.X)
		p.WriteString("[")
		p.inner(x.I)
		p.WriteString("]")
	case *sliceExpr:
		p.postfixOperand(x.X)
		p.WriteString("[")
		if x.From != nil {
			p.inner(x.From)
		}
		p.WriteString("..")
		if x.To != nil {
			p.inner(x.To)
		}
		p.WriteString("]")
	default:
		p.bracketed(x)
	}
}

// group writes an expression in parentheses.
func (p *printer) group(x expr) {
	p.WriteString("(")
	p.inner(x)
	p.WriteString(")")
}

// inner writes an expression that brackets enclose.
func (p *printer) inner(x expr) { p.until(x, false) }

// until writes an expression that a | may end.
func (p *printer) until(x expr, noBar bool) {
	outer := p.noBar
	p.noBar = noBar
	p.expr(x, levelOr)
	p.noBar = outer
}

// list writes expressions with commas between them.
func (p *printer) list(xs []expr) {
	for i, x := range xs {
		if p.most > 0 && p.Len() > p.most {
			return
		}
		if i > 0 {
			p.WriteString(", ")
		}
		p.inner(x)
	}
}

// binary writes an operator between its operands.
func (p *printer) binary(x *binaryExpr) {
	op := binaryOps[x.Op]
	left := op.level
	if op.level == levelComparison {
		left++ // a comparison as an operand would become a chain
	}
	p.expr(x.L, left)
	p.WriteString(" " + op.text + " ")
	p.expr(x.R, op.level+1)
}

// postfixOperand writes the operand of .name, [i] or :Label.
func (p *printer) postfixOperand(x expr) {
	switch x := x.(type) {
	case *literal:
		// A dot after a number would become a part of it.
		if k := x.Value.Kind(); k == KindInt || k == KindFloat {
			p.group(x)
			return
		}
	case *existsExpr:
		if x.Bare {
			p.group(x)
			return
		}
	}
	p.expr(x, levelPostfix)
}

func (p *printer) hasLabels(x *labelsExpr) {
	switch x.X.(type) {
	case *literal, *listLit, *mapLit:
		p.group(x.X)
	default:
		p.postfixOperand(x.X)
	}
	p.WriteString(x.Labels.String())
}

// literal writes a value of a literal.
func (p *printer) literal(v Value) {
	switch v.Kind() {
	case KindNull:
		p.WriteString("null")
	case KindBool:
		p.WriteString(strconv.FormatBool(v.AsBool()))
	case KindInt:
		p.WriteString(strconv.FormatInt(v.AsInt(), 10))
	case KindFloat:
		s := strconv.FormatFloat(v.AsFloat(), 'g', -1, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		p.WriteString(s)
	case KindString:
		s := v.AsString()
		if p.most > 0 {
			s = begin(s, 4*p.most)
		}
		p.WriteString(quoteString(s))
	}
}

// quoteVariable writes the name of a variable, in backticks if it needs them.
func quoteVariable(name string) string {
	if keywordOf(name) != noKeyword {
		return "`" + name + "`"
	}
	return quoteName(name)
}

// quoteParam writes the name of a parameter, which may be a number.
func quoteParam(name string) string {
	if allDigits(name, 10) {
		return name
	}
	return quoteName(name)
}

// quoteFunction writes the name of a function with its namespace.
func quoteFunction(name string) string {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		parts[i] = quoteName(part)
		if k := keywordOf(part); k != noKeyword && len(parts) == 1 && !k.reserved() {
			parts[i] = part
		}
	}
	return strings.Join(parts, ".")
}
