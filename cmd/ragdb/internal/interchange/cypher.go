package interchange

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// WriteCypher writes a graph as statements that make it: one for each node and
// each edge, which ragdb -f and other programs that speak Cypher run. Every
// node has its key, by which edges find their ends.
func WriteCypher(ctx context.Context, w io.Writer, s *Source) error {
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "// graph %s\n", strings.NewReplacer("\n", " ", "\r", " ").Replace(s.View.Graph().Name()))
	for n, err := range s.Nodes(ctx) {
		if err != nil {
			return err
		}
		b.WriteString("CREATE (")
		if n.Type != "" {
			for _, l := range append([]string{n.Type}, n.Labels...) {
				b.WriteString(":" + name(l))
			}
			b.WriteByte(' ')
		}
		fmt.Fprintf(b, "{key: %s", quote(n.Key))
		for _, p := range n.Props {
			if p.Name != attrKey {
				fmt.Fprintf(b, ", %s: %s", name(p.Name), literal(p.Value))
			}
		}
		b.WriteString("});\n")
	}
	end := func(id string) string {
		t, key, _ := cutID(id, s.View)
		if t == "" {
			return fmt.Sprintf("(:!%% {key: %s})", quote(key)) // without a label
		}
		return fmt.Sprintf("(:%s {key: %s})", name(t), quote(key))
	}
	for e, err := range s.Edges(ctx) {
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "MATCH %s, %s CREATE (a)-[:%s {weight: %s", strings.Replace(end(e.From), "(", "(a", 1), strings.Replace(end(e.To), "(", "(b", 1),
			name(e.Type), literal(engine.Float(float64(e.Weight))))
		for _, p := range e.Props {
			if p.Name != attrWeight {
				fmt.Fprintf(b, ", %s: %s", name(p.Name), literal(p.Value))
			}
		}
		b.WriteString("}]->(b);\n")
	}
	return b.Flush()
}

// cutID divides a node's id into type and key: a type may hold a colon itself,
// as those of chunks do.
func cutID(id string, v *engine.View) (t, key string, ok bool) {
	for _, nt := range append(v.NodeTypes(), engine.NoType) {
		n := v.NodeTypeName(nt)
		if rest, found := strings.CutPrefix(id, n+":"); found && len(n) >= len(t) {
			t, key, ok = n, rest, true
		}
	}
	return t, key, ok
}

// name writes a name of the language, in backticks if it is not an identifier.
func name(s string) string {
	plain := s != ""
	for i, r := range s {
		if !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && r >= '0' && r <= '9') {
			plain = false
		}
	}
	if plain {
		return s
	}
	return "`" + strings.ReplaceAll(s, "`", "``") + "`"
}

// quote writes a string of the language.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// literal writes a value of the language.
func literal(v engine.Value) string {
	switch v.Kind() {
	case engine.KindBool:
		return strconv.FormatBool(v.AsBool())
	case engine.KindInt:
		return strconv.FormatInt(v.AsInt(), 10)
	case engine.KindFloat:
		s := strconv.FormatFloat(v.AsFloat(), 'g', -1, 64)
		if !strings.ContainsAny(s, ".eIN") {
			s += ".0"
		}
		return s
	case engine.KindStrings, engine.KindList:
		var parts []string
		for _, x := range v.AsList() {
			parts = append(parts, literal(x))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case engine.KindTemporal:
		t := v.AsTemporal()
		return t.Kind().String() + "(" + quote(t.String()) + ")"
	case engine.KindPoint:
		return v.AsPoint().String()
	}
	return quote(text(v))
}
