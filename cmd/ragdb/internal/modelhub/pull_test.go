package modelhub_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/cmd/ragdb/internal/modelhub"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag/llm/encoder"
)

const weightsPath = "/model.safetensors"

// TestPull fetches what is read of a model and no more, once.
func TestPull(t *testing.T) {
	t.Parallel()
	f, c := newHub(t), modelhub.Cache(filepath.Join(t.TempDir(), "a", "models"))
	for range 2 {
		if _, _, err := f.pull(t.Context(), t, c); err != nil {
			t.Fatal(err)
		}
		f.holds(t, c)
	}
	if n := len(f.asked); n != 4 { // the list, and three files
		t.Errorf("%d requests: %q", n, f.asked)
	}
	for _, name := range []string{"own/small", "small", "SMALL"} {
		if m, ok, err := c.Find(name); err != nil || !ok || m.Name != "own/small" {
			t.Errorf("%s: %+v, %t, %v", name, m, ok, err)
		}
	}
	// A folder that was renamed is found by what is in it.
	if err := os.Rename(filepath.Join(string(c), "own--small"), filepath.Join(string(c), "x")); err != nil {
		t.Fatal(err)
	}
	m, ok, err := c.Find("small")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if again, ok, err := c.OfSum(m.SHA256); err != nil || !ok || again.Dir != filepath.Join(string(c), "x") {
		t.Errorf("by its hash: %+v, %t, %v", again, ok, err)
	}
	if sum, err := modelhub.Sum(m.Dir); err != nil || sum != m.SHA256 {
		t.Errorf("the sum is %s, not %s, %v", sum, m.SHA256, err)
	}
	if _, err := c.Remove("small"); err != nil {
		t.Error(err)
	}
	same(t, string(c))
	if _, err := c.Remove("small"); err == nil {
		t.Error("it was removed twice")
	}
}

// TestCuts breaks every reply with weights off after some bytes. What came is not asked for
// again.
func TestCuts(t *testing.T) {
	t.Parallel()
	whole := len(smallModel()["model.safetensors"])
	for _, after := range []int{1, 7, 100, 4096, whole/2 + 1, whole - 1} {
		f, c := newHub(t), modelhub.Cache(t.TempDir())
		sent, want := 0, 0
		f.weights = func(w http.ResponseWriter, r *http.Request, n int) bool {
			if after < 100 && n > 20 { // tiny pieces would take for ever
				return false
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			from := 0
			if s := r.Header.Get("Range"); s != "" {
				if _, err := fmt.Sscanf(s, "bytes=%d-", &from); err != nil || from != want {
					t.Errorf("it asks for %s after %d bytes", s, want)
				}
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, whole-1, whole))
			}
			w.Header().Set("Content-Length", fmt.Sprint(whole-from))
			if from > 0 {
				w.WriteHeader(http.StatusPartialContent)
			}
			b := f.files["model.safetensors"][from:]
			b = b[:min(after, len(b))]
			sent, want = sent+len(b), from+len(b)
			_, _ = w.Write(b)
			return true
		}
		if _, _, err := f.pull(t.Context(), t, c); err != nil {
			t.Errorf("after %d bytes: %v", after, err)
			continue
		}
		f.holds(t, c)
		f.Close() // no handler runs any more
		if sent > whole {
			t.Errorf("%d bytes were sent of %d", sent, whole)
		}
	}
}

