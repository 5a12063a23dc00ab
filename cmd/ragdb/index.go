package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// indexFlags are the flags of index.
type indexFlags struct {
	method   specList
	models   modelFlags
	load     load.Options
	meta     pairs
	format   choice
	estimate bool
	retry    bool
	// recluster makes the communities of methods again.
	recluster bool
	// key is the key of a document that is read from standard input.
	key string
	// prepare changes the copy that an estimate is made on before it is indexed, as the
	// corpus will be changed; it may be nil.
	prepare func(c *rag.Corpus) error
	// mayRemove is asked by sync before it removes; nil allows it.
	mayRemove func(*rag.Difference) error
	// priced says that the price was shown and agreed to; later runs do not show it.
	priced bool
}

func (a *app) indexCommand() *cobra.Command {
	f := &indexFlags{method: specList{methods: a.methods}}
	f.format = formatChoice()
	cmd := &cobra.Command{
		Use:   "index DB PATH...",
		Short: "Add documents, or replace those that changed",
		Long: `Index reads files and folders into DB and creates DB if it does not exist.
It skips documents that have not changed and replaces those that have. All work is
saved as it goes: if it is interrupted, the same command goes on. Without PATH it
does what is left to do, for example after rm. Without --method it indexes by the
methods that DB has.

A document's key is its path relative to PATH; records of JSONL and CSV files
have their id. The PATH - is standard input: one document, whose key is --key, or
the records of --format jsonl or csv.

Which method? Without --method documents are indexed by ` + methods.Default + `, whose graph of entities is
there for queries, and questions are answered by ` + methods.ForQuestions + `, which needs no graph: to
have no model read the documents, index by ` + methods.ForQuestions + `. For other methods name them here
and with ask; ask --compare and eval show which is best for your documents.

Without --model and --embed-model no model is called. With them the price is
shown before anything is spent; --estimate shows it and does nothing.`,
		Example: `  ragdb index acme.ragdb ./docs
  ragdb index acme.ragdb faq.csv --meta team=support
  ragdb index acme.ragdb ./manuals ./wiki --include '*.md' --method ketrag,naive
  ragdb index acme.ragdb ./docs --model gpt-4.1-mini --embed-model text-embedding-3-small --estimate
  ragdb index acme.ragdb ./docs --max-cost 5
  git log -1 --format=%B | ragdb index acme.ragdb - --key notes/last-commit`,
		RunE: a.onDB(0, true, func(ctx context.Context, cmd *cobra.Command, path string, paths []string) error {
			return a.index(ctx, cmd, path, paths, f)
		}),
	}
	cmd.Flags().BoolVar(&f.estimate, "estimate", false, "show what it would cost, and do nothing")
	cmd.Flags().BoolVar(&f.recluster, "recluster", false, "compute the communities of methods again, and summaries that rules made in place of a model; ragdb status says when that is advised")
	cmd.Flags().StringVar(&f.key, "key", "stdin", "`KEY` of the document that is read from standard input")
	f.addTo(a, cmd)
	f.models.addLimits(cmd)
	return cmd
}

// addTo adds the flags of all commands that read documents.
func (f *indexFlags) addTo(a *app, cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.Var(&f.method, "method", "methods to index by: "+strings.Join(a.methods.Names(), ", ")+" (default "+methods.Default+")")
	f.models.add(cmd)
	f.models.addExtract(cmd)
	fl.Var((*patterns)(&f.load.Include), "include", "read only files of a folder that match `PATTERN`, such as '*.md' or 'docs/**/*.txt'")
	fl.Var(&f.format, "format", "format of the files: "+strings.Join(f.format.values, ", "))
	fl.Var(&f.meta, "meta", "metadata for all documents read, for --where")
	fl.StringVar(&f.load.KeyPrefix, "key-prefix", "", "put `PREFIX` before the keys of documents")
	fl.BoolVar(&f.load.NoTitle, "no-title", false, "leave titles out of the text")
	fl.Int64Var(&f.load.MaxDocBytes, "max-doc-bytes", load.DefaultMaxDocBytes, "refuse documents of more than `N` bytes")
}

// formatChoice is the flag for the format of files.
func formatChoice() choice {
	return choice{value: "auto", values: append([]string{"auto"}, load.Formats()...)}
}

func (a *app) index(ctx context.Context, cmd *cobra.Command, path string, paths []string, f *indexFlags) error {
	if slices.ContainsFunc(paths, isStdin) && a.shared != nil {
		return usage("name a file", "the shell reads its standard input itself")
	}
	inputs, closeInputs, err := f.open(a, paths)
	if err != nil {
		return err
	}
	defer closeInputs()
	if err := a.refuseModels(cmd, path, &f.models); err != nil {
		return err
	}
	if f.estimate {
		return a.estimateOnly(ctx, cmd, path, inputs, f)
	}
	m := toCreate
	if len(paths) == 0 {
		m = toWrite
	}
	return a.use(ctx, cmd, path, m, func(c *rag.Corpus) error {
		err := a.indexInto(ctx, cmd, c, inputs, f, (*rag.Indexer).Run)
		if errors.Is(err, rag.ErrNoDocuments) {
			return noDocuments(a.dir, paths, err)
		}
		return err
	})
}

