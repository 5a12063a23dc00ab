package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm/encoder"
)

// modelName is a flag for a model. A folder's path becomes absolute, so that a database
// that keeps it finds the model from anywhere.
type modelName struct {
	name *string
	dir  folder // that the path is relative to
}

// String implements [pflag.Value].
func (m *modelName) String() string {
	if m.name == nil {
		return ""
	}
	return *m.name
}

// in sets the folder that paths are relative to.
func (m *modelName) in(dir folder) { m.dir = dir }

// Type implements [pflag.Value].
func (m *modelName) Type() string { return "MODEL" }

// Set implements [pflag.Value].
func (m *modelName) Set(s string) error {
	dir, ok := strings.CutPrefix(s, folderPrefix)
	if !ok {
		*m.name = s
		return nil
	}
	if name, _ := cutSum(dir); name == "" || name == int8Suffix {
		return fmt.Errorf("%q names no folder; write file:DIR", s)
	}
	abs, err := m.dir.abs(dir)
	if err != nil {
		return err
	}
	*m.name = folderPrefix + abs
	return nil
}

// locate gives the model another form of its name.
func (m *modelName) locate(find func(string) (string, error)) (err error) {
	*m.name, err = find(*m.name)
	return err
}

// modelFolders are the models of folders that are open, by name. They are safe for
// concurrent use.
type modelFolders struct {
	mu   sync.Mutex
	open map[string]*encoder.Model
}

// modelIn opens a model that runs here, once in a process; it stays open as long as the
// process runs. flag is the one that names it.
func (a *app) modelIn(name, flag string) (*encoder.Model, error) {
	a.folders.mu.Lock()
	defer a.folders.mu.Unlock()
	if m := a.folders.open[name]; m != nil {
		return m, nil
	}
	dir, err := a.modelDir(name, flag)
	if err != nil {
		return nil, err
	}
	form, _ := cutSum(name)
	small := strings.HasSuffix(form, int8Suffix)
	m, err := encoder.Open(dir, &encoder.Options{Int8: small})
	if err != nil {
		return nil, err
	}
	if a.folders.open == nil {
		a.folders.open = map[string]*encoder.Model{}
	}
	a.folders.open[name] = m
	return m, nil
}

// encoderIn opens a model that makes vectors.
func (a *app) encoderIn(name string) (*encoder.Model, error) {
	m, err := a.modelIn(name, "--embed-model")
	dir := shown(name)
	switch {
	case err != nil:
		return nil, err
	case m.Scores():
		return nil, usage("name it with --rerank", "%s is a cross-encoder, which orders passages and makes no vectors", dir)
	case m.Types() != nil:
		return nil, usage("name it with --extract-model", "%s finds names and makes no vectors", dir)
	}
	return m, nil
}

// taggerIn opens the model of the flags that finds names, nil if they name none.
func (a *app) taggerIn(f *modelFlags) (*encoder.Model, error) {
	switch {
	case isLocal(f.extract):
		return nil, nil
	case !isHere(f.extract):
		return nil, usage("write file:DIR, or local for the rules alone", "--extract-model: a model for names runs inside ragdb, and %q is none that is here", f.extract)
	case !isLocal(f.chat):
		return nil, usage("leave out one of them; --extract-model local leaves out a stored one", "--extract-model adds names to those of the rules, and with --model the chat model reads the documents")
	}
	m, err := a.modelIn(f.extract, "--extract-model")
	if err == nil && m.Types() == nil {
		return nil, usage("give a model for token classification, such as BertForTokenClassification", "%s finds no names", shown(f.extract))
	}
	return m, err
}

// folderParts are the models that the flags name in folders, nothing if they name none.
func (a *app) folderParts(f *modelFlags) (p rag.Parts, err error) {
	if isHere(f.chat) {
		return p, usage("serve it, for example with llama.cpp, and give its address with --base-url", "--model: a chat model is not run from a folder")
	}
	t, err := a.taggerIn(f)
	if err != nil {
		return p, err
	}
	if t != nil { // else the interface would not be nil
		p.Tagger = t
	}
	if !isHere(f.embed) {
		return p, nil
	}
	m, err := a.encoderIn(f.embed)
	if err != nil {
		return p, err
	}
	p.Documents, p.Questions = m.Embedder(encoder.Passage), m.Embedder(encoder.Query)
	return p, nil
}