// TestInterrupted ends a pull at many bytes. Nothing is there until a later pull has the rest,
// and only that.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	whole := len(smallModel()["model.safetensors"])
	for _, after := range []int{1, 5000, whole - 1} {
		f, c := newHub(t), modelhub.Cache(t.TempDir())
		ctx, cancel := context.WithCancel(t.Context())
		f.weights = func(w http.ResponseWriter, r *http.Request, n int) bool {
			if n > 1 {
				return false
			}
			w.Header().Set("Content-Length", fmt.Sprint(whole))
			_, _ = w.Write(f.files["model.safetensors"][:after])
			_ = http.NewResponseController(w).Flush()
			// What is on the disk by then is kept.
			for range 1000 {
				if part, err := os.Stat(filepath.Join(string(c), ".own--small.ragdb-part", "data", "weights.part")); err == nil && part.Size() == int64(after) {
					break
				}
				time.Sleep(time.Millisecond)
			}
			cancel()
			<-r.Context().Done()
			return true
		}
		if _, _, err := f.pull(ctx, t, c); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d bytes: %v", after, err)
		}
		if all, err := c.Models(); err != nil || len(all) > 0 {
			t.Errorf("a part of a model is there: %+v, %v", all, err)
		}
		if _, _, err := f.pull(t.Context(), t, c); err != nil {
			t.Fatal(err)
		}
		f.holds(t, c)
		if n := f.times(fmt.Sprintf("%s bytes=%d-", weightsPath, after)); n != 1 {
			t.Errorf("the rest after %d bytes was asked for %d times: %q", after, n, f.asked)
		}
	}
	// What is left can be removed.
	f, c := newHub(t), modelhub.Cache(t.TempDir())
	f.weights = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		w.Header().Set("Content-Length", "9999")
		_, _ = w.Write(f.files["model.safetensors"][:10])
		return true
	}
	if _, _, err := f.pull(t.Context(), t, c); err == nil || !strings.Contains(err.Error(), "broke off after 10 of") {
		t.Error(err)
	}
	same(t, string(c), ".own--small.ragdb-part")
	if _, err := c.Remove("own/small"); err != nil {
		t.Error(err)
	}
	same(t, string(c))
}

// TestRanges holds hubs that answer a request for a part in other ways.
func TestRanges(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]func(f *fakeHub, w http.ResponseWriter){
		"the whole": func(f *fakeHub, w http.ResponseWriter) { _, _ = w.Write(f.files["model.safetensors"]) },
		"another part": func(f *fakeHub, w http.ResponseWriter) {
			w.Header().Set("Content-Range", "bytes 3-9/10")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write([]byte("another"))
		},
		"no part": func(_ *fakeHub, w http.ResponseWriter) { w.WriteHeader(http.StatusRequestedRangeNotSatisfiable) },
	} {
		f, c := newHub(t), modelhub.Cache(t.TempDir())
		f.weights = func(w http.ResponseWriter, r *http.Request, n int) bool {
			switch {
			case n == 1:
				w.Header().Set("Content-Length", fmt.Sprint(len(f.files["model.safetensors"])))
				_, _ = w.Write(f.files["model.safetensors"][:500])
			case r.Header.Get("Range") != "":
				part(f, w)
			default:
				return false
			}
			return true
		}
		if _, _, err := f.pull(t.Context(), t, c); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f.holds(t, c)
	}
	// One that ignores parts and always breaks off is given up.
	f, c := newHub(t), modelhub.Cache(t.TempDir())
	f.weights = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		w.Header().Set("Content-Length", fmt.Sprint(len(f.files["model.safetensors"])))
		_, _ = w.Write(f.files["model.safetensors"][:500])
		return true
	}
	_, pauses, err := f.pull(t.Context(), t, c)
	if err == nil || !strings.Contains(err.Error(), "broke off after 500 of") || len(pauses) > 10 {
		t.Errorf("%v after %d pauses", err, len(pauses))
	}
}

