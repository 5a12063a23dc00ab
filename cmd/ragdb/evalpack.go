package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/rag/eval"
)

func (a *app) evalPackCommand() *cobra.Command {
	f := newEvalFlags(a)
	cmd := &cobra.Command{
		Use:   "pack FILE --data DIR",
		Short: "Measure, and write a file that repeats it elsewhere",
		Long: `Pack does what eval with the same flags does and writes into FILE what somebody
else needs to repeat it: the figures, digests of the data set's files and of what
each method retrieved for each question, the methods with their parameters, and
what paid models replied. Neither documents nor questions are in it.`,
		Example: `  ragdb eval pack table.pack --data ./musique --methods ketrag,naive,bm25
  ragdb eval reproduce table.pack --data ./musique`,
		Annotations: map[string]string{printsRows: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usedAs(cmd, "needs one file to write")
			}
			return a.evalPack(cmd, f, args[0])
		},
	}
	f.add(a, cmd)
	return cmd
}

func (a *app) evalPack(cmd *cobra.Command, f *evalFlags, file string) error {
	sets, err := a.evalOptions(cmd, f)
	if err != nil {
		return err
	}
	ctx, cancel := a.context(cmd)
	defer cancel()
	if err := a.mayWrite(ctx, file, f.html); err != nil {
		return err
	}
	replies := make([]bytes.Buffer, len(sets))
	for i := range sets {
		sets[i].Replies = &replies[i]
	}
	var pack eval.Pack
	reports, err := a.evalAll(ctx, sets, func(rep *eval.Report) {
		pack.Add(rep, replies[len(pack.Sets)].Bytes())
		a.printEval(rep, len(sets))
	})
	if err != nil {
		return err
	}
	if err := writePack(file, &pack); err != nil {
		return err
	}
	a.out.note("%s written: ragdb eval reproduce %s repeats it", file, quote(file))
	return a.finishEval(f, reports)
}

func writePack(file string, p *eval.Pack) error {
	f, err := here.create(file, 0o644)
	if err != nil {
		return err
	}
	if err := p.Write(f); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}

// reproduced is what eval reproduce prints.
type reproduced struct {
	V           int      `json:"v"`
	Identical   bool     `json:"identical"`
	Differences []string `json:"differences"`
	// Notes say in what the two runs differ that does not matter by itself.
	Notes []string `json:"notes"`
}

func (a *app) evalReproduceCommand() *cobra.Command {
	f := newEvalFlags(a)
	cmd := &cobra.Command{
		Use:   "reproduce FILE",
		Short: "Repeat what eval pack wrote, and say whether it comes out the same",
		Long: `Reproduce runs again what a file of eval pack tells, without a model: what paid
models replied is in the file. It prints "identical" and exits with 0, or lists
what differs and exits with 1: files of the data, figures, graphs, evidence. Times
and costs are not compared.

The data set is looked for under --data, else by its name in this folder and in
the one of FILE.`,
		Example: `  ragdb eval reproduce table.pack
  ragdb eval reproduce table.pack --data ./musique --data ./2wiki`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usedAs(cmd, "needs the file of eval pack")
			}
			return a.evalReproduce(cmd, f, args[0])
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.data, "data", nil, "`FOLDER` of a data set of FILE (default: that of its name, here or beside FILE)")
	fl.StringVar(&f.questions, "questions", "", "questions `FILE` where those of the data set were not used")
	fl.StringVar(&f.models.prompts, "prompts", "", "`FOLDER` of prompts in place of the built-in ones")
	return cmd
}

func (a *app) evalReproduce(cmd *cobra.Command, f *evalFlags, file string) error {
	pack, err := readPack(file)
	if err != nil {
		return err
	}
	ctx, cancel := a.context(cmd)
	defer cancel()
	out := reproduced{V: 1, Differences: []string{}, Notes: []string{}}
	for i := range pack.Sets {
		if err := a.reproduceSet(ctx, f, file, &pack.Sets[i], &out); err != nil {
			return err
		}
	}
	out.Identical = len(out.Differences) == 0
	if a.out.machine() {
		a.out.json(out)
	} else {
		for _, s := range out.Differences {
			a.out.print("%s\n", escape(s))
		}
		for _, s := range out.Notes {
			a.out.note("%s", s)
		}
		if out.Identical {
			a.out.print("identical\n")
		}
	}
	if out.Identical {
		return nil
	}
	return &failure{exit: exitFailed, code: "differs", message: "the run came out otherwise: " + plural(len(out.Differences), "difference")}
}

