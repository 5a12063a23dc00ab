package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// runner holds what all mutants share.
type runner struct {
	root    string
	suites  map[string]*suite // by package
	also    []string
	slowest time.Duration
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("mutate", flag.ContinueOnError)
	n := fs.Int("n", 200, "number of mutants that compile")
	seed := fs.Uint64("seed", 18, "order of the mutants")
	workers := fs.Int("j", 2, "mutants at once")
	also := fs.String("also", "", "packages, separated by commas, whose tests run on what the own tests leave alive")
	only := fs.String("only", "", "only mutants whose name, such as rag/hirag/split.go:split#4, matches")
	list := fs.Bool("list", false, "print the mutants and run no test")
	slowest := fs.Duration("slowest", 30*time.Second, "leave out tests that take longer when they run alone")
	if err := fs.Parse(args); err != nil {
		return err
	}
	pkgs := fs.Args()
	for i, p := range pkgs {
		pkgs[i] = path.Clean(p)
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	all, err := mutantsOf(root, pkgs, *seed)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m mutant) bool { return !match.MatchString(m.name()) })
	fmt.Printf("%d mutants in %s, seed %d\n", len(all), strings.Join(pkgs, " "), *seed)
	if *list {
		for i, m := range all[:min(*n, len(all))] {
			fmt.Println(i, m)
		}
		return nil
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r := runner{root: root, suites: map[string]*suite{}, slowest: *slowest}
	if *also != "" {
		r.also = strings.Split(*also, ",")
	}
	if err := r.measure(ctx, pkgs, all, dir, *workers); err != nil {
		return err
	}
	return r.all(ctx, all, *n, *workers, dir)
}

// measure prepares the tests of the packages that have mutants, and the others.
func (r *runner) measure(ctx context.Context, pkgs []string, ms []mutant, dir string, workers int) error {
	module, err := exec.CommandContext(ctx, "go", "list", "-m").Output()
	if err != nil {
		return fmt.Errorf("go list -m: %w", err)
	}
	for _, p := range slices.Concat(pkgs, r.also) {
		own := func(m mutant) bool { return path.Dir(m.file) == p }
		if !slices.Contains(r.also, p) && !slices.ContainsFunc(ms, own) {
			continue
		}
		start := time.Now()
		s, err := measure(ctx, r.root, p, strings.TrimSpace(string(module)), pkgs, dir, workers)
		if err != nil {
			return err
		}
		r.suites[p] = s
		fmt.Printf("%s: %d tests, %.0fs\n", p, len(s.tests), time.Since(start).Seconds())
	}
	return nil
}

// all runs mutants until n of them compiled.
func (r *runner) all(ctx context.Context, ms []mutant, n, workers int, dir string) error {
	var mu sync.Mutex
	next, killed, lived, broken := 0, 0, 0, 0
	take := func() (i int, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if i, ok = next, next < len(ms) && next-broken < n; ok {
			next++
		}
		return i, ok
	}
	done := func(i int, took time.Duration, by string, err error) error {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errCompile):
			broken++
			fmt.Printf("%d does not compile: %s\n", i, ms[i])
		case err != nil:
			return err
		case by != "":
			killed++
			fmt.Printf("%d killed: %s (%.0fs, %s)\n", i, ms[i], took.Seconds(), by)
		default:
			lived++
			fmt.Printf("%d LIVED: %s (%.0fs)\n", i, ms[i], took.Seconds())
		}
		return nil
	}
	work := func(dir string) error {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		for {
			i, ok := take()
			if !ok {
				return nil
			}
			start := time.Now()
			by, err := r.one(ctx, ms[i], dir)
			if err := done(i, time.Since(start), by, err); err != nil {
				return err
			}
		}
	}
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { errs[w] = work(filepath.Join(dir, fmt.Sprint(w))) })
	}
	wg.Wait()
	if n := killed + lived; n > 0 {
		fmt.Printf("%d mutants: %d killed, %d lived, %.1f %% killed; %d did not compile\n",
			n, killed, lived, 100*float64(killed)/float64(n), broken)
	}
	return errors.Join(errs...)
}

// one tries a mutant on the tests of its package, then on the others.
func (r *runner) one(ctx context.Context, m mutant, dir string) (by string, err error) {
	file := filepath.Join(r.root, m.file)
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	changed, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(changed, m.source(text), 0o644); err != nil {
		return "", err
	}
	js, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, js, 0o644); err != nil {
		return "", err
	}
	for _, p := range append([]string{path.Dir(m.file)}, r.also...) {
		if by, err = r.suites[p].kill(ctx, m, overlay, dir, r.slowest); by != "" || err != nil {
			return by, err
		}
	}
	return "", nil
}
