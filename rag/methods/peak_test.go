package methods_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/pdftest"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
	"github.com/ragdb/ragdb/rag/ragtest"
)

// peakBound is how many bytes of memory a byte of a document may take at the most
// while it is read, or indexed, beside peakBuffers, which the memtables and blocks of
// the store and the buffers of a transaction take however much is written.
const (
	peakBound   = 20
	peakBuffers = 128 << 20
)

// latin and chinese are what the documents of the test repeat, with numbers so
// that few sentences are equal.
const (
	latin   = "The harbour of Karrow was surveyed by Ada Fenn in the year %d, and the mill at Skarholm ground %d sacks of flour. "
	chinese = "奥尔斯克的潮汐磨坊由工程师米拉设计，她于%d年来到这座港口小镇，磨坊磨了%d年面粉，后来改成了博物馆。"
)

// peakText returns about n bytes of text in paragraphs: the form repeated with
// numbers, and prose for an empty one.
func peakText(form string, n int) string {
	if form == "" {
		return proseText(n)
	}
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, form, i*i%1009, i*7%997)
		if i%8 == 7 {
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

// proseText returns about n bytes of words of one or two Chinese characters that a
// random generator draws from 60,000, the r-th most frequent with a probability of
// about 1/r. They have about as many different pairs of characters as prose has:
// 350,000 in 9 MB.
func proseText(n int) string {
	rnd := rand.New(rand.NewPCG(1, 1))
	zipf := func(n float64) int { return int(math.Pow(n, rnd.Float64())) - 1 }
	words := make([]string, 60_000)
	for i := range words {
		word := []rune{0x4E00 + rune(zipf(4000)), 0x4E00 + rune(zipf(4000))}
		words[i] = string(word[:1+min(1, i%3)])
	}
	var b strings.Builder
	for b.Len() < n {
		for range 3 + rnd.IntN(5) {
			for range 5 + rnd.IntN(16) {
				b.WriteString(words[zipf(float64(len(words)))])
			}
			b.WriteRune('。')
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// peakFile returns a document of a format.
func peakFile(format, body string) (name string, data []byte) {
	var b bytes.Buffer
	switch format {
	case "md":
		for i, p := range strings.Split(body, "\n\n") {
			fmt.Fprintf(&b, "## Part %d\n\n%s\n\n", i, p)
		}
	case "html":
		b.WriteString("<html><body>")
		for i, p := range strings.Split(body, "\n\n") {
			fmt.Fprintf(&b, "<h2>Part %d</h2><p>%s</p>\n", i, p)
		}
	case "csv":
		b.WriteString("id,text\n")
		fmt.Fprintf(&b, "1,%q\n", strings.ReplaceAll(body, "\n\n", " "))
	case "jsonl":
		line, err := json.Marshal(map[string]string{"id": "1", "text": body})
		if err != nil {
			panic(err)
		}
		b.Write(append(line, '\n'))
	case "pdf":
		var pages []string
		for p := range strings.SplitSeq(body, "\n\n") {
			pages = append(pages, pdftest.Lines(strings.SplitAfter(p, ". ")...))
		}
		return "a.pdf", pdftest.Document("A report", pdftest.Helvetica, pages...)
	case "txt.gz":
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(body)); err != nil {
			panic(err)
		}
		if err := z.Close(); err != nil {
			panic(err)
		}
	default:
		b.WriteString(body)
	}
	return "a." + format, b.Bytes()
}

// peakCase is what a process does whose memory is measured: "load" reads a
// document, "index" indexes it with a model that learns no words, "replace" puts
// another in its place, "remove" removes it, "naive" indexes it with the local
// model, whose words take memory of their own.
type peakCase struct {
	do, format, lang string
	size             int
}

func peakCases() (out []peakCase) {
	size := 2 << 20
	if *long {
		size = 9 << 20
	}
	for _, format := range []string{"txt", "md", "html", "csv", "jsonl", "pdf", "txt.gz"} {
		for _, lang := range []string{"latin", "chinese"} {
			if format != "pdf" || lang == "latin" { // the PDF writer has Latin letters only
				out = append(out, peakCase{"load", format, lang, size})
			}
		}
	}
	if !*long {
		return append(out, peakCase{"index", "txt", "prose", 1 << 20})
	}
	for _, do := range []string{"index", "replace", "remove"} {
		out = append(out, peakCase{do, "txt", "prose", 9 << 20})
	}
	return append(out, peakCase{"index", "txt", "latin", 32 << 20}, peakCase{"naive", "txt", "latin", 9 << 20})
}

// TestPeakMemory reads, indexes, replaces and removes one large document in a
// process of its own, and holds the most memory that the process had against the
// document's size. What is indexed is found.
func TestPeakMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell how much memory a process had at the most")
	}
	if os.Getenv("RAGDB_PEAK") != "" {
		peakChild(t)
		return
	}
	for _, c := range peakCases() {
		t.Run(c.do+"/"+c.format+"/"+c.lang, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestPeakMemory$", "-test.v")
			cmd.Env = append(os.Environ(), "RAGDB_PEAK="+strings.Join([]string{c.do, c.format, c.lang, strconv.Itoa(c.size)}, " "))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if strings.Contains(string(out), "--- SKIP") {
				t.Skipf("%s", out)
			}
			var peak, bytes int
			for line := range strings.Lines(string(out)) {
				if _, err := fmt.Sscanf(line, "peak %d of %d", &peak, &bytes); err == nil {
					break
				}
			}
			if bytes == 0 {
				t.Fatalf("the process does not tell:\n%s", out)
			}
			if c.do != "load" {
				peak -= peakBuffers
			}
			ratio := float64(peak) / float64(bytes)
			t.Logf("%.1f bytes of memory a byte", ratio)
			if ratio > peakBound {
				t.Errorf("%.1f bytes of memory a byte, more than %d", ratio, peakBound)
			}
		})
	}
}

