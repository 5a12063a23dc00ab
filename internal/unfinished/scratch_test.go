package unfinished_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/ragdb/ragdb/internal/unfinished"
)

// TestScratch writes random pieces and reads them back, as often as wanted, whatever part
// of them stays in memory. No file is left.
func TestScratch(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, most := range []int{0, 1, 100, 10_000, 1 << 20} {
		dir := t.TempDir()
		s := unfinished.NewScratch(dir, most)
		var want []byte
		for range 300 {
			b := make([]byte, r.IntN(400))
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			want = append(want, b...)
			if n, err := s.Write(b); err != nil || n != len(b) {
				t.Fatal(n, err)
			}
		}
		for range 2 {
			got, err := io.ReadAll(s.Reader())
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes in memory: read %d bytes, want %d, %v", most, len(got), len(want), err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%d files are left, %v", len(left), err)
		}
	}
	s := unfinished.NewScratch(t.TempDir()+"/none", 0)
	_, err := s.Write([]byte("a"))
	if err == nil {
		_, err = s.Write([]byte("b"))
	}
	if !os.IsNotExist(err) {
		t.Errorf("a folder that does not exist: %v", err)
	}
}