// TestOtherBytes has what is there, or comes, be something else than the hub states.
func TestOtherBytes(t *testing.T) {
	t.Parallel()
	// What an earlier pull of another revision left.
	f, c := newHub(t), modelhub.Cache(t.TempDir())
	data := filepath.Join(string(c), ".own--small.ragdb-part", "data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"weights.part": "other", "vocab.txt": "old", "../unfinished": ""} {
		if err := os.WriteFile(filepath.Join(data, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(data), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.pull(t.Context(), t, c); err != nil {
		t.Fatal(err)
	}
	f.holds(t, c)
	for name, change := range map[string]func(b []byte){
		"model.safetensors": func(b []byte) { b[len(b)-1] ^= 1 },
		"tokenizer.json":    func(b []byte) { b[len(b)-2] ^= 1 },
	} {
		f, c := newHub(t), modelhub.Cache(t.TempDir())
		f.answer = func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if !strings.HasSuffix(r.URL.Path, "/"+name) {
				return false
			}
			b := []byte(string(f.files[name]))
			change(b)
			_, _ = w.Write(b)
			return true
		}
		_, _, err := f.pull(t.Context(), t, c)
		if err == nil || !strings.Contains(err.Error(), name+" of own/small has the") {
			t.Errorf("%s: %v", name, err)
		}
		same(t, string(c))
	}
}

// TestListings holds lists of files that lie.
func TestListings(t *testing.T) {
	t.Parallel()
	size := len(smallModel()["model.safetensors"])
	lfs := func(key string, v any) func(map[string]any, []map[string]any) {
		return func(_ map[string]any, files []map[string]any) {
			stated(files, "model.safetensors")["lfs"].(map[string]any)[key] = v
		}
	}
	for name, test := range map[string]struct {
		listing func(map[string]any, []map[string]any)
		want    string
	}{
		"smaller":        {lfs("size", size-5), "sends more than the"},
		"larger":         {lfs("size", size+5), "has another part"},
		"negative":       {lfs("size", -1), "states no size and checksum"},
		"no checksum":    {lfs("sha256", ""), "has the checksum"},
		"other checksum": {lfs("sha256", strings.Repeat("0", 64)), "has the checksum"},
		"no commit":      {func(l map[string]any, _ []map[string]any) { l["sha"] = "../../x" }, "lists no files of own/small"},
		"no weights": {func(_ map[string]any, f []map[string]any) {
			stated(f, "model.safetensors")["rfilename"] = "model-00001-of-2.safetensors"
		}, "it has no model.safetensors"},
		"huge config": {func(_ map[string]any, f []map[string]any) { stated(f, "config.json")["size"] = 1 << 40 }, "its config.json has 1099511627776 bytes"},
		"no config":   {func(_ map[string]any, f []map[string]any) { stated(f, "config.json")["rfilename"] = "../config.json" }, "it has no config.json"},
	} {
		f, c := newHub(t), modelhub.Cache(filepath.Join(t.TempDir(), "c"))
		f.listing = test.listing
		if name == "no checksum" { // the one that git gives is of the pointer
			f.listing = func(l map[string]any, files []map[string]any) {
				test.listing(l, files)
				stated(files, "model.safetensors")["blobId"] = strings.Repeat("1", 40)
			}
		}
		_, _, err := f.pull(t.Context(), t, c)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
		same(t, string(c))
		if name != "no commit" {
			same(t, filepath.Dir(string(c)), "c")
		}
	}
	for _, answer := range []string{"<html>", `{"sha":5}`, `{"sha":"` + commit + `"}`, ""} {
		f, c := newHub(t), modelhub.Cache(t.TempDir())
		f.answer = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			_, _ = w.Write([]byte(answer))
			return true
		}
		if _, _, err := f.pull(t.Context(), t, c); err == nil {
			t.Errorf("%s is a list", answer)
		}
		same(t, string(c))
	}
}

// TestFolders holds files that modules.json names in folders.
func TestFolders(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"../out", "/out", `a\..\..\out`, "c:out"} {
		f, c := newHub(t), modelhub.Cache(filepath.Join(t.TempDir(), "c"))
		f.files["modules.json"], _ = json.Marshal([]map[string]string{{"path": path, "type": "sentence_transformers.models.Pooling"}})
		f.files[path+"/config.json"] = []byte("{}")
		_, _, err := f.pull(t.Context(), t, c)
		if err == nil || !errors.Is(err, encoder.ErrModel) || !strings.Contains(err.Error(), "modules.json names the folder") {
			t.Errorf("%s: %v", path, err)
		}
		same(t, filepath.Dir(string(c)), "c")
		same(t, string(c))
	}
	f, c := newHub(t), modelhub.Cache(t.TempDir())
	for _, name := range []string{"config.json", "tokenizer.json", "model.safetensors"} {
		f.files["0_StaticEmbedding/"+name] = f.files[name]
		delete(f.files, name)
	}
	f.files["modules.json"] = []byte(`[{"path":"0_StaticEmbedding","type":"sentence_transformers.models.StaticEmbedding"}]`)
	m, _, err := f.pull(t.Context(), t, c)
	if err != nil {
		t.Fatal(err)
	}
	same(t, m.Dir, "0_StaticEmbedding", "modules.json", "ragdb-model.json")
	if sum, err := modelhub.Sum(m.Dir); err != nil || sum != m.SHA256 {
		t.Errorf("the sum is %s, not %s, %v", sum, m.SHA256, err)
	}
}

