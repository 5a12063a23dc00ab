package holder

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// both runs a test over a socket and over a loopback port.
func both(t *testing.T, fn func(t *testing.T, port bool)) {
	t.Run("socket", func(t *testing.T) { fn(t, false) })
	t.Run("port", func(t *testing.T) { fn(t, true) })
}

// shortDir is a folder whose path is short enough for a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "holder")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// serve listens to the end of the test.
func serve(t *testing.T, dir string, port bool, run func(context.Context, *Session) int) *Server {
	t.Helper()
	s, err := Listen(dir, Options{About: About{Version: "v", Command: "index"}, Run: run, Port: port})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, s) })
	return s
}

func end(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Close(ctx, nil); err != nil {
		t.Error(err)
	}
}

// locals are what a client has: input and output in memory.
func locals(in io.Reader, out, errs io.Writer) Local {
	return Local{Read: func(_ context.Context, b []byte) (int, error) { return in.Read(b) }, Stdout: out, Stderr: errs, Interrupts: make(chan bool)}
}

func TestAttach(t *testing.T) {
	both(t, func(t *testing.T, port bool) {
		dir := shortDir(t)
		serve(t, dir, port, func(_ context.Context, s *Session) int {
			n, err := io.Copy(s.Stdout(), s.Stdin())
			io.WriteString(s.Stderr(), strconv.FormatInt(n, 10)+" "+s.Start.Dir+" "+strings.Join(s.Start.Args, "+"))
			if err != nil {
				return 1
			}
			return 42
		})
		a, err := Look(t.Context(), dir)
		if err != nil || a.Command != "index" || a.PID != os.Getpid() || a.Ending {
			t.Fatal(a, err)
		}
		text := strings.Repeat("0123456789", 300_000)
		var out, errs bytes.Buffer
		code, err := Attach(t.Context(), dir, Start{Args: []string{"a", "b"}, Dir: "/d"}, locals(strings.NewReader(text), &out, &errs))
		if code != 42 || err != nil || out.String() != text || errs.String() != "3000000 /d a+b" {
			t.Errorf("%d, %v, %d bytes, %q", code, err, out.Len(), errs.String())
		}
	})
}

// TestMany has many clients beside each other, one of which does not read.
func TestMany(t *testing.T) {
	both(t, func(t *testing.T, port bool) {
		dir := shortDir(t)
		serve(t, dir, port, func(_ context.Context, s *Session) int {
			for range 100 {
				if _, err := s.Stdout().Write(make([]byte, 1<<20)); err != nil {
					return 1
				}
				if s.Start.Args[0] == "short" {
					return 0
				}
			}
			return 0
		})
		stuck := make(chan struct{})
		var wg sync.WaitGroup
		defer wg.Wait()
		defer close(stuck)
		wg.Go(func() {
			_, _ = Attach(t.Context(), dir, Start{Args: []string{"long"}}, locals(nil, writer(func(b []byte) (int, error) {
				<-stuck
				return 0, io.ErrClosedPipe
			}), io.Discard))
		})
		for range 40 {
			var n int
			code, err := Attach(t.Context(), dir, Start{Args: []string{"short"}}, locals(nil, writer(func(b []byte) (int, error) {
				n += len(b)
				return len(b), nil
			}), io.Discard))
			if code != 0 || err != nil || n != 1<<20 {
				t.Fatal(code, err, n)
			}
		}
	})
}

