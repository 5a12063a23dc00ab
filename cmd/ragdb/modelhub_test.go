package main

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// modelHub DIR starts a hub with the models of DIR, each in OWNER/NAME. Its address is in
// $RAGDB_HUB.
func modelHub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: modelhub DIR")
	}
	s := httptest.NewServer(folderHub(ts.MkAbs(args[0])))
	ts.Defer(s.Close)
	ts.Setenv("RAGDB_HUB", s.URL)
}

// folderHub is a hub with the models of a folder. A model has one revision, main, whose
// commit is of its weights.
type folderHub string

// ServeHTTP implements [http.Handler].
func (h folderHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := strings.Split(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/api/models"), "/"), "/")
	if len(p) < 4 {
		http.NotFound(w, r)
		return
	}
	dir := filepath.Join(string(h), p[0], p[1])
	if p[2] == "resolve" {
		http.ServeFile(w, r, filepath.Join(dir, filepath.Join(p[4:]...)))
		return
	}
	list := map[string]any{}
	var files []any
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		git, sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(b), b)), sha256.Sum256(b)
		name, _ := filepath.Rel(dir, path)
		f := map[string]any{"rfilename": filepath.ToSlash(name), "size": len(b), "blobId": hex.EncodeToString(git[:])}
		if strings.HasSuffix(name, ".safetensors") {
			f["lfs"] = map[string]any{"sha256": hex.EncodeToString(sum[:]), "size": len(b), "pointerSize": 134}
			list["sha"] = f["blobId"]
		}
		files = append(files, f)
		return nil
	})
	if list["siblings"] = files; files == nil {
		w.Header().Set("X-Error-Code", "RepoNotFound")
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	_ = json.NewEncoder(w).Encode(list)
}
