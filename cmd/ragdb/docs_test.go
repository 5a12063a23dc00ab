package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// docBlock is a block of code of a manual.
type docBlock struct {
	file string
	line int // of its first line, from 1
	lang string
	// mark is what a comment before it says: "not run: REASON", or "in FILE".
	mark  string
	lines []string
}

func (b *docBlock) place() string { return fmt.Sprintf("%s:%d", b.file, b.line) }

var markLine = regexp.MustCompile(`^<!-- (not run: .+|in \S+) -->$`)

// docBlocks returns the blocks of a manual: fenced, or indented by four blanks.
func docBlocks(file, text string) []docBlock {
	var out []docBlock
	mark := ""
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		switch {
		case markLine.MatchString(l):
			mark = markLine.FindStringSubmatch(l)[1]
			continue
		case strings.HasPrefix(l, "```"):
			b := docBlock{file: file, line: i + 2, lang: strings.TrimPrefix(l, "```"), mark: mark}
			for i++; i < len(lines) && !strings.HasPrefix(lines[i], "```"); i++ {
				b.lines = append(b.lines, lines[i])
			}
			out = append(out, b)
		case strings.HasPrefix(l, "    ") && (i == 0 || strings.TrimSpace(lines[i-1]) == "" || mark != ""):
			b := docBlock{file: file, line: i + 1, mark: mark}
			for ; i < len(lines) && strings.HasPrefix(lines[i], "    "); i++ {
				b.lines = append(b.lines, lines[i][4:])
			}
			i--
			out = append(out, b)
		case strings.TrimSpace(l) == "":
			continue
		}
		mark = ""
	}
	return out
}

// The kinds of blocks that are run.
const (
	notCommands = iota
	goCode
	session  // $ COMMAND and what it prints
	commands // commands, of which some are followed by what they print
	typed    // what is typed at the shell's prompt, and what it prints
)

var docCommand = regexp.MustCompile(`^(ragdb|go run \./cmd/ragdb|go run \./bench|go (install|test) ) ?`)

func (b *docBlock) kind() int {
	has := func(f func(string) bool) bool { return slices.ContainsFunc(b.lines, f) }
	switch {
	case b.lang == "go":
		return goCode
	case has(func(l string) bool { return prompted.MatchString(l) }):
		return typed
	case has(func(l string) bool { return strings.HasPrefix(l, "$ ") }):
		return session
	case has(docCommand.MatchString):
		return commands
	}
	return notCommands
}

// docStep is a command or an entry, and the lines that it prints; nil says
// nothing of what it prints.
type docStep struct {
	run      string
	want     []string
	from, to int // the lines of the block that want is
}

var (
	prompted  = regexp.MustCompile(`^ragdb:\S+> `)
	continued = regexp.MustCompile(`^ +\.\.> `)
)

// steps cuts a block into what is run and what that prints.
func (b *docBlock) steps() []docStep {
	var out []docStep
	kind := b.kind()
	for i, l := range b.lines {
		n := len(out)
		switch {
		case kind == session && strings.HasPrefix(l, "$ "):
			out = append(out, docStep{run: l[2:]})
		case kind == commands && docCommand.MatchString(l):
			out = append(out, docStep{run: l})
		case kind == typed && prompted.MatchString(l):
			out = append(out, docStep{run: prompted.ReplaceAllString(l, "")})
		case kind == typed && continued.MatchString(l):
			out[n-1].run += "\n" + continued.ReplaceAllString(l, "")
		case n > 0 && strings.TrimSpace(l) != "":
			s := &out[n-1]
			if s.want == nil {
				s.from = i
			}
			s.want, s.to = append(s.want, l), i+1
		}
	}
	return out
}

// docSubstitutes bring what differs from run to run, and what a terminal adds,
// to one form.
var docSubstitutes = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`(?m)^\d+ rows?( · .*)?$`), ""}, // below a result at a prompt
	{regexp.MustCompile(`under 1 ms|\b[\d.]+ m?s\b`), "TIME"},
	{regexp.MustCompile(`"ms":[\d.]+`), `"ms":TIME`},
	{regexp.MustCompile(`\b[\d.]+ (B|kB|MB)\b`), "SIZE"},
	{regexp.MustCompile(`\bt:[0-9a-f]{8}\b`), "TRACE"},
	{regexp.MustCompile(`\bcommit \d+`), "commit N"},
	{regexp.MustCompile(`\d+ files, SIZE`), "N files, SIZE"},
	{regexp.MustCompile(`\s+`), " "},
}

