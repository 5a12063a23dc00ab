//go:build unix && !nopostgres

package stores_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/pgtest"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// writeForEver is the process that TestKillClient kills, and that TestHosts cuts off: it
// writes a stream on from where it is, and prints the number of each batch that is
// acknowledged.
func writeForEver(url string, seed uint64, b kv.Bounds) int {
	ctx := context.Background()
	s, err := openStore(ctx, url, b, tablekv.Options{Wait: time.Minute})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	at := 0
	if v, err := s.Get(ctx, counter, nil); err == nil {
		if at, err = strconv.Atoi(string(v)); err != nil {
			return 1
		}
	}
	for {
		at++
		b := s.NewBatch()
		step(seed, at, b)
		if err := s.Apply(ctx, b, kv.Sync); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(at)
	}
}

// TestKillClient kills the process that writes, at random moments.
func TestKillClient(t *testing.T) {
	server := shared.Server(t)
	url := server.NewDatabase(t)
	kills := 8
	if *long {
		kills = 500
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	var r *tablekv.Store
	f := newFollower(1)
	acked := 0
	for i := range kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "RAGDB_TEST_WRITER="+url)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		if !lines.Scan() { // it has the lease
			t.Fatal("the writer wrote nothing")
		}
		acked, _ = strconv.Atoi(lines.Text())
		time.AfterFunc(time.Duration(rnd.IntN(40_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		for lines.Scan() {
			if acked, err = strconv.Atoi(lines.Text()); err != nil {
				break // the line was cut
			}
		}
		_ = cmd.Wait()
		if r == nil {
			if r, err = openStore(t.Context(), url, tight, tablekv.Options{ReadOnly: true}); err != nil {
				t.Fatal(err)
			}
			defer r.Close()
		}
		// The server may still commit what was sent last.
		f.checkOne(t, r, f.at, acked+1)
		if i%4 == 0 {
			w, err := openStore(t.Context(), url, tight, tablekv.Options{Wait: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			f.checkOne(t, w, acked, acked+1)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d kills, %d batches", kills, acked)
}

// TestKillServer kills the server at random moments while a writer goes on. A server that
// starts after a kill syncs all of its files: in a folder in memory (TMPDIR=/dev/shm on
// Linux) that costs nothing, and 500 kills take some three minutes.
func TestKillServer(t *testing.T) {
	server := pgtest.Start(t, pgtest.Options{Durable: true})
	kills := 3
	if *long {
		kills = 500
	}
	s, err := openStore(t.Context(), server.NewDatabase(t), tight, tablekv.Options{Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(2, 2))
	f, at := newFollower(2), 0
	for range kills {
		killed := make(chan error, 1)
		go func() {
			time.Sleep(time.Duration(rnd.IntN(60)) * time.Millisecond)
			err := server.Kill()
			time.Sleep(time.Duration(rnd.IntN(100)) * time.Millisecond)
			if err == nil {
				err = server.Restart()
			}
			killed <- err
		}()
		for done := false; !done; {
			at++
			b := s.NewBatch()
			step(2, at, b)
			if err := s.Apply(t.Context(), b, kv.Sync); err != nil {
				t.Fatalf("batch %d: %v", at, err)
			}
			select {
			case err := <-killed:
				if err != nil {
					t.Fatal(err)
				}
				done = true
			default:
			}
		}
		f.check(t, s, at, at)
	}
	t.Logf("%d kills, %d batches", kills, at)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
