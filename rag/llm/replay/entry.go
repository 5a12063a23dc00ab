package replay

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/ragdb/ragdb/rag/llm"
)

// Kinds of entries that no task has.
const (
	// KindPassage is an entry whose reply is a [Passage].
	KindPassage llm.Kind = "passage"
	// KindEmbedding is an entry that has a vector.
	KindEmbedding llm.Kind = "embedding"
)

// Entry is something that was paid for or recorded, as a line of JSON.
type Entry struct {
	Digest Digest   `json:"digest"`
	Kind   llm.Kind `json:"kind"`
	// Model is the provider's name, "" if it is not known.
	Model string    `json:"model,omitempty"`
	Reply string    `json:"reply,omitempty"`
	Usage llm.Usage `json:"usage"`
	// Vector is little-endian f32, of an embedding.
	Vector []byte `json:"vector,omitempty"`
	// Divided is there if the task was too long for the model, so that others were
	// asked in its place. Then there is no reply.
	Divided *Division `json:"divided,omitempty"`
}

// Division is why a task was divided: about how many tokens it needed, and how many
// the model's context has, 0 if that was not known. Equal tasks are divided equally
// by equal numbers, so that the replies to the parts are found again.
type Division struct {
	Tokens  int `json:"tokens,omitempty"`
	Context int `json:"context,omitempty"`
}

// Digest is a SHA-256, in hexadecimal as text.
type Digest [32]byte

// String returns 64 hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Digest) UnmarshalText(b []byte) error {
	if len(b) != hex.EncodedLen(len(d)) {
		return errors.New("the digest has not 64 hexadecimal digits")
	}
	if _, err := hex.Decode(d[:], b); err != nil {
		return errors.New("the digest has not 64 hexadecimal digits")
	}
	return nil
}

// LineError is what is wrong with a line of entries, counted from 1.
type LineError struct {
	Line   int
	Reason string
}

// Error names the line and what is wrong with it.
func (e *LineError) Error() string { return fmt.Sprintf("line %d %s", e.Line, e.Reason) }

// Write writes an entry as a line. Equal entries make equal lines.
func Write(w io.Writer, e Entry) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return phase.Errorf("write an entry: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// maxLine bounds a line of entries: 64 MiB.
const maxLine = 64 << 20

// Read yields the entries that [Write] wrote; fields that it does not know are
// left out, and so are empty lines. A line that is not an entry is a [*LineError],
// and the last thing that it yields.
func Read(r io.Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		sc := bufio.NewScanner(r)
		sc.Buffer(make([]byte, 0, 64<<10), maxLine)
		n := 1
		for ; sc.Scan(); n++ {
			if len(bytes.TrimSpace(sc.Bytes())) == 0 {
				continue
			}
			e, err := readEntry(sc.Bytes())
			if err != nil {
				yield(Entry{}, &LineError{Line: n, Reason: err.Error()})
				return
			}
			if !yield(e, nil) {
				return
			}
		}
		switch err := sc.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(Entry{}, &LineError{Line: n, Reason: "is longer than 64 MiB"})
		case err != nil:
			yield(Entry{}, phase.Errorf("line %d: %w", n, err))
		}
	}
}

func readEntry(line []byte) (e Entry, err error) {
	if err := json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("is not an entry of a cache: %s", reason(err))
	}
	return e, e.Check()
}

// Check says why [Read] would refuse the entry; nil if it would not.
func (e *Entry) Check() error {
	switch {
	case e.Digest == Digest{}:
		return errors.New("has no digest")
	case e.Kind == KindEmbedding:
		if len(e.Vector)%4 != 0 || e.Reply != "" || e.Divided != nil {
			return errors.New("has no vector that can be read")
		}
	case e.Vector != nil:
		return fmt.Errorf("has a vector and is of kind %q", e.Kind)
	case e.Kind != KindPassage && !e.Kind.Known():
		return fmt.Errorf("has the unknown kind %q", e.Kind)
	case e.Divided != nil && (e.Kind == KindPassage || e.Reply != ""):
		return errors.New("is divided and has a reply")
	}
	return nil
}

// reason shortens the decoder's message.
func reason(err error) string {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field == "":
		return "it is not an object"
	case errors.As(err, &wrong):
		return fmt.Sprintf("%q cannot be a %s", wrong.Field, wrong.Value)
	case err.Error() == "unexpected end of JSON input":
		return "the line is cut off"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
