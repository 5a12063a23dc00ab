package prompts

import (
	"bytes"
	"reflect"

	"github.com/ragdb/ragdb/rag/llm"
)

// Fill sets Prompt and Schema of a task from its Kind, Input and Lang, and
// MaxTokens if that is 0. It is a pure function of these four and of the
// set: the same bytes each time. What it sets belongs to the caller. Input is a
// value of the type that the kind names, not a pointer, and is not changed.
//
// MaxTokens is the one in the prompt's front part; if the input says how
// long a text is wanted, that length and half of it and 100, so that a reply
// that is a little long is not cut. If the front part has a max_ratio, it bounds
// both by the length of the input's texts.
//
// Errors: [llm.ErrKind] for an unknown kind, [ErrInput] for an
// input of another type, and a [*FileError] if a template of a directory
// fails on this input. Then the task is as it was.
func (s *Set) Fill(t *llm.Task) error {
	e, ok := s.entries[promptOf(t)]
	if !ok || t.Kind == inParagraphs {
		return phase.Errorf("%q: %w", t.Kind, llm.ErrKind)
	}
	in := reflect.ValueOf(t.Input)
	if !in.IsValid() || in.Type() != e.info.input {
		return phase.Errorf("%s: %w: %T", t.Kind, ErrInput, t.Input)
	}
	pg := newPage(string(t.Kind), in, t.Lang)
	messages, err := e.parsed.fill(promptFile(e.info.kind), pg)
	if err != nil {
		return phase.At("", err)
	}
	t.Prompt, t.Schema = messages, bytes.Clone(e.compact)
	if t.MaxTokens == 0 {
		asked, _ := pg.fields["MaxTokens"].(int)
		t.MaxTokens = e.parsed.bound(asked, pg.bytes)
	}
	return nil
}
