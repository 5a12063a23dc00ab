package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// demoFiles are the documents of the demo, written for it.
//
//go:embed demo
var demoFiles embed.FS

// demoMark is the setting that tells the demo's database from others.
const demoMark = "demo"

// demoQuestions are asked by the demo. The first needs one document, the others
// two.
func demoQuestions() []string {
	return []string{
		"How many steps does the tower of the lighthouse have?",
		"Where was the engineer born who built the lighthouse on Lantern Point?",
		"Who ground the mirror of the Aurelia telescope?",
	}
}

// demoResult is what demo --json prints.
type demoResult struct {
	V       int               `json:"v"`
	DB      string            `json:"db"`
	Index   *service.Indexed  `json:"index"`
	Answers []*service.Answer `json:"answers"`
	Next    []string          `json:"next"`
}

func (a *app) demoCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Index a small corpus and ask it three questions",
		Long: `Demo makes demo.ragdb of some thirty short documents about an island that does
not exist, asks it three questions, and leaves it there for you to try. It uses no
network and no model, and takes about a second.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("the folder is given by --dir", "demo takes no arguments")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := a.context(cmd)
			defer cancel()
			return a.demo(ctx, cmd, filepath.Join(dir, "demo.ragdb"))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "`FOLDER` to put demo.ragdb into")
	return cmd
}

func (a *app) demo(ctx context.Context, cmd *cobra.Command, path string) error {
	files, err := fs.Sub(demoFiles, "demo")
	if err != nil {
		return err
	}
	a.out.note("The demo puts papers about Skarholm, an island that does not exist, into\n%s and asks three questions. It uses no network and no model.\n", path)
	return a.use(ctx, cmd, path, toCreate, func(c *rag.Corpus) error {
		if err := a.ownDemo(ctx, c); err != nil {
			return err
		}
		sys, err := a.methods.Open(ctx, c.Docs(), method.Spec{Name: methods.Default})
		if err != nil {
			return err
		}
		index, err := a.runIndex(ctx, c, []*method.System{sys}, []rag.Input{{FS: files, Root: "."}}, rag.IndexOptions{}, (*rag.Indexer).Run)
		if err != nil {
			return err
		}
		out := demoResult{V: 1, DB: path, Index: index}
		if !a.out.machine() {
			a.printIndex(c, index)
		}
		for _, q := range demoQuestions() {
			r, err := a.demoAsk(ctx, c, q)
			if err != nil {
				return err
			}
			out.Answers = append(out.Answers, r)
		}
		out.Next = demoNext(quote(path))
		if a.out.object(out) {
			return nil
		}
		a.out.print("\n%s\n", a.out.bold("What to try next"))
		for _, n := range out.Next {
			a.out.print("  %s\n", n)
		}
		return nil
	})
}

// ownDemo refuses a database that the demo did not make, and marks a new one.
func (a *app) ownDemo(ctx context.Context, c *rag.Corpus) error {
	if a.sources[fromDatabase].values[demoMark] != "" {
		return nil
	}
	used := false
	err := c.DB().View(ctx, func(s *engine.Snapshot) error {
		used = len(s.Graph(c.Base()).NodeTypes()) > 0
		return nil
	})
	if err != nil {
		return err
	}
	if used || len(a.sources[fromDatabase].values) > 0 {
		return &failure{exit: exitFailed, code: "exists", message: c.Path() + " exists and is not the demo's",
			hint: "run it in another folder, or with --dir"}
	}
	return c.KeepSettings(ctx, map[string]string{demoMark: "yes"})
}

// demoAsk asks a question and prints the answer.
func (a *app) demoAsk(ctx context.Context, c *rag.Corpus, question string) (*service.Answer, error) {
	f := &questionFlags{}
	k, err := a.ask(ctx, c, f, method.Question{Text: question})
	if err != nil {
		return nil, err
	}
	r, err := k.Reply(ctx, service.ReplyOptions{})
	if err != nil {
		return nil, err
	}
	if !a.out.machine() {
		a.out.print("\n%s\n", a.out.bold("? "+question))
		a.printAnswer(k, r.Answer, r.Took)
	}
	return r.Result, nil
}

// demoNext are commands to try on the demo's database.
func demoNext(db string) []string {
	return []string{
		fmt.Sprintf(`ragdb ask %s "Which ship brought the mirror of the telescope?"`, db),
		fmt.Sprintf(`ragdb ask %s "What happened in 1912?" --where 'kind = "person"' --explain`, db),
		fmt.Sprintf(`ragdb why %s "Who kept the light?" c:people/runa-quill.md#0`, db),
		fmt.Sprintf(`ragdb show %s "e:Hesper Vane"`, db),
		fmt.Sprintf(`ragdb stats %s`, db),
	}
}
