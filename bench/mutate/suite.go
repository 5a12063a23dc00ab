package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// suite is the tests of one package.
type suite struct {
	root, pkg string
	tests     []test
}

// test is one test, its time alone, and what it reaches.
type test struct {
	name    string
	took    time.Duration
	reaches map[string][]block // by file below the root
}

// block is a stretch of statements that run together.
type block struct {
	fromLine, fromCol, toLine, toCol int
	reached                          bool
}

func (b block) holds(line, col int) bool {
	return (b.fromLine < line || b.fromLine == line && b.fromCol <= col) &&
		(line < b.toLine || line == b.toLine && col <= b.toCol)
}

// measure runs each test of the package alone and notes what it reaches of
// the packages that are mutated.
func measure(ctx context.Context, root, pkg, module string, mutated []string, dir string, workers int) (*suite, error) {
	s := &suite{root: root, pkg: pkg}
	bin := filepath.Join(dir, "measure.test")
	var over []string
	for _, p := range mutated {
		over = append(over, "./"+p)
	}
	if out, err := s.compile(ctx, bin, "-cover", "-coverpkg="+strings.Join(over, ",")); err != nil {
		return nil, fmt.Errorf("compile the tests of %s: %w\n%s", pkg, err, out)
	}
	list, err := s.command(ctx, bin, "-test.list", ".").Output()
	if err != nil {
		return nil, fmt.Errorf("list the tests of %s: %w", pkg, err)
	}
	var names []string
	for _, name := range strings.Fields(string(list)) {
		if !strings.HasPrefix(name, "Benchmark") {
			names = append(names, name)
		}
	}
	s.tests = make([]test, len(names))
	errs := make([]error, len(names))
	var wg sync.WaitGroup
	free := make(chan struct{}, workers)
	for i, name := range names {
		free <- struct{}{}
		wg.Go(func() {
			s.tests[i], errs[i] = s.alone(ctx, bin, name, module, filepath.Join(dir, "cover"+strconv.Itoa(i)))
			<-free
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	slices.SortStableFunc(s.tests, func(a, b test) int { return int(a.took - b.took) })
	return s, nil
}

// alone runs one test.
func (s *suite) alone(ctx context.Context, bin, name, module, profile string) (t test, err error) {
	start := time.Now()
	out, err := s.command(ctx, bin, "-test.run", "^"+name+"$", "-test.coverprofile", profile).CombinedOutput()
	if err != nil {
		return t, fmt.Errorf("%s of %s fails without a mutant: %w\n%s", name, s.pkg, err, out)
	}
	t = test{name: name, took: time.Since(start)}
	t.reaches, err = readProfile(profile, module)
	return t, err
}

func (s *suite) compile(ctx context.Context, bin string, args ...string) ([]byte, error) {
	all := append([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", bin}, args...)
	cmd := exec.CommandContext(ctx, "go", append(all, "./"+s.pkg)...)
	cmd.Dir = s.root
	return cmd.CombinedOutput()
}

// command runs a test binary where go test would.
func (s *suite) command(ctx context.Context, bin string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Dir = filepath.Join(s.root, s.pkg)
	cmd.WaitDelay = time.Second
	return cmd
}

// readProfile reads a cover profile: the blocks of each file below the root.
func readProfile(name, module string) (map[string][]block, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := map[string][]block{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		file, rest, ok := strings.Cut(sc.Text(), ".go:")
		if !ok {
			continue
		}
		var b block
		var statements, count int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.fromLine, &b.fromCol, &b.toLine, &b.toCol, &statements, &count); err != nil {
			return nil, fmt.Errorf("cover profile: %q: %w", sc.Text(), err)
		}
		b.reached = count > 0
		file = strings.TrimPrefix(file, module+"/") + ".go"
		out[file] = append(out[file], b)
	}
	return out, nil
}

// reach says whether the test runs the mutant's statement. If no block holds
// the mutant, as with the conditions of a switch, any block of its function
// counts; outside of functions any test may.
func (t test) reach(m mutant) bool {
	if m.fn == "" {
		return true
	}
	inside, reached, fn := false, false, false
	for _, b := range t.reaches[m.file] {
		if b.holds(m.line, m.col) {
			inside, reached = true, reached || b.reached
		}
		if b.reached && m.fnFrom <= b.fromLine && b.toLine <= m.fnTo {
			fn = true
		}
	}
	return inside && reached || !inside && fn
}

// errCompile says that a mutant does not compile.
var errCompile = errors.New("the mutant does not compile")

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^(panic: test timed out|fatal error: .*|panic: .*)`)

// kill compiles the mutant into the tests and runs those that reach it. It
// returns the failure that it saw, or "" if none did.
func (s *suite) kill(ctx context.Context, m mutant, overlay, dir string, slowest time.Duration) (by string, err error) {
	var rounds [2][]string
	var took [2]time.Duration
	for _, t := range s.tests { // quick ones first
		if !t.reach(m) || t.took > slowest {
			continue
		}
		i := 0
		if took[0]+t.took > 3*time.Second && len(rounds[0]) > 0 {
			i = 1
		}
		rounds[i] = append(rounds[i], t.name)
		took[i] += t.took
	}
	if len(rounds[0]) == 0 {
		build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "./"+path.Dir(m.file))
		if build.Dir = s.root; build.Run() != nil {
			return "", errors.Join(errCompile, ctx.Err())
		}
		return "", nil
	}
	bin := filepath.Join(dir, "mutant.test")
	if _, err := s.compile(ctx, bin, "-overlay", overlay); err != nil {
		return "", errors.Join(errCompile, ctx.Err())
	}
	for i, names := range rounds {
		if len(names) == 0 {
			continue
		}
		limit := 30*time.Second + 4*took[i]
		cmd := s.command(ctx, bin, "-test.run", "^("+strings.Join(names, "|")+")$", "-test.failfast",
			"-test.timeout", strconv.Itoa(int(limit.Seconds()))+"s")
		out, err := cmd.CombinedOutput()
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil {
			if f := failed.FindSubmatch(out); f != nil {
				return string(f[1]) + string(f[2]), nil
			}
			return err.Error(), nil
		}
	}
	return "", nil
}
