package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"time"

	"github.com/ragdb/ragdb/vecindex"
)

// vectorTask is what the process that serves a database is to do. Node ids
// stand for rows, since it does not know the set.
type vectorTask struct {
	Path    string
	Budget  int64
	Tier    vecindex.Rerank
	Ef      int // widest of the run
	Dim     int
	Vectors []float32 // of the queries, one after the other
	Nearest []uint64  // node that is nearest to each, 0 if there is none
}

// vectorServed is what the process found out.
type vectorServed struct {
	Open     float64 `json:"open_s"`    // from opening to the first right answer
	Resident int64   `json:"rss_bytes"` // after all searches
	Before   int64   `json:"rss_before_bytes"`
}

// errNoAnswer says that no query found its nearest vector.
var errNoAnswer = errors.New("no answer holds the nearest vector")

// vectorServeFlags is the suite that vector runs in a process of its own: it
// opens a database, asks every query once and prints the time of the first
// right answer and its memory. The task comes from standard input, so that the
// process holds no more than a program that searches.
func vectorServeFlags(*flag.FlagSet) func(ctx context.Context, r *report) error {
	return func(ctx context.Context, r *report) error {
		var t vectorTask
		if err := gob.NewDecoder(os.Stdin).Decode(&t); err != nil {
			return fmt.Errorf("read the task: %w", err)
		}
		out, err := t.serve(ctx)
		r.result = out
		return err
	}
}

func (t *vectorTask) serve(ctx context.Context) (out vectorServed, err error) {
	debug.FreeOSMemory() // what decoding left
	out.Before = residentBytes()
	from := time.Now()
	d, err := openVectors(ctx, t.Path, t.Budget, t.Tier)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	err = d.view(ctx, func(v *vecindex.View) error {
		var hits []vecindex.Hit
		for i, nearest := range t.Nearest {
			hits, err = v.Search(ctx, vecindex.Search{
				Vector: t.Vectors[i*t.Dim : (i+1)*t.Dim], K: recallAt + 1, Ef: t.Ef,
			}, hits[:0])
			if err != nil {
				return err
			}
			if out.Open == 0 && slices.ContainsFunc(hits, func(h vecindex.Hit) bool { return h.ID == nearest }) {
				out.Open = time.Since(from).Seconds()
			}
		}
		return nil
	})
	if err == nil && out.Open == 0 {
		err = errNoAnswer
	}
	out.Resident = residentBytes()
	return out, err
}

// serve opens the database in a process of its own. It must be closed here.
func (d *vectorStore) serve(ctx context.Context, s *vectorSet, budget int64, ef int, log io.Writer) (out vectorServed, err error) {
	t := vectorTask{Path: d.path, Budget: budget, Tier: d.tier, Ef: ef, Dim: s.dim}
	for _, q := range s.queries {
		t.Vectors = append(t.Vectors, q.vector...)
		var nearest uint64
		if len(q.truth) > 0 {
			nearest = uint64(d.ids[q.truth[0]])
		}
		t.Nearest = append(t.Nearest, nearest)
	}
	var in bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(&t); err != nil {
		return out, err
	}
	self, err := os.Executable()
	if err != nil {
		return out, err
	}
	cmd := exec.CommandContext(ctx, self, "vector-serve", "-json")
	cmd.Stdin, cmd.Stderr = &in, log
	b, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w", cmd, err)
	}
	return out, nil
}