// peakChild does what the environment says and prints how much memory it had.
func peakChild(t *testing.T) {
	f := strings.Fields(os.Getenv("RAGDB_PEAK"))
	size, err := strconv.Atoi(f[3])
	if err != nil {
		t.Fatal(err)
	}
	form := map[string]string{"latin": latin, "chinese": chinese}[f[2]]
	ctx := t.Context()
	// do reads or indexes a folder. A small document comes first, since the
	// measurement leaves out what a process needs once.
	do := func(in rag.Input) {
		docs := 0
		for d, err := range load.Walk(ctx, in.FS, ".", &in.Load) {
			if err != nil {
				t.Fatal(err)
			}
			docs += min(1, len(d.Text))
		}
		if docs == 0 {
			t.Fatal("nothing was read")
		}
	}
	var found func(text string) bool
	var remove func(key string)
	if f[0] != "load" {
		do, found, remove = peakIndexer(t, f[0])
	}
	small, data := peakFile(f[1], peakText(form, 4<<10))
	do(rag.Input{FS: fstest.MapFS{"small-" + small: {Data: data}}})
	name, data := peakFile(f[1], peakText(form, size))
	n := len(data)
	if f[1] == "txt.gz" || f[1] == "pdf" {
		n = size // what it unpacks to
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/"+name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	tail := string(data[len(data)-100:])
	read := rag.Input{FS: os.DirFS(dir), Load: load.Options{MaxDocBytes: 64 << 20}}
	switch f[0] {
	case "remove":
		do(read)
		do = func(rag.Input) { remove(name) }
	case "replace":
		do(rag.Input{FS: fstest.MapFS{name: {Data: data[n/2:]}}, Load: read.Load})
	}
	data = nil
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skipf("the high-water mark cannot be reset: %v", err)
	}
	base := highWater(t)
	do(read)
	fmt.Printf("\npeak %d of %d\n", highWater(t)-base, n)
	if found != nil && found(tail) != (f[0] != "remove") {
		t.Errorf("the end of the document is found: %v", f[0] == "remove")
	}
}

// peakIndexer opens a database and returns what indexes, finds and removes.
func peakIndexer(t *testing.T, what string) (do func(rag.Input), found func(text string) bool, remove func(key string)) {
	ctx := t.Context()
	db, err := engine.Open(ctx, t.TempDir()+"/db", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c, err := rag.OpenCorpus(ctx, db, "main", nil)
	if err != nil {
		t.Fatal(err)
	}
	if what != "naive" {
		c = ragtest.Use(c, nil, ragtest.Embedder{})
	}
	sys, err := methods.All().Open(ctx, c.Docs(), method.Spec{Name: "naive"})
	if err != nil {
		t.Fatal(err)
	}
	x := rag.Indexer{Corpus: c, Methods: methods.All(), Systems: []*method.System{sys}}
	do = func(in rag.Input) {
		if r, err := x.Run(ctx, []rag.Input{in}); err != nil || r.Added+r.Replaced != 1 {
			t.Fatalf("%+v: %v", r, err)
		}
	}
	found = func(text string) (ok bool) {
		err := db.View(ctx, func(s *engine.Snapshot) error {
			hits, err := s.Graph(c.Base()).Terms(method.TextField(sys.ChunkSet()), c.Analyze(text), engine.TermsOptions{K: 1})
			for _, h := range hits {
				ch, err := c.Chunk(s.Graph(c.Base()), h.ID)
				if err != nil {
					return err
				}
				ok = !strings.HasPrefix(ch.Doc, "small-")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	remove = func(key string) {
		if _, err := c.Remove(ctx, methods.All(), key, rag.RemoveOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return do, found, remove
}

// highWater returns the most memory that this process had since it was reset.
func highWater(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(status)) {
		var kb int
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kb); err == nil {
			return kb << 10
		}
	}
	t.Skip("the system does not tell VmHWM")
	return 0
}
