package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Password is the password of all servers. A test looks for it where none may appear.
const Password = "tiptop-Secret/1:2@3"

const (
	role     = "postgres"
	patience = 60 * time.Second // for a start or an end
)

// Options say how a server runs.
type Options struct {
	// Durable makes commits durable. Tests of crashes need it.
	Durable bool
	// Settings are further settings of postgresql.conf.
	Settings map[string]string
}

// Server is a PostgreSQL server. Tests that run in parallel may share it, but for what
// ends or starts it.
type Server struct {
	bin, dir string // dir has the data, and the log
	addr     string

	proc      *exec.Cmd // nil if it does not run
	done      chan error
	databases atomic.Int64
}

// Start starts a server, which ends with the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s := create(t, o)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.log())
		}
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Shared is one server for several tests. The zero value is ready.
type Shared struct {
	once sync.Once
	s    *Server
}

// Server returns the server. It starts it if that is not done.
func (sh *Shared) Server(t testing.TB) *Server {
	t.Helper()
	binaries(t)
	sh.once.Do(func() { sh.s = create(t, Options{}) })
	if sh.s == nil {
		t.Fatal("the shared server did not start")
	}
	return sh.s
}

// Stop ends the server. A package's TestMain calls it.
func (sh *Shared) Stop() error {
	if sh.s == nil {
		return nil
	}
	return sh.s.Stop()
}

func create(t testing.TB, o Options) *Server {
	t.Helper()
	s, err := empty(t)
	if err == nil {
		if err = errors.Join(s.initialize(), s.configure(o)); err == nil {
			err = s.run()
		}
		if err != nil {
			err = errors.Join(err, s.Stop())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// empty returns a server that has neither data nor process.
func empty(t testing.TB) (*Server, error) {
	t.Helper()
	bin := binaries(t)
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, dir: dir}
	if err := own(dir); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// tool runs one of PostgreSQL's binaries.
func (s *Server) tool(name string, stdin io.Reader, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...)
	cmd.Dir, cmd.Stdin = s.dir, stdin
	if err := asUser(cmd); err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

func (s *Server) initialize() error {
	file := filepath.Join(s.dir, "password")
	if err := os.WriteFile(file, []byte(Password+"\n"), 0o600); err != nil {
		return err
	}
	if err := own(file); err != nil {
		return err
	}
	return s.tool("initdb", nil, "-D", s.data(), "-U", role, "-A", "scram-sha-256", "--pwfile", file,
		"-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
}

// configure adds settings to postgresql.conf.
func (s *Server) configure(o Options) error {
	all := map[string]string{
		"listen_addresses":        "127.0.0.1",
		"unix_socket_directories": "",
		"shared_buffers":          "32MB",
		"max_connections":         "200",
		"log_min_messages":        "warning",
	}
	for _, k := range []string{"fsync", "full_page_writes"} {
		all[k] = "off"
		if o.Durable {
			all[k] = "on"
		}
	}
	maps.Copy(all, o.Settings)
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if _, err := fmt.Fprintf(f, "%s = '%s'\n", k, strings.ReplaceAll(all[k], "'", "''")); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// run starts the process and waits until it answers. The first time it takes a port that
// is free; another process may take that before it, or processes of a killed server may
// still end: then it tries again.
func (s *Server) run() error {
	keep := s.addr != ""
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		if !keep {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			s.addr = l.Addr().String()
			if err := l.Close(); err != nil {
				return err
			}
		}
		err := s.attempt()
		if err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("start PostgreSQL: %w\n%s", err, s.log())
		}
	}
}

func (s *Server) attempt() error {
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), "-D", s.data(), "-p", port)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, log, log
	if err := asUser(cmd); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.proc, s.done = cmd, make(chan error, 1)
	go func(done chan<- error) { done <- cmd.Wait() }(s.done)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-s.done:
			s.proc = nil
			return fmt.Errorf("the server ended: %w", err)
		default:
		}
		if s.Exec(context.Background(), "postgres", "SELECT 1") == nil {
			return nil
		}
	}
	return errors.Join(errors.New("the server does not answer"), s.signal(syscall.SIGKILL))
}

// Exec runs a statement in a database.
func (s *Server) Exec(ctx context.Context, database, statement string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := pgx.Connect(ctx, s.url(database))
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, statement, args...)
	return errors.Join(err, c.Close(ctx))
}

// Addr is the address that the server listens on.
func (s *Server) Addr() string { return s.addr }

// URL is the address of the database postgres, with user and password.
func (s *Server) URL() string { return s.url("postgres") }

func (s *Server) url(database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(role, Password), Host: s.addr, Path: "/" + database, RawQuery: "sslmode=disable"}
	return u.String()
}

// NewDatabase makes a database for a test and returns its URL. The test's end removes it.
func (s *Server) NewDatabase(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("t%d", s.databases.Add(1))
	if err := s.Exec(t.Context(), "postgres", "CREATE DATABASE "+name+" STRATEGY file_copy"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.proc == nil {
			return
		}
		if err := s.Exec(context.Background(), "postgres", "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return s.url(name)
}
