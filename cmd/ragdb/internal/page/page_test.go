package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// The vendored library is cytoscape 3.34.4, dist/cytoscape.min.js, as the npm
// registry has it.
const librarySHA256 = "081591ab735b2b6a3b31a3c60f8f3a3e2fee8c92939e0c7820ad1208571b6cd8"

// hostile is a name that would take over a page that trusted it.
const hostile = `</script><script>document.title="taken"</script><img src=x onerror="document.title='taken'">&amp; <b>bold</b>`

// sample is a page with a hostile name, title and quote.
func sample() *Page {
	return &Page{
		V: 1, Title: "acme " + hostile,
		Graph: &Graph{
			Total: 7, Start: 1,
			Types:     []Type{{Name: "entity", Count: 2}, {Name: "chunk", Count: 1, Text: true}},
			EdgeTypes: []EdgeType{{"relates", false, 1}, {"mentions", true, 1}},
			Nodes: []Node{
				{Type: 0, Key: "model b", Name: "Model B", Description: "has a warranty"},
				{Type: 0, Key: "x", Name: hostile, Description: hostile, Sources: []int{0}},
				{Type: 1, Key: "handbook.md#3", Name: "handbook.md#3", Sources: []int{0}},
			},
			Edges: []Edge{{0, 1, 0, 2.5}, {2, 1, 1, 1}},
		},
		Trace: &Trace{
			ID: "t:1", Question: "How long? " + hostile, Answer: "Two years [1].", Method: "naive",
			Cited: []Source{{N: 1, Doc: "handbook.md", Bytes: [2]int64{4, 90}, Text: "quoted of " + hostile}},
			Ops:   []Operator{{0, "Pack budget=4000", 1, 0.2}, {1, "Union zsum", 2, 0.1}},
			Items: []Item{{Name: "c:handbook.md#3", Section: "text", Score: 2.1, Tokens: 12, Why: []Step{{"vector", "chunk", 0.9}}, Sources: []int{0}}},
		},
		Sources: []Source{{Doc: "handbook.md", Heading: hostile, Bytes: [2]int64{4, 90}, Text: "Two years. " + hostile}},
	}
}

func write(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestEscaping holds that a page has the elements of its template and no other,
// and that the texts come back out of it as they went in.
func TestEscaping(t *testing.T) {
	t.Parallel()
	got := write(t, sample())
	for element, want := range map[string]int{"<script": 3, "</script": 3, "<img": 0, "<b>": 0, "<title": 1} {
		// The library's own strings are not elements.
		if n := strings.Count(strings.Replace(got, library, "", 1), element); n != want {
			t.Errorf("%d times %s, want %d", n, element, want)
		}
	}
	_, rest, _ := strings.Cut(got, `id="data">`)
	text, _, _ := strings.Cut(rest, "</script>")
	var back, want map[string]any
	if err := json.Unmarshal([]byte(text), &back); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(sample())
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, want) {
		t.Error("the page holds other data than it was given")
	}
	for _, remote := range []string{"http://", "https://", "//cdn"} {
		if i := strings.Index(strings.Replace(got, library, "", 1), remote); i >= 0 {
			t.Errorf("the page refers to %q", got[i:i+40])
		}
	}
}

// TestLibrary holds that the vendored file is the published one.
func TestLibrary(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte(library))
	if got := hex.EncodeToString(sum[:]); got != librarySHA256 {
		t.Errorf("the library has the hash %s", got)
	}
	licence, err := os.ReadFile("vendored/cytoscape.LICENSE")
	if err != nil || !strings.Contains(string(licence), "Permission is hereby granted") {
		t.Errorf("the licence is %.40q (%v)", licence, err)
	}
}

// browser returns a browser's command, or skips the test.
func browser(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("opens a browser")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium is installed")
	return ""
}

// TestBrowser opens a page in a real browser: it must draw, show the hostile
// name as text, and not run it.
func TestBrowser(t *testing.T) {
	t.Parallel()
	chromium := browser(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(write(t, sample())), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		args = append([]string{
			"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--window-size=1300,800", "--virtual-time-budget=4000",
			"--user-data-dir=" + t.TempDir(),
		}, args...)
		out, err := exec.CommandContext(ctx, chromium, append(args, "file://"+file)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	dom := run("--dump-dom")
	if !strings.Contains(dom, "<canvas") {
		t.Error("nothing was drawn")
	}
	title, _, _ := strings.Cut(dom[strings.Index(dom, "<title>")+7:], "</title>")
	if !strings.HasPrefix(title, "acme &lt;/script&gt;") {
		t.Errorf("the title is %q", title)
	}
	for _, want := range []string{"How long? &lt;/script&gt;", "Pack budget=4000", "c:handbook.md#3", "Two years [1].", "[1] · handbook.md", "quoted of &lt;/script&gt;", "Two years. &lt;/script&gt;"} {
		if !strings.Contains(dom, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	shot := filepath.Join(dir, "page.png")
	run("--screenshot=" + shot)
	f, err := os.Open(shot)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	// A drawn trace has the colours of its boxes.
	seen := map[[3]uint32]bool{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			seen[[3]uint32{r >> 8, g >> 8, b >> 8}] = true
		}
	}
	for name, rgb := range map[string][3]uint32{"question": {0xcc, 0x79, 0xa7}, "step": {0x00, 0x72, 0xb2}, "evidence": {0x00, 0x9e, 0x73}} {
		if !seen[rgb] {
			t.Errorf("no box of a %s is drawn", name)
		}
	}
	if dir := os.Getenv("RAGDB_SCREENSHOTS"); dir != "" {
		b, err := os.ReadFile(shot)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "page.png"), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
