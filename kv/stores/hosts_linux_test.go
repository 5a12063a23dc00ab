//go:build !nopostgres

package stores_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/pgtest"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// TestHosts runs the server and two writers on hosts of their own, which are network
// namespaces, joined by links that are slow and cut in the middle of transactions.
func TestHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits until the server notices that a host is gone")
	}
	for _, tool := range []string{"ip", "tc", "unshare", "nsenter"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("hosts need the command ", tool)
		}
	}
	if os.Getenv("RAGDB_TEST_HOSTS") == "" {
		// The server's host is a process of this test in a namespace.
		if out, err := exec.Command("unshare", "-n", "ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
			t.Skipf("this user may make no network namespaces: %v: %s", err, out)
		}
		cmd := exec.Command("unshare", "-n", os.Args[0], "-test.run=^TestHosts$", "-test.v", "-test.timeout=10m")
		cmd.Env = append(os.Environ(), "RAGDB_TEST_HOSTS=1")
		out, err := cmd.CombinedOutput()
		switch {
		case err != nil:
			t.Fatalf("%v\n%s", err, out)
		case strings.Contains(string(out), "--- SKIP"):
			t.Skipf("%s", out)
		}
		t.Logf("%s", out)
		return
	}
	command(t, "ip", "link", "set", "lo", "up")
	server := pgtest.Start(t, pgtest.Options{Settings: map[string]string{"listen_addresses": "*", "hba_file": anyHost(t)}})
	url := server.NewDatabase(t)
	t.Run("short", func(t *testing.T) {
		a := newHost(t, 1, server, url)
		f := newFollower(padded)
		a.run(t)
		rnd := rand.New(rand.NewPCG(3, 3))
		for range 3 {
			a.acks(t, 2)
			time.Sleep(time.Duration(rnd.IntN(400)) * time.Millisecond)
			a.link(t, "down")
			time.Sleep(time.Duration(rnd.IntN(2000)) * time.Millisecond)
			a.link(t, "up")
		}
		a.acks(t, 2)
		a.kill()
		f.checkDirect(t, url, a.acked, a.acked+1)
	})
	t.Run("long", func(t *testing.T) {
		a, b := newHost(t, 2, server, url), newHost(t, 3, server, url)
		a.run(t)
		a.acks(t, 2)
		time.Sleep(300 * time.Millisecond)
		a.link(t, "down")
		cut := time.Now()
		// The clock of the other host began long before.
		b.run(t, "unshare", "--time", "--fork", "--kill-child", "--monotonic", "8000000", "--")
		b.acks(t, 1)
		t.Logf("another host writes %v after the cut", time.Since(cut))
		first := b.acked
		b.acks(t, 2)
		a.link(t, "up")
		if end := a.end(t); !strings.Contains(end, kv.ErrLease.Error()) {
			t.Errorf("the writer that was cut off: %s", end)
		}
		if first <= a.acked || first > a.acked+2 {
			t.Errorf("%d batches were acknowledged, and the next writer's first was %d", a.acked, first)
		}
		b.acks(t, 2)
		b.kill()
		newFollower(padded).checkDirect(t, url, b.acked, b.acked+1)
	})
}

// anyHost returns a file that lets all hosts log in with a password.
func anyHost(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hosts")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	file := filepath.Join(dir, "pg_hba.conf")
	if err := os.WriteFile(file, []byte("host all all all scram-sha-256\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
}

// host is a network namespace that one link joins to this one, with a writer in it.
type host struct {
	dev  string // this end of the link
	ns   int    // a process that keeps the namespace
	url  string // of the database, as the host sees it
	proc *exec.Cmd
	said *strings.Builder // what the writer wrote to standard error

	lines *bufio.Scanner
	acked int
}

func newHost(t *testing.T, n int, server *pgtest.Server, url string) *host {
	t.Helper()
	keeper := exec.Command("unshare", "-n", "sleep", "infinity")
	keeper.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := keeper.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = keeper.Process.Kill()
		_ = keeper.Wait()
	})
	h := &host{dev: "v" + strconv.Itoa(n), ns: keeper.Process.Pid}
	ours, theirs := fmt.Sprintf("10.77.%d.1", n), fmt.Sprintf("10.77.%d.2", n)
	h.url = strings.Replace(url, "127.0.0.1", ours, 1)
	for own, _ := os.Readlink("/proc/self/ns/net"); ; time.Sleep(time.Millisecond) {
		if ns, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", h.ns)); err != nil {
			t.Fatal(err)
		} else if ns != own {
			break
		}
	}
	command(t, "ip", "link", "add", h.dev, "type", "veth", "peer", "name", "eth0", "netns", strconv.Itoa(h.ns))
	command(t, "ip", "addr", "add", ours+"/24", "dev", h.dev)
	h.link(t, "up")
	in := []string{"-t", strconv.Itoa(h.ns), "-n", "--"}
	command(t, "nsenter", append(in, "ip", "addr", "add", theirs+"/24", "dev", "eth0")...)
	command(t, "nsenter", append(in, "ip", "link", "set", "eth0", "up")...)
	command(t, "nsenter", append(in, "tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", "80mbit", "burst", "64kb", "latency", "400ms")...)
	return h
}

// link sets the state of the link.
func (h *host) link(t *testing.T, state string) {
	t.Helper()
	command(t, "ip", "link", "set", h.dev, state)
}

// run starts a writer on the host, under another command if one is given.
func (h *host) run(t *testing.T, under ...string) {
	t.Helper()
	args := append([]string{"-t", strconv.Itoa(h.ns), "-n", "--"}, under...)
	h.proc = exec.Command("nsenter", append(args, os.Args[0])...)
	h.proc.Env = append(os.Environ(), "RAGDB_TEST_WRITER="+h.url, "RAGDB_TEST_PADDED=1")
	h.proc.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	h.said = &strings.Builder{}
	h.proc.Stderr = h.said
	out, err := h.proc.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.proc.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.kill)
	h.lines = bufio.NewScanner(out)
}

// acks waits until the writer has had n further batches acknowledged.
func (h *host) acks(t *testing.T, n int) {
	t.Helper()
	for range n {
		if !h.lines.Scan() {
			t.Fatalf("the writer ended: %s", h.end(t))
		}
		h.acked, _ = strconv.Atoi(h.lines.Text())
	}
}

// end waits for the writer's end and returns what it said.
func (h *host) end(t *testing.T) string {
	t.Helper()
	for h.lines.Scan() {
		h.acked, _ = strconv.Atoi(h.lines.Text())
	}
	_ = h.proc.Wait()
	h.proc = nil
	return h.said.String()
}

func (h *host) kill() {
	if h.proc == nil {
		return
	}
	_ = h.proc.Process.Kill()
	for h.lines.Scan() {
		h.acked, _ = strconv.Atoi(h.lines.Text())
	}
	_ = h.proc.Wait()
	h.proc = nil
}

// checkDirect checks a database beside its server.
func (f *follower) checkDirect(t *testing.T, url string, least, most int) {
	t.Helper()
	r, err := openStore(t.Context(), url, kv.Bounds{}, tablekv.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	f.checkOne(t, r, least, most)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
