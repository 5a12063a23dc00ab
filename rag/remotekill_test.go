package rag_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// remoteEnv holds the work of a child process that indexes with models over
// HTTP.
const remoteEnv = "RAGDB_TEST_REMOTE"

// remoteJob indexes generated documents, and goes on where it was.
type remoteJob struct {
	endpoint
	Dir    string
	Seed   uint64
	Docs   int
	Specs  []string
	Budget int64 // of memory
	// Reembed changes the embedding model.
	Reembed bool
}

func remoteChild(config string) int {
	var j remoteJob
	err := json.Unmarshal([]byte(config), &j)
	if err == nil {
		err = j.run(context.Background())
	}
	if err != nil && !errors.Is(err, rag.ErrPartial) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(mostMemory())
	return 0
}

// mostMemory returns the most memory in bytes that the process had resident at
// a time, 0 where the system does not tell.
func mostMemory() (bytes int64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(rest, &bytes); err != nil {
		return 0
	}
	return bytes << 10
}

func (j *remoteJob) run(ctx context.Context) (err error) {
	db, err := engine.Open(ctx, j.Dir, &engine.Options{Encodings: methods.Encodings(), MemoryBudget: j.Budget})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	c, err := rag.OpenCorpus(ctx, db, "main", nil)
	if err != nil {
		return err
	}
	all := methods.All()
	c = j.corpus(c)
	systems, err := openSystems(ctx, c, all, j.Specs...)
	if err != nil {
		return err
	}
	x := rag.Indexer{Corpus: c, Methods: all, Systems: systems, Options: rag.IndexOptions{Reembed: j.Reembed}}
	_, err = x.Run(ctx, []rag.Input{{FS: ragtest.Files(ragtest.Docs(j.Seed, j.Docs)...), Root: "."}})
	return err
}

// start begins a job in a process of its own.
func (j *remoteJob) start(t *testing.T) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	config, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), remoteEnv+"="+string(config))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, &out
}

// end waits for a job and reports whether it came to its end, and then the most
// memory that it had.
func end(t *testing.T, cmd *exec.Cmd, out *bytes.Buffer) (done bool, memory int64) {
	t.Helper()
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		if _, err := fmt.Sscan(out.String(), &memory); err != nil {
			t.Fatal(err)
		}
		return true, memory
	case errors.As(err, &exit) && exit.ExitCode() == -1: // killed
		return false, 0
	}
	t.Fatalf("%v: %s", err, out)
	return false, 0
}

// stored is what a corpus keeps of what was paid, by digest in hex.
type stored struct{ replies, vectors map[string]bool }

