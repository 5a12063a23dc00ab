package prompts

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// key opens data. Templates have none.
type key struct{}

// data is what a template may not print: it has a kind that text/template
// refuses to print and a parameter that templates cannot give. The functions of
// a page open it.
type data func(*key) reflect.Value

func hide(v reflect.Value) data { return func(*key) reflect.Value { return v } }

func hideText(s string) data { return hide(reflect.ValueOf(s)) }

// page is what one prompt is filled from.
type page struct {
	// fields are the input's by their names in Go: numbers and truths as they
	// are, all else as data; nil for an empty text or list.
	fields fields
	// code is the number in the lines that fence data. None of the texts has
	// it.
	code  string
	lang  string
	bytes int // of all texts
}

// fields are the dot of a template.
type fields map[string]any

// String returns nothing, which is what a template prints that prints its dot.
func (fields) String() string { return "" }

// newPage returns the page of an input.
func newPage(kind string, input reflect.Value, lang string) *page {
	var all []string
	input = cleaned(input, &all)
	p := &page{fields: fields{}, code: codeFor(kind, all), lang: lang}
	for _, s := range all {
		p.bytes += len(s)
	}
	p.add(input)
	return p
}

func (p *page) add(v reflect.Value) {
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i)
		switch {
		case name.Anonymous:
			p.add(f)
		case f.Kind() == reflect.Int:
			p.fields[name.Name] = max(0, int(f.Int()))
		case f.Kind() == reflect.Bool:
			p.fields[name.Name] = f.Bool()
		case f.Kind() != reflect.Struct && f.Len() == 0:
			p.fields[name.Name] = nil
		default:
			p.fields[name.Name] = hide(f)
		}
	}
}

// minCodeDigits is the least length of a code.
const minCodeDigits = 6

// codeFor returns the code of a prompt: a number that follows from all its
// texts and stands in none of them. It has so many digits that nine of ten
// numbers of its length stand in no text of this size; so a second try is rare,
// and for every text there is such a number.
func codeFor(kind string, texts []string) string {
	h := sha256.New()
	h.Write([]byte(kind))
	size := 0
	for _, s := range texts {
		size += len(s)
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	digits := max(minCodeDigits, len(strconv.Itoa(size))+1)
	limit := uint64(1)
	for range digits {
		limit *= 10
	}
	seed := h.Sum(nil)
	for try := uint64(0); ; try++ {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(seed, try))
		code := fmt.Sprintf("%0*d", digits, binary.BigEndian.Uint64(sum[:])%limit)
		if !anyContains(texts, code) {
			return code
		}
	}
}

func anyContains(texts []string, code string) bool {
	for _, s := range texts {
		if strings.Contains(s, code) {
			return true
		}
	}
	return false
}