// folderCheck is what model check prints.
type folderCheck struct {
	V    int    `json:"v"`
	Dir  string `json:"dir"`
	Name string `json:"name"`
	Role string `json:"role"` // embed, rerank or extract
	Dim  int    `json:"dim,omitempty"`
	// Types are those of the names that it finds.
	Types     []string `json:"types,omitempty"`
	MaxTokens int      `json:"max_tokens"`
	Forms     []form   `json:"forms"`
}

// form is how a model does in one form of its weights.
type form struct {
	Form    string  `json:"form"` // float32 or int8
	Bytes   int     `json:"bytes"`
	QueryMs float64 `json:"query_ms"`
	// PerSecond counts passages of about 100 words that are embedded, read beside a
	// question, or searched for names, in a second.
	PerSecond float64 `json:"passages_per_second"`
}

// checkNamed measures a model of the cache, or one in a folder.
func (a *app) checkNamed(ctx context.Context, name string) error {
	name = strings.TrimSuffix(name, int8Suffix)
	if _, err := a.dir.stat(name); err == nil {
		name = folderPrefix + name
	}
	const command = "ragdb model check"
	name, err := a.located(name, command, false)
	if err == nil && !isHere(name) {
		name = folderPrefix + name // which does not exist
	}
	flag := ""
	if err == nil {
		err = (&modelName{&flag, a.dir}).Set(name)
	}
	dir := ""
	if err == nil {
		dir, err = a.modelDir(flag, command)
	}
	if err != nil {
		return err
	}
	flag, _ = cutSum(flag)
	out := &folderCheck{V: 1, Dir: dir, Role: "embed"}
	for _, suffix := range []string{"", int8Suffix} {
		m, err := a.modelIn(folderPrefix+dir+suffix, command)
		if err != nil {
			return err
		}
		if suffix == "" {
			out.Name, out.Dim, out.MaxTokens = m.Name(), m.Dim(), m.MaxTokens()
			switch out.Types = m.Types(); {
			case m.Scores():
				out.Role, out.Dim = "rerank", 0
			case out.Types != nil:
				out.Role, out.Dim = "extract", 0
			}
		}
		f, err := measureModel(ctx, m)
		if err != nil {
			return err
		}
		if f.Form = "float32"; suffix != "" {
			f.Form = "int8"
		}
		out.Forms = append(out.Forms, f)
	}
	if a.out.machine() {
		a.out.json(out)
		return nil
	}
	what := plural(out.Dim, "dimension")
	switch out.Role {
	case "rerank":
		what = "a cross-encoder"
	case "extract":
		what = "finds " + escape(strings.Join(out.Types, ", "))
	}
	a.out.print("%s · %s · texts of up to %s\n", escape(out.Name), what, plural(out.MaxTokens, "token"))
	for _, f := range out.Forms {
		a.out.print("%-8s %s · %.1f ms a query · %.0f passages of 100 words a second\n", f.Form, size(f.Bytes), f.QueryMs, f.PerSecond)
	}
	a.out.print("use it with %s %s\n", useOf(out.Role), quote(flag))
	return nil
}

// measureModel embeds a query some times and then passages, or scores passages, or
// finds names in both.
func measureModel(ctx context.Context, m *encoder.Model) (f form, err error) {
	const query = "How long is the warranty on the pump of model B?"
	passage := strings.TrimSpace(strings.Repeat("The pump of model B has a warranty of three years. ", 10))
	one := func() error {
		if m.Types() != nil {
			_, err := m.Tag(ctx, query)
			return err
		}
		if m.Scores() {
			_, err := m.Score(ctx, query, []string{query})
			return err
		}
		_, err := m.Embed(ctx, []string{query}, encoder.Query)
		return err
	}
	f.Bytes = m.Bytes()
	var queries []time.Duration
	for range 9 {
		start := time.Now()
		if err := one(); err != nil {
			return f, err
		}
		queries = append(queries, time.Since(start))
	}
	best := queries[0]
	for _, q := range queries {
		best = min(best, q)
	}
	f.QueryMs = float64(best.Microseconds()) / 1000
	start, n := time.Now(), 0
	for n == 0 || time.Since(start) < 700*time.Millisecond {
		if m.Types() != nil {
			if _, err := m.Tag(ctx, passage); err != nil {
				return f, err
			}
			n++
			continue
		}
		batch := make([]string, 16)
		for i := range batch {
			batch[i] = passage
		}
		if m.Scores() {
			_, err = m.Score(ctx, query, batch)
		} else {
			_, err = m.Embed(ctx, batch, encoder.Passage)
		}
		if err != nil {
			return f, err
		}
		n += len(batch)
	}
	f.PerSecond = float64(n) / time.Since(start).Seconds()
	return f, nil
}
