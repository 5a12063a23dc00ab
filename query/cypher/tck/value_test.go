package tck_test

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// val is a value as the kit writes it. Its kind is one of null, bool, int, float,
// string, list, map, node, rel and path; temporal values are strings to the kit.
type val struct {
	kind   string
	text   string // of scalars, canonical
	list   []*val // list elements; of a path nodes and rels in turn
	m      map[string]*val
	labels []string // node labels, or the type of a rel
	back   []bool   // path: back[i] says that the i-th rel points backwards
	id     string   // of actual nodes and rels
	i      int64
	f      float64
	s      string
}

func quote(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", `\'`) + "'"
}

func canonFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Inf"
	case math.IsInf(f, -1):
		return "-Inf"
	case f == 0:
		return "0.0f"
	}
	return strconv.FormatFloat(f, 'g', 15, 64) + "f"
}

// canon writes a value so that equal values have equal texts.
func (v *val) canon(looseLists bool) string {
	switch v.kind {
	case "list":
		parts := make([]string, len(v.list))
		for i, x := range v.list {
			parts[i] = x.canon(looseLists)
		}
		if looseLists {
			sort.Strings(parts)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case "map":
		return canonMap(v.m, looseLists)
	case "node":
		ls := append([]string(nil), v.labels...)
		sort.Strings(ls)
		s := "("
		for _, l := range ls {
			s += ":" + l
		}
		if len(v.m) > 0 {
			if len(ls) > 0 {
				s += " "
			}
			s += canonMap(v.m, looseLists)
		}
		return s + ")"
	case "rel":
		s := "[:" + strings.Join(v.labels, "|")
		if len(v.m) > 0 {
			s += " " + canonMap(v.m, looseLists)
		}
		return s + "]"
	case "path":
		s := "<" + v.list[0].canon(looseLists)
		for i := 1; i+1 < len(v.list); i += 2 {
			if v.back[i/2] {
				s += "<-" + v.list[i].canon(looseLists) + "-"
			} else {
				s += "-" + v.list[i].canon(looseLists) + "->"
			}
			s += v.list[i+1].canon(looseLists)
		}
		return s + ">"
	case "string":
		return quote(v.s)
	}
	return v.text
}

func canonMap(m map[string]*val, loose bool) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = k + ": " + m[k].canon(loose)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// --- parsing of the kit's values

type vparser struct {
	s string
	p int
}

func parseVal(s string) (v *val, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("value %q: %v", s, r)
		}
	}()
	p := &vparser{s: s}
	v = p.value()
	p.ws()
	if p.p != len(p.s) {
		panic(fmt.Sprintf("rest at %d", p.p))
	}
	return v, nil
}

func (p *vparser) ws() {
	for p.p < len(p.s) && (p.s[p.p] == ' ' || p.s[p.p] == '\t' || p.s[p.p] == '\n') {
		p.p++
	}
}
func (p *vparser) peek() byte {
	if p.p < len(p.s) {
		return p.s[p.p]
	}
	return 0
}
func (p *vparser) eat(t string) bool {
	if strings.HasPrefix(p.s[p.p:], t) {
		p.p += len(t)
		return true
	}
	return false
}
func (p *vparser) must(t string) {
	if !p.eat(t) {
		panic(fmt.Sprintf("want %q at %d", t, p.p))
	}
}

func (p *vparser) value() *val {
	p.ws()
	switch c := p.peek(); {
	case c == '\'':
		return &val{kind: "string", s: p.str()}
	case c == '[':
		q := p.p + 1
		for q < len(p.s) && p.s[q] == ' ' {
			q++
		}
		if q < len(p.s) && p.s[q] == ':' {
			return p.rel()
		}
		p.p++
		v := &val{kind: "list"}
		for p.ws(); p.peek() != ']'; p.ws() {
			v.list = append(v.list, p.value())
			p.ws()
			if !p.eat(",") {
				break
			}
		}
		p.ws()
		p.must("]")
		return v
	case c == '{':
		return &val{kind: "map", m: p.props()}
	case c == '(':
		return p.node()
	case c == '<':
		return p.path()
	}
	start := p.p
	for p.p < len(p.s) && !strings.ContainsRune(",]}) >", rune(p.s[p.p])) {
		p.p++
	}
	w := p.s[start:p.p]
	switch w {
	case "null":
		return &val{kind: "null", text: "null"}
	case "true", "false":
		return &val{kind: "bool", text: w}
	case "NaN":
		return &val{kind: "float", f: math.NaN(), text: "NaN"}
	case "Inf":
		return &val{kind: "float", f: math.Inf(1), text: "Inf"}
	case "-Inf":
		return &val{kind: "float", f: math.Inf(-1), text: "-Inf"}
	}
	if i, err := strconv.ParseInt(w, 10, 64); err == nil {
		return &val{kind: "int", i: i, text: strconv.FormatInt(i, 10)}
	}
	f, err := strconv.ParseFloat(w, 64)
	if err != nil {
		panic(err.Error())
	}
	return &val{kind: "float", f: f, text: canonFloat(f)}
}

func (p *vparser) str() string {
	p.must("'")
	var b strings.Builder
	for {
		if p.p >= len(p.s) {
			panic("open string")
		}
		c := p.s[p.p]
		p.p++
		if c == '\'' {
			return b.String()
		}
		if c == '\\' && p.p < len(p.s) && (p.s[p.p] == '\'' || p.s[p.p] == '\\') {
			c = p.s[p.p]
			p.p++
		}
		b.WriteByte(c)
	}
}

func (p *vparser) ident() string {
	p.ws()
	start := p.p
	if p.peek() == '`' {
		p.p++
		for p.peek() != '`' {
			p.p++
		}
		p.p++
		return p.s[start+1 : p.p-1]
	}
	for p.p < len(p.s) && !strings.ContainsRune(":{}[]() ,|-<>", rune(p.s[p.p])) {
		p.p++
	}
	return p.s[start:p.p]
}

func (p *vparser) props() map[string]*val {
	m := map[string]*val{}
	p.must("{")
	for p.ws(); p.peek() != '}'; p.ws() {
		k := p.ident()
		p.ws()
		p.must(":")
		m[k] = p.value()
		p.ws()
		if !p.eat(",") {
			break
		}
	}
	p.ws()
	p.must("}")
	return m
}

func (p *vparser) node() *val {
	p.must("(")
	v := &val{kind: "node", m: map[string]*val{}}
	p.ws()
	for p.eat(":") {
		v.labels = append(v.labels, p.ident())
		p.ws()
	}
	if p.peek() == '{' {
		v.m = p.props()
	}
	p.ws()
	p.must(")")
	return v
}

func (p *vparser) rel() *val {
	p.must("[")
	p.ws()
	p.must(":")
	v := &val{kind: "rel", m: map[string]*val{}}
	v.labels = []string{p.ident()}
	p.ws()
	if p.peek() == '{' {
		v.m = p.props()
	}
	p.ws()
	p.must("]")
	return v
}

func (p *vparser) path() *val {
	p.must("<")
	v := &val{kind: "path"}
	v.list = append(v.list, p.node())
	for {
		p.ws()
		if p.eat(">") {
			return v
		}
		back := p.eat("<-")
		if !back {
			p.must("-")
		}
		r := p.rel()
		if back {
			p.must("-")
		} else {
			p.must("->")
		}
		v.back = append(v.back, back)
		v.list = append(v.list, r, p.node())
	}
}
