package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/layout"
)

// FieldOptions describes a field: what of a node's words is indexed. It is
// stamped when the field is made and never changes.
type FieldOptions struct {
	// Analyzer names what turns text into the field's terms, version included;
	// it must be asked for queries too. The default is that of
	// [text.Standard]. The engine itself never analyzes.
	Analyzer string
	// Positions says that the places of terms are kept, which
	// [View.Phrase] needs. They are about half of a field's size.
	Positions bool
}

// fieldPositions is the flag, in the first byte of a field's options, of a
// field with positions. The analyzer's name follows it.
const fieldPositions = 1 << 0

func (o FieldOptions) encode() []byte {
	flags := byte(0)
	if o.Positions {
		flags |= fieldPositions
	}
	return append([]byte{flags}, o.Analyzer...)
}

func decodeFieldOptions(b []byte) (FieldOptions, error) {
	if len(b) < 2 || b[0]&^fieldPositions != 0 {
		return FieldOptions{}, errors.New("malformed field options")
	}
	return FieldOptions{Analyzer: string(b[1:]), Positions: b[0]&fieldPositions != 0}, nil
}

// MakeField makes a field of terms, or returns nil if it exists with the
// same options. A name that has others is [ErrExists].
func (v *TxView) MakeField(name string, o FieldOptions) error {
	err := phase.Mark(ErrInvalid, "names that begin with %s are those of indexes", fulltextPrefix)
	if !strings.HasPrefix(name, fulltextPrefix) {
		err = v.makeField(name, o)
	}
	return v.wrap(fmt.Sprintf("make field %q", name), err)
}

func (v *TxView) makeField(name string, o FieldOptions) error {
	if err := v.check(); err != nil {
		return err
	}
	name, err := checkName("field", name)
	if err != nil {
		return err
	}
	if o.Analyzer == "" {
		o.Analyzer = text.Standard{}.Name()
	}
	if o.Analyzer, err = checkName("analyzer", o.Analyzer); err != nil {
		return err
	}
	if _, have, err := v.field(name); err == nil {
		if have != o {
			return fmt.Errorf("%w: with analyzer %s, positions %t", ErrExists, have.Analyzer, have.Positions)
		}
		return nil
	} else if !errors.Is(err, ErrNotFound) {
		return err
	}
	v.addName(layout.KindField, name, nil, o.encode())
	return nil
}

// field returns the id and the options of a field.
func (r *reader) field(name string) (uint32, FieldOptions, error) {
	name, err := checkName("field", name)
	if err != nil {
		return 0, FieldOptions{}, err
	}
	id, e, ok := r.catalogued(layout.KindField, name)
	if !ok {
		return 0, FieldOptions{}, fmt.Errorf("field %q: %w", name, ErrNotFound)
	}
	o, err := decodeFieldOptions(e.options)
	if err != nil {
		return 0, FieldOptions{}, corrupt(layout.Catalog(r.g, layout.KindField, id), err)
	}
	return id, o, nil
}

// FieldInfo returns what a field was made with; an unknown one is
// [ErrNotFound].
func (r *reader) FieldInfo(name string) (FieldOptions, error) {
	_, o, err := r.field(name)
	return o, r.wrap("field", err)
}

// Fields returns the names of the graph's fields, in order, without those of
// fulltext indexes ([Rule.Field]).
func (r *reader) Fields() []string {
	return slices.DeleteFunc(r.cataloguedNames(layout.KindField), func(name string) bool { return strings.HasPrefix(name, fulltextPrefix) })
}
