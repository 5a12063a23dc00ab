package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ragdb/ragdb"
	"github.com/ragdb/ragdb/engine"
)

// serverBench measures a database on a PostgreSQL server beside one in a directory, at
// several latencies between the two machines.
type serverBench struct {
	url, latencies string
	docs, edges    int
	asks           int
	r              *report
	table          table
}

func serverFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	b := &serverBench{}
	fs.StringVar(&b.url, "url", "", "`URL` of an empty PostgreSQL database on this machine, without TLS")
	fs.StringVar(&b.latencies, "latency", "0,1,5", "latencies of a round trip, in `milliseconds`")
	fs.IntVar(&b.docs, "docs", 1000, "drawn `documents`")
	fs.IntVar(&b.edges, "edges", 500_000, "drawn `edges` to load")
	fs.IntVar(&b.asks, "asks", 40, "`questions`")
	return func(ctx context.Context, r *report) error {
		b.r = r
		if b.url == "" {
			return inputError{errors.New("-url is wanted")}
		}
		r.Input = fmt.Sprintf("%d drawn documents by bridge, %d questions, %d edges between %d nodes", b.docs, b.asks, b.edges, b.edges/5)
		return b.run(ctx)
	}
}

func (b *serverBench) run(ctx context.Context) error {
	b.table = table{Title: "A database in a directory and on a server", Columns: []string{
		"store", "latency ms", "index s", "CPU s", "server CPU s", "add one ms", "remove one ms", "search p50 ms", "p90", "ask p50 ms", "p90", "edges a s", "CPU s", "server CPU s",
	}}
	dir, err := os.MkdirTemp("", "ragdb-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := b.measure(ctx, "Pebble", "-", filepath.Join(dir, "docs"), filepath.Join(dir, "graph")); err != nil {
		return err
	}
	u, err := url.Parse(b.url)
	if err != nil {
		return inputError{err}
	}
	for _, ms := range strings.Split(b.latencies, ",") {
		n, err := strconv.ParseFloat(ms, 64)
		if err != nil {
			return inputError{fmt.Errorf("-latency: %q is not a number", ms)}
		}
		p, err := startDelay(u.Host, time.Duration(n*float64(time.Millisecond))/2)
		if err != nil {
			return err
		}
		err = b.measure(ctx, "PostgreSQL", ms, p.url(*u, "docs"+ms), p.url(*u, "graph"+ms))
		if err = errors.Join(err, p.close()); err != nil {
			return err
		}
	}
	b.r.Tables = append(b.r.Tables, b.table)
	return nil
}

// measure adds the row of a store.
func (b *serverBench) measure(ctx context.Context, store, latency, docs, graph string) error {
	row := []string{store, latency}
	put := func(format string, v float64) { row = append(row, fmt.Sprintf(format, v)) }
	db, err := ragdb.Open(ctx, docs, &ragdb.Options{Methods: []string{"bridge"}})
	if err != nil {
		return err
	}
	err = b.documents(ctx, db, put)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	if err := b.loadEdges(ctx, graph, put); err != nil {
		return err
	}
	fmt.Fprintln(b.r.log, strings.Join(row, "  "))
	b.table.Rows = append(b.table.Rows, row)
	return nil
}

// drawnDocs returns some of the drawn documents.
func drawnDocs(first, n int) []ragdb.Document {
	out := make([]ragdb.Document, n)
	for i := range out {
		out[i] = ragdb.Document{ID: fmt.Sprintf("doc %d", first+i), Text: drawDocument(1, first+i)}
	}
	return out
}

func (b *serverBench) documents(ctx context.Context, db *ragdb.DB, put func(string, float64)) error {
	clock, server := start(), serverCPU()
	if err := db.Add(ctx, drawnDocs(0, b.docs)...); err != nil {
		return err
	}
	wall, cpu := clock.stop()
	put("%.1f", wall.Seconds())
	put("%.1f", cpu.Seconds())
	put("%.1f", (serverCPU() - server).Seconds())
	one := drawnDocs(b.docs, 1)
	for _, do := range []func() error{
		func() error { return db.Add(ctx, one...) },
		func() error { return db.Remove(ctx, one[0].ID) },
	} {
		from := time.Now()
		if err := do(); err != nil {
			return err
		}
		put("%.0f", ms(time.Since(from)))
	}
	// A question is some words of a document. The first ones open what a process keeps.
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, do := range []func(q string) error{
		func(q string) error { _, err := db.Search(ctx, q, ragdb.Method("bridge")); return err },
		func(q string) error { _, err := db.Ask(ctx, q, ragdb.Method("bridge")); return err },
	} {
		var times []time.Duration
		for i := range b.asks + 5 {
			words := strings.Fields(drawDocument(1, rnd.IntN(b.docs)))
			at := rnd.IntN(max(1, len(words)-8))
			from := time.Now()
			if err := do(strings.Join(words[at:min(len(words), at+8)], " ")); err != nil {
				return err
			}
			if i >= 5 {
				times = append(times, time.Since(from))
			}
		}
		slices.Sort(times)
		put("%.1f", ms(times[len(times)/2]))
		put("%.1f", ms(times[len(times)*9/10]))
	}
	return nil
}

func (b *serverBench) loadEdges(ctx context.Context, path string, put func(string, float64)) error {
	db, err := engine.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	clock, server := start(), serverCPU()
	err = b.load(ctx, db)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	wall, cpu := clock.stop()
	put("%.0f", float64(b.edges)/wall.Seconds())
	put("%.1f", cpu.Seconds())
	put("%.1f", (serverCPU() - server).Seconds())
	return nil
}

func (b *serverBench) load(ctx context.Context, db *engine.DB) error {
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		return err
	}
	g, err := ns.Graph(ctx, "drawn")
	if err != nil {
		return err
	}
	return db.Load(ctx, g, func(l *engine.Loader) error {
		typ, err := l.MakeNodeType("node")
		if err != nil {
			return err
		}
		edge, err := l.MakeEdgeType("to", true)
		if err != nil {
			return err
		}
		ids := make([]engine.NodeID, b.edges/5)
		for i := range ids {
			if ids[i], err = l.Node(typ, strconv.Itoa(i), nil); err != nil {
				return err
			}
		}
		rnd := rand.New(rand.NewPCG(2, 2))
		for range b.edges {
			if err := l.Edge(ids[rnd.IntN(len(ids))], ids[rnd.IntN(len(ids))], edge, 1); err != nil {
				return err
			}
		}
		return nil
	})
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
