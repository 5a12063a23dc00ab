package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
)

// The files of the page, which ui/build.mjs makes of the sources beside it.
var (
	//go:embed ui/index.html
	index []byte
	//go:embed ui/dist/app.js
	app []byte
	//go:embed ui/dist/app.css
	appStyle []byte
)

// policy lets the page use what comes from the server itself, and take no text for
// markup or a script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// file is a file of the page as it is sent.
type file struct {
	media, tag  string
	plain, gzip []byte
}

// Handler serves the page: / and what it loads. Views have no addresses of their own on
// the server, as they stand behind # in those of the page.
func Handler() (http.Handler, error) {
	files := map[string]*file{
		"/":        {media: "text/html; charset=utf-8", plain: index},
		"/app.js":  {media: "text/javascript; charset=utf-8", plain: app},
		"/app.css": {media: "text/css; charset=utf-8", plain: appStyle},
	}
	for _, f := range files {
		if err := f.prepare(); err != nil {
			return nil, err
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		f := files[r.URL.Path]
		if f == nil {
			http.Error(w, "there is nothing at this address", http.StatusNotFound)
			return
		}
		f.serve(w, r)
	}), nil
}

// prepare compresses the file and names its version.
func (f *file) prepare() error {
	sum := sha256.Sum256(f.plain)
	f.tag = `"` + hex.EncodeToString(sum[:8]) + `"`
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(f.plain); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	f.gzip = b.Bytes()
	return nil
}

// serve sends the file, compressed if the browser takes that, unless the browser has it.
func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache") // another version of ragdb has another page
	h.Set("ETag", f.tag)
	h.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := f.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		body = f.gzip
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", f.media)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		// A browser that is gone needs no page.
		_, _ = w.Write(body)
	}
}