type writer func(b []byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// TestGone says how a client learns that the holder is gone, and the holder that a client is.
func TestGone(t *testing.T) {
	both(t, func(t *testing.T, port bool) {
		dir := shortDir(t)
		left := make(chan error, 1)
		s := serve(t, dir, port, func(ctx context.Context, s *Session) int {
			if s.Start.Args[0] == "break" {
				s.conn.Close()
				return 0
			}
			<-ctx.Done()
			left <- context.Cause(ctx)
			return 1
		})
		if code, err := Attach(t.Context(), dir, Start{Args: []string{"break"}}, locals(nil, io.Discard, io.Discard)); !errors.Is(err, ErrGone) {
			t.Errorf("a broken connection gives %d, %v", code, err)
		}
		c, in, _, err := request(t.Context(), dir, http.MethodPost)
		if err != nil {
			t.Fatal(err)
		}
		c.Write(appendFrame(nil, kindStart, []byte(`{"args":["wait"]}`)))
		for len(s.Sessions()) == 0 {
			time.Sleep(time.Millisecond)
		}
		c.Close()
		if err := <-left; !errors.Is(err, ErrLeft) {
			t.Errorf("a client that left is %v", err)
		}
		_ = in
	})
}

// TestUnasked: if a client sends input that the holder did not ask for, or a frame that no
// client sends, the holder ends the connection.
func TestUnasked(t *testing.T) {
	dir := shortDir(t)
	left := make(chan error)
	serve(t, dir, false, func(ctx context.Context, _ *Session) int {
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Second):
		}
		left <- context.Cause(ctx)
		return 1
	})
	for k, text := range map[kind]string{kindInput: "text", kindInputEnd: "", kindLine: `{"line":"text"}`, kindOutput: "text", kindTyped: "{"} {
		c, _, _, err := request(t.Context(), dir, http.MethodPost)
		if err != nil {
			t.Fatal(err)
		}
		c.Write(appendFrame(appendFrame(nil, kindStart, []byte(`{}`)), k, []byte(text)))
		if err := <-left; !errors.Is(err, ErrLeft) {
			t.Errorf("after a frame %c: %v", k, err)
		}
		c.Close()
	}
}