// TestRefused holds models that are not run: their weights are not fetched.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, content, want string }{
		"architecture": {"config.json", `{"model_type":"t5"}`, `no model that ragdb runs: its architecture is "t5"`},
		"no JSON":      {"config.json", `{`, "config.json: "},
		"tokenizer":    {"tokenizer.json", `{}`, "tokenizer"},
	} {
		f, c := newHub(t), modelhub.Cache(t.TempDir())
		f.files[test.file] = []byte(test.content)
		_, _, err := f.pull(t.Context(), t, c)
		if err == nil || !errors.Is(err, encoder.ErrModel) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), string(c)) {
			t.Errorf("%s: %v", name, err)
		}
		if f.times(weightsPath) > 0 {
			t.Errorf("%s: the weights were asked for", name)
		}
		same(t, string(c))
	}
	// Damaged weights go, too.
	f, c := newHub(t), modelhub.Cache(t.TempDir())
	f.files["model.safetensors"] = []byte("none")
	if _, _, err := f.pull(t.Context(), t, c); !errors.Is(err, encoder.ErrModel) {
		t.Error(err)
	}
	same(t, string(c))
}

// TestStatus holds what a hub replies in place of a file.
func TestStatus(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		header string
		often  int // answers, before it is well
		code   string
		want   string // "" if it is well in the end
	}{
		"missing":          {404, "", 99, "not_found", "has no own/small, or keeps it private"},
		"unknown":          {401, "X-Error-Code: RepoNotFound", 99, "not_found", "has no own/small"},
		"gated":            {401, "X-Error-Code: GatedRepo", 99, "provider", "accepted its terms"},
		"forbidden":        {403, "", 99, "provider", "accepted its terms"},
		"too many":         {429, "Retry-After: 7", 2, "", ""},
		"too many, always": {429, "", 99, "provider", "answers 429 Too Many Requests"},
		"too many, long":   {429, "Retry-After: 3600", 99, "provider", "answers 429"},
		"unavailable":      {503, "", 3, "", ""},
		"error":            {500, "", 99, "provider", "answers 500"},
		"teapot":           {418, "", 99, "provider", "answers 418"},
		"not modified":     {304, "", 99, "provider", "answers 304"},
	} {
		for _, suffix := range []string{"/main", weightsPath} {
			f, c := newHub(t), modelhub.Cache(t.TempDir())
			f.answer = func(w http.ResponseWriter, r *http.Request, n int) bool {
				if !strings.HasSuffix(r.URL.Path, suffix) || n > test.often {
					return false
				}
				if k, v, ok := strings.Cut(test.header, ": "); ok {
					w.Header().Set(k, v)
				}
				w.WriteHeader(test.status)
				return true
			}
			_, pauses, err := f.pull(t.Context(), t, c)
			if test.want == "" {
				if err != nil {
					t.Errorf("%s, %s: %v", name, suffix, err)
					continue
				}
				f.holds(t, c)
				if test.header != "" && pauses[0] != 7*time.Second {
					t.Errorf("%s: it waits %s", name, pauses)
				}
				continue
			}
			want := test.want
			if suffix == weightsPath {
				want = strings.NewReplacer("no own/small", "no model.safetensors of own/small").Replace(want)
			}
			var e *service.Error
			if !errors.As(err, &e) || e.Code != test.code || !strings.Contains(err.Error(), want) || e.Hint == "" {
				t.Errorf("%s, %s: %v", name, suffix, err)
			}
			if len(pauses) > 5 || test.code == "not_found" && len(pauses) > 0 {
				t.Errorf("%s: %d pauses", name, len(pauses))
			}
			same(t, string(c))
		}
	}
}

