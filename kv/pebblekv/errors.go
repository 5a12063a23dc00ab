package pebblekv

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ragdb/ragdb/kv"
)

// wrap translates err and names the operation and the directory.
func (s *Store) wrap(op string, err error) error {
	switch err = translate(err); {
	case err == nil:
		return nil
	case errors.Is(err, kv.ErrClosed), errors.Is(err, kv.ErrNotFound):
		return err
	}
	return phase.At(op+" "+s.path, err)
}

// wrapRead is wrap for what reads: what else may go wrong there is the file
// system's failure.
func (s *Store) wrapRead(op string, err error) error {
	if err = translate(err); err == nil || errors.Is(err, kv.ErrNotFound) {
		return err
	}
	for _, known := range []error{kv.ErrClosed, kv.ErrCorrupt, kv.ErrReadOnly, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return s.wrap(op, err)
		}
	}
	return s.wrap(op, fmt.Errorf("%w: %w", kv.ErrIO, err))
}

// translate turns Pebble's errors into kv's.
func translate(err error) error {
	if err == pebble.ErrNotFound || err == kv.ErrNotFound { // Most errors are this one, unwrapped, and looking into it takes longer than the read.
		return kv.ErrNotFound
	}
	var known *kv.CorruptError
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, pebble.ErrNotFound):
		return kv.ErrNotFound
	case errors.Is(err, pebble.ErrReadOnly):
		return kv.ErrReadOnly
	case errors.Is(err, pebble.ErrClosed):
		return kv.ErrClosed
	case pebble.IsCorruptionError(err):
		return corrupt(err)
	}
	return err
}

// corrupt marks err as damage and names the file if err does.
func corrupt(err error) *kv.CorruptError {
	file := fileIn(err.Error())
	if info := pebble.ExtractDataCorruptionInfo(err); info != nil {
		file = path.Base(strings.ReplaceAll(info.Path, `\`, "/"))
	}
	return &kv.CorruptError{File: file, Err: &oneLine{err}}
}

// oneLine is an error of Pebble's without what is not for people: its message
// has a line for each cause, and lines that stand for values.
type oneLine struct{ err error }

func (e *oneLine) Unwrap() error { return e.err }

func (e *oneLine) Error() string {
	var out []string
	for line := range strings.Lines(e.err.Error()) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "pebble: ")
		if line != "" && !strings.HasPrefix(line, "<") && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "; ")
}

// fileIn returns the first table, log, manifest or options file that a message
// names.
func fileIn(message string) string {
	words := strings.FieldsFunc(message, func(r rune) bool {
		return strings.ContainsRune(` "'(),:;/\`, r)
	})
	for i, w := range words {
		switch {
		case strings.HasSuffix(w, ".sst"), strings.HasSuffix(w, ".log"),
			strings.HasPrefix(w, "MANIFEST-"), strings.HasPrefix(w, "OPTIONS-"):
			return w
		case w == "sstable" && i > 1 && words[i-1] == "type":
			return words[i-2] + ".sst" // which is not there
		}
	}
	return ""
}
