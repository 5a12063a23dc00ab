package fault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/ragdb/ragdb/internal/fault"
)

func TestError(t *testing.T) {
	kind := errors.New("kind")
	below := fault.Store.At("open x", fs.ErrNotExist)
	for _, c := range []struct {
		name   string
		err    error
		text   string
		is     error
		origin fault.Phase
	}{
		{"formatted", fault.Load.Errorf("read %s: %w", "a", fs.ErrNotExist), "read a: file does not exist", fs.ErrNotExist, fault.Load},
		{"wrapped", fault.Rag.Errorf("add: %w", fault.Load.Errorf("read: %w", fs.ErrNotExist)), "add: read: file does not exist", fs.ErrNotExist, fault.Load},
		{"placed", below, "open x: file does not exist", fs.ErrNotExist, fault.Store},
		{"one place twice", fault.Engine.At("open x", below), "open x: file does not exist", fs.ErrNotExist, fault.Store},
		{"two places", fault.Engine.At("restore y", below), "restore y: open x: file does not exist", fs.ErrNotExist, fault.Store},
		{"no place", fault.Engine.At("", below), "open x: file does not exist", fs.ErrNotExist, fault.Store},
		{"marked", fault.Graph.Mark(kind, "%d planes", 3), "3 planes", kind, fault.Graph},
		{"marked and wrapped", fmt.Errorf("call: %w", fault.Graph.Mark(kind, "odd: %w", fs.ErrClosed)), "call: odd: file already closed", fs.ErrClosed, fault.Graph},
	} {
		var e *fault.Error
		if !errors.As(c.err, &e) || e.Origin() != c.origin || c.err.Error() != c.text || !errors.Is(c.err, c.is) {
			t.Errorf("%s: %q of %+v", c.name, c.err, e)
		}
	}
}
