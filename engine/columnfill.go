package engine

import (
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine/internal/schema"
	"github.com/ragdb/ragdb/internal/column"
)

// columnFill makes the vectors of a block from records.
type columnFill struct {
	pids   []uint32
	values [][]column.Value             // by column and row
	known  []map[column.Kind]knownTexts // by column
}

// knownTexts are texts of a block by their bytes: each is kept once.
type knownTexts map[string]string

// begin starts the vectors of some properties.
func (f *columnFill) begin(pids []uint32) {
	f.pids = pids
	for len(f.values) < len(pids) {
		f.values = append(f.values, make([]column.Value, blockIDs))
		f.known = append(f.known, map[column.Kind]knownTexts{})
	}
	for i := range f.values {
		clear(f.values[i])
		for _, texts := range f.known[i] {
			clear(texts)
		}
	}
}

// add sets the values of a row to those of a record.
func (f *columnFill) add(row int, buf []byte) (err error) {
	defer guard(&err)
	n := schema.GetRootAsNode(buf, 0)
	var p schema.Property
	left := room(len(buf))
	for i := range n.PropsLength() {
		if !n.Props(&p, i) {
			return fmt.Errorf("malformed record: property %d is missing", i)
		}
		at := slices.Index(f.pids, p.Id())
		if at < 0 {
			continue
		}
		if err := f.set(at, row, &p, &left); err != nil {
			return err
		}
	}
	return nil
}

// set sets a value of a column.
func (f *columnFill) set(at, row int, p *schema.Property, left *room) error {
	kind := columnKind(Kind(p.Kind()))
	var texts knownTexts
	var bytes []byte
	if kind.Class() == column.Text && Kind(p.Kind()) != KindStrings {
		bytes = p.BytesBytes()
		if texts = f.known[at][kind]; texts == nil {
			texts = knownTexts{}
			f.known[at][kind] = texts
		}
		if s, ok := texts[string(bytes)]; ok {
			f.values[at][row] = column.Value{Kind: kind, Str: s}
			return left.take(elementSize + len(bytes))
		}
	}
	x, err := decodeProp(p, left)
	if err != nil {
		return err
	}
	v := toColumn(x.value)
	if texts != nil {
		texts[v.Str] = v.Str
	}
	f.values[at][row] = v
	return nil
}

// vector returns the vector of a column.
func (f *columnFill) vector(at int) *Vector {
	v := &Vector{}
	v.values.Fill(f.values[at])
	if v.Some() > 0 && v.values.Kind == 0 { // it keeps the values
		f.values[at] = make([]column.Value, blockIDs)
	}
	return v
}

// size returns about the memory that a vector takes.
func (v *Vector) size() int {
	const vectorBytes, textBytes, valueBytes = 256, 16, 40
	n := vectorBytes + 8*(cap(v.values.Nums)+cap(v.values.Codes)) + textBytes*cap(v.values.Dict)
	if v.Some() > 0 && v.values.Kind == 0 {
		n += (valueBytes + textBytes) * v.Rows()
	}
	for _, s := range v.values.Dict {
		n += len(s)
	}
	return n
}
