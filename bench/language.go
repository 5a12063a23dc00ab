package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

// languageBench measures statements over a graph of persons, beside LadybugDB if there
// is a folder that has it. Both run the same statements and must return the same.
type languageBench struct {
	nodes, edges, rounds int
	seed                 uint64
	dir, peer, script    string

	names []string
	cpu   [2]map[string][]float64 // in ms, of ragdb and the peer
	sums  [2]map[string]float64
}

func languageFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	b := &languageBench{}
	fs.IntVar(&b.nodes, "nodes", 100_000, "`number` of nodes")
	fs.IntVar(&b.edges, "edges", 1_000_000, "`number` of edges")
	fs.IntVar(&b.rounds, "rounds", 5, "`number` of times that both run all statements, in turn")
	fs.Uint64Var(&b.seed, "seed", 7, "of the graph and of the nodes asked about")
	fs.StringVar(&b.peer, "peer", "", "`folder` in which \"npm i @ladybugdb/core\" was run; without it ragdb is measured alone")
	fs.StringVar(&b.script, "script", "bench/peers/language.mjs", "`file` that runs LadybugDB")
	return b.run
}

func (b *languageBench) run(ctx context.Context, r *report) (err error) {
	if b.nodes < 100 || b.edges < 1 || b.edges > b.nodes*b.nodes/8 || b.rounds < 1 {
		return inputError{errors.New("-nodes must be at least 100, -rounds and -edges at least 1, -edges at most an eighth of all pairs")}
	}
	if b.dir, err = os.MkdirTemp("", "ragdb-bench-*"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	for i := range b.cpu {
		b.cpu[i], b.sums[i] = map[string][]float64{}, map[string]float64{}
	}
	r.Input = fmt.Sprintf("%d nodes, %d edges with a property, %d rounds", b.nodes, b.edges, b.rounds)
	if err := b.draw(); err != nil {
		return err
	}
	if err := b.own(ctx, b.load); err != nil {
		return err
	}
	if err := b.runPeer(ctx, "load"); err != nil {
		return err
	}
	for range b.rounds {
		if err := b.own(ctx, b.ask); err != nil {
			return err
		}
		if err := b.runPeer(ctx); err != nil {
			return err
		}
	}
	return b.report(r)
}

// own calls fn with a session on the database, which is opened for it.
func (b *languageBench) own(ctx context.Context, fn func(ctx context.Context, s *cypher.Session) error) (err error) {
	db, err := engine.Open(ctx, filepath.Join(b.dir, "ragdb"), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	ns, err := db.Namespace(ctx, "main")
	if err == nil {
		_, err = ns.Graph(ctx, "persons")
	}
	if err != nil {
		return err
	}
	s, err := cypher.NewSession(cypher.Options{DB: db, Namespace: ns, Graph: "persons", Files: folder(b.dir)})
	if err != nil {
		return err
	}
	return fn(ctx, s)
}

// folder opens the files of a folder.
type folder string

func (f folder) Open(name string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(string(f), name))
}
func (f folder) Create(string) (io.WriteCloser, error) { return nil, fs.ErrPermission }

func (b *languageBench) load(ctx context.Context, s *cypher.Session) error {
	for _, st := range []statement{
		{Name: "load of nodes", Text: "COPY Person FROM 'nodes.csv'", Params: make([]map[string]string, 1)},
		{Name: "load of edges", Text: "COPY KNOWS FROM 'edges.csv' (FROM Person TO Person)", Params: make([]map[string]string, 1)},
	} {
		if err := b.measure(ctx, s, st); err != nil {
			return err
		}
		b.sums[0][st.Name] = 0
	}
	return nil
}

func (b *languageBench) ask(ctx context.Context, s *cypher.Session) error {
	for _, st := range b.statements() {
		if err := b.measure(ctx, s, st); err != nil {
			return err
		}
	}
	return nil
}

// measure runs a statement with each of its parameters.
func (b *languageBench) measure(ctx context.Context, s *cypher.Session, st statement) error {
	from, _ := cpuTime()
	sum := 0.0
	for _, params := range st.Params {
		values := map[string]cypher.Value{}
		for name, v := range params {
			values[name] = cypher.String(v)
		}
		res, err := s.Run(ctx, st.Text, values)
		if err != nil {
			return fmt.Errorf("%s: %w", st.Name, err)
		}
		for row, err := range res.Rows() {
			if err != nil {
				return fmt.Errorf("%s: %w", st.Name, err)
			}
			switch row[0].Kind() {
			case cypher.KindString:
				sum++
			default:
				sum += row[0].AsFloat()
			}
		}
	}
	to, _ := cpuTime()
	b.add(0, st.Name, float64(to-from)/float64(time.Millisecond)/float64(len(st.Params)), sum)
	return nil
}

// add keeps a figure of ragdb, 0, or the peer, 1.
func (b *languageBench) add(who int, name string, ms, sum float64) {
	if !slices.Contains(b.names, name) {
		b.names = append(b.names, name)
	}
	b.cpu[who][name] = append(b.cpu[who][name], ms)
	b.sums[who][name] = sum
}

// runPeer runs the peer, if there is one.
func (b *languageBench) runPeer(ctx context.Context, args ...string) error {
	if b.peer == "" {
		return nil
	}
	cmd := exec.CommandContext(ctx, "node", append([]string{b.script, b.peer, b.dir}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", b.script, err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var l struct {
			Name     string
			CPU, Sum float64
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return fmt.Errorf("%s: %w", b.script, err)
		}
		b.add(1, l.Name, l.CPU, l.Sum)
	}
	return nil
}

// report makes the table, and fails if the two return different things.
func (b *languageBench) report(r *report) error {
	t := table{Title: "CPU ms, median", Columns: []string{"statement", "ragdb", "LadybugDB", "ratio"}}
	for _, name := range b.names {
		own, peer := middle(b.cpu[0][name]), middle(b.cpu[1][name])
		row := []string{name, number(own), "", ""}
		if b.peer != "" {
			row[2], row[3] = number(peer), fmt.Sprintf("%.2f", own/peer)
			if x, y := b.sums[0][name], b.sums[1][name]; x != y && name[:4] != "load" {
				return fmt.Errorf("%s: ragdb returns %v, LadybugDB %v", name, x, y)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	own, err := sizeOf(filepath.Join(b.dir, "ragdb"))
	if err != nil {
		return err
	}
	row := []string{"disk after the load, MB", number(own), "", ""}
	if b.peer != "" {
		peer, err := sizeOf(filepath.Join(b.dir, "peer.db"))
		if err != nil {
			return err
		}
		row[2], row[3] = number(peer), fmt.Sprintf("%.2f", own/peer)
	}
	t.Rows = append(t.Rows, row)
	r.Tables = append(r.Tables, t)
	return nil
}

// middle returns the median, 0 of nothing.
func middle(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}

// sizeOf returns the size of a file or a folder in megabytes.
func sizeOf(path string) (mb float64, err error) {
	err = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			mb += float64(info.Size()) / 1e6
		}
		return err
	})
	return mb, err
}
