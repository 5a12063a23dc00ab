package modelhub_test

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/cmd/ragdb/internal/modelhub"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

// smallModel returns the files of a static table of vectors.
func smallModel() map[string][]byte {
	const words, dim = 300, 16
	vocab := map[string]int{"[UNK]": 0}
	for i := 1; i < words; i++ {
		vocab["w"+strconv.Itoa(i)] = i
	}
	data := make([]byte, 4*words*dim)
	for i := range data {
		data[i] = byte(i*7) & 0x3f // small numbers
	}
	head, _ := json.Marshal(map[string]any{"embeddings": map[string]any{"dtype": "F32", "shape": []int{words, dim}, "data_offsets": []int{0, len(data)}}})
	tokens, _ := json.Marshal(map[string]any{
		"version": "1.0", "added_tokens": []any{}, "pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"normalizer": map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"model":      map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
	})
	return map[string][]byte{
		"config.json":       []byte(`{"model_type":"model2vec","normalize":true}`),
		"tokenizer.json":    tokens,
		"model.safetensors": append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...), data...),
		"README.md":         []byte("a model"),
		"pytorch_model.bin": make([]byte, 99),
	}
}

// fakeHub is a hub with one model, own/small, and what is wrong with it.
type fakeHub struct {
	*httptest.Server
	files map[string][]byte
	// listing changes what is stated of the files.
	listing func(list map[string]any, files []map[string]any)
	// weights answers a request for the weights in place of the hub, if it reports so. n
	// counts from 1.
	weights func(w http.ResponseWriter, r *http.Request, n int) bool
	// answer does so for any request.
	answer func(w http.ResponseWriter, r *http.Request, n int) bool

	mu     sync.Mutex
	asked  []string // paths and ranges
	number map[string]int
}

func newHub(t *testing.T) *fakeHub {
	f := &fakeHub{files: smallModel(), number: map[string]int{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fakeHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked = append(f.asked, strings.TrimSpace(r.URL.Path+" "+r.Header.Get("Range")))
	f.number[r.URL.Path]++
	n := f.number[r.URL.Path]
	f.mu.Unlock()
	if f.answer != nil && f.answer(w, r, n) {
		return
	}
	if name, ok := strings.CutPrefix(r.URL.Path, "/own/small/resolve/"+commit+"/"); ok && f.files[name] != nil {
		if name != "model.safetensors" || f.weights == nil || !f.weights(w, r, n) {
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(f.files[name])))
		}
		return
	}
	if !strings.HasPrefix(r.URL.Path, "/api/models/own/small/revision/") {
		http.NotFound(w, r)
		return
	}
	var files []map[string]any
	for name, b := range f.files {
		h := sha1.New()
		fmt.Fprintf(h, "blob %d\x00%s", len(b), b)
		one := map[string]any{"rfilename": name, "size": len(b), "blobId": hex.EncodeToString(h.Sum(nil))}
		if strings.HasSuffix(name, ".safetensors") || strings.HasSuffix(name, ".bin") {
			sum := sha256.Sum256(b)
			one["lfs"] = map[string]any{"sha256": hex.EncodeToString(sum[:]), "size": len(b), "pointerSize": 134}
		}
		files = append(files, one)
	}
	list := map[string]any{"id": "own/small", "sha": commit, "siblings": files}
	if f.listing != nil {
		f.listing(list, files)
	}
	_ = json.NewEncoder(w).Encode(list)
}

// stated returns what is stated of a file.
func stated(files []map[string]any, name string) map[string]any {
	i := slices.IndexFunc(files, func(f map[string]any) bool { return f["rfilename"] == name })
	return files[i]
}

// times returns how often an address with a suffix was asked for.
func (f *fakeHub) times(suffix string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.asked {
		if strings.HasSuffix(a, suffix) {
			n++
		}
	}
	return n
}

// pull pulls own/small without pauses, which it returns.
func (f *fakeHub) pull(ctx context.Context, t *testing.T, c modelhub.Cache) (m modelhub.Model, pauses []time.Duration, err error) {
	t.Helper()
	h, err := modelhub.NewHub(f.URL)
	if err != nil {
		t.Fatal(err)
	}
	h.Hasten(&pauses, 5*time.Second)
	m, _, err = h.Pull(ctx, c, "own/small", "", func(int64, int64) {})
	return m, pauses, err
}

// holds checks that the cache has the model whole, and nothing else.
func (f *fakeHub) holds(t *testing.T, c modelhub.Cache) {
	t.Helper()
	all, err := c.Models()
	if err != nil || len(all) != 1 || all[0].Name != "own/small" || all[0].Revision != commit || all[0].Role != "embed" {
		t.Fatalf("the cache has %+v, %v", all, err)
	}
	want := f.files["model.safetensors"]
	got, err := os.ReadFile(filepath.Join(all[0].Dir, "model.safetensors"))
	if err != nil || string(got) != string(want) {
		t.Errorf("%d bytes of weights of %d, %v", len(got), len(want), err)
	}
	sum := sha256.Sum256(want)
	if all[0].SHA256 != hex.EncodeToString(sum[:]) || all[0].Bytes != int64(len(want)) {
		t.Errorf("it says %s and %d bytes", all[0].SHA256, all[0].Bytes)
	}
	same(t, string(c), "own--small")
	same(t, all[0].Dir, "config.json", "model.safetensors", "ragdb-model.json", "tokenizer.json")
}

// same checks what a folder holds.
func same(t *testing.T, dir string, want ...string) {
	t.Helper()
	var have []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if err != nil && !os.IsNotExist(err) || !slices.Equal(have, want) {
		t.Errorf("%s holds %q, want %q, %v", dir, have, want, err)
	}
}
