package rag_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// childEnv holds the job of a child process.
const childEnv = "RAGDB_TEST_CHILD"

// job is a part of the work on a corpus, which may be begun any number of
// times: it goes on where it was.
type job struct {
	Dir  string
	Seed uint64
	// Docs is the number of generated documents, Step what is done with them.
	Docs, Step int
	// File is indexed in place of generated documents.
	File string
	// Calls is the file to which each paid call is written; "" pays nothing.
	Calls string
	// Kill is the commit at which the process dies, 0 for none; How says when.
	Kill int
	How  int
}

// steps is the number of steps of generated documents: a first part; all, some
// of the first replaced and so many new ones that words are learnt anew; some
// removed again.
const steps = 3

func (j *job) run(ctx context.Context, db *engine.DB) error {
	c, err := rag.OpenCorpus(ctx, db, "main", nil)
	if err != nil {
		return err
	}
	if j.Calls != "" {
		log, err := os.OpenFile(j.Calls, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		defer log.Close()
		c = c.With(rag.Options{Models: paid(log)})
	}
	all := methods.All()
	sys, err := all.Open(ctx, c.Docs(), method.Spec{Name: methods.Default})
	if err != nil {
		return err
	}
	x := rag.Indexer{Corpus: c, Methods: all, Systems: []*method.System{sys}, Options: rag.IndexOptions{Workers: 2}}
	if j.File != "" {
		_, err = x.Run(ctx, []rag.Input{{FS: os.DirFS(filepath.Dir(j.File)), Root: filepath.Base(j.File)}})
		return err
	}
	docs := ragtest.Docs(j.Seed, j.Docs)
	switch j.Step {
	case 0:
		docs = docs[:j.Docs*2/5]
	case 1:
		for i := range j.Docs / 10 {
			docs[3*i] = ragtest.Document(j.Seed, 3*i, 1)
		}
	case 2:
		for i := range j.Docs / 20 {
			_, err := c.Remove(ctx, all, docs[7*i].Key, rag.RemoveOptions{})
			if err != nil && !errors.Is(err, engine.ErrNotFound) {
				return err
			}
		}
		docs = nil
	}
	var in []rag.Input
	if docs != nil {
		in = []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}
	}
	_, err = x.Run(ctx, in)
	return err
}