func docPlain(s string) string {
	for _, sub := range docSubstitutes {
		s = sub.re.ReplaceAllString(s, sub.to)
	}
	return strings.TrimSpace(s)
}

// docPattern matches what a manual shows: a line of three dots is anything.
func docPattern(want []string) *regexp.Regexp {
	var parts []string
	part := []string{}
	flush := func() {
		parts = append(parts, regexp.QuoteMeta(docPlain(strings.Join(part, "\n"))))
		part = part[:0]
	}
	for _, l := range want {
		if strings.TrimSpace(l) == "..." {
			flush()
			continue
		}
		part = append(part, l)
	}
	flush()
	return regexp.MustCompile(`^` + strings.Join(parts, `.*`) + `$`)
}

// docRunner runs what the manuals show, in one folder, one after the other.
type docRunner struct {
	t   *testing.T
	dir string
	// news are what -rewrite puts in place of lines of a manual.
	news []docNews
}

type docNews struct {
	from, to int // lines of the manual, from 0
	lines    []string
}

// sh runs a command line, in which DB is the demo's database.
func (r *docRunner) sh(line string) (string, error) {
	line = regexp.MustCompile(`\bDB\b`).ReplaceAllString(line, "demo.ragdb")
	line = strings.Replace(line, "go run ./cmd/ragdb", "ragdb", 1)
	if strings.HasPrefix(line, "go install ") || strings.HasPrefix(line, "go test ") {
		return "", nil // it is built, and this is the test
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = r.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "NO_COLOR=1"}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return string(out) + errs.String(), err
	}
	// What was written is told on standard error, also to those who see it.
	if strings.TrimSpace(string(out)) == "" {
		return errs.String(), nil
	}
	return string(out), nil
}

// docSeparator is printed between the entries of a shell.
const docSeparator = "RETURN '8<' AS cut"

// typed runs the entries of a shell on a database, and returns what each prints.
func (r *docRunner) typed(db string, steps []docStep) []string {
	args := []string{db, "-q", "--bail=false"}
	for _, s := range steps {
		args = append(args, "-c", s.run, "-c", docSeparator)
	}
	cmd := exec.Command("ragdb", args...)
	cmd.Dir = r.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "NO_COLOR=1"}
	out, _ := cmd.CombinedOutput() // an entry may be wrong, and show that
	parts := strings.Split(string(out), "cut\n8<\n")
	if len(parts) != len(steps)+1 {
		r.t.Fatalf("%d entries gave %d answers:\n%s", len(steps), len(parts)-1, out)
	}
	return parts[:len(steps)]
}

// run runs a block and returns how many commands it ran.
func (r *docRunner) run(b *docBlock) int {
	r.t.Helper()
	check := func(s docStep, got string) {
		r.t.Helper()
		if s.want == nil || docPattern(s.want).MatchString(docPlain(got)) {
			return
		}
		switch {
		case *rewrite && !slices.Contains(s.want, "..."):
			lines := strings.Split(strings.Trim(got, "\n"), "\n")
			if last := s.want[len(s.want)-1]; docPlain(last) == "" {
				lines = append(lines, last) // how many rows there were
			}
			r.news = append(r.news, docNews{b.line - 1 + s.from, b.line - 1 + s.to, lines})
		default:
			r.t.Errorf("%s: %s\nprints\n%s\nand the manual shows\n%s", b.place(), s.run, got, strings.Join(s.want, "\n"))
		}
	}
	steps := b.steps()
	if b.kind() != typed {
		for _, s := range steps {
			got, err := r.sh(s.run)
			if err != nil {
				r.t.Errorf("%s: %s: %v\n%s", b.place(), s.run, err, got)
				continue
			}
			check(s, got)
		}
		return len(steps)
	}
	// The first line may open the database, and the greeting follow it.
	db := "acme.ragdb"
	if name, ok := strings.CutPrefix(b.lines[0], "$ ragdb "); ok {
		db = name
	}
	for i, got := range r.typed(db, steps) {
		check(steps[i], got)
	}
	return len(steps)
}

