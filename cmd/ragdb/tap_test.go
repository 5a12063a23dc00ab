package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// TestTap says that each byte of standard input is read once, by whichever process reads.
func TestTap(t *testing.T) {
	text := strings.Repeat("0123456789", 1000)
	read := func(tp *tap, n int) string {
		b := make([]byte, n)
		if _, err := io.ReadFull(tp, b); err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	tp := &tap{in: iotest.OneByteReader(strings.NewReader(text))}
	read(tp, 1000) // before the database turns out to be locked
	for range 2 {  // by two processes, of which the first takes no command
		tp.attach()
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b := make([]byte, 700)
	n, err := tp.next(ctx, b)
	if got := string(b[:n]); err != nil || n == 0 || got != text[:n] {
		t.Fatalf("the holder gets %q, %v", got, err)
	}
	if !tp.again() {
		t.Error("it cannot be read again")
	}
	if rest, err := io.ReadAll(tp); err != nil || string(rest) != text {
		t.Errorf("after the holder has gone %d bytes are read, %v", len(rest), err)
	}

	// A read that is given up waits for the next.
	r, w := io.Pipe()
	tp = &tap{in: r}
	short, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	if _, err := tp.next(short, b); err == nil {
		t.Error("nothing was read, and no error")
	}
	go w.Write([]byte("later"))
	if got := read(tp, 5); got != "later" {
		t.Errorf("read %q", got)
	}

	// What a holder has read much of cannot be read again.
	tp = &tap{in: strings.NewReader(strings.Repeat(text, 200))}
	tp.attach()
	for range 200 {
		read(tp, len(text))
	}
	if tp.again() {
		t.Error("what was not kept is read again")
	}
}
