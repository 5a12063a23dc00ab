package modelhub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/internal/unfinished"
	"github.com/ragdb/ragdb/rag/llm/encoder"
)

const promptsFile = "config_sentence_transformers.json"

var hubName = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$`)

// IsName reports whether a text has the form owner/name.
func IsName(name string) bool { return hubName.MatchString(name) }

// Pull fetches a model into the cache: a revision, or if that is "" the one of the table,
// or else the newest. A model that is there is left alone; fresh is false then. progress is told
// how many bytes of the weights are there, and of how many. If Pull fails for the time being,
// or is interrupted, the same call goes on where it stopped.
func (h *Hub) Pull(ctx context.Context, c Cache, name, revision string, progress func(done, total int64)) (m Model, fresh bool, err error) {
	known, isKnown := Known(name)
	if isKnown {
		name = known.Name
	} else if !IsName(name) {
		return m, false, service.NotFound("ragdb model list shows those that there are; write OWNER/NAME for another of the hub", "there is no model %s in the table", name)
	}
	if m, ok, err := c.have(name, revision); ok || err != nil {
		return m, false, err
	}
	if revision == "" {
		revision = "main"
		if isKnown {
			revision = known.Revision
		}
	}
	defer h.client.CloseIdleConnections()
	commit, files, err := h.revision(ctx, name, revision)
	if err != nil {
		return m, false, err
	}
	if err := os.MkdirAll(string(c), 0o755); err != nil {
		return m, false, err
	}
	folder, err := unfinished.ContinueFolder(c.place(name))
	if errors.Is(err, unfinished.ErrBusy) {
		return m, false, &service.Error{Code: "locked", Message: "another ragdb is fetching " + name, Hint: "wait for it to end"}
	} else if err != nil {
		return m, false, err
	}
	if m, ok, err := c.have(name, ""); ok || err != nil { // another ragdb was quicker
		return m, false, errors.Join(err, folder.Discard())
	}
	p := &pull{hub: h, m: Model{Name: name, Revision: commit, Languages: known.Languages, License: known.License}, known: known, files: files, dir: folder.Dir, progress: progress}
	err = p.run(ctx)
	if err == nil {
		err = os.Chmod(folder.Dir, 0o755)
	}
	if err != nil {
		if part, serr := os.Stat(filepath.Join(folder.Dir, partFile)); serr == nil && part.Size() > 0 {
			return m, false, errors.Join(err, folder.Leave())
		}
		return m, false, errors.Join(err, folder.Discard())
	}
	p.m.Dir = c.place(name)
	return p.m, true, folder.Commit()
}

// have returns the model of a name if the cache has it. If it has another revision than the
// wanted one, or something else in its place, that is an error.
func (c Cache) have(name, revision string) (Model, bool, error) {
	m, ok, err := c.Find(name)
	switch {
	case err != nil:
		return m, false, err
	case ok && revision != "" && !strings.HasPrefix(m.Revision, revision):
		return m, false, service.Usage("remove it first with ragdb model rm "+Short(name), "%s is there at revision %s, and databases may use it", name, m.Revision)
	case ok:
		return m, true, nil
	}
	if _, err := os.Lstat(c.place(name)); err == nil {
		return m, false, service.Usage("move it away", "%s is in the way, and ragdb did not fetch it", c.place(name))
	}
	return m, false, nil
}

// pull is a pull that is under way.
type pull struct {
	hub      *Hub
	m        Model
	known    KnownModel // of the table, if it has the model
	files    map[string]file
	dir      string
	progress func(done, total int64)
}

// mostSmall bounds each file but the weights: package encoder reads no larger one.
const mostSmall = 64 << 20

// partFile is the name of the weights until they are whole.
const partFile = "weights.part"

// run fills the folder.
func (p *pull) run(ctx context.Context) error {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	left, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range left { // of another revision, perhaps
		if e.Name() != partFile {
			if err := root.RemoveAll(e.Name()); err != nil {
				return err
			}
		}
	}
	weights, err := p.describe(ctx, root)
	if err != nil {
		return err
	}
	f := p.files[weights]
	if p.m.Revision == p.known.Revision && f.sha256 != p.known.SHA256 {
		return failed("nothing was fetched; --revision main asks for the newest", "%s states the SHA-256 %s for the weights of %s, and they must have %s", p.hub.address, f.sha256, p.m.Name, p.known.SHA256)
	}
	if err := p.hub.fetch(ctx, p.m, f, root, partFile, func(n int64) { p.progress(n, f.size) }); err != nil {
		return err
	}
	if err := root.Rename(partFile, weights); err != nil {
		return err
	}
	model, err := encoder.Open(p.dir, nil)
	if err != nil {
		return p.unusable(err)
	}
	switch p.m.Role = "embed"; {
	case model.Scores():
		p.m.Role = "rerank"
	case model.Types() != nil:
		p.m.Role = "extract"
	}
	if err := model.Close(); err != nil {
		return err
	}
	if p.m.SHA256, p.m.Bytes = f.sha256, f.size; f.sha256 == "" {
		if p.m.SHA256, err = Sum(p.dir); err != nil {
			return err
		}
	}
	return writeJSON(root, about, p.m)
}

// describe fetches all files but the weights, whose name it returns, and refuses a model that
// is not run.
func (p *pull) describe(ctx context.Context, root *os.Root) (weights string, err error) {
	get := func(name string) error {
		f, ok := p.files[name]
		if !ok {
			return nil
		}
		if f.size > mostSmall {
			return p.unusable(fmt.Errorf("its %s has %d bytes", name, f.size))
		}
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		return p.hub.fetch(ctx, p.m, f, root, name, func(int64) {})
	}
	if err := get("modules.json"); err != nil {
		return "", err
	}
	weights, folders, err := weightsOf(root.FS())
	if err != nil {
		return "", p.unusable(err)
	}
	if _, ok := p.files[weights]; !ok {
		return "", p.unusable(errors.New("it has no " + weights))
	}
	for _, dir := range append([]string{"."}, folders...) {
		for _, name := range []string{"config.json", "sentence_bert_config.json", promptsFile, "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"} {
			if err := get(path.Join(dir, name)); err != nil {
				return "", err
			}
		}
	}
	if p.known.Query != "" {
		if err := p.addPrompts(root); err != nil {
			return "", err
		}
	}
	if err := root.MkdirAll(path.Dir(weights), 0o755); err != nil {
		return "", err
	}
	if _, err := encoder.Open(p.dir, nil); !errors.Is(err, fs.ErrNotExist) {
		return "", p.unusable(err)
	}
	return weights, nil
}

// addPrompts writes what the model wants before a question and a passage where package
// encoder finds it, if its files do not say.
func (p *pull) addPrompts(root *os.Root) error {
	says := map[string]any{}
	b, err := root.ReadFile(promptsFile)
	if err == nil {
		err = json.Unmarshal(b, &says)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p.unusable(err)
	}
	if prompts, _ := says["prompts"].(map[string]any); prompts["query"] != nil && prompts["query"] != "" {
		return nil
	}
	says["prompts"] = map[string]string{"query": p.known.Query, "passage": p.known.Passage}
	return writeJSON(root, promptsFile, says)
}

func writeJSON(root *os.Root, name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return root.WriteFile(name, append(b, '\n'), 0o644)
}

// unusable is the error of a model that ragdb does not run.
func (p *pull) unusable(err error) error {
	why := err.Error()
	if _, rest, ok := strings.Cut(why, encoder.ErrModel.Error()+": "); ok {
		why = rest // without the folder, which goes
	}
	return &service.Error{Code: "model_folder", Message: fault.Text("%s is no model that ragdb runs: %s", p.m.Name, why),
		Hint: "ragdb model list shows some that it runs", Err: encoder.ErrModel}
}
