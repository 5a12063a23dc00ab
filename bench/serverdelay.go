package main

import (
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// delay passes bytes on to a server, each way after a time.
type delay struct {
	listener net.Listener
	target   string
	each     time.Duration
	mu       sync.Mutex // guards conns
	conns    []net.Conn
}

func startDelay(target string, each time.Duration) (*delay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &delay{listener: l, target: target, each: each}
	go d.serve()
	return d, nil
}

// url returns the URL of a table by way of the delay.
func (d *delay) url(u url.URL, name string) string {
	u.Host = d.listener.Addr().String()
	q := u.Query()
	q.Set("table", strings.ReplaceAll(name, ".", "_"))
	q.Set("sslmode", "disable")
	u.RawQuery = q.Encode()
	return u.String()
}

func (d *delay) serve() {
	for {
		client, err := d.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", d.target)
		if err != nil {
			client.Close()
			continue
		}
		d.mu.Lock()
		d.conns = append(d.conns, client, server)
		d.mu.Unlock()
		go d.pass(client, server)
		go d.pass(server, client)
	}
}

// piece is what was read at once, and when it is to be written.
type piece struct {
	b   []byte
	due time.Time
}

func (d *delay) pass(from, to net.Conn) {
	pieces := make(chan piece, 4096)
	go func() {
		defer to.Close()
		for p := range pieces {
			time.Sleep(time.Until(p.due))
			if _, err := to.Write(p.b); err != nil {
				from.Close()
			}
		}
	}()
	defer close(pieces)
	for {
		b := make([]byte, 64<<10)
		n, err := from.Read(b)
		if n > 0 {
			pieces <- piece{b[:n], time.Now().Add(d.each)}
		}
		if err != nil {
			return
		}
	}
}

func (d *delay) close() error {
	err := d.listener.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.conns {
		if cerr := c.Close(); cerr != nil && !errors.Is(cerr, net.ErrClosed) && !errors.Is(cerr, io.EOF) {
			err = errors.Join(err, cerr)
		}
	}
	return err
}

// serverCPU returns the processor time of all processes of PostgreSQL on this machine,
// those that have ended too; 0 if the system does not tell.
func serverCPU() time.Duration {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	ticks := 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		_, rest, ok := strings.Cut(string(b), "(postgres) ")
		if !ok {
			continue
		}
		fields := strings.Fields(rest) // from the state on
		for _, i := range []int{11, 12, 13, 14} {
			if n, err := strconv.Atoi(fields[i]); err == nil {
				ticks += n
			}
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
