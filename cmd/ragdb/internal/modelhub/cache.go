package modelhub

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/internal/unfinished"
)

// Cache is the path of a folder with models, each in a folder of its own.
type Cache string

// Model is a model of the cache, as the file ragdb-model.json in its folder says.
type Model struct {
	Name     string `json:"name"`     // owner/name on the hub
	Revision string `json:"revision"` // the commit
	SHA256   string `json:"sha256"`   // of the weights, in hex
	Bytes    int64  `json:"bytes"`    // of the weights
	Role     string `json:"role"`     // embed, rerank or extract
	// Languages and License are those of the table, "" for a model that is not in it.
	Languages string `json:"languages,omitempty"`
	License   string `json:"license,omitempty"`
	Dir       string `json:"-"` // "" if it is not here
}

// about is the name of the file that says what a folder of the cache holds.
const about = "ragdb-model.json"

// Models returns the models of the cache by their names; a cache that does not exist has
// none. Folders that ragdb did not fetch are passed over.
func (c Cache) Models() (all []Model, err error) {
	entries, err := os.ReadDir(string(c))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		dir := filepath.Join(string(c), e.Name())
		b, err := os.ReadFile(filepath.Join(dir, about))
		m := Model{}
		if err != nil || json.Unmarshal(b, &m) != nil || m.Name == "" || m.SHA256 == "" {
			continue
		}
		m.Dir = dir
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b Model) int { return strings.Compare(a.Name+a.Dir, b.Name+b.Dir) })
	return all, nil
}

// Find returns the model of a name, with or without its owner, if the cache has it. A name
// without an owner that several have is that of the table's, or of the first.
func (c Cache) Find(name string) (m Model, ok bool, err error) {
	if k, known := Known(name); known {
		name = k.Name
	}
	return c.first(func(m Model) bool { return names(m.Name, name) })
}

// OfSum returns a model by the SHA-256 of its weights, if the cache has it.
func (c Cache) OfSum(sum string) (m Model, ok bool, err error) {
	return c.first(func(m Model) bool { return m.SHA256 == sum })
}

func (c Cache) first(is func(m Model) bool) (m Model, ok bool, err error) {
	all, err := c.Models()
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i], true, nil
	}
	return m, false, err
}

// Remove removes the model of a name, or what a pull of it has left.
func (c Cache) Remove(name string) (Model, error) {
	m, ok, err := c.Find(name)
	if err != nil {
		return m, err
	}
	if k, known := Known(name); known {
		name = k.Name
	}
	if place := c.place(name); !ok && unfinished.Begun(place) {
		return Model{Name: name, Dir: place}, unfinished.Sweep(place)
	}
	if !ok {
		return m, service.NotFound("ragdb model list shows those that are there", "there is no model %s in %s", name, c)
	}
	// Without its file about it the folder is no model, however far this comes.
	return m, errors.Join(os.Remove(filepath.Join(m.Dir, about)), os.RemoveAll(m.Dir))
}

// place returns the folder of a model.
func (c Cache) place(name string) string {
	return filepath.Join(string(c), strings.ReplaceAll(name, "/", "--"))
}

// weightsOf returns the name of the file with the weights of the model in a folder, and of
// the folders that its other files are in: those that modules.json names beside the folder
// itself.
func weightsOf(dir fs.FS) (weights string, folders []string, err error) {
	var modules []struct{ Path, Type string }
	b, err := fs.ReadFile(dir, "modules.json")
	if err == nil {
		err = json.Unmarshal(b, &modules)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("modules.json: %w", err)
	}
	in := "."
	for _, m := range modules {
		sub := path.Clean(m.Path)
		if !filepath.IsLocal(sub) || strings.ContainsAny(sub, `\:`) {
			return "", nil, fmt.Errorf("modules.json names the folder %.80q", m.Path)
		}
		if sub != "." {
			folders = append(folders, sub)
		}
		if strings.HasSuffix(m.Type, ".Transformer") || strings.HasSuffix(m.Type, ".StaticEmbedding") {
			in = sub
		}
	}
	return path.Join(in, "model.safetensors"), folders, nil
}

// Sum returns the SHA-256 of the weights of the model in a folder, in hex.
func Sum(dir string) (string, error) {
	weights, _, err := weightsOf(os.DirFS(dir))
	if err != nil {
		return "", err
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(weights)))
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
