package cypher

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// sexpr writes a tree as a compact S-expression: (Type field...), where a field
// that is empty is left out, and one that needs its name is name=value. Places
// are left out.
func sexpr(x any) string {
	var b strings.Builder
	writeSexpr(&b, reflect.ValueOf(x))
	return b.String()
}

func writeSexpr(b *strings.Builder, v reflect.Value) {
	if v.IsValid() && v.CanInterface() {
		switch x := v.Interface().(type) {
		case Value:
			b.WriteString(valueText(x))
			return
		case *literal:
			b.WriteString(valueText(x.Value))
			return
		case *variable:
			b.WriteString(x.Name)
			return
		case *param:
			b.WriteString("$" + x.Name)
			return
		case *labelExpr:
			b.WriteString(x.String())
			return
		case direction:
			b.WriteString([]string{"->", "<-", "--"}[x])
			return
		case binaryOp:
			b.WriteString(binaryOps[x].text)
			return
		case unaryOp:
			b.WriteString([]string{"NOT", "-", "+"}[x])
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		writeSexpr(b, v.Elem())
	case reflect.Struct:
		b.WriteString("(" + v.Type().Name())
		for i := range v.NumField() {
			name, f := v.Type().Field(i).Name, v.Field(i)
			always := name == "Op" || name == "Dir"
			if name == "Pos" || name == "Text" || name == "Min" || name == "Max" || f.IsZero() && !always {
				continue
			}
			switch f.Kind() {
			case reflect.Bool:
				b.WriteString(" " + name)
				if name == "Var" {
					fmt.Fprintf(b, "=%d..%d", v.FieldByName("Min").Int(), v.FieldByName("Max").Int())
				}
				continue
			case reflect.Slice, reflect.Interface, reflect.Pointer:
				b.WriteString(" ")
				if name != "Items" && name != "Patterns" && name != "X" && name != "L" && name != "R" && name != "Parts" && name != "Clauses" {
					b.WriteString(name + "=")
				}
			default:
				b.WriteString(" ")
			}
			writeSexpr(b, f)
		}
		b.WriteString(")")
	case reflect.Slice:
		b.WriteString("[")
		for i := range v.Len() {
			if i > 0 {
				b.WriteString(" ")
			}
			writeSexpr(b, v.Index(i))
		}
		b.WriteString("]")
	case reflect.String:
		s := v.String()
		if quoteName(s) == s {
			b.WriteString(s)
		} else {
			b.WriteString(strconv.Quote(s))
		}
	default:
		fmt.Fprint(b, v.Interface())
	}
}

func valueText(v Value) string {
	switch v.Kind() {
	case KindNull:
		return "null"
	case KindBool:
		return strconv.FormatBool(v.AsBool())
	case KindInt:
		return strconv.FormatInt(v.AsInt(), 10)
	case KindFloat:
		s := strconv.FormatFloat(v.AsFloat(), 'g', -1, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return s
	}
	return quoteString(v.AsString())
}
