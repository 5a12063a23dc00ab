package holder

import (
	"bytes"
	"context"
	"io"
	"net"
	"testing"
	"time"
)

// TestFrames writes frames of all kinds and lengths and reads them back.
func TestFrames(t *testing.T) {
	for k := range kind(255) {
		for _, n := range []int{0, 1, k.most() - 1, k.most(), k.most() + 1} {
			if n < 0 {
				continue
			}
			want := bytes.Repeat([]byte{byte(n)}, n)
			got, b, err := readFrame(bytes.NewReader(appendFrame(nil, k, want)))
			switch ok := k.most() > 0 && n <= k.most(); {
			case ok && (err != nil || got != k || !bytes.Equal(b, want)):
				t.Fatalf("%c of %d bytes: %c, %d bytes, %v", k, n, got, len(b), err)
			case !ok && err == nil:
				t.Fatalf("%d of %d bytes was read", k, n)
			}
		}
	}
}

// FuzzFrame says that bytes are read as frames that are written as the same bytes, or
// refused, and that a length that is not kept costs no memory.
func FuzzFrame(f *testing.F) {
	f.Add([]byte{})
	f.Add(appendFrame(appendFrame(nil, kindWant, nil), kindOutput, []byte("text")))
	f.Add([]byte{byte(kindStart), 0, 255, 255, 255, 1})
	f.Add([]byte{byte(kindExit), 0, 0, 0, 5, 1, 2, 3, 4, 5})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		var again []byte
		for {
			k, b, err := readFrame(r)
			if err != nil {
				break
			}
			again = appendFrame(again, k, b)
		}
		if !bytes.HasPrefix(data, again) {
			t.Fatalf("%x was read as %x", data, again)
		}
	})
}

// FuzzSession has a peer send anything to a session: it ends and nothing panics.
func FuzzSession(f *testing.F) {
	start := appendFrame(nil, kindStart, []byte(`{"args":["x"],"In":80}`))
	f.Add(start)
	f.Add(appendFrame(bytes.Clone(start), kindInput, []byte("not wanted")))
	f.Add(appendFrame(appendFrame(bytes.Clone(start), kindLine, []byte(`{}`)), kindTyped, []byte(`{"line":"a","pos":-1}`)))
	f.Add(appendFrame(appendFrame(bytes.Clone(start), kindInterrupt, nil), kindTyped, []byte(`{"line":"a","pos":1}`)))
	f.Add(append(bytes.Clone(start), byte(kindInterrupt), 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		here, there := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, there) }()
		defer there.Close()
		s, err := newSession(here, bytes.NewReader(data), func() {})
		if err != nil {
			return
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.run(func(ctx context.Context, s *Session) int {
				s.SetComplete(func(line string, pos int) (string, []string, string) {
					return string([]rune(line)[:pos]), nil, ""
				})
				_, _ = s.Stdin().Read(make([]byte, 10))
				_, _ = s.Line(ctx, "> ", false)
				<-ctx.Done()
				return 0
			})
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatal("the session does not end")
		}
	})
}
