package page

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/load"
)

// mostBytes bounds what a browser loads, compressed.
const mostBytes = 400 << 10

func get(t *testing.T, h http.Handler, path string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// TestHandler holds that the page is small, complete and of one origin, and that its
// policy lets no text become markup or a script.
func TestHandler(t *testing.T) {
	t.Parallel()
	h, err := Handler()
	if err != nil {
		t.Fatal(err)
	}
	var total int
	for path, want := range map[string][]byte{"/": index, "/app.js": app, "/app.css": appStyle} {
		res := get(t, h, path, "Accept-Encoding", "gzip")
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		total += len(b)
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is %d bytes compressed (%v), want those of %d", path, len(got), err, len(want))
		}
		csp := res.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "connect-src 'self';", "require-trusted-types-for 'script'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("the policy of %s lacks %s: %s", path, part, csp)
			}
		}
		if strings.Contains(csp, "unsafe") {
			t.Errorf("the policy of %s is unsafe: %s", path, csp)
		}
		if again := get(t, h, path, "If-None-Match", res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s is sent again to a browser that has it: %d", path, again.StatusCode)
		}
	}
	if total > mostBytes {
		t.Errorf("the page is %d bytes compressed, more than %d", total, mostBytes)
	}
	if res := get(t, h, "/nothing"); res.StatusCode != http.StatusNotFound {
		t.Errorf("/nothing is %d", res.StatusCode)
	}
}

// TestSources holds that the sources set no markup, and name no other server.
func TestSources(t *testing.T) {
	t.Parallel()
	// The namespace of SVG is a name and nothing is fetched from it.
	bad := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://`)
	err := filepath.WalkDir("ui/src", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if found := bad.Find(b); found != nil {
			t.Errorf("%s has %s", path, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFormats holds that the page names the formats that are read, and not Word.
func TestFormats(t *testing.T) {
	t.Parallel()
	if bytes.Contains(app, []byte("Word,")) {
		t.Error("the page says that Word is read")
	}
	for _, f := range load.Formats() {
		if !bytes.Contains(app, []byte("."+f)) {
			t.Errorf("the page does not say that .%s is read", f)
		}
	}
}

// TestBuilt holds that what is embedded is what the sources give. It wants node and the
// packages of ui (npm ci).
func TestBuilt(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	if _, err := os.Stat("ui/node_modules/esbuild"); err != nil {
		t.Skip("npm ci was not run in ui")
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), node, "ui/build.mjs", dir).CombinedOutput(); err != nil {
		t.Fatalf("the build fails: %v\n%s", err, out)
	}
	for name, want := range map[string][]byte{"app.js": app, "app.css": appStyle, "export.js": []byte(script)} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("ui/dist/%s is not what the sources give: run npm run build in ui", name)
		}
	}
}
