//go:build !nopostgres

package stores_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/pgtest"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pgkv"
	"github.com/ragdb/ragdb/kv/tablekv"
)

var long = flag.Bool("long", false, "run the tests of crashes far longer")

var shared pgtest.Shared

func TestMain(m *testing.M) {
	if url := os.Getenv("RAGDB_TEST_WRITER"); url != "" {
		if os.Getenv("RAGDB_TEST_PADDED") != "" {
			os.Exit(writeForEver(url, padded, kv.Bounds{}))
		}
		os.Exit(writeForEver(url, 1, tight))
	}
	flag.Parse()
	code := m.Run()
	if err := shared.Stop(); err != nil && code == 0 {
		code = 1
	}
	os.Exit(code)
}

// tight bounds have about half of all batches staged, and many values in pieces.
var tight = kv.Bounds{ValueBytes: 32, ChangeBytes: 1500, RemoveKeys: 5}

const lease = 150 * time.Millisecond

func openStore(ctx context.Context, url string, b kv.Bounds, o tablekv.Options) (*tablekv.Store, error) {
	tab, err := pgkv.Open(ctx, url, pgkv.Options{ReadOnly: o.ReadOnly, Bounds: b})
	if err != nil {
		return nil, err
	}
	o.Lease = lease
	return tablekv.Open(ctx, tab, kvtest.Schema(), &o)
}

// counter is a key that each batch of a stream sets to its number.
var counter = []byte("zz/count")

// padded is the seed of a stream whose batches take a while to send.
const padded = 5

// step adds batch i of the stream of a seed to a batch and a model.
func step(seed uint64, i int, to ...kv.Batch) {
	rnd := rand.New(rand.NewPCG(seed, uint64(i)))
	kvtest.Mutate(rnd, 1+rnd.IntN(30), to...)
	for _, b := range to {
		b.Set(counter, strconv.AppendInt(nil, int64(i), 10))
		for n := 0; seed == padded && n < 6; n++ {
			b.Set(fmt.Appendf(nil, "zz/pad/%d", n), bytes.Repeat([]byte{byte(i)}, 1_000_000))
		}
	}
}

// follower is a model of a stream.
type follower struct {
	seed uint64
	m    *kvtest.Model
	at   int // the batches that it has
}

func newFollower(seed uint64) *follower {
	return &follower{seed: seed, m: kvtest.NewModel(kvtest.Schema())}
}

// check compares what a reader shows with the model after the batch that it says it has,
// which is least at least and most at most.
func (f *follower) check(t *testing.T, r kv.Reader, least, most int) {
	t.Helper()
	v, err := r.Get(t.Context(), counter, nil)
	if errors.Is(err, kv.ErrNotFound) {
		v, err = []byte("0"), nil
	}
	at, aerr := strconv.Atoi(string(v))
	if err := errors.Join(err, aerr); err != nil {
		t.Fatal(err)
	}
	if at < least || at > most {
		t.Fatalf("it shows batch %d; %d was acknowledged, and %d begun", at, least, most)
	}
	for f.at < at {
		f.at++
		step(f.seed, f.at, f.m)
	}
	if err := f.m.Equal(t.Context(), r); err != nil {
		t.Fatalf("after batch %d: %v", at, err)
	}
}

// checkOne checks one snapshot of a store that another process may still write.
func (f *follower) checkOne(t *testing.T, s *tablekv.Store, least, most int) {
	t.Helper()
	sn, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer sn.Close()
	f.check(t, sn, least, most)
}

func TestConformance(t *testing.T) {
	server := shared.Server(t)
	for name, b := range map[string]kv.Bounds{"usual": {}, "small": {ValueBytes: 8 << 10, ChangeBytes: 64 << 10, RemoveKeys: 20}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kvtest.Run(t, func(t *testing.T) kv.Store {
				s, err := openStore(t.Context(), server.NewDatabase(t), b, tablekv.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}, kvtest.Schema())
		})
	}
}
