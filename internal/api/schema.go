package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ragdb/ragdb/internal/fault"
)

// schema is a JSON Schema, as far as the types need one.
type schema struct {
	Ref         string             `json:"$ref,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        any                `json:"type,omitempty"` // a name, or a list of names
	Format      string             `json:"format,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Minimum     *int64             `json:"minimum,omitempty"`
	Maximum     *int64             `json:"maximum,omitempty"`
	MinLength   *int64             `json:"minLength,omitempty"`
	MaxLength   *int64             `json:"maxLength,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	MinItems    *int64             `json:"minItems,omitempty"`
	MaxItems    *int64             `json:"maxItems,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	// Additional are the values of other properties; false has none.
	Additional any `json:"additionalProperties,omitempty"`
}

// schemas makes schemas of types. Structs with a name stand once, below their name.
type schemas struct {
	named    map[string]*schema
	types    map[string]reflect.Type
	comments map[string]string
	// strict schemas are of what the server takes: a field that is not omitted when
	// empty must be there, and there are no others.
	strict bool
	// lenient takes others, too.
	lenient bool
}

var (
	timeType = reflect.TypeFor[time.Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
	anyType  = reflect.TypeFor[json.Marshaler]()
)

// of returns the schema of a type.
func (s *schemas) of(t reflect.Type) *schema {
	switch {
	case t == reflect.TypeFor[upload]():
		return &schema{Type: "string", Format: "binary"}
	case t == timeType:
		return &schema{Type: "string", Format: "date-time"}
	case t == rawType, t.Kind() == reflect.Interface, t.Implements(anyType), reflect.PointerTo(t).Implements(anyType):
		return &schema{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.String:
		return &schema{Type: "string"}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &schema{Type: "integer"}
	case reflect.Float32, reflect.Float64:
		return &schema{Type: "number"}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return &schema{Type: "string", Format: "byte"}
		}
		return &schema{Type: "array", Items: s.of(t.Elem())}
	case reflect.Map:
		return &schema{Type: "object", Additional: s.of(t.Elem())}
	case reflect.Struct:
		return s.structOf(t)
	}
	return &schema{}
}

// structOf returns the schema of a struct: a reference if it has a name.
func (s *schemas) structOf(t reflect.Type) *schema {
	name := t.Name()
	if name == "" || s.strict {
		return s.fields(t)
	}
	name = strings.ToUpper(name[:1]) + name[1:]
	if have, ok := s.types[name]; ok && have != t {
		pkg := t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:]
		name = strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	if s.named[name] == nil {
		s.types[name] = t
		s.named[name] = &schema{} // for types that hold themselves
		*s.named[name] = *s.fields(t)
	}
	return &schema{Ref: "#/components/schemas/" + name}
}

// fields returns the schema of a struct's fields.
func (s *schemas) fields(t reflect.Type) *schema {
	out := &schema{Type: "object", Properties: map[string]*schema{}, Description: s.comment(t, "")}
	if s.strict && !s.lenient {
		out.Additional = false
	}
	s.add(out, t)
	slices.Sort(out.Required)
	return out
}

// add adds the fields of a struct, and of those that it embeds.
func (s *schemas) add(out *schema, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		ft := f.Type
		if ft.Kind() == reflect.Pointer {
			ft = ft.Elem()
		}
		switch {
		case tag == "-", f.Tag.Get("path") != "", f.Tag.Get("query") != "", f.Tag.Get("part") != "":
			continue
		case f.Anonymous && tag == "" && ft.Kind() == reflect.Struct:
			s.add(out, ft)
			continue
		case !f.IsExported():
			continue
		case tag == "":
			tag = f.Name
		}
		p := s.of(f.Type)
		omitted := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		switch f.Type.Kind() {
		case reflect.Slice, reflect.Map, reflect.Pointer:
			if !omitted && !s.strict && p.Type != nil {
				p.Type = []string{p.Type.(string), "null"}
			}
		}
		p = constrain(p, f.Tag.Get("schema"))
		if c := s.comment(t, f.Name); c != "" && p.Ref == "" {
			p.Description = c
		}
		out.Properties[tag] = p
		if !omitted {
			out.Required = append(out.Required, tag)
		}
	}
}

// constrain adds to a schema what a tag says: min, max, minlen, maxlen, minitems,
// maxitems, enum with its values between bars, and digits.
func constrain(p *schema, tag string) *schema {
	if tag == "" {
		return p
	}
	for _, part := range strings.Split(tag, ",") {
		key, value, _ := strings.Cut(part, "=")
		switch key {
		case "enum":
			p.Enum = strings.Split(value, "|")
			continue
		case "digits":
			p.Pattern = "^[0-9]*$"
			continue
		}
		n, _ := strconv.ParseInt(value, 10, 64) // a tag of ours; TestSchemas reads all
		switch key {
		case "min":
			p.Minimum = &n
		case "max":
			p.Maximum = &n
		case "minlen":
			p.MinLength = &n
		case "maxlen":
			p.MaxLength = &n
		case "minitems":
			p.MinItems = &n
		case "maxitems":
			p.MaxItems = &n
		}
	}
	return p
}

