package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"

	"github.com/ragdb/ragdb/engine"
)

// serveFlags is the suite that graphstore runs in a process of its own: it
// expands every node of a database in random order and prints the memory that
// the process then has.
func serveFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	path := fs.String("db", "", "`path` of a database that graphstore made")
	return func(ctx context.Context, r *report) (err error) {
		if *path == "" {
			return errors.New("-db is missing")
		}
		d, err := openDatabase(ctx, *path)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.close()) }()
		return d.db.View(ctx, func(s *engine.Snapshot) error {
			v := s.Graph(d.graph)
			t, ok := v.NodeType("node")
			if !ok {
				return errors.New("the database has no nodes")
			}
			set, err := v.Nodes(t)
			if err != nil {
				return err
			}
			if _, _, err := expand(v, rand.New(rand.NewPCG(1, 5)).Perm(int(set.GetCardinality()))); err != nil {
				return err
			}
			r.atMost("resident", float64(residentBytes()), "B", 0, "")
			return nil
		})
	}
}

// runServe runs the suite and returns the resident bytes, 0 if the system
// does not tell.
func runServe(ctx context.Context, path string) (int64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, self, "serve", "-json", "-db", path)
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", cmd, err)
	}
	var r report
	if err := json.Unmarshal(out, &r); err != nil || len(r.Measures) != 1 {
		return 0, fmt.Errorf("%s: unexpected output %q", cmd, out)
	}
	return int64(r.Measures[0].Value), nil
}