// child does a job in a process of its own, which may be killed on the way.
func child(config string) int {
	var j job
	err := json.Unmarshal([]byte(config), &j)
	if err == nil {
		err = j.inDirectory(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (j *job) inDirectory(ctx context.Context) (err error) {
	db, err := engine.Open(ctx, j.Dir, &engine.Options{Encodings: methods.Encodings(), OpenStore: func(ctx context.Context, path string, s *kv.Schema) (kv.Store, error) {
		store, err := pebblekv.Open(ctx, path, s, nil)
		if err != nil {
			return nil, err
		}
		return &mortal{Store: store, left: j.Kill, how: j.How, r: rand.New(rand.NewPCG(j.Seed, uint64(j.Kill)))}, nil
	}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return j.run(ctx, db)
}

// mortal is a store that kills its process at one of its commits.
type mortal struct {
	*pebblekv.Store
	how int

	mu   sync.Mutex
	left int
	r    *rand.Rand
}

// The moments of a commit.
const (
	beforeCommit = iota
	duringCommit
	afterCommit
	moments
)

// Apply implements [kv.Store].
func (s *mortal) Apply(ctx context.Context, b kv.Batch, d kv.Durability) error {
	s.mu.Lock()
	s.left--
	now := s.left == 0
	wait := time.Duration(s.r.IntN(3000)) * time.Microsecond
	s.mu.Unlock()
	if now && s.how == beforeCommit {
		die()
	}
	if now && s.how == duringCommit {
		time.AfterFunc(wait, die)
	}
	err := s.Store.Apply(ctx, b, d)
	if now && s.how == afterCommit {
		die()
	}
	return err
}

// die kills the process, leaving it no time for anything.
func die() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// paid opens the local models as ones that cost: each call is written to a log
// before it is answered.
func paid(log io.Writer) func(context.Context, *rag.Corpus) (*rag.Models, error) {
	return func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		m, err := c.OpenLocal(ctx, true, rag.Parts{})
		if err != nil {
			return nil, err
		}
		return c.NewModels(rag.Parts{Provider: &counted{Provider: m.Provider(), log: log}, Documents: m.Documents(), Questions: m.Questions()}), nil
	}
}

// counted is a provider that writes down what it is asked.
type counted struct {
	llm.Provider
	mu  sync.Mutex
	log io.Writer
}

// Can implements [llm.Provider], for a chat model.
func (*counted) Can(k llm.Kind) bool { return k.Known() }

// Do implements [llm.Provider].
func (p *counted) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	d, err := t.Digest(p.Name())
	if err != nil {
		return llm.Reply{}, llm.Usage{}, err
	}
	p.mu.Lock()
	_, err = fmt.Fprintf(p.log, "%x\n", d)
	p.mu.Unlock()
	if err != nil {
		return llm.Reply{}, llm.Usage{}, err
	}
	return p.Provider.Do(ctx, t)
}

// commits is a store in memory that counts its commits.
type commits struct {
	kv.Store
	n int
}

// Apply implements [kv.Store].
func (s *commits) Apply(ctx context.Context, b kv.Batch, d kv.Durability) error {
	s.n++
	return s.Store.Apply(ctx, b, d)
}

// state exports all that indexing left, with its own records. The marks of
// keyword vectors, hyperplanes and segments alone tell by which commits they came, and
// the records of runs and the traces of answers of when those were. Frontiers and
// what is kept of idle systems hold the identity of their database, and what is settled
// the versions of its graphs.
func state(t testing.TB, db *engine.DB) string {
	t.Helper()
	all := ragtest.Export(t, db, engine.ExportOptions{Canonical: true})
	lines := strings.Split(all, "\n")
	out := lines[:0]
	graph := ""
	for _, line := range lines {
		var l struct {
			Graph *struct {
				Name string `json:"name"`
			} `json:"graph"`
			Entry *struct {
				Bucket string `json:"bucket"`
				Key    []byte `json:"key"`
				Value  []byte `json:"value"`
			} `json:"entry"`
			End *struct{} `json:"end"`
		}
		if strings.HasPrefix(line, `{"graph"`) || strings.HasPrefix(line, `{"entry"`) || strings.HasPrefix(line, `{"end"`) {
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
		}
		if l.Graph != nil {
			graph, _, _ = strings.Cut(l.Graph.Name, "#")
		}
		if l.End != nil || l.Entry != nil && ofItsCommits(l.Entry.Bucket, l.Entry.Key) {
			continue
		}
		if l.Entry != nil && l.Entry.Bucket == "jobs" && len(l.Entry.Value) > 0 {
			// Marks of leaves and vectors that EraRAG made again have a commit in their
			// digests, and settling has the version of the graph.
			switch _, stage, _ := strings.Cut(string(l.Entry.Key), "\x00"); graph + " " + stage {
			case "erarag leaves", "erarag vectors", "erarag embedded", "archrag settle":
				line = fmt.Sprintf("mark %q: %d", l.Entry.Key, l.Entry.Value[0])
			}
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// ofItsCommits reports whether an entry tells by which commits or when it came.
func ofItsCommits(bucket string, key []byte) bool {
	switch bucket {
	case "runs", "traces", "frontiers", "idle", "whole", "settled":
		return true
	case "jobs":
		_, stage, _ := strings.Cut(string(key), "\x00")
		return bytes.HasPrefix(key, []byte("stale:")) || stage == "planes" || strings.HasPrefix(stage, "segments ")
	}
	return false
}

// replies returns the digests of the kept replies.
func replies(t testing.TB, db *engine.DB) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	c := ragtest.OpenIn(t, db)
	err := db.View(context.Background(), func(s *engine.Snapshot) error {
		for e, err := range s.Graph(c.Base()).Bucket("replies").Scan(nil, nil) {
			if err != nil {
				return err
			}
			out[hex.EncodeToString(e.Key)] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// spawn does a job in a child process and reports whether it came to its end.
func spawn(t *testing.T, j job) (done bool) {
	t.Helper()
	config, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(config))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return true
	case errors.As(err, &exit) && exit.ExitCode() == -1: // killed
		return false
	}
	t.Fatalf("step %d: %v: %s", j.Step, err, out)
	return false
}

// killed does a corpus's work in children that die at random commits, and again
// until it is done, and holds what is left against the same without deaths.
func killed(t *testing.T, j job, parts, kills int) {
	// The reference, which tells how many commits each step takes.
	ref := newReference(t)
	log := j.Calls
	if log != "" {
		j.Calls = filepath.Join(t.TempDir(), "calls")
	}
	at := make([]int, parts)
	for i := range at {
		before := ref.store.n
		j.Step = i
		if err := j.run(t.Context(), ref.db); err != nil {
			t.Fatal(err)
		}
		at[i] = ref.store.n - before
	}
	want := state(t, ref.db)
	ragtest.Check(t, ref.db)

	j.Calls, j.Dir = log, filepath.Join(t.TempDir(), "db")
	r := rand.New(rand.NewPCG(j.Seed, 1))
	deaths, runs := 0, 0
	p := payments{t: t, log: log}
	for i, commits := range at {
		j.Step = i
		for left := kills / parts; ; left-- {
			j.Kill = 0
			if left > 0 {
				j.Kill, j.How = 1+r.IntN(1+3*commits*parts/(2*kills)), r.IntN(moments)
			}
			runs++
			done := spawn(t, j)
			p.settle(j.Dir)
			if done {
				break
			}
			deaths++
		}
	}
	t.Logf("seed %d: %d runs, %d of them killed; commits of the steps: %v", j.Seed, runs, deaths, at)
	if deaths < kills/2 {
		t.Errorf("seed %d: only %d of %d runs were killed", j.Seed, deaths, runs)
	}
	db, err := engine.Open(t.Context(), j.Dir, &engine.Options{Encodings: methods.Encodings(), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ragtest.Check(t, db)
	ragtest.Same(t, fmt.Sprintf("seed %d: canonical export", j.Seed),
		ragtest.Export(t, db, rag.CanonicalExport()), ragtest.Export(t, ref.db, rag.CanonicalExport()))
	ragtest.Same(t, fmt.Sprintf("seed %d: with its own records", j.Seed), state(t, db), want)
}

type reference struct {
	db    *engine.DB
	store *commits
}

func newReference(t *testing.T) *reference {
	r := &reference{store: &commits{Store: memkv.New(layout.Schema())}}
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
		Encodings: methods.Encodings(),
		OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return r.store, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	r.db = db
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// payments checks after each run that none of its calls was for a reply that
// was kept before, and none was made twice.
type payments struct {
	t     *testing.T
	log   string
	read  int             // bytes of the log
	kept  map[string]bool // after the run before
	calls map[string]int
}

func (p *payments) settle(dir string) {
	p.t.Helper()
	if p.log == "" {
		return
	}
	b, err := os.ReadFile(p.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.t.Fatal(err)
	}
	run := map[string]bool{}
	if p.calls == nil {
		p.calls = map[string]int{}
	}
	for _, d := range strings.Fields(string(b[p.read:])) {
		switch {
		case p.kept[d]:
			p.t.Errorf("%s was paid again though its reply was kept", d)
		case run[d]:
			p.t.Errorf("%s was paid twice in a run", d)
		}
		run[d] = true
		p.calls[d]++
	}
	p.read = len(b)
	db, err := engine.Open(p.t.Context(), dir, &engine.Options{Encodings: methods.Encodings()})
	if err != nil {
		p.t.Fatal(err)
	}
	p.kept = replies(p.t, db)
	if err := db.Close(); err != nil {
		p.t.Fatal(err)
	}
	for d := range p.kept {
		if p.calls[d] == 0 {
			p.t.Errorf("there is a reply of %s, which was never asked", d)
		}
	}
}

// TestKill indexes a corpus in processes that are killed at random commits.
// What is left when it is done is sound and equal to what a run without deaths
// leaves, down to the node ids and the marks of the queue.
func TestKill(t *testing.T) {
	ragtest.NeedsDirectory(t)
	t.Parallel()
	docs, kills := 60, 18
	if *long {
		docs, kills = 300, 108
	}
	killed(t, job{Seed: 11, Docs: docs}, steps, kills)
}

// TestPaidOnce is TestKill with a provider that costs: a call is never made
// again once its reply is kept, whenever the process dies.
func TestPaidOnce(t *testing.T) {
	ragtest.NeedsDirectory(t)
	t.Parallel()
	docs, kills := 24, 9
	if *long {
		docs, kills = 150, 60
	}
	log := filepath.Join(t.TempDir(), "calls")
	killed(t, job{Seed: 12, Docs: docs, Calls: log}, steps, kills)
	b, err := os.ReadFile(log)
	if err != nil || len(b) == 0 {
		t.Fatalf("nothing was paid: %v", err)
	}
}

// TestKillCorpus is TestKill on a real corpus.
func TestKillCorpus(t *testing.T) {
	if !*long {
		t.Skip("needs -long")
	}
	killed(t, job{Seed: 13, File: evaldata.Shared(t, "ketrag_musique/corpus.jsonl.gz")}, 1, 130)
}
