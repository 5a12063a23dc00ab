// Package fault gives the errors of all layers one type, which carries the
// phase of the work that an error arose in. The text of an error names what was
// being done and what is wrong; it never names the phase, so that a program
// which shows errors needs no string work.
package fault

import (
	"errors"
	"fmt"
)

// Phase names a part of the work.
type Phase string

// The phases, from the disk up.
const (
	Store    Phase = "store"    // reading and writing keys
	Vectors  Phase = "vectors"  // vector spaces and their graphs
	Engine   Phase = "engine"   // nodes, edges, properties, transactions
	Graph    Phase = "graph"    // graph algorithms
	Query    Phase = "query"    // plans of operators
	Cypher   Phase = "cypher"   // the query language
	Load     Phase = "load"     // reading and cutting documents
	Model    Phase = "model"    // requests to models and their replies
	Rag      Phase = "rag"      // indexing and asking
	Eval     Phase = "eval"     // measuring methods
	Import   Phase = "import"   // reading what other systems wrote
	Database Phase = "database" // package ragdb
)

// Error is an error of one phase.
type Error struct {
	Phase Phase
	// Place says what was being done and on what, such as "open acme.ragdb". It
	// may be empty.
	Place string
	// Err says what is wrong.
	Err error
}

// Error returns the place and the text of Err. Of joined errors, which stand on lines of
// their own, it has at most a hundred, each of at most 1,000 bytes. If two layers name the
// same place, it appears once.
func (e *Error) Error() string {
	var below *Error
	if e.Place == "" || errors.As(e.Err, &below) && below.Place == e.Place {
		return boundLines(e.Err.Error())
	}
	return boundLines(Cut(e.Place) + ": " + e.Err.Error())
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Origin returns the phase that the error arose in: that of the innermost Error
// of the chain.
func (e *Error) Origin() Phase {
	for below := e; errors.As(e.Err, &below); {
		e = below
	}
	return e.Phase
}

// Errorf formats an error of the phase as [fmt.Errorf] does. Texts among the arguments are
// cut as [Cut] does.
func (p Phase) Errorf(format string, args ...any) error {
	return &Error{Phase: p, Err: fmt.Errorf(format, cutAll(args)...)}
}

// At places an error: place says what was being done and on what.
func (p Phase) At(place string, err error) error { return &Error{p, place, err} }

// Mark formats an error of the phase that is kind by [errors.Is]. The text of
// kind is left out, since the formatted text says in what way.
func (p Phase) Mark(kind error, format string, args ...any) error {
	return &Error{Phase: p, Err: &marked{fmt.Errorf(format, cutAll(args)...), kind}}
}

type marked struct {
	error
	kind error
}

func (m *marked) Unwrap() []error { return []error{m.error, m.kind} }
