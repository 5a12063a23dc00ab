package holder

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"
)

// Options say how a holder listens. About is wanted.
type Options struct {
	About About
	// Run runs a command line. It returns its exit code, or [Again] after its context
	// ended with the cause [ErrAgain] and left the command to be done by another process. A
	// holder with nil takes no commands.
	Run func(ctx context.Context, s *Session) int
	// Handler answers the requests that are not about attaching; nil refuses them.
	Handler http.Handler
	// Port has it listen on a loopback port even if it could on a socket.
	Port bool
}

// Server is a process that holds a database.
type Server struct {
	o     Options
	place *place
	http  *http.Server

	mu       sync.Mutex
	sessions []*Session
	ending   bool
	coming   int           // requests to attach, up to the end of their commands
	changed  chan struct{} // has a token if a session came, went, or began to wait
	serving  sync.WaitGroup
}

// attachPath is the path of the requests about attaching.
const attachPath = "/attach"

// The headers of requests and answers.
const (
	upgradeTo   = "ragdb-attach"
	headerNonce = "Ragdb-Nonce"
	headerProof = "Ragdb-Proof"
)

// Listen begins to listen in the directory of a database, which the caller holds; what a
// dead holder left there is removed. The caller calls Close before it closes the database.
func Listen(dir string, o Options) (*Server, error) {
	p, err := listen(dir, o.Port)
	if err != nil {
		return nil, err
	}
	o.About.Protocol, o.About.PID = Protocol, os.Getpid()
	s := &Server{o: o, place: p, changed: make(chan struct{}, 1)}
	s.http = &http.Server{
		Handler: http.HandlerFunc(s.handle), ReadHeaderTimeout: dialTime, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		// A peer that breaks off is nothing to tell of.
		ErrorLog: silent(),
	}
	s.serving.Go(func() { _ = s.http.Serve(p.listener) }) // it ends with Close
	return s, nil
}

// answerWithin is how long a request of a program may take to end with the server.
const answerWithin = 2 * time.Second

// connKey is the key of a request's connection in its context.
type connKey struct{}

// handle answers a request.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	own := s.own(w, r)
	switch {
	case r.URL.Path == attachPath && s.o.Run == nil:
		http.NotFound(w, r)
	case r.URL.Path == attachPath && !own:
		http.Error(w, ErrUser.Error(), http.StatusForbidden)
	case r.URL.Path == attachPath && r.Method == http.MethodGet:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s.about()) // a peer that breaks off needs no answer
	case r.URL.Path == attachPath && r.Method == http.MethodPost && r.Header.Get("Upgrade") == upgradeTo:
		s.attach(w)
	case r.URL.Path == attachPath || s.o.Handler == nil || s.place.secret != nil && !own:
		http.NotFound(w, r)
	default:
		s.o.Handler.ServeHTTP(w, r)
	}
}

// own reports whether a request is of a process of the same user: of a socket by the
// system's word, of a port by the secret. It answers with the proof that this process
// knows the secret.
func (s *Server) own(w http.ResponseWriter, r *http.Request) bool {
	if s.place.secret == nil {
		c, ok := r.Context().Value(connKey{}).(*net.UnixConn)
		if !ok {
			return false
		}
		uid, err := peerUID(c)
		return err == nil && uid == os.Getuid()
	}
	nonce := r.Header.Get(headerNonce)
	if !proves(r.Header.Get(headerProof), s.place.secret, "client", nonce) {
		return false
	}
	w.Header().Set(headerProof, proof(s.place.secret, "holder", nonce))
	return true
}

func (s *Server) about() About {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.o.About
	a.Ending = s.ending
	return a
}

// attach turns a request into a session and runs it.
func (s *Server) attach(w http.ResponseWriter) {
	s.mu.Lock()
	ending := s.ending
	if !ending {
		s.coming++
	}
	s.mu.Unlock()
	if ending {
		http.Error(w, ErrEnding.Error(), http.StatusServiceUnavailable)
		return
	}
	defer s.came()
	proved := w.Header().Get(headerProof)
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer conn.Close()
	head := "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " + upgradeTo + "\r\n"
	if proved != "" {
		head += headerProof + ": " + proved + "\r\n"
	}
	if err := conn.SetDeadline(time.Now().Add(dialTime)); err != nil {
		return
	}
	if _, err := conn.Write([]byte(head + "\r\n")); err != nil {
		return
	}
	ss, err := newSession(conn, rw.Reader, s.wake)
	if err != nil {
		return
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return
	}
	s.mu.Lock()
	s.sessions = append(s.sessions, ss)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.sessions = slices.DeleteFunc(s.sessions, func(x *Session) bool { return x == ss })
		s.mu.Unlock()
		s.wake()
	}()
	ss.run(s.o.Run)
}

// came says that a request has been answered, or its command run.
func (s *Server) came() {
	s.mu.Lock()
	s.coming--
	s.mu.Unlock()
	s.wake()
}

// wake tells Close that a session changed.
func (s *Server) wake() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Sessions are the commands of other processes that run.
func (s *Server) Sessions() []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sessions)
}

// How Close waits.
const (
	tellAfter = time.Second     // until it tells whom it waits for
	endWithin = 3 * time.Second // that commands have once ctx ended, and then to save their state
)

// Close takes no more commands and ends those that are running: it waits until they are
// done, and has those that can be started again, and those that wait for their user, go on
// in another process. If it waits for longer than a second it calls tell, once, with those
// that it waits for. If ctx ends they have a few seconds; then they are ended, and if they
// do not end their connections are closed.
func (s *Server) Close(ctx context.Context, tell func([]*Session)) error {
	s.mu.Lock()
	s.ending = true
	s.mu.Unlock()
	soon, done := time.NewTimer(tellAfter), ctx.Done()
	defer soon.Stop()
	var grace, late, last <-chan time.Time
	force := false
	for {
		s.mu.Lock()
		running, coming := slices.Clone(s.sessions), s.coming
		s.mu.Unlock()
		if coming == 0 {
			break
		}
		for _, x := range running {
			if x.mayMove() {
				x.cancel(ErrAgain)
			} else if force {
				x.cancel(x.why())
			}
		}
		select {
		case <-s.changed:
		case <-soon.C:
			if tell != nil && len(running) > 0 {
				tell(running)
			}
		case <-done:
			done, grace = nil, time.After(endWithin)
		case <-grace:
			force, late = true, time.After(endWithin)
		case <-late:
			for _, x := range running {
				x.conn.Close()
			}
			last = time.After(endWithin)
			late = nil
		case <-last:
			return s.stop() // a command that does not end keeps the database from closing
		}
	}
	return s.stop()
}

// stop ends the listening.
func (s *Server) stop() error {
	err := s.place.close()
	// What is being answered has a moment to end; sessions have ended.
	soon, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	_ = s.http.Shutdown(soon)
	if cerr := s.http.Close(); err == nil && !errors.Is(cerr, net.ErrClosed) {
		err = cerr
	}
	s.serving.Wait()
	return err
}
