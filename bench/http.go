package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ragdb/ragdb"
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/load"
)

// httpBench measures what searches cost over HTTP beside the same ones through the Go
// API, each in a process of its own.
type httpBench struct {
	db, questions, program, methods string
	connections, searches           int
	role                            string // of a child process
	r                               *report
}

func httpFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	b := &httpBench{}
	fs.StringVar(&b.db, "db", "", "`folder` of an indexed database")
	fs.StringVar(&b.questions, "questions", "", "`folder` with questions.jsonl or questions.jsonl.gz, whose records have a question")
	fs.StringVar(&b.program, "ragdb", "", "the ragdb `program`")
	fs.StringVar(&b.methods, "methods", "bm25,bridge", "`methods` to search by")
	fs.IntVar(&b.connections, "connections", 64, "`connections`, or goroutines, that search at once")
	fs.IntVar(&b.searches, "searches", 5000, "searches of a measurement")
	fs.StringVar(&b.role, "role", "", "what a child process does: go METHOD")
	return func(ctx context.Context, r *report) error {
		b.r = r
		if b.db == "" || b.questions == "" {
			return inputError{errors.New("-db and -questions are wanted")}
		}
		if b.role != "" {
			return b.child(ctx)
		}
		if b.program == "" {
			return inputError{errors.New("-ragdb is wanted")}
		}
		r.Input = fmt.Sprintf("%d searches over %d connections", b.searches, b.connections)
		return b.run(ctx)
	}
}

// readQuestions reads the questions of a data set.
func (b *httpBench) readQuestions(ctx context.Context) ([]string, error) {
	var out []string
	for _, name := range []string{"questions.jsonl", "questions.jsonl.gz"} {
		for rec, err := range load.Records(ctx, os.DirFS(b.questions), name) {
			if err != nil {
				break
			}
			if q, ok := rec.Fields["question"].(string); ok {
				out = append(out, q)
			}
		}
	}
	if len(out) == 0 {
		return nil, inputError{errors.New("there are no questions in " + b.questions)}
	}
	return out, nil
}

// work runs searches on so many goroutines and returns their times.
func (b *httpBench) work(ctx context.Context, questions []string, search func(ctx context.Context, q string) error) ([]time.Duration, error) {
	times := make([]time.Duration, b.searches)
	errs := make([]error, b.connections)
	var next atomic.Int64
	var all sync.WaitGroup
	for w := range b.connections {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= b.searches || errs[w] != nil {
					return
				}
				start := time.Now()
				errs[w] = search(ctx, questions[i%len(questions)])
				times[i] = time.Since(start)
			}
		})
	}
	all.Wait()
	return times, errors.Join(errs...)
}

// measured is what a child process found.
type measured struct {
	CPU, P99 float64 // seconds
}

// child searches through the Go API.
func (b *httpBench) child(ctx context.Context) error {
	questions, err := b.readQuestions(ctx)
	if err != nil {
		return err
	}
	db, err := ragdb.Open(ctx, b.db, &ragdb.Options{Engine: &engine.Options{ReadOnly: true}})
	if err != nil {
		return err
	}
	defer db.Close()
	search := func(ctx context.Context, q string) error {
		_, err := db.Search(ctx, q, ragdb.Method(b.role))
		return err
	}
	for _, q := range questions { // warm
		if err := search(ctx, q); err != nil {
			return err
		}
	}
	from, _ := cpuTime()
	times, err := b.work(ctx, questions, search)
	to, _ := cpuTime()
	if err != nil {
		return err
	}
	slices.Sort(times)
	return json.NewEncoder(os.Stderr).Encode(measured{(to - from).Seconds(), times[len(times)*99/100].Seconds()})
}

func (b *httpBench) run(ctx context.Context) error {
	questions, err := b.readQuestions(ctx)
	if err != nil {
		return err
	}
	for m := range strings.SplitSeq(b.methods, ",") {
		var ratios []float64
		var here, there measured
		for range 3 {
			if here, err = b.inGo(ctx, m); err != nil {
				return err
			}
			if there, err = b.overHTTP(ctx, m, questions); err != nil {
				return err
			}
			ratios = append(ratios, there.CPU/here.CPU)
		}
		slices.Sort(ratios)
		n := float64(b.searches)
		b.r.add(measure{Name: m + ": Go API, searches a CPU-second", Value: n / here.CPU, Unit: "1/s"})
		b.r.add(measure{Name: m + ": HTTP, requests a CPU-second", Value: n / there.CPU, Unit: "1/s"})
		b.r.atMost(m+": CPU over HTTP to CPU through Go, median of three pairs", ratios[1], "x", 1.25, "")
		b.r.add(measure{Name: m + ": Go API, p99", Value: 1e3 * here.P99, Unit: "ms"})
		b.r.add(measure{Name: m + ": HTTP, p99", Value: 1e3 * there.P99, Unit: "ms"})
	}
	return nil
}

// inGo runs a child that searches through the Go API.
func (b *httpBench) inGo(ctx context.Context, m string) (measured, error) {
	self, err := os.Executable()
	if err != nil {
		return measured{}, err
	}
	cmd := exec.CommandContext(ctx, self, "http", "-db", b.db, "-questions", b.questions, "-role", m,
		"-connections", fmt.Sprint(b.connections), "-searches", fmt.Sprint(b.searches))
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return measured{}, fmt.Errorf("%w: %s", err, &said)
	}
	var out measured
	err = json.Unmarshal(said.Bytes(), &out)
	return out, err
}

// overHTTP runs ragdb serve, and searches through it. The server's processor time is that
// of the searches alone: what it took until it was warm is taken off.
func (b *httpBench) overHTTP(ctx context.Context, m string, questions []string) (measured, error) {
	cmd := exec.CommandContext(ctx, b.program, "serve", b.db, "--addr", "127.0.0.1:0", "--json", "--quiet", "--no-attach", "--readonly", "--max-asks", fmt.Sprint(b.connections))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return measured{}, err
	}
	if err := cmd.Start(); err != nil {
		return measured{}, err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	var at struct{ URL string }
	if err := json.NewDecoder(out).Decode(&at); err != nil {
		return measured{}, err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: b.connections, DialContext: (&net.Dialer{}).DialContext}}
	name := strings.TrimSuffix(strings.TrimRight(b.db[strings.LastIndexByte(strings.TrimRight(b.db, "/"), '/')+1:], "/"), ".ragdb")
	search := func(ctx context.Context, q string) error {
		body, err := json.Marshal(map[string]string{"question": q, "method": m})
		if err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, at.URL+"/api/v1/corpora/"+name+"/main/search", bytes.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(r)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		said, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s", resp.Status, said)
		}
		return err
	}
	for _, q := range questions { // warm
		if err := search(ctx, q); err != nil {
			return measured{}, err
		}
	}
	from, err := processTime(cmd.Process.Pid)
	if err != nil {
		return measured{}, err
	}
	times, err := b.work(ctx, questions, search)
	if err != nil {
		return measured{}, err
	}
	to, err := processTime(cmd.Process.Pid)
	if err != nil {
		return measured{}, err
	}
	slices.Sort(times)
	return measured{(to - from).Seconds(), times[len(times)*99/100].Seconds()}, nil
}

// processTime is the processor time of another process, from Linux's /proc.
func processTime(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(b), ") ") // the name may hold blanks
	fields := strings.Fields(rest)
	var user, system int64
	if len(fields) < 13 {
		return 0, errors.New("/proc does not tell the time of a process")
	}
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		return 0, err
	}
	return time.Duration(user+system) * time.Second / 100, nil
}
