package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm/encoder"
)

// A model in a folder is written file:DIR or file:DIR:int8.
const (
	folderPrefix = "file:"
	int8Suffix   = ":int8"
)

// isFolder reports whether a model's name is that of a folder.
func isFolder(model string) bool { return strings.HasPrefix(model, folderPrefix) }

// modelName is a flag for a model. A folder's path becomes absolute, so that the
// database that keeps it is found a model from anywhere.
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
	if dir == "" || dir == int8Suffix {
		return fmt.Errorf("%q names no folder; write file:DIR", s)
	}
	abs, err := m.dir.abs(dir)
	if err != nil {
		return err
	}
	*m.name = folderPrefix + abs
	return nil
}

// modelFolders are the models of folders that are open, by name. They are safe for
// concurrent use.
type modelFolders struct {
	mu   sync.Mutex
	open map[string]*encoder.Model
}

// modelIn opens the model of a name such as file:DIR, once in a process; it stays
// open as long as the process runs. flag is the one that names it.
func (a *app) modelIn(name, flag string) (*encoder.Model, error) {
	a.folders.mu.Lock()
	defer a.folders.mu.Unlock()
	if m := a.folders.open[name]; m != nil {
		return m, nil
	}
	dir := strings.TrimPrefix(name, folderPrefix)
	dir, small := strings.CutSuffix(dir, int8Suffix)
	if info, err := here.stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, notFound("if it was moved, name its place with "+flag+" "+folderPrefix+"DIR; docs/models.md says where to get a model", "%s, the folder of a model, does not exist", dir)
	} else if err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, usage("give the folder that it is in", "%s is a file", dir)
	}
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
	dir := strings.TrimPrefix(name, folderPrefix)
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
	case !isFolder(f.extract):
		return nil, usage("write file:DIR, or local for the rules alone", "--extract-model: a model for names is run from a folder, and %q names none", f.extract)
	case !isLocal(f.chat):
		return nil, usage("leave out one of them; --extract-model local leaves out a stored one", "--extract-model adds names to those of the rules, and with --model the chat model reads the documents")
	}
	m, err := a.modelIn(f.extract, "--extract-model")
	if err == nil && m.Types() == nil {
		return nil, usage("give a model for token classification, such as BertForTokenClassification", "%s finds no names", strings.TrimPrefix(f.extract, folderPrefix))
	}
	return m, err
}

// folderParts are the models that the flags name in folders, nothing if they name none.
func (a *app) folderParts(f *modelFlags) (p rag.Parts, err error) {
	if isFolder(f.chat) {
		return p, usage("serve it, for example with llama.cpp, and give its address with --base-url", "--model: a chat model is not run from a folder")
	}
	t, err := a.taggerIn(f)
	if err != nil {
		return p, err
	}
	if t != nil { // else the interface would not be nil
		p.Tagger = t
	}
	if !isFolder(f.embed) {
		return p, nil
	}
	m, err := a.encoderIn(f.embed)
	if err != nil {
		return p, err
	}
	p.Documents, p.Questions = m.Embedder(encoder.Passage), m.Embedder(encoder.Query)
	return p, nil
}

func (a *app) modelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "model check DIR",
		Short: "Look at an encoder, a reranker or a model for names in a folder",
		Long: `An encoder, a cross-encoder or a model for names runs inside ragdb, from a folder as such models are
published: config.json, model.safetensors and tokenizer.json or vocab.txt. Check
reads it and tells what it is, how much memory it takes and how fast it is here.

An encoder is used with --embed-model file:DIR, a cross-encoder with
--rerank file:DIR, a model for names (token classification) with
--extract-model file:DIR. file:DIR:int8 holds it in 8 bits: a quarter of the memory, and
quicker with AVX-512 VNNI.`,
		Example: `  ragdb model check ./all-MiniLM-L6-v2
  ragdb index acme.ragdb ./docs --embed-model file:./all-MiniLM-L6-v2`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("ragdb model check DIR looks at one; docs/models.md says where to get one", "model has no %q", args[0])
			}
			return chooseOne(cmd, args)
		},
	}
	check := &cobra.Command{
		Use: "check DIR", Short: "Tell what a model is, and how fast it is here",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usedAs(cmd, "got %s", plural(len(args), "argument"))
			}
			ctx, cancel := a.context(cmd)
			defer cancel()
			return a.checkFolder(ctx, args[0])
		},
	}
	cmd.AddCommand(check)
	return cmd
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

// checkFolder measures a model.
func (a *app) checkFolder(ctx context.Context, name string) error {
	if !isFolder(name) {
		name = folderPrefix + name
	}
	flag := ""
	if err := (&modelName{&flag, a.dir}).Set(strings.TrimSuffix(name, int8Suffix)); err != nil {
		return err
	}
	out := &folderCheck{V: 1, Dir: strings.TrimPrefix(flag, folderPrefix), Role: "embed"}
	for _, suffix := range []string{"", int8Suffix} {
		m, err := a.modelIn(flag+suffix, "ragdb model check")
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
	what, use := plural(out.Dim, "dimension"), "--embed-model"
	switch out.Role {
	case "rerank":
		what, use = "a cross-encoder", "--rerank"
	case "extract":
		what, use = "finds "+escape(strings.Join(out.Types, ", ")), "--extract-model"
	}
	a.out.print("%s · %s · texts of up to %s\n", escape(out.Name), what, plural(out.MaxTokens, "token"))
	for _, f := range out.Forms {
		a.out.print("%-8s %s · %.1f ms a query · %.0f passages of 100 words a second\n", f.Form, size(f.Bytes), f.QueryMs, f.PerSecond)
	}
	a.out.print("use it with %s file:%s\n", use, quote(out.Dir))
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
