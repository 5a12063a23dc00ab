// Command release builds ragdb for all systems, from a commit of this repository:
//
//	go run ./internal/release -o dist
//
// The folder dist then has for each system an archive and a bill of materials
// (CycloneDX), and SHA256SUMS. An archive has the command, LICENSE, README.md, the
// licences of the modules that the command is made of, manual pages and completions. The
// same commit and Go give the same bytes on any machine: all times are that of the
// commit, or SOURCE_DATE_EPOCH.
package main

import (
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// target is a system that is built for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// targets returns the systems of a release.
func targets() []target {
	return []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}
}

func main() {
	out := flag.String("o", "dist", "write into `FOLDER`, which is made")
	only := flag.String("only", "", "build for `OS/ARCH` alone")
	modified := flag.Bool("modified", false, "try it with files that differ from the commit, or in a worktree")
	flag.Parse()
	if err := run(*out, *only, *modified); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// errModified says that the files are not those of the commit.
var errModified = errors.New("files differ from the commit: commit them, or try it with -modified")

func run(out, only string, modified bool) error {
	root, err := output(nil, "", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	r := &release{root: root, modified: modified}
	if r.out, err = filepath.Abs(out); err != nil {
		return err
	}
	if r.time, err = r.date(); err != nil {
		return err
	}
	if changed, err := output(nil, root, "git", "status", "--porcelain", "--untracked-files=no"); err != nil || changed != "" && !modified {
		return errors.Join(err, errModified)
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "ragdb-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if r.pages, err = r.makePages(filepath.Join(work, "pages")); err != nil {
		return err
	}
	built := 0
	for _, t := range targets() {
		if only != "" && only != t.String() {
			continue
		}
		if err := r.build(t, filepath.Join(work, t.os+"-"+t.arch)); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		built++
	}
	if built == 0 {
		return fmt.Errorf("%s is not one of %v", only, targets())
	}
	return r.sums()
}

// release is one run.
type release struct {
	root, out string
	modified  bool // it is only tried
	time      time.Time
	pages     []file   // of every archive
	names     []string // of what is in out
}

// date returns the time of all files.
func (r *release) date() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		var err error
		if text, err = output(nil, r.root, "git", "log", "-1", "--format=%ct"); err != nil {
			return time.Time{}, err
		}
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// makePages returns the manual pages and completions, by way of a folder.
func (r *release) makePages(dir string) ([]file, error) {
	env := []string{"CGO_ENABLED=0", "GOFLAGS=-trimpath", "SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.time.Unix(), 10)}
	if _, err := output(env, r.root, "go", "test", "-vet=off", "./cmd/ragdb", "-run", "^TestPages$", "-pages", dir); err != nil {
		return nil, err
	}
	return folderFiles(dir)
}

// build builds for one system, in the folder work, and writes its files.
func (r *release) build(t target, work string) error {
	binary := filepath.Join(work, "ragdb")
	if t.os == "windows" {
		binary += ".exe"
	}
	env := []string{"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0", "GOFLAGS=-trimpath", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT="}
	vcs := "-buildvcs=true" // an error if the commit is not known
	if r.modified {
		vcs = "-buildvcs=auto"
	}
	if _, err := output(env, r.root, "go", "build", "-trimpath", vcs, "-ldflags=-s -w", "-o", binary, "./cmd/ragdb"); err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	modules, err := r.modules(info)
	if err != nil {
		return err
	}
	command, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	files := []file{{filepath.Base(binary), command, 0o755}}
	for _, name := range []string{"LICENSE", "README.md"} {
		b, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return err
		}
		files = append(files, file{name, b, 0o644})
	}
	others, err := notices(modules)
	if err != nil {
		return err
	}
	files = append(files, file{"LICENSES-OF-MODULES.txt", others, 0o644})
	files = append(files, r.pages...)
	version, ok := strings.CutPrefix(info.Main.Version, "v")
	if !ok && !r.modified {
		return errors.New("the Go tool does not know the commit: build in a clone, not in a worktree")
	}
	if !ok {
		version = "unreleased"
	}
	name := strings.Join([]string{"ragdb", version, t.os, t.arch}, "_")
	bill, err := billOf(info, modules, command, r.time)
	if err != nil {
		return err
	}
	if err := r.write(name+".cdx.json", bill); err != nil {
		return err
	}
	archive, ending := tarball, ".tar.gz"
	if t.os == "windows" {
		archive, ending = zipped, ".zip"
	}
	b, err := archive(name, files, r.time)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %.1f MB, of which the command is %.1f MB before it is compressed\n", name+ending, float64(len(b))/1e6, float64(len(command))/1e6)
	return r.write(name+ending, b)
}

// write writes a file of the release.
func (r *release) write(name string, b []byte) error {
	r.names = append(r.names, name)
	return os.WriteFile(filepath.Join(r.out, name), b, 0o644)
}

// output runs a command in a folder with more of an environment, and returns what it
// prints.
func output(env []string, dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var errs strings.Builder
	cmd.Stderr = &errs
	b, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, b, errs.String())
	}
	return strings.TrimSpace(string(b)), nil
}