func readStored(t *testing.T, dir string) stored {
	t.Helper()
	s := stored{map[string]bool{}, map[string]bool{}}
	db, err := engine.Open(t.Context(), dir, &engine.Options{Encodings: methods.Encodings(), MustExist: true})
	if errors.Is(err, engine.ErrNotFound) {
		return s // killed before there was anything
	}
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c := ragtest.OpenIn(t, db)
	err = db.View(t.Context(), func(snap *engine.Snapshot) error {
		for name, into := range map[string]map[string]bool{"replies": s.replies, "embeddings": s.vectors} {
			for e, err := range snap.Graph(c.Base()).Bucket(name).Scan(nil, nil) {
				if err != nil {
					return err
				}
				into[hex.EncodeToString(e.Key)] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func textDigest(s string) string {
	d := method.Digest("embed", embedName, s)
	return hex.EncodeToString(d[:])
}

// auditPayments holds the server's log against what the corpus kept at the end
// of each run:
//
//   - what is kept is never asked for again;
//   - within a run nothing is asked for again that was delivered;
//   - what was delivered and is not kept was under way when its run was killed:
//     no more than the work items that were. It alone is paid again, once a
//     kill.
//
// kept[i] is what the corpus kept after run i.
func auditPayments(t *testing.T, log []served, kept []stored, workers int) {
	t.Helper()
	before := stored{}
	mostReplies, mostVectors := 0, 0
	for run, after := range kept {
		delivered, texts := map[string]bool{}, map[string]bool{}
		for _, r := range log {
			if r.run != fmt.Sprint(run) {
				continue
			}
			if r.task != "" {
				if before.replies[r.task] {
					t.Errorf("run %d asks for the task %s, whose reply is kept", run, r.task)
				}
				if delivered[r.task] {
					t.Errorf("run %d asks for the task %s after its reply was delivered", run, r.task)
				}
				delivered[r.task] = delivered[r.task] || r.useful
			}
			for _, s := range r.texts {
				d := textDigest(s)
				if before.vectors[d] {
					t.Errorf("run %d asks for a vector that is kept: %.60q", run, s)
				}
				if texts[d] {
					t.Errorf("run %d asks for a vector after it was delivered: %.60q", run, s)
				}
			}
			if r.useful {
				for _, s := range r.texts {
					texts[textDigest(s)] = true
				}
			}
		}
		lost, lostTexts := missing(delivered, after.replies), missing(texts, after.vectors)
		switch last := run == len(kept)-1; {
		case last && lost+lostTexts > 0:
			t.Errorf("the last run lost %d replies and %d vectors", lost, lostTexts)
		case lost > workers || lostTexts > workers:
			t.Errorf("run %d was killed and lost %d replies and %d vectors, more than were under way", run, lost, lostTexts)
		}
		mostReplies, mostVectors = max(mostReplies, lost), max(mostVectors, lostTexts)
		before = after
	}
	t.Logf("a kill lost at most %d replies and %d vectors that were delivered", mostReplies, mostVectors)
}

// missing counts what was delivered and is not kept.
func missing(delivered, kept map[string]bool) (n int) {
	for d, ok := range delivered {
		if ok && !kept[d] {
			n++
		}
	}
	return n
}

// failing is a plan of failures that hit a share of all requests, in equal
// parts.
func failing(share float64) []llmtest.Fault {
	const structured = `"response_format"` // elsewhere these are right answers
	kinds := []llmtest.Fault{
		{Failure: llmtest.TooMany, RetryAfter: time.Second}, {Failure: llmtest.ServerError}, {Failure: llmtest.Cut}, {Failure: llmtest.Hangup},
		{Failure: llmtest.NotJSON}, {Failure: llmtest.BadJSON, Text: structured}, {Failure: llmtest.Prose, Text: structured},
		{Failure: llmtest.Empty, On: "chat"}, {Failure: llmtest.Think, On: "chat"}, {Failure: llmtest.NoVector, On: "embeddings"},
	}
	plan := []llmtest.Fault{{Failure: llmtest.Stall, Share: share / 50, First: 1, On: "chat"}}
	for _, f := range kinds {
		f.Share = share / float64(len(kinds))
		plan = append(plan, f)
	}
	return plan
}

// TestKillRemote indexes with models over HTTP of which 5 % of the answers
// fail, in processes that are killed at random moments. What is left is what a
// run leaves that nothing happens to, vectors included, and nothing was paid
// again that was kept.
func TestKillRemote(t *testing.T) {
	ragtest.NeedsDirectory(t)
	t.Parallel()
	docs := 140
	if testing.Short() {
		docs = 30
	}
	killedRemotely(t, remoteJob{Seed: 31, Docs: docs}, 3)
}

// TestKillRemoteLong is TestKillRemote with 10,000 chunks and a bound on memory.
func TestKillRemoteLong(t *testing.T) {
	ragtest.NeedsDirectory(t)
	if !*long {
		t.Skip("needs -long")
	}
	killedRemotely(t, remoteJob{Seed: 32, Docs: 4650, Budget: 128 << 20}, 3)
}

// besideBudget is the memory that a process needs beside its budget.
const besideBudget = 150 << 20

func killedRemotely(t *testing.T, j remoteJob, kills int) {
	j.Specs, j.Workers = []string{methods.Default + ":describe=always", "naive"}, 64 // most requests are chats
	// The reference: at once, in memory, without a failure.
	calm := newModelServer(t, llmtest.Options{})
	ref := newReference(t)
	c := endpoint{URL: calm.URL}.corpus(ragtest.OpenIn(t, ref.db))
	r := indexRemote(t, c, methods.All(), j.Specs, ragtest.Docs(j.Seed, j.Docs)...)
	want := ragtest.Export(t, ref.db, rag.CanonicalExport())
	total := calm.Counters().Requests
	if r.Failed > 0 || r.Usage.Calls != total {
		t.Fatalf("the reference: %d failed; %d calls by the meter, %d by the server", r.Failed, r.Usage.Calls, total)
	}

	s := newModelServer(t, llmtest.Options{Seed: j.Seed, Plan: failing(.05)})
	j.URL, j.Dir, j.Patience = s.URL, filepath.Join(t.TempDir(), "db"), 2*time.Second
	random := rand.New(rand.NewPCG(j.Seed, 9))
	var kept []stored
	var memory int64
	deaths := 0
	start := time.Now()
	for j.Run = 0; ; j.Run++ {
		if j.Run > 2*kills+4 {
			t.Fatal("it does not come to its end")
		}
		var once sync.Once
		cmd, out := j.start(t)
		if deaths < kills {
			// Not all of the requests are left in a later run.
			from := s.Counters().Requests
			at, wait := from+1+random.IntN(total/(kills+1)), time.Duration(random.IntN(20_000))*time.Microsecond
			s.onRequest(func(n int) {
				if n >= at {
					once.Do(func() { time.AfterFunc(wait, func() { cmd.Process.Kill() }) })
				}
			})
		}
		done, most := end(t, cmd, out)
		memory = max(memory, most)
		s.onRequest(nil)
		s.settle(t)
		kept = append(kept, readStored(t, j.Dir))
		if done {
			break
		}
		deaths++
	}
	if deaths < kills {
		t.Errorf("seed %d: only %d kills", j.Seed, deaths)
	}
	took := time.Since(start)
	log := s.log(t)
	auditPayments(t, log, kept, j.Workers)

	db, err := engine.Open(t.Context(), j.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	left := endpoint{URL: s.URL, Run: -1}.corpus(ragtest.OpenIn(t, db))
	counts := countStages(t, left, j.Specs)
	if counts.Pending > 0 {
		t.Errorf("%d items are neither done nor set aside", counts.Pending)
	}
	if counts.Failed > 0 {
		t.Logf("%d items were set aside and taken up again", counts.Failed)
		retry(t, left, j.Specs)
	}
	ragtest.Check(t, db)
	ragtest.Same(t, fmt.Sprintf("seed %d: canonical export", j.Seed), ragtest.Export(t, db, rag.CanonicalExport()), want)
	n := s.Counters()
	t.Logf("seed %d: %d chunks; %d requests, %d without failures and kills; %d kills; failures %v; %s; %d MB resident",
		j.Seed, r.Chunks, len(log), total, deaths, n.Failures, took.Round(time.Millisecond), memory>>20)
	if j.Budget > 0 && memory > j.Budget+besideBudget {
		t.Errorf("%d MB resident with a budget of %d MB", memory>>20, j.Budget>>20)
	}
}

// countStages counts the work items of all stages.
func countStages(t *testing.T, c *rag.Corpus, specs []string) (sum queue.StageCount) {
	t.Helper()
	all := methods.All()
	systems, err := openSystems(t.Context(), c, all, specs...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Options().Models(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	stages, err := c.BaseStages(systems, m)
	if err != nil {
		t.Fatal(err)
	}
	for _, sys := range systems {
		stages = append(stages, sys.Stages(m)...)
	}
	err = c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		for _, st := range stages {
			n, err := st.Count(t.Context(), s)
			if err != nil {
				return err
			}
			sum.Done, sum.Pending, sum.Failed = sum.Done+n.Done, sum.Pending+n.Pending, sum.Failed+n.Failed
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func retry(t *testing.T, c *rag.Corpus, specs []string) {
	t.Helper()
	all := methods.All()
	systems, err := openSystems(t.Context(), c, all, specs...)
	if err != nil {
		t.Fatal(err)
	}
	x := rag.Indexer{Corpus: c, Methods: all, Systems: systems, Options: rag.IndexOptions{Retry: true}}
	if _, err := x.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}