func readPack(file string) (*eval.Pack, error) {
	f, err := here.open(file)
	if err != nil {
		return nil, err
	}
	p, err := eval.ReadPack(f)
	if err = errors.Join(err, f.Close()); errors.Is(err, eval.ErrPack) {
		return nil, usage("give a file that ragdb eval pack wrote", "%s is %s", file, err.Error())
	}
	return p, err
}

// reproduceSet repeats one data set of a pack.
func (a *app) reproduceSet(ctx context.Context, f *evalFlags, file string, set *eval.PackSet, out *reproduced) error {
	dir, err := findSet(f.data, file, set.Report.Data)
	if err != nil {
		return err
	}
	other, err := set.CheckData(dir, f.questions)
	if err != nil || len(other) > 0 {
		out.Differences = append(out.Differences, other...)
		return err
	}
	o, err := set.Options()
	if err != nil {
		return err
	}
	m := set.Report.Manifest
	run := &evalFlags{models: f.models}
	run.models.chat, run.models.embed, run.models.dim, run.models.replay = remoteName(m.Model), remoteName(m.EmbedModel), atLeastOne(m.Dim), true
	if m.Answers != nil {
		if run.models.chat == "" {
			run.models.chat = remoteName(m.Answers.Model)
		}
		run.answer = answerFlags{answers: true, ownPrompts: m.Answers.OwnPrompts, style: choice{value: m.Answers.Style}, judges: m.Answers.Judges}
	}
	o.Data, o.Questions, o.Methods, o.Build, o.Engine = dir, f.questions, a.methods, evalBuild(), a.engineOptions()
	o.Models, o.Answers = a.evalModels(run), a.evalAnswers(ctx, run)
	p := a.newProgress()
	o.Notify = p.notify
	rep, err := eval.Run(ctx, o)
	p.end()
	if err != nil {
		return err
	}
	diff, err := set.Differences(rep)
	if err != nil {
		return err
	}
	for _, d := range diff {
		out.Differences = append(out.Differences, evalTitle(rep)+": "+d)
	}
	out.Notes = append(out.Notes, evalNotes(&m, &rep.Manifest)...)
	return nil
}

// remoteName is the model of a manifest or of a run if it does not run in this
// process.
func remoteName(model string) string {
	if strings.HasPrefix(model, "local/") || strings.HasPrefix(model, "file/") {
		return ""
	}
	return model
}

// evalNotes says by what the two runs were made.
func evalNotes(then, now *eval.Manifest) []string {
	var out []string
	for _, x := range []struct{ what, then, now string }{
		{"ragdb", strings.TrimSpace(then.Version + " " + then.Revision), strings.TrimSpace(now.Version + " " + now.Revision)},
		{"system", then.OS + "/" + then.Arch, now.OS + "/" + now.Arch},
		{"vector kernels", then.Kernels, now.Kernels},
	} {
		if x.then != x.now {
			out = append(out, fmt.Sprintf("%s: packed by %s, repeated by %s", x.what, x.then, x.now))
		}
	}
	return out
}

// findSet returns the folder of a data set by its name.
func findSet(given []string, file, name string) (string, error) {
	if name != filepath.Base(name) || name == "." || name == ".." {
		return "", usage("give a file that ragdb eval pack wrote", "%s names the data set %q, which is not the name of a folder", file, name)
	}
	for _, d := range given {
		set, err := evalSet(d)
		if err != nil {
			return "", err
		}
		if (dataSet{dir: set.dir}).name() == name || len(given) == 1 {
			return set.dir, nil
		}
	}
	if len(given) == 0 {
		for _, d := range []string{name, filepath.Join(filepath.Dir(file), name)} {
			if info, err := here.stat(d); err == nil && info.IsDir() {
				return d, nil
			} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
		}
	}
	return "", notFound("name its folder with --data", "%s is of the data set %s, which is not here", file, name)
}