// TestDocs runs every command that the manuals show, in order, and compares what
// it prints. Blocks that need what a test has not, a model or evaluation data,
// are marked by a comment before them; Go code names the test that it is in. With
// -rewrite the manuals get what is printed, if they show all of it.
func TestDocs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the manuals are for a POSIX shell")
	}
	top := filepath.Join("..", "..")
	files := []string{filepath.Join(top, "README.md")}
	for _, dir := range []string{"docs", "docs/methods", "docs/design"} {
		found, err := filepath.Glob(filepath.Join(top, filepath.FromSlash(dir), "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	r := &docRunner{t: t, dir: t.TempDir()}
	for name, text := range map[string]string{
		// The two files that the README speaks of.
		"docs/ferry.md": "# The ferry\n\nThe ferry to Skarholm leaves Karrow at six in the morning.\nIt carries forty people and the mail.\n",
		"docs/pump.md":  "# The pump\n\nModel B has a warranty of two years from delivery.\nThe pump was designed by Ada Kestrel.\n",
		"script.cypher": "MATCH (d:document) RETURN count(*);\n",
	} {
		name = filepath.Join(r.dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ran, marked := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(top, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range docBlocks(name, string(text)) {
			in, inFile := strings.CutPrefix(b.mark, "in ")
			switch {
			case b.kind() == notCommands && b.mark == "":
			case b.kind() == notCommands:
				t.Errorf("%s: the mark %q is of no command", b.place(), b.mark)
			case inFile:
				sameCode(t, &b, filepath.Join(top, in))
			case b.mark != "":
				marked++
			case b.kind() == goCode:
				t.Errorf("%s: no comment says in which test the code is, or that it is not run", b.place())
			default:
				ran += r.run(&b)
			}
		}
		if len(r.news) > 0 {
			lines := strings.Split(string(text), "\n")
			for _, n := range slices.Backward(r.news) {
				lines = slices.Replace(lines, n.from, n.to, n.lines...)
			}
			if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
				t.Fatal(err)
			}
			r.news = nil
		}
	}
	t.Logf("%d commands were run, %d blocks are marked as not run", ran, marked)
	if ran < 25 {
		t.Errorf("only %d commands were run", ran)
	}
}

// sameCode holds that the lines of a block stand in a file, in their order.
func sameCode(t *testing.T, b *docBlock, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%s: %v", b.place(), err)
	}
	lines := strings.Split(string(text), "\n")
	at := 0
	for i, want := range b.lines {
		if want = strings.TrimSpace(want); want == "" {
			continue
		}
		found := slices.IndexFunc(lines[at:], func(l string) bool { return strings.TrimSpace(l) == want })
		if found < 0 {
			t.Errorf("%s:%d: %q is not in %s", b.file, b.line+i, want, file)
			return
		}
		at += found + 1
	}
}

// TestDocBlocks cuts a manual into its parts.
func TestDocBlocks(t *testing.T) {
	text := "# A\n\n```\n$ ragdb a b\none\n...\nthree 5 ms\n\n$ ragdb c\n```\n\n<!-- not run: needs a model -->\n\n    ragdb x --model y\n    ragdb z\n\nText\n    no block\n\n```go\nx := 1\n```\n"
	got := docBlocks("a.md", text)
	if len(got) != 3 || got[0].kind() != session || got[1].mark != "not run: needs a model" || got[1].kind() != commands || got[2].kind() != goCode || got[2].mark != "" {
		t.Fatalf("%+v", got)
	}
	steps := got[0].steps()
	if len(steps) != 2 || steps[0].run != "ragdb a b" || len(steps[0].want) != 3 || steps[1].want != nil {
		t.Fatalf("%+v", steps)
	}
	for printed, want := range map[string]bool{"one\ntwo\nthree 7 ms\n": true, "one\nthree under 1 ms": true, "one\ntwo": false, "zero\none\nthree 5 ms": false} {
		if docPattern(steps[0].want).MatchString(docPlain(printed)) != want {
			t.Errorf("%q is taken for %q: %v", printed, steps[0].want, !want)
		}
	}
}
