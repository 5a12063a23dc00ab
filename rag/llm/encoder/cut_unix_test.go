//go:build unix

package encoder_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ragdb/ragdb/rag/llm/encoder"
)

// TestCutInUse cuts the weights of an open model. Its vocabulary is read from the
// file when a text wants it: that fails, and the process goes on.
func TestCutInUse(t *testing.T) {
	made := newMade(nil)
	dir := made.write(t)
	m := openModel(t, dir, nil)
	embed(t, m, []string{word(1)}, encoder.Query)
	if err := os.Truncate(filepath.Join(dir, "model.safetensors"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Embed(context.Background(), []string{word(1)}, encoder.Query); !errors.Is(err, encoder.ErrModel) {
		t.Errorf("after the cut: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