// noDocuments tells why nothing was indexed: where there is no text.
func noDocuments(dir folder, paths []string, err error) error {
	places := slices.Clone(paths)
	for i, p := range places {
		if p == "." { // a message ends without one
			places[i] = "this folder"
		}
	}
	f := &failure{exit: exitNotFound, code: "no_documents", err: err, message: "there are no documents in " + strings.Join(places, ", "),
		hint: "give a folder with files of a format that it reads (" + strings.Join(load.Formats(), ", ") + "), or name the --format"}
	info, serr := dir.stat(paths[0])
	switch {
	case len(paths) > 1:
	case serr == nil && !info.IsDir():
		f.message, f.hint = paths[0]+" has no text", "give a file that has some"
	}
	return f
}

// open opens the folders of a command that reads documents.
func (f *indexFlags) open(a *app, paths []string) ([]rag.Input, func(), error) {
	if f.load.MaxDocBytes < 1 {
		return nil, nil, usage("give a size in bytes", "--max-doc-bytes must be 1 or more")
	}
	f.load.Format, f.load.Meta = f.format.value, f.meta
	inputs, done, err := openInputs(a.dir, slices.DeleteFunc(slices.Clone(paths), isStdin), f.load)
	if err != nil || !slices.ContainsFunc(paths, isStdin) {
		return inputs, done, err
	}
	in, err := readInput(a.stdin, f.key, f.load)
	if err != nil {
		done()
		return nil, nil, err
	}
	return append(inputs, in), done, nil
}

// indexInto indexes into an open corpus and prints what was done. If models
// are paid it shows the price first.
func (a *app) indexInto(ctx context.Context, cmd *cobra.Command, c *rag.Corpus, inputs []rag.Input, f *indexFlags, run service.Run) error {
	r, err := a.indexQuietly(ctx, cmd, c, inputs, f, run)
	if r != nil {
		a.tellIndex(c, r)
	}
	return err
}

// tellIndex prints what a run did.
func (a *app) tellIndex(c *rag.Corpus, r *service.Indexed) {
	if !a.out.object(r) {
		a.printIndex(c, r)
	}
}

// indexQuietly is indexInto without what it prints at the end. The result is as that of
// runIndex.
func (a *app) indexQuietly(ctx context.Context, cmd *cobra.Command, c *rag.Corpus, inputs []rag.Input, f *indexFlags, run service.Run) (*service.Indexed, error) {
	if _, err := a.folderParts(&f.models); err != nil {
		return nil, err // before anything is kept
	}
	if err := a.keepModels(ctx, c, &f.models); err != nil {
		return nil, err
	}
	if f.models.remote() && !f.priced {
		if err := a.showPrice(ctx, cmd, c, inputs, f); err != nil {
			return nil, err
		}
		f.priced = true
	}
	c, err := a.useModels(ctx, c, &f.models)
	if err != nil {
		return nil, err
	}
	systems, err := a.toIndex(ctx, c, f.method.specs, flagChanged(cmd, "method"))
	if err != nil {
		return nil, err
	}
	o := rag.IndexOptions{Retry: f.retry, Recluster: f.recluster, MayRemove: f.mayRemove}
	if !f.models.remote() {
		o.Workers = int(f.models.concurrency)
	}
	return a.runIndex(ctx, c, systems, inputs, o, run)
}

func flagChanged(cmd *cobra.Command, name string) bool {
	f := cmd.Flag(name)
	return f != nil && f.Changed
}

// openInputs opens the folders that the paths lie in, so that nothing outside
// of them can be read.
func openInputs(at folder, paths []string, o load.Options) (inputs []rag.Input, done func(), err error) {
	var roots []*os.Root
	done = func() {
		for _, r := range roots {
			r.Close()
		}
	}
	for _, p := range paths {
		info, err := at.stat(p)
		if err != nil {
			done()
			return nil, nil, err
		}
		dir, name := p, "."
		if !info.IsDir() {
			dir, name = filepath.Dir(p), filepath.Base(p)
		}
		root, err := at.openRoot(dir)
		if err != nil {
			done()
			return nil, nil, err
		}
		roots = append(roots, root)
		inputs = append(inputs, rag.Input{FS: root.FS(), Root: name, Load: o})
	}
	return inputs, done, nil
}

// toIndex opens the methods to index by: those asked for, else those that the
// corpus has, else those of the settings, else the default.
func (a *app) toIndex(ctx context.Context, c *rag.Corpus, specs []method.Spec, asked bool) ([]*method.System, error) {
	have, err := service.Instances(ctx, c)
	if err != nil {
		return nil, err
	}
	if len(have) > 0 && !asked {
		specs = nil
	}
	return a.corpus(c).ToIndex(ctx, specs)
}

// runIndex indexes, showing progress. The result is nil if the run did not
// come to its end; it is there beside [rag.ErrPartial].
func (a *app) runIndex(ctx context.Context, c *rag.Corpus, systems []*method.System, inputs []rag.Input, o rag.IndexOptions, run service.Run) (*service.Indexed, error) {
	done, err := a.turn(ctx, c)
	if err != nil {
		return nil, a.whileWaiting(ctx, err)
	}
	defer done()
	p := a.newProgress()
	o.Notify = p.notify
	out, r, err := a.corpus(c).Index(ctx, systems, inputs, o, run)
	saved := p.saved()
	p.end()
	for _, bad := range r.BadFiles {
		a.out.warn("ragdb: %s", escape(bad))
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) && context.Cause(ctx) == errInterrupted {
		return nil, &failure{exit: exitInterrupted, code: "interrupted", message: "interrupted: " + saved, hint: "run the same command to go on", err: err}
	}
	if err != nil && !errors.Is(err, rag.ErrPartial) {
		if spent := spentLine(r); spent != "" {
			a.out.note("%s so far, and kept", spent)
		}
		return nil, err
	}
	if err != nil {
		err = partly(c, r, err)
	}
	return out, err
}