// TestRedirects holds hubs that keep their weights elsewhere.
func TestRedirects(t *testing.T) {
	t.Parallel()
	f, c := newHub(t), modelhub.Cache(t.TempDir())
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(f.files["model.safetensors"])))
	}))
	defer elsewhere.Close()
	to := elsewhere.URL + "/lfs/53aa?signature=x"
	f.weights = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		http.Redirect(w, r, to, http.StatusFound)
		return true
	}
	if _, _, err := f.pull(t.Context(), t, c); err != nil {
		t.Fatal(err)
	}
	f.holds(t, c)
	for _, bad := range []string{"http://198.51.100.7/lfs", "ftp://127.0.0.1/lfs", f.URL + "/own/small/resolve/" + commit + weightsPath} {
		c := modelhub.Cache(t.TempDir())
		to = bad
		if _, _, err := f.pull(t.Context(), t, c); err == nil || !strings.Contains(err.Error(), "redirects") {
			t.Errorf("%s: %v", bad, err)
		}
		same(t, string(c))
	}
}

// TestOffHTTPS has a hub on https lead to this machine, where others listen.
func TestOffHTTPS(t *testing.T) {
	t.Parallel()
	f := newHub(t)
	outside := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, f.URL+r.URL.Path, http.StatusFound)
	}))
	defer outside.Close()
	h, err := modelhub.NewHub(outside.URL)
	if err != nil {
		t.Fatal(err)
	}
	h.Trust(outside.Client())
	if _, _, err := h.Pull(t.Context(), modelhub.Cache(t.TempDir()), "own/small", "", nil); err == nil || !strings.Contains(err.Error(), "off https") || len(f.asked) > 0 {
		t.Errorf("%v, %q", err, f.asked)
	}
}

// TestSilence holds a hub that says nothing any more.
func TestSilence(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{"/main", weightsPath} {
		f, c := newHub(t), modelhub.Cache(t.TempDir())
		f.answer = func(w http.ResponseWriter, r *http.Request, n int) bool {
			if !strings.HasSuffix(r.URL.Path, suffix) || n > 1 {
				return false
			}
			if suffix == weightsPath {
				_, _ = w.Write(f.files["model.safetensors"][:10])
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
			return true
		}
		h, err := modelhub.NewHub(f.URL)
		if err != nil {
			t.Fatal(err)
		}
		var pauses []time.Duration
		h.Hasten(&pauses, 200*time.Millisecond)
		if _, _, err := h.Pull(t.Context(), c, "own/small", "", func(int64, int64) {}); err != nil || len(pauses) != 1 {
			t.Errorf("%s: %v after %d pauses", suffix, err, len(pauses))
			continue
		}
		f.holds(t, c)
	}
}

// TestAtOnce has two pulls of a model at once, of which one may be told to wait.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no locks that end with a process")
	}
	f, c := newHub(t), modelhub.Cache(t.TempDir())
	var both sync.WaitGroup
	done := make([]error, 4)
	for i := range done {
		both.Go(func() { _, _, done[i] = f.pull(t.Context(), t, c) })
	}
	both.Wait()
	well := 0
	for _, err := range done {
		if err == nil {
			well++
		} else if !strings.Contains(err.Error(), "another ragdb is fetching own/small") {
			t.Error(err)
		}
	}
	if well == 0 {
		t.Error("none came to its end")
	}
	f.holds(t, c)
}