// TestDropped prints 32 MiB of errors for a client that does not read. The command goes
// on, and the memory for the client has a bound.
func TestDropped(t *testing.T) {
	dir := shortDir(t)
	printed := make(chan struct{})
	serve(t, dir, false, func(_ context.Context, s *Session) int {
		for range 32 {
			if _, err := s.Stderr().Write(make([]byte, 1<<20)); err != nil {
				t.Error(err)
			}
		}
		close(printed)
		return 0
	})
	c, in, _, err := request(t.Context(), dir, http.MethodPost)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Write(appendFrame(nil, kindStart, []byte(`{}`)))
	<-printed
	if n, err := io.Copy(io.Discard, in); err != nil || n < 1<<20 || n > 16<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// TestInterrupts interrupts a command three times. It goes on after the first two, so that
// each reaches it.
func TestInterrupts(t *testing.T) {
	dir := shortDir(t)
	serve(t, dir, false, func(_ context.Context, s *Session) int {
		for range 2 {
			<-s.Interrupts()
			s.Answer(true)
			_, _ = io.WriteString(s.Stdout(), "on")
		}
		<-s.Interrupts()
		return 4
	})
	interrupts := make(chan bool, 1)
	l := locals(nil, writer(func(b []byte) (int, error) { // the answer came before it
		interrupts <- false
		return len(b), nil
	}), io.Discard)
	l.Interrupts = interrupts
	interrupts <- false
	if code, err := Attach(t.Context(), dir, Start{}, l); code != 4 || err != nil {
		t.Error(code, err)
	}
}

// TestClose says which commands a holder that ends waits for, and which go on elsewhere.
func TestClose(t *testing.T) {
	both(t, func(t *testing.T, port bool) {
		dir := shortDir(t)
		finish, read := make(chan struct{}), make(chan struct{})
		s := serve(t, dir, port, func(ctx context.Context, s *Session) int {
			switch s.Start.Args[0] {
			case "finish":
				<-finish
				return 7
			case "has read": // another process would not have what it has read
				s.SetResumable(true, false)
				_, _ = s.Stdin().Read(make([]byte, 1))
				close(read)
				select {
				case <-finish:
					return 7
				case <-ctx.Done():
				}
			case "resume":
				s.SetResumable(true, false)
				<-ctx.Done()
			case "prompt":
				_, _ = s.Line(ctx, "> ", false)
			case "terminal":
				_, _ = s.Stdin().Read(make([]byte, 1))
			}
			if context.Cause(ctx) == ErrAgain {
				return Again
			}
			return 1
		})
		var wg sync.WaitGroup
		for _, name := range []string{"finish", "has read", "resume", "prompt", "terminal"} {
			wg.Go(func() {
				l := locals(nil, io.Discard, io.Discard)
				l.Read = func(ctx context.Context, b []byte) (int, error) {
					if name == "has read" {
						return 1, nil
					}
					<-ctx.Done()
					return 0, ctx.Err()
				}
				l.Line = func(ctx context.Context, _ string, _ bool, _ Completer) (string, error) {
					<-ctx.Done()
					return "", ctx.Err()
				}
				want := Again
				if name == "finish" || name == "has read" {
					want = 7
				}
				if code, err := Attach(context.Background(), dir, Start{Args: []string{name}, In: 80}, l); code != want || err != nil {
					t.Errorf("%s ended with %d, %v", name, code, err)
				}
			})
		}
		<-read
		for len(s.Sessions()) < 5 {
			time.Sleep(time.Millisecond)
		}
		closed := make(chan error, 1)
		go func() {
			closed <- s.Close(context.Background(), func(left []*Session) {
				if len(left) != 2 {
					t.Errorf("%d are waited for", len(left))
				}
				if a, err := Look(context.Background(), dir); err != nil || !a.Ending {
					t.Error(a, err)
				}
				if _, err := Attach(context.Background(), dir, Start{Args: []string{"late"}}, locals(nil, io.Discard, io.Discard)); !errors.Is(err, ErrEnding) {
					t.Errorf("a late one gets %v", err)
				}
				close(finish)
			})
		}()
		if err := <-closed; err != nil {
			t.Error(err)
		}
		wg.Wait()
		if _, err := Look(t.Context(), dir); !errors.Is(err, ErrNobody) {
			t.Errorf("after the end: %v", err)
		}
		if names, _ := os.ReadDir(dir); len(names) > 0 {
			t.Errorf("files are left: %v", names)
		}
	})
}

// TestCloseNow says that a holder whose user wants it to end does. A command that has read
// or printed something is not started again.
func TestCloseNow(t *testing.T) {
	dir := shortDir(t)
	begun := make(chan struct{}, 3)
	s := serve(t, dir, false, func(ctx context.Context, s *Session) int {
		switch s.Start.Args[0] {
		case "has read":
			_, _ = s.Stdin().Read(make([]byte, 1))
		case "has printed":
			_, _ = io.WriteString(s.Stdout(), "some")
		}
		begun <- struct{}{}
		<-ctx.Done()
		if context.Cause(ctx) == ErrAgain {
			return Again
		}
		return 9
	})
	var wg sync.WaitGroup
	for name, want := range map[string]int{"neither": Again, "has read": 9, "has printed": 9} {
		wg.Go(func() {
			code, err := Attach(context.Background(), dir, Start{Args: []string{name}}, locals(strings.NewReader("some"), io.Discard, io.Discard))
			if code != want || err != nil {
				t.Errorf("%s: %d, %v", name, code, err)
			}
		})
		<-begun
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Close(ctx, nil); err != nil {
		t.Error(err)
	}
	wg.Wait()
}

// TestCloseWaitsForWhoComes ends a holder between the answer to a request and its command.
func TestCloseWaitsForWhoComes(t *testing.T) {
	both(t, func(t *testing.T, port bool) {
		dir := shortDir(t)
		closed := make(chan struct{})
		s := serve(t, dir, port, func(context.Context, *Session) int {
			select {
			case <-closed:
				t.Error("the command runs after the end")
			case <-time.After(50 * time.Millisecond):
			}
			return 5
		})
		c, in, _, err := request(t.Context(), dir, http.MethodPost)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		go func() {
			defer close(closed)
			if err := s.Close(context.Background(), nil); err != nil {
				t.Error(err)
			}
		}()
		for {
			if a, err := Look(t.Context(), dir); err != nil || a.Ending {
				break
			}
		}
		c.Write(appendFrame(nil, kindStart, []byte(`{}`)))
		if k, b, err := readFrame(in); k != kindExit || len(b) != 4 || b[3] != 5 {
			t.Errorf("%c, %v, %v", k, b, err)
		}
		<-closed
	})
}

// TestShell sends lines, completions, history and interrupts.
func TestShell(t *testing.T) {
	both(t, func(t *testing.T, port bool) {
		dir := shortDir(t)
		serve(t, dir, port, func(ctx context.Context, s *Session) int {
			s.SetComplete(func(line string, pos int) (string, []string, string) { return line[:pos], []string{"word"}, line[pos:] })
			for i := 0; ; i++ {
				io.WriteString(s.Stdout(), strings.Repeat(".", i))
				l, err := s.Line(ctx, "> ", i == 1)
				switch {
				case errors.Is(err, io.EOF):
					<-s.Interrupts()
					return 3
				case errors.Is(err, ErrAborted):
					l = "aborted"
				case err != nil:
					return 1
				}
				s.Remember(l)
			}
		})
		var out bytes.Buffer
		var history []string
		interrupts := make(chan bool, 1)
		l := locals(nil, &out, io.Discard)
		l.Interrupts = interrupts
		l.Remember = func(text string) { history = append(history, text) }
		n := 0
		l.Line = func(_ context.Context, text string, answer bool, complete Completer) (string, error) {
			if want := strings.Repeat(".", n*(n+1)/2); text != "> " || answer != (n == 1) || out.String() != want {
				t.Errorf("prompt %d is %q, answer %v, after %q", n, text, answer, out.String())
			}
			n++
			switch n {
			case 1:
				head, found, tail := complete("ab", 1)
				return head + strings.Join(found, "") + tail, nil
			case 2:
				return "", ErrAborted
			}
			interrupts <- false
			return "", io.EOF
		}
		code, err := Attach(t.Context(), dir, Start{In: 80, Out: 80}, l)
		if code != 3 || err != nil || strings.Join(history, " ") != "awordb aborted" {
			t.Errorf("%d, %v, %q", code, err, history)
		}
	})
}

// TestDeadHolder says that what a killed process left is no holder, and is swept.
func TestDeadHolder(t *testing.T) {
	dir := shortDir(t)
	l, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	// The port of a dead holder may be another program's.
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go http.Serve(other, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := r.Header.Get(headerProof); p == "" || strings.Contains(p, strings.Repeat("ab", 32)) {
			t.Errorf("the proof is %q", p)
		}
		io.WriteString(w, `{"protocol":1}`)
	}))
	port := strconv.Itoa(other.Addr().(*net.TCPAddr).Port)
	if err := os.WriteFile(filepath.Join(dir, portName), []byte(`{"port":`+port+`,"secret":"`+strings.Repeat("ab", 32)+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err := Look(t.Context(), dir); !errors.Is(err, ErrNobody) {
		t.Errorf("a dead holder: %v, %v", a, err)
	}
	if r, err := (&http.Client{Transport: Transport(dir)}).Get("http://ragdb/v1/databases"); !errors.Is(err, ErrNobody) {
		t.Errorf("a request to a dead holder: %v, %v", r, err)
	}
	serve(t, dir, false, func(context.Context, *Session) int { return 0 })
	if a, err := Look(t.Context(), dir); err != nil {
		t.Error(a, err)
	}
	if _, err := os.Stat(filepath.Join(dir, portName)); err == nil {
		t.Error("the file of the dead holder is left")
	}
}

// TestSecret says that a loopback port answers nobody who does not know the secret, and
// that its file is the user's alone.
func TestSecret(t *testing.T) {
	dir := shortDir(t)
	s, err := Listen(dir, Options{Port: true, Run: func(context.Context, *Session) int { return 0 },
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "secret") })})
	if err != nil {
		t.Fatal(err)
	}
	defer end(t, s)
	info, err := os.Stat(filepath.Join(dir, portName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
	for path, want := range map[string]int{attachPath: http.StatusForbidden, "/other": http.StatusNotFound} {
		r, err := http.Get("http://" + s.place.listener.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("%s without the secret: %s", path, r.Status)
		}
	}
}

// TestLongPath says that a directory with a long path has a port.
func TestLongPath(t *testing.T) {
	dir := filepath.Join(shortDir(t), strings.Repeat("long", 30))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	serve(t, dir, false, func(context.Context, *Session) int { return 5 })
	if code, err := Attach(t.Context(), dir, Start{}, locals(nil, io.Discard, io.Discard)); code != 5 || err != nil {
		t.Error(code, err)
	}
}

// TestPanic says that a fault in a command ends that command.
func TestPanic(t *testing.T) {
	dir := shortDir(t)
	serve(t, dir, false, func(_ context.Context, s *Session) int {
		if len(s.Start.Args) == 0 {
			panic("fault")
		}
		return 0
	})
	var errs bytes.Buffer
	if code, err := Attach(t.Context(), dir, Start{}, locals(nil, io.Discard, &errs)); code != 2 || err != nil || !strings.Contains(errs.String(), "fault") {
		t.Error(code, err, errs.String())
	}
	if code, err := Attach(t.Context(), dir, Start{Args: []string{"x"}}, locals(nil, io.Discard, &errs)); code != 0 || err != nil {
		t.Error(code, err)
	}
}
