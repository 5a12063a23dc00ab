package pgtest

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"
)

// Direction is one way through a [Proxy].
type Direction int

// The two ways.
const (
	ToServer Direction = iota
	ToClient
)

// Proxy stands between clients and a server. It knows where the messages of PostgreSQL's
// protocol end, if they are not encrypted. It is safe for concurrent use.
type Proxy struct {
	t    testing.TB
	addr string

	mu      sync.Mutex // guards the fields below
	target  string
	latency time.Duration
	cut     [2]int // the message that is not passed on, 0 for none
	count   [2]int // messages since the last SetCut
	listen  net.Listener
	conns   map[net.Conn]bool
	work    sync.WaitGroup
}

// StartProxy starts a proxy to an address. It stops with the test.
func StartProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	p := &Proxy{t: t, addr: "127.0.0.1:0", target: target, conns: map[net.Conn]bool{}}
	p.Restart()
	t.Cleanup(p.Stop)
	return p
}

// URL returns the URL of a database with the proxy's address in place of the server's.
func (p *Proxy) URL(database string) string {
	u, err := url.Parse(database)
	if err != nil {
		p.t.Fatal(err)
	}
	u.Host = p.addr
	return u.String()
}

// SetTarget has new connections go to another server.
func (p *Proxy) SetTarget(addr string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = addr
}

// SetLatency delays each message, in both directions.
func (p *Proxy) SetLatency(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latency = d
}

// SetCut has the proxy end the connection that sends the n-th message from now on in a
// direction; those before reach their goal. 0 is never. It cuts once.
func (p *Proxy) SetCut(way Direction, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.count = [2]int{}, [2]int{}
	p.cut[way] = n
}

// Messages returns how many messages there were since the last SetCut.
func (p *Proxy) Messages(way Direction) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count[way]
}

// CutAll ends all connections. New ones are accepted.
func (p *Proxy) CutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
}

// Stop ends all connections and refuses new ones.
func (p *Proxy) Stop() {
	p.mu.Lock()
	if p.listen != nil {
		p.listen.Close()
		p.listen = nil
	}
	for c := range p.conns {
		c.Close()
	}
	p.mu.Unlock()
	p.work.Wait()
}

// Restart accepts connections again, at the same address.
func (p *Proxy) Restart() {
	p.t.Helper()
	l, err := net.Listen("tcp", p.addr)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.addr, p.listen = l.Addr().String(), l
	p.work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.serve(l, c)
		}
	})
}

// serve connects a client that l accepted to the server.
func (p *Proxy) serve(l net.Listener, client net.Conn) {
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	server, err := net.Dial("tcp", target)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listen != l {
		client.Close()
		server.Close()
		return
	}
	p.conns[client], p.conns[server] = true, true
	p.pump(ToServer, client, server)
	p.pump(ToClient, server, client)
}

// parcel is a message with the time at which it is passed on. A nil message cuts.
type parcel struct {
	b   []byte
	due time.Time
}

// pump passes messages on until one side ends.
func (p *Proxy) pump(way Direction, from, to net.Conn) {
	queue := make(chan parcel, 1<<12)
	p.work.Go(func() {
		defer close(queue)
		for first := way == ToServer; ; first = false {
			b, err := readMessage(from, first)
			if err != nil {
				return
			}
			due, last := p.pass(way)
			if last {
				return
			}
			queue <- parcel{b, due}
		}
	})
	p.work.Go(func() {
		for m := range queue {
			time.Sleep(time.Until(m.due))
			if _, err := to.Write(m.b); err != nil {
				from.Close()
			}
		}
		from.Close()
		to.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, from)
		delete(p.conns, to)
	})
}

// pass counts a message. It returns when it is due, and whether the connection is cut in
// its place.
func (p *Proxy) pass(way Direction) (due time.Time, cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count[way]++
	if p.cut[way] == p.count[way] {
		p.cut[way] = 0
		return due, true
	}
	return time.Now().Add(p.latency), false
}

// readMessage reads one message: a length of four bytes that counts itself, and before
// it, in all but a client's first message, a byte that says what it is.
func readMessage(r io.Reader, first bool) ([]byte, error) {
	head := 5
	if first {
		head = 4
	}
	b := make([]byte, head)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(b[head-4:]))
	if n < 4 || n > 1<<30 {
		return nil, errors.New("not a message of PostgreSQL's protocol")
	}
	b = append(b, make([]byte, n-4)...)
	_, err := io.ReadFull(r, b[head:])
	return b, err
}
