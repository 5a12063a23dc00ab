package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag/llm"
)

// writeAcme writes the documents and questions of a made-up company. The
// scripted model takes capitalised words for names.
func writeAcme(t *testing.T, dir string) {
	t.Helper()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("docs/handbook.md", "# Handbook\n\n## Warranty\n\nThe warranty on Model B lasts two years from delivery. Acme extends it to three for registered customers.\n")
	write("docs/faq.html", "<h1>Questions</h1><h2>Registration</h2><p>Customers register Model B with Acme within a month of delivery.</p>")
	var corpus, questions strings.Builder
	for i := range 38 {
		place, keeper := fmt.Sprintf("Depot %c%c", 'A'+i/6, 'A'+i%6), fmt.Sprintf("Keeper Vale%d", i)
		text := fmt.Sprintf("Acme opened %s in %d. %s repairs Model %c there, and sends parts to Depot AA.", place, 1950+i, keeper, 'A'+i%4)
		write(fmt.Sprintf("docs/depots/depot-%02d.md", i), "# "+place+"\n\n"+text+"\n")
		if i < 8 {
			fmt.Fprintf(&corpus, `{"id":"d%d","title":%q,"text":%q}`+"\n", i, place, text)
			fmt.Fprintf(&questions, `{"id":"q%d","question":"When did Acme open %s?","answers":["%d"],"supporting":["d%d"]}`+"\n", i, place, 1950+i, i)
		}
	}
	write("qa/corpus.jsonl", corpus.String())
	write("qa/questions.jsonl", questions.String())
}

// twoYears answers a question from the piece of evidence that says so.
func twoYears(c llmtest.Chat) (string, bool) {
	if c.Kind != llm.Answer {
		return "", false
	}
	number := regexp.MustCompile(`^\[\d+\]`)
	piece := ""
	for _, line := range strings.Split(c.Text, "\n") {
		if n := number.FindString(line); n != "" {
			piece = n
		}
		if piece != "" && strings.Contains(line, "two years") {
			return "Two years from delivery " + piece + ".", true
		}
	}
	return "", false
}

