package pgtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Kill ends the server and all its processes at once, as a power failure does, but that
// the kernel keeps what they wrote.
func (s *Server) Kill() error { return s.signal(syscall.SIGKILL) }

// Shut ends the server as an operator does who does not wait for clients.
func (s *Server) Shut() error { return s.signal(syscall.SIGINT) }

// Restart starts a server that was ended, at the same address.
func (s *Server) Restart() error {
	if s.proc != nil {
		return errors.New("the server runs")
	}
	return s.run()
}

// Stop ends the server and removes its data. A second Stop does nothing.
func (s *Server) Stop() error {
	if err := s.signal(syscall.SIGQUIT); err != nil {
		return err
	}
	// A process of the server may end a moment later, and write until then.
	err := os.RemoveAll(s.dir)
	for end := time.Now().Add(patience); err != nil && time.Now().Before(end); err = os.RemoveAll(s.dir) {
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// signal sends a signal that ends the server, and waits for the end.
func (s *Server) signal(sig syscall.Signal) error {
	if s.proc == nil {
		return nil
	}
	var below []int
	if sig == syscall.SIGKILL {
		below = children(s.proc.Process.Pid)
	}
	if err := s.proc.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	for _, pid := range below {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Signal(sig) // it may have ended
		}
	}
	select {
	case <-s.done: // its status is that of the signal
		s.proc = nil
		return nil
	case <-time.After(patience):
		return fmt.Errorf("PostgreSQL did not end after %v", sig)
	}
}

// log returns the end of the server's log.
func (s *Server) log() string {
	b, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		return err.Error()
	}
	return "the end of PostgreSQL's log:\n" + string(b[max(0, len(b)-8<<10):])
}
