package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// edge joins two nodes, counted from 0.
type edge struct{ from, to uint32 }

// store is a peer. A fresh one is made for each measure.
type store interface {
	// load adds edges, both ways where both is set, and makes them readable.
	load(ctx context.Context, edges []edge, both bool) error
	// compact makes the files as small as the store can.
	compact() error
	// neighbors returns how many out-neighbours a node has, reading each.
	neighbors(ctx context.Context, node uint32) (int, error)
	close() error
}

// row is the result of one measure; go run ./bench reads it.
type row struct {
	Engine     string  `json:"engine"`
	Directions int     `json:"directions"`
	LoadCPU    float64 `json:"load_cpu"`
	Bytes      float64 `json:"bytes"`
	Expand     float64 `json:"expand"`
	P50        float64 `json:"p50"`
}

// peer is a kind of store.
type peer struct {
	name string
	open func(dir string) (store, error)
}

func peers() []peer {
	return []peer{
		{"bbolt 1.5.0", openBolt},
		{"badger 4.9.6", openBadger},
		{"modernc.org/sqlite 1.61.1", openSQLite},
	}
}

// batch is how many edges a transaction adds.
const batch = 10_000

func main() {
	path := flag.String("edges", "", "`file` of pairs of 32-bit little-endian node numbers")
	nodes := flag.Int("nodes", 0, "`number` of nodes")
	dir := flag.String("dir", "", "`folder` for the stores")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *path, *nodes, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, path string, nodes int, dir string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(b) == 0 || len(b)%8 != 0 || nodes < 1 {
		return errors.New("-edges must name a file of pairs and -nodes be positive")
	}
	edges := make([]edge, len(b)/8)
	for i := range edges {
		edges[i] = edge{binary.LittleEndian.Uint32(b[8*i:]), binary.LittleEndian.Uint32(b[8*i+4:])}
	}
	seen := make(map[edge]struct{}, len(edges))
	for _, e := range edges {
		seen[e] = struct{}{}
	}
	want := len(seen)
	seen = nil
	var rows []row
	for _, p := range peers() {
		for _, both := range []bool{false, true} {
			r, err := measure(ctx, p, edges, nodes, want, both, dir)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			fmt.Fprintf(os.Stderr, "%-28s %d direction(s): load %.2f CPU-s, %.1f MB, %.2f M neighbours/CPU-s\n",
				r.Engine, r.Directions, r.LoadCPU, r.Bytes/1e6, r.Expand/1e6)
			rows = append(rows, r)
			runtime.GC()
		}
	}
	return json.NewEncoder(os.Stdout).Encode(rows)
}

func measure(ctx context.Context, p peer, edges []edge, nodes, want int, both bool, dir string) (r row, err error) {
	dir, err = os.MkdirTemp(dir, "peer-*")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := p.open(dir)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	r = row{Engine: p.name, Directions: 1}
	if both {
		r.Directions = 2
	}
	from := used()
	if err := s.load(ctx, edges, both); err != nil {
		return r, err
	}
	r.LoadCPU = (used() - from).Seconds()
	if err := s.compact(); err != nil {
		return r, err
	}
	if r.Bytes, err = size(dir); err != nil {
		return r, err
	}
	order := rand.New(rand.NewPCG(1, 2)).Perm(nodes)
	for range 2 { // the first round warms the caches
		from, n := used(), 0
		for _, i := range order {
			k, err := s.neighbors(ctx, uint32(i))
			if err != nil {
				return r, err
			}
			n += k
		}
		if n != want {
			return r, fmt.Errorf("%d neighbours read of %d", n, want)
		}
		r.Expand = float64(n) / (used() - from).Seconds()
	}
	took := make([]time.Duration, 0, len(order))
	for _, i := range order {
		t := time.Now()
		if _, err := s.neighbors(ctx, uint32(i)); err != nil {
			return r, err
		}
		took = append(took, time.Since(t))
	}
	slices.Sort(took)
	r.P50 = float64(took[len(took)/2].Nanoseconds()) / 1e3
	return r, nil
}

// used returns the processor time of the process, or the wall time where the
// system does not tell it.
func used() time.Duration {
	if t, ok := cpuTime(); ok {
		return t
	}
	return time.Duration(time.Now().UnixNano())
}

// size returns the bytes that the files below dir take on the disk. badger
// makes files that are longer than what they hold.
func size(dir string) (total float64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += float64(diskBytes(info))
		}
		return err
	})
	return total, err
}

// appendKey appends the key of an edge: direction, node, type, other end.
func appendKey(dst []byte, dir byte, node, other uint32) []byte {
	dst = append(dst, dir)
	dst = binary.BigEndian.AppendUint32(dst, node)
	dst = binary.BigEndian.AppendUint32(dst, edgeType)
	return binary.BigEndian.AppendUint32(dst, other)
}

// edgeType is the one type of the edges.
const edgeType = 2

// The directions as keys have them.
const (
	outward byte = 0
	inward  byte = 1
)

// keyLen is the length of a key, nodePrefix that of what the keys of one
// node's edges share.
const (
	keyLen     = 13
	nodePrefix = 9
)

// eachBatch calls fn with the edges, a transaction's worth at a time.
func eachBatch(ctx context.Context, edges []edge, fn func(edges []edge) error) error {
	for done := 0; done < len(edges); done += batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(edges[done:min(done+batch, len(edges))]); err != nil {
			return err
		}
	}
	return nil
}