func (s *schemas) comment(t reflect.Type, field string) string {
	pkg := t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:]
	name := pkg + "." + t.Name()
	if field != "" {
		name += "." + field
	}
	return s.comments[name]
}

// check reads JSON and says in what it is not as a schema has it. where names the value.
func (p *schema) check(where string, v any) error {
	wrong := func(format string, args ...any) error {
		return refuse("usage", "", where+": "+fault.Text(format, args...))
	}
	kind, _ := p.Type.(string)
	switch v := v.(type) {
	case nil:
		if p.Type != nil {
			return wrong("null is no %s", kind)
		}
	case string:
		n := int64(utf8.RuneCountInString(v))
		switch {
		case kind != "string" && p.Type != nil:
			return wrong("a text is no %s", kind)
		case p.Enum != nil && !slices.Contains(p.Enum, v):
			return wrong("%q is not one of %s", v, strings.Join(p.Enum, ", "))
		case p.MinLength != nil && n < *p.MinLength:
			return wrong("it is empty")
		case p.MaxLength != nil && n > *p.MaxLength:
			return wrong("it has more than %d characters", *p.MaxLength)
		}
	case bool:
		if kind != "boolean" && p.Type != nil {
			return wrong("%t is no %s", v, kind)
		}
	case json.Number:
		return p.checkNumber(wrong, kind, v)
	case []any:
		switch n := int64(len(v)); {
		case kind != "array" && p.Type != nil:
			return wrong("a list is no %s", kind)
		case p.MinItems != nil && n < *p.MinItems:
			return wrong("it is empty")
		case p.MaxItems != nil && n > *p.MaxItems:
			return wrong("it has more than %d elements", *p.MaxItems)
		}
		for i, e := range v {
			if p.Items != nil {
				if err := p.Items.check(fmt.Sprintf("%s[%d]", where, i), e); err != nil {
					return err
				}
			}
		}
	case map[string]any:
		return p.checkObject(wrong, where, kind, v)
	}
	return nil
}

func (p *schema) checkNumber(wrong func(string, ...any) error, kind string, v json.Number) error {
	switch kind {
	case "":
		return nil
	case "number":
		if _, err := v.Float64(); err != nil {
			return wrong("%s is too large", v)
		}
		return nil
	case "integer":
	default:
		return wrong("a number is no %s", kind)
	}
	n, err := whole(v)
	switch {
	case err != nil:
		return wrong("%s is no whole number that fits", v)
	case p.Minimum != nil && n < *p.Minimum:
		return wrong("%d is less than %d", n, *p.Minimum)
	case p.Maximum != nil && n > *p.Maximum:
		return wrong("%d is more than %d", n, *p.Maximum)
	}
	return nil
}

func (p *schema) checkObject(wrong func(string, ...any) error, where, kind string, v map[string]any) error {
	if kind != "object" && p.Type != nil {
		return wrong("an object is no %s", kind)
	}
	for _, name := range p.Required {
		if _, ok := v[name]; !ok {
			return wrong("%s is missing", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		inner := p.Properties[name]
		if other, ok := p.Additional.(*schema); inner == nil && ok {
			inner = other
		}
		if inner == nil && p.Additional == false {
			return wrong("there is no %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(p.Properties)), ", "))
		}
		if inner != nil {
			if err := inner.check(where+"."+fault.Cut(name), v[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// whole returns a number that is whole, also if it is written as 2.0 or 2e3.
func whole(v json.Number) (int64, error) {
	if n, err := v.Int64(); err == nil {
		return n, nil
	}
	f, err := v.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, strconv.ErrSyntax
	}
	return int64(f), nil
}

// plain returns a value that was checked with its integers written as such.
func (p *schema) plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := whole(v); err == nil && p.Type == "integer" {
			return n
		}
	case []any:
		if p.Items != nil {
			for i := range v {
				v[i] = p.Items.plain(v[i])
			}
		}
	case map[string]any:
		for name := range v {
			inner := p.Properties[name]
			if other, ok := p.Additional.(*schema); inner == nil && ok {
				inner = other
			}
			if inner != nil {
				v[name] = inner.plain(v[name])
			}
		}
	}
	return v
}

// decode reads a body of JSON into a value that has the schema.
func (p *schema) decode(b []byte, into any) error {
	if !utf8.Valid(b) {
		return refuse("usage", "", "the body is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return refuse("usage", "", "the body is not JSON: "+fault.Cut(strings.TrimPrefix(err.Error(), "json: ")))
	}
	if d.More() {
		return refuse("usage", "", "the body has more than one value")
	}
	if err := p.check("body", v); err != nil {
		return err
	}
	if b, err := json.Marshal(p.plain(v)); err != nil {
		return err
	} else if err := json.Unmarshal(b, into); err != nil {
		return refuse("usage", "", "the body is wrong: "+fault.Cut(strings.TrimPrefix(err.Error(), "json: ")))
	}
	return nil
}
