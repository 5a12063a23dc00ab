//go:build unix

package safetensors_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ragdb/ragdb/rag/llm/encoder/internal/safetensors"
)

// TestCutWhileOpen cuts a file that is mapped: reading what is missing is an
// error and does not end the process.
func TestCutWhileOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	const n = 1 << 18
	if err := os.WriteFile(path, file("{"+entry("a", "F32", "[65536]", 0, n)+"}", n), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x, _ := f.Tensor("a")
	read := func() error {
		x.Floats(make([]float32, 65536), 0)
		return nil
	}
	if err := f.Guard(read); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	if err := f.Guard(read); !errors.Is(err, safetensors.ErrFormat) {
		t.Errorf("after the cut: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("Guard swallows other panics")
		}
	}()
	_ = f.Guard(func() error { panic("other") })
}

// TestPipe says that a pipe is refused and not waited for.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip("no pipes here:", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := safetensors.Open(path)
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, safetensors.ErrFormat) {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("Open waits")
	}
}
