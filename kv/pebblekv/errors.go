package pebblekv

import (
	"errors"
	"fmt"
	"path"
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
	return fmt.Errorf("pebblekv: %s %s: %w", op, s.path, err)
}

// translate turns Pebble's errors into kv's.
func translate(err error) error {
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

// corrupt marks err as damage and names the file where err does.
func corrupt(err error) *kv.CorruptError {
	file := fileIn(err.Error())
	if info := pebble.ExtractDataCorruptionInfo(err); info != nil {
		file = path.Base(strings.ReplaceAll(info.Path, `\`, "/"))
	}
	return &kv.CorruptError{File: file, Err: err}
}

// fileIn returns the first table, log or manifest that a message names.
func fileIn(message string) string {
	words := strings.FieldsFunc(message, func(r rune) bool {
		return strings.ContainsRune(` "'(),:;/\`, r)
	})
	for _, w := range words {
		if strings.HasSuffix(w, ".sst") || strings.HasSuffix(w, ".log") || strings.HasPrefix(w, "MANIFEST-") {
			return w
		}
	}
	return ""
}