// TestFirstSession is the session that the manual begins with, line by line, as
// a person types it: a scripted server of models stands for the one on the
// user's machine, and the documents are made up.
func TestFirstSession(t *testing.T) {
	dir := t.TempDir()
	writeAcme(t, dir)
	server, err := llmtest.Listen("127.0.0.1:0", llmtest.Options{Dim: 768, Answer: twoYears,
		// Some of the first replies are late, so that there is a run to interrupt.
		Plan: []llmtest.Fault{{Failure: llmtest.Slow, Share: 0.5, First: 20, On: "chat", Delay: 300 * time.Millisecond}}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	env := []string{"OPENAI_BASE_URL=" + server.URL, "NO_COLOR=1"}
	command := func(want string, code int, args ...string) string {
		t.Helper()
		s := startShell(t, dir, env, args...)
		got := s.exit()
		out := strings.ReplaceAll(s.unseen(), "\r\n", "\n")
		if got != code || !regexp.MustCompile(want).MatchString(out) {
			t.Fatalf("ragdb %s: exit %d, want %d and %s:\n%s", strings.Join(args, " "), got, code, want, out)
		}
		return out
	}

	command(`(?m)^created acme.ragdb \(format 1\) · method noderag`, 0,
		"init", "acme.ragdb", "--method", "noderag", "--model", "qwen3:8b", "--embed-model", "nomic-embed-text")
	command(`(?s)stage .*calls.*\nembed .*nomic-embed-text.*\ndecompose +qwen3:8b +\d+.*free of charge`, 0, "index", "acme.ragdb", "./docs", "--estimate")

	// A model that costs nothing is used without a question.
	s := startShell(t, dir, env, "index", "acme.ragdb", "./docs")
	s.expect("decompose")
	s.expect("40/40") // so few are read at once; the models go on
	s.typed(keyCtrlC)
	s.expect("run the same command to go on")
	if code := s.exit(); code != exitInterrupted {
		t.Fatalf("the interrupted run left with %d", code)
	}
	s = startShell(t, dir, env, "index", "acme.ragdb", "./docs")
	if code := s.exit(); code != 0 || !strings.Contains(s.unseen(), "40 unchanged · noderag in ") {
		t.Fatalf("the run that goes on left with %d: %s", code, s.unseen())
	}

	s = startShell(t, dir, env, "acme.ragdb")
	if line := s.expect(" · .help for help\r\n"); !regexp.MustCompile(`ragdb \S+ · acme.ragdb · [\d,]+ nodes$`).MatchString(line) {
		t.Errorf("it greets with %q", line)
	}
	s.expect(prompt)
	// answer types an entry and returns what it prints.
	at := prompt
	answer := func(entry ...string) string {
		t.Helper()
		for i, line := range entry {
			if i > 0 {
				s.expect("..> ")
			}
			s.typed(line)
			s.expect(line)
			s.typed("\r")
		}
		s.expect("\n")
		return strings.ReplaceAll(s.expect(at), "\r\n", "\n")
	}
	has := func(out, want string) {
		t.Helper()
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("want %s, got:\n%s", want, out)
		}
	}
	if out := answer(".mode table"); strings.Contains(out, "mode") {
		t.Errorf(".mode says %q", out)
	}
	has(answer("CALL vec.search('chunk','warranty period',3) YIELD node, score RETURN node.doc, node.page, round(score,3);"),
		`node.doc +node.page +round\(score,3\)[^\n]*\n\S+\.(md|html) +null +-?0\.\d{1,3}\n(\S.*\n){2}[^\n]*3 rows · `)
	// Entities are in the method's graph, and a session begins in the base graph.
	at = "ragdb:main/noderag> "
	answer("USE noderag;")
	// NodeRAG has vectors of units, attributes, elements and chunks, not of
	// entities.
	has(answer("CALL vec.search('unit','Acme',5) YIELD node WITH collect(node) AS seeds",
		"CALL graph.ppr(seeds,{alpha:0.5,iters:2,top:10}) YIELD node, score",
		"WHERE node:attribute OR node:chunk RETURN labels(node), node.name, score ORDER BY score DESC;"),
		`labels\(node\) +node.name +score[^\n]*\n\['(chunk|attribute)'\] +\S.* 0\.\d+\n`)
	has(answer("CALL graph.leiden.stats({seed:7});"), `communities`)
	out := answer("? How long is the warranty on model B?")
	has(out, `Two years from delivery \[1\]\.`)
	has(out, `\n \[1\] handbook.md (§Warranty )?\(bytes \d+–\d+\)\n`)
	has(out, `tokens? of evidence · .* · trace t:[0-9a-f]{8}`)
	trace := regexp.MustCompile(`t:[0-9a-f]{8}`).FindString(out)
	has(answer(".why c:handbook.md#0"), `c:handbook.md#0 is evidence \d+ of \d+`)
	has(answer(".view trace "+trace), `to trace-`+trace[2:]+`\.html`)
	if b, err := os.ReadFile(filepath.Join(dir, "trace-"+trace[2:]+".html")); err != nil || !strings.Contains(string(b), "Model B") {
		t.Errorf("the page of the trace: %d bytes, %v", len(b), err)
	}
	s.typed(keyCtrlD)
	if code := s.exit(); code != 0 {
		t.Errorf("the shell left with %d", code)
	}

	eval := exec.Command("ragdb", "eval", "--db", "acme-eval.ragdb", "--data", "./qa", "--methods", "naive,noderag,ketrag", "--json")
	eval.Dir = dir
	eval.Env = append(os.Environ(), env...)
	b, err := eval.Output()
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Methods []struct {
			Name     string
			Coverage float64
			Ms       struct{ P50 float64 }
		}
	}
	if err := json.Unmarshal(b, &r); err != nil || len(r.Methods) != 3 || r.Methods[0].Coverage < 0.9 && r.Methods[0].Coverage < 90 {
		t.Errorf("eval: %v, %s", err, b)
	}
}