// TestTable has a hub state other weights for a model of the table than the table does, and
// has a model's prompts from there.
func TestTable(t *testing.T) {
	t.Parallel()
	known, _ := modelhub.Known("all-minilm-l6-v2")
	if known.Name != "sentence-transformers/all-MiniLM-L6-v2" {
		t.Fatal(known)
	}
	for name, found := range map[string]bool{"ms-marco-MiniLM-L-6-v2": true, "cross-encoder/ms-marco-MiniLM-L6-v2": true, "own/all-MiniLM-L6-v2": false, "minilm": false, "": false} {
		if _, ok := modelhub.Known(name); ok != found {
			t.Errorf("%q is in the table: %t", name, ok)
		}
	}
	for _, k := range modelhub.KnownModels() {
		if !modelhub.IsName(k.Name) || len(k.SHA256) != 64 || len(k.Revision) != 40 || k.Bytes < 1 || k.License == "" || k.Languages == "" {
			t.Errorf("%+v", k)
		}
	}
	for _, revision := range []string{"", "main"} {
		f, c := newHub(t), modelhub.Cache(t.TempDir())
		e5, _ := modelhub.Known("multilingual-e5-small")
		if revision == "" {
			f.listing = func(l map[string]any, _ []map[string]any) { l["sha"] = e5.Revision }
		}
		f.answer = func(w http.ResponseWriter, r *http.Request, _ int) bool {
			r.URL.Path = strings.NewReplacer("intfloat/multilingual-e5-small", "own/small", e5.Revision+"/", commit+"/").Replace(r.URL.Path)
			return false
		}
		h, err := modelhub.NewHub(f.URL)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := h.Pull(t.Context(), c, "multilingual-e5-small", revision, func(int64, int64) {})
		if revision == "" {
			if err == nil || !strings.Contains(err.Error(), "must have "+e5.SHA256) || f.times(weightsPath) > 0 {
				t.Errorf("%v", err)
			}
			same(t, string(c))
			continue
		}
		b, rerr := os.ReadFile(filepath.Join(m.Dir, "config_sentence_transformers.json"))
		if err != nil || rerr != nil || strings.TrimSpace(string(b)) != `{"prompts":{"passage":"passage: ","query":"query: "}}` {
			t.Errorf("the prompts are %s, %v, %v", b, err, rerr)
		}
		// Another revision would take the place of the one that databases use.
		if _, _, err := h.Pull(t.Context(), c, "multilingual-e5-small", e5.Revision, nil); err == nil || !strings.Contains(err.Error(), "is there at revision "+commit) {
			t.Error(err)
		}
	}
}

// TestAddresses refuses hubs that anybody on the way could be.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, well := range map[string]bool{
		"https://huggingface.co": true, "https://mirror.example/hf/": true, "http://localhost:8080": true, "http://127.0.0.1:1": true, "http://[::1]:1": true,
		"http://example.com": false, "http://10.0.0.1": false, "huggingface.co": false, "": false, "https://user:pass@example.com": false, "ftp://localhost": false, "https://example.com?x=1": false,
	} {
		if _, err := modelhub.NewHub(address); (err == nil) != well {
			t.Errorf("%q: %v", address, err)
		}
	}
	h, err := modelhub.NewHub("http://127.0.0.1:9")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../x", "a/../b", "a/b/c", "a b/c", "/x", "a/.b", "small"} {
		if _, _, err := h.Pull(t.Context(), modelhub.Cache(t.TempDir()), name, "", nil); err == nil || !strings.Contains(err.Error(), "there is no model") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, _, err := h.Pull(t.Context(), modelhub.Cache(t.TempDir()), "a/b", "", nil); err == nil || !strings.Contains(err.Error(), "the connection is refused") {
		t.Error(err)
	}
}
