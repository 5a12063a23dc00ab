package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/cmd/ragdb/internal/changes"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
)

// The pauses after which a sync that failed is tried again without a change: each is
// twice the one before, from the first to the longest.
const (
	firstPause   = 30 * time.Second
	longestPause = time.Hour
)

func (a *app) watchCommand() *cobra.Command {
	f := &indexFlags{method: specList{methods: a.methods}}
	f.format = formatChoice()
	var poll timeLimit
	cmd := &cobra.Command{
		Use:   "watch DB DIR",
		Short: "Keep the documents those of a folder, until it is stopped",
		Long: `Watch makes DB hold the files of DIR as ragdb sync does, and again whenever they
change, until Ctrl-C. A change is taken up when the folder has rested for a second,
or half a minute later if it does not rest. Hidden files, other formats and editors'
temporary files are no changes.

It does not remove all documents, nor more than five and more than a fifth of them,
without being told to: at a terminal it asks, elsewhere it says so, changes nothing
and watches on; --yes agrees beforehand. If DIR is not there, or another, empty folder
is in its place, as if it was unmounted, watch waits for it to come back, with --yes
too. If a file cannot be read it removes nothing.

A sync that fails is said once, and tried again at the next change or after a pause
that grows from half a minute to an hour. The price of paid models is shown before
the first sync; --max-cost and --max-tokens hold for all syncs together.

If the system cannot watch DIR, it is looked at every 10 seconds. Changes that other
computers make in a network folder are found within a minute, or sooner with --poll.

--json and --jsonl print the object of ragdb sync for each sync.`,
		Example: `  ragdb watch acme.ragdb ./docs
  ragdb watch acme.ragdb /mnt/wiki --key-prefix wiki/ --poll 30s
  ragdb watch acme.ragdb ./docs --embed-model text-embedding-3-small --max-cost 5 --jsonl`,
		Annotations: map[string]string{printsRows: "yes"},
		RunE: a.onDB(1, false, func(ctx context.Context, cmd *cobra.Command, path string, dirs []string) error {
			if !a.out.text() && !a.out.machine() {
				return usage("use --json, or leave it out", "watch has no rows to print as %s", a.out.format)
			}
			return a.watch(ctx, cmd, path, dirs[0], f, changes.Options{Poll: time.Duration(poll), Skip: a.dir.path(path)})
		}),
	}
	cmd.Flags().Var(&poll, "poll", "look at the folder every `TIME`, such as 30s, in place of waiting for the system's events")
	f.addTo(a, cmd)
	f.models.addLimits(cmd)
	return cmd
}

// watcher is one run of watch.
type watcher struct {
	a      *app
	cmd    *cobra.Command
	c      *rag.Corpus
	dir    string
	f      *indexFlags
	folder *changes.Watch
	// maxCost and maxTokens are the limits of all syncs together, usd and tokens what
	// was spent of them.
	maxCost   dollars
	maxTokens atLeastOne
	usd       float64
	tokens    int
	polls     bool // it was said
	done      bool // a sync came to its end
	rests     bool // the last sync left nothing to do, and none was begun since
}

func (a *app) watch(ctx context.Context, cmd *cobra.Command, path, dir string, f *indexFlags, o changes.Options) error {
	if isStdin(dir) {
		return usage("put it in with ragdb index DB -", "watch needs a folder, not standard input")
	}
	// All that can be refused is refused before a database is made.
	_, closeInputs, err := f.open(a, []string{dir})
	if err != nil {
		return err
	}
	closeInputs()
	if err := a.refuseModels(cmd, path, &f.models); err != nil {
		return err
	}
	o.Load = f.load
	watched, err := changes.Open(a.dir.path(dir), o)
	if errors.Is(err, changes.ErrNoFolder) {
		return usage("give a folder; ragdb index DB "+quote(dir)+" takes a file", "%s is not a folder", dir)
	}
	if err != nil {
		return err
	}
	defer watched.Close()
	return a.use(ctx, cmd, path, toCreate, func(c *rag.Corpus) error {
		a.spent, a.out.once = &spending{}, &once{}
		defer func() { a.spent, a.out.once = nil, nil }()
		w := &watcher{a: a, cmd: cmd, c: c, dir: dir, f: f, folder: watched, maxCost: f.models.maxCost, maxTokens: f.models.maxTokens}
		err := w.run(ctx)
		if ctx.Err() != nil && errors.Is(err, context.Canceled) && context.Cause(ctx) == errInterrupted {
			if w.rests {
				return &failure{exit: exitInterrupted, code: "interrupted", message: "interrupted: nothing of " + strings.TrimRight(dir, "/") + " was left to do", err: err}
			}
			return &failure{exit: exitInterrupted, code: "interrupted", message: "interrupted: what was synced is saved", hint: "run the same command to go on", err: err}
		}
		return err
	})
}

