package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/importer"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/method"
)

// The formats of import that bring what other programs made of documents.
const (
	formatOpenIE   = "openie"
	formatGraphRAG = "graphrag"
)

// importOther imports what another program made, and indexes its documents.
func (a *app) importOther(ctx context.Context, cmd *cobra.Command, path, format, from string, specs []method.Spec) error {
	info, err := a.dir.stat(from)
	if err != nil {
		return err
	}
	dir, name := from, "."
	if !info.IsDir() {
		dir, name = filepath.Dir(from), filepath.Base(from)
	}
	root, err := a.dir.openRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	// Files are read and checked before there is a database.
	var run func(x *rag.Indexer, ctx context.Context, out *importResult) (*rag.IndexResult, error)
	switch format {
	case formatOpenIE:
		recordings, corpus, err := importer.FindOpenIE(root.FS(), name)
		if err != nil {
			return inFolder(dir, err)
		}
		o, err := importer.ReadOpenIE(ctx, root.FS(), recordings, corpus)
		if err != nil {
			return inFolder(dir, err)
		}
		run = func(x *rag.Indexer, ctx context.Context, out *importResult) (*rag.IndexResult, error) {
			out.Passages = len(o.Passages)
			return o.Import(ctx, x)
		}
	default:
		if name != "." {
			return usage("give the folder that its tables are in", "%s is a file", from)
		}
		if len(specs) == 0 {
			specs = []method.Spec{{Name: "naive"}}
		}
		g, err := importer.ReadGraphRAG(ctx, root.FS(), name)
		if err != nil {
			return inFolder(dir, err)
		}
		run = func(x *rag.Indexer, ctx context.Context, out *importResult) (*rag.IndexResult, error) {
			r, err := g.Import(ctx, x)
			if r == nil {
				return &rag.IndexResult{}, err
			}
			out.GraphRAG = &graphRAGResult{r.Units, r.Entities, r.Relations, r.Communities, r.Reports, r.Skipped}
			return r.IndexResult, err
		}
	}
	return a.use(ctx, cmd, path, toCreate, func(c *rag.Corpus) error {
		return a.importInto(ctx, cmd, c, from, specs, run)
	})
}

// importResult is what import prints of documents that were indexed.
type importResult struct {
	*service.Indexed
	Path     string          `json:"path"`
	Passages int             `json:"passages,omitempty"`
	GraphRAG *graphRAGResult `json:"graphrag,omitempty"`
}

// graphRAGResult counts what a GraphRAG import brought and left out.
type graphRAGResult struct {
	Units       int              `json:"text_units"`
	Entities    int              `json:"entities"`
	Relations   int              `json:"relationships"`
	Communities int              `json:"communities"`
	Reports     int              `json:"reports"`
	Skipped     importer.Skipped `json:"skipped"`
}

func (a *app) importInto(ctx context.Context, cmd *cobra.Command, c *rag.Corpus, from string, specs []method.Spec, run func(*rag.Indexer, context.Context, *importResult) (*rag.IndexResult, error)) error {
	// Vectors are of the model that the corpus has; no chat model is asked.
	m := modelFlags{embed: a.setting("embed-model"), extract: a.setting("extract-model"), baseURL: a.setting("base-url"), embedURL: a.setting("embed-base-url")}
	if dim := a.setting("embed-dim"); dim != "" {
		if err := m.dim.Set(dim); err != nil {
			return err
		}
	}
	c, err := a.useModels(ctx, c, &m)
	if err != nil {
		return err
	}
	systems, err := a.toIndex(ctx, c, specs, flagChanged(cmd, "method"))
	if err != nil {
		return err
	}
	out := &importResult{Path: from}
	out.Indexed, err = a.runIndex(ctx, c, systems, nil, rag.IndexOptions{}, func(x *rag.Indexer, ctx context.Context, _ []rag.Input) (*rag.IndexResult, error) {
		r, err := run(x, ctx, out)
		if r == nil {
			r = &rag.IndexResult{}
		}
		return r, err
	})
	if errors.Is(err, importer.ErrOther) {
		return &failure{exit: exitFailed, code: "exists", err: err, message: service.Message(err),
			hint: "import into another namespace with --ns or into another database, or remove it first with ragdb rm"}
	}
	if out.Indexed == nil {
		return err
	}
	if a.out.object(out) {
		return err
	}
	a.printImport(c, out)
	return err
}

func (a *app) printImport(c *rag.Corpus, r *importResult) {
	switch g := r.GraphRAG; {
	case g != nil:
		a.out.print("imported %s into the graph %s: %s · %s · %s · %s in %s\n", r.Path, importer.GraphName,
			plural(g.Entities, "entity"), plural(g.Relations, "relationship"), plural(g.Communities, "community"), plural(g.Reports, "report"),
			duration(time.Duration(r.Ms)*time.Millisecond))
		if s := g.Skipped; s != (importer.Skipped{}) {
			a.out.print("left out, for want of text units or members: %s · %s · %s · %s\n",
				plural(s.Entities, "entity"), plural(s.Relations, "relationship"), plural(s.Communities, "community"), plural(s.Reports, "report"))
		}
	default:
		a.out.print("imported %s of %s\n", plural(r.Passages, "recorded passage"), r.Path)
	}
	a.printIndex(c, r.Indexed)
}

// inFolder names what is wrong with a file by the path that the user knows.
func inFolder(dir string, err error) error {
	var bad *load.FileError
	if errors.As(err, &bad) {
		named := *bad
		named.Path = filepath.Join(dir, bad.Path)
		return &failure{exit: exitFailed, code: "malformed", message: named.Error(), hint: "nothing was written", err: err}
	}
	if errors.Is(err, os.ErrNotExist) && !errors.Is(err, engine.ErrNotFound) {
		return notFound("see ragdb help import for the files", "%s: %s", dir, absent(err))
	}
	return err
}
