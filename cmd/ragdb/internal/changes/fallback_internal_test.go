package changes

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestFallback takes the system's events away: a change is then found by looking now and
// then, and once a folder cannot be watched the folder is looked at every so often.
func TestFallback(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := Open(dir, Options{Quiet: 10 * time.Millisecond, Now: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	expect := func(want Event) {
		t.Helper()
		if got, err := w.Wait(t.Context(), 10*time.Second); got != want || err != nil {
			t.Fatalf("event %d, %v", got, err)
		}
	}
	expect(Changed)
	if w.Every() != 0 || w.Why() != nil {
		t.Fatalf("it looks every %v: %v", w.Every(), w.Why())
	}
	if err := w.n.system.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	expect(Changed)
	if w.Every() != pollTime || w.Why() == nil {
		t.Errorf("it looks every %v: %v", w.Every(), w.Why())
	}
}

// TestLost has the system lose events: then any file may have been written to.
func TestLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Open(dir, Options{Quiet: 10 * time.Millisecond, Now: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range 2 {
		if got, err := w.Wait(t.Context(), 10*time.Second); got != Changed || err != nil {
			t.Fatalf("event %d: %d, %v", i, got, err)
		}
		w.n.note("", true)
	}
}