// run syncs until the context ends, or an error says that trying again is of no use.
func (w *watcher) run(ctx context.Context) error {
	pause := time.Duration(0)
	for {
		event, err := w.folder.Wait(ctx, pause)
		if err != nil {
			return err
		}
		w.rests = false
		if event == changes.Gone {
			w.turn(w.gone())
			pause = 0
			continue
		}
		// What a model failed at is asked for again after a pause, not at each change.
		w.f.retry = event == changes.Waited
		r, err := w.sync(ctx)
		if ctx.Err() != nil {
			return err
		}
		if err != nil && w.hopeless(err) {
			return err
		}
		w.rests = err == nil
		w.tell(r, err)
		pause = w.pause(err, event, pause)
	}
}

// sync makes the documents those of the folder.
func (w *watcher) sync(ctx context.Context) (*service.Indexed, error) {
	inputs, closeInputs, err := w.f.open(w.a, []string{w.dir})
	if err == nil {
		defer closeInputs()
		w.limit()
		r, err := w.a.syncInto(ctx, w.cmd, w.c, inputs, w.f, func(r removal) error { return w.mayRemove(ctx, r) })
		if !errors.Is(err, cost.ErrBudget) {
			return r, err
		}
		return r, &failure{exit: exitBudget, code: "budget", err: err,
			message: "the limit of what this watch may spend is reached; what was done is saved",
			hint:    "models are asked again if it is run with a higher limit"}
	}
	if errors.Is(err, fs.ErrNotExist) && !w.folder.There() {
		return nil, w.gone()
	}
	return nil, err
}

// limit gives the next sync what is left of the limits.
func (w *watcher) limit() {
	for _, s := range w.a.spent.rows() {
		w.tokens += s.InTokens + s.OutTokens
		if s.USD != nil {
			w.usd += *s.USD
		}
	}
	w.a.spent = &spending{}
	if w.maxCost > 0 { // 0 would be no limit
		w.f.models.maxCost = max(w.maxCost-dollars(w.usd), 1e-9)
	}
	if w.maxTokens > 0 {
		w.f.models.maxTokens = max(w.maxTokens-atLeastOne(w.tokens), 1)
	}
}

// mayRemove is the rule of sync, but that a few documents go without a question.
func (w *watcher) mayRemove(ctx context.Context, r removal) error {
	if !w.folder.There() {
		return w.gone()
	}
	if !r.large() {
		return nil
	}
	hint := fmt.Sprintf("see which with ragdb sync %s %s --dry-run; if they are to go, run that with --yes", quote(w.c.Path()), quote(w.dir))
	return w.a.mayRemove(ctx, r, hint, "Remove %s that %s does not have?", r.count(), w.dir)
}

// gone says that the folder is not there.
func (w *watcher) gone() *failure {
	return &failure{exit: exitNotFound, code: "gone", message: w.dir + " is not there, or is another, empty folder; no document is removed",
		hint: "watch goes on when it is back"}
}

// hopeless reports whether an error ends the watch: it is of the command line, or of the
// database.
func (w *watcher) hopeless(err error) bool {
	f := w.a.explain(err)
	return f.exit == exitCorrupt || f.exit == exitUsage && f.code != "consent" && !w.done
}

// tell says what a sync did, and each failure once. The result is nil if the sync did
// not come to its end.
func (w *watcher) tell(r *service.Indexed, err error) {
	a := w.a
	if r != nil {
		changed := r.Added+r.Replaced+r.Removed > 0 || slices.ContainsFunc(r.Stages, func(s rag.StageResult) bool { return s.Done > 0 })
		if changed || !w.done || a.out.machine() {
			a.tellIndex(w.c, r)
		}
		w.done = true
	}
	var f *failure
	if err != nil {
		f = a.explain(err)
	}
	w.turn(f)
	if why := w.folder.Why(); why != nil && !w.polls {
		w.polls = true
		a.out.note("the system cannot watch %s (%s): it is looked at every %s", w.dir, service.Message(why), w.folder.Every().String())
	}
}

// turn says what went wrong, nil if nothing did, and begins the next turn.
func (w *watcher) turn(f *failure) {
	if f != nil {
		w.a.out.failure(f)
	}
	w.a.out.once.turn()
	w.a.out.note("watching %s; Ctrl-C ends it", strings.TrimRight(w.dir, "/"))
}

// pause returns how long to wait after a sync until it is tried again without a change,
// 0 for as long as there is none.
func (w *watcher) pause(err error, event changes.Event, before time.Duration) time.Duration {
	switch {
	case err == nil, errors.Is(err, cost.ErrBudget), isConsent(err):
		return 0
	case event == changes.Waited:
		return min(2*before, longestPause)
	}
	return firstPause
}

// isConsent reports whether an error is that a removal was not agreed to, which only
// another state of the folder changes.
func isConsent(err error) bool {
	var f *failure
	return errors.As(err, &f) && (f.code == "consent" || f.code == "declined" || f.code == "gone")
}
