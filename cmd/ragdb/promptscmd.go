package main

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/rag/llm"
)

// promptRow is a row of prompts show.
type promptRow struct {
	Kind   llm.Kind `json:"kind"`
	Hash   string   `json:"hash"`
	Bytes  int      `json:"bytes"`
	Schema bool     `json:"schema"`
}

func (a *app) promptsCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "prompts show|export",
		Short: "What models are told, and how to change it",
		Long: `Prompts are files: one for each kind of task, and beside it the schema of the reply
if there is one. Export writes them into a folder, where you can change them;
--prompts FOLDER uses them. --prompts small uses plainer ones for small models. The record of every run holds the hash of its prompts.`,
		Example: `  ragdb prompts show
  ragdb prompts show extract
  ragdb prompts export ./prompts
  ragdb index acme.ragdb ./docs --prompts ./prompts`,
		RunE: chooseOne,
	}
	show := &cobra.Command{
		Use: "show [KIND]", Short: "List the prompts, or print one", Annotations: map[string]string{printsRows: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usedAs(cmd, "got %s", plural(len(args), "argument"))
			}
			return a.showPrompts(dir, args)
		},
	}
	show.Flags().StringVar(&dir, "prompts", "", "`FOLDER` of prompts in place of the built-in ones, or small: built-in ones for small models")
	export := &cobra.Command{
		Use: "export DIR", Short: "Write the prompts into a folder",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usedAs(cmd, "got %s", plural(len(args), "argument"))
			}
			return a.exportPrompts(dir, args[0])
		},
	}
	export.Flags().StringVar(&dir, "prompts", "", "small writes the built-in prompts for small models")
	cmd.AddCommand(show, export)
	return cmd
}

func (a *app) showPrompts(dir string, kinds []string) error {
	set, err := a.loadPrompts(dir)
	if err != nil {
		return err
	}
	if len(kinds) == 1 {
		k := llm.Kind(kinds[0])
		if !slices.Contains(set.Kinds(), k) {
			return notFound("ragdb prompts show lists them", "there is no prompt of the kind %q", kinds[0])
		}
		prompt, schema := set.File(k)
		hash := set.HashOf(k)
		if a.out.format == asJSON {
			a.out.json(struct {
				V      int      `json:"v"`
				Kind   llm.Kind `json:"kind"`
				Hash   string   `json:"hash"`
				Prompt string   `json:"prompt"`
				Schema string   `json:"schema,omitempty"`
			}{1, k, hex.EncodeToString(hash[:]), string(prompt), string(schema)})
			return nil
		}
		a.out.print("%s", prompt)
		if len(schema) > 0 {
			a.out.print("\n%s", schema)
		}
		return nil
	}
	t := &table{head: []string{"kind", "hash", "bytes", "schema"}, right: []bool{false, false, true, false}}
	for _, k := range set.Kinds() {
		prompt, schema := set.File(k)
		hash := set.HashOf(k)
		row := promptRow{Kind: k, Hash: hex.EncodeToString(hash[:8]), Bytes: len(prompt), Schema: len(schema) > 0}
		has := "-"
		if row.Schema {
			has = "yes"
		}
		t.add(row, string(k), row.Hash, number(row.Bytes), has)
	}
	if a.out.format == asJSON {
		hash := set.Hash()
		a.out.json(struct {
			V       int    `json:"v"`
			Hash    string `json:"hash"`
			Prompts []any  `json:"prompts"`
		}{1, hex.EncodeToString(hash[:]), t.objects})
		return nil
	}
	a.out.rows(t)
	return nil
}

// exportPrompts writes the built-in prompts. Files that are there are left.
func (a *app) exportPrompts(from, dir string) error {
	set, err := a.loadPrompts(from)
	if err != nil {
		return err
	}
	if info, err := a.dir.stat(dir); err == nil && !info.IsDir() {
		return usage("give the path of a folder", "%s is a file", dir)
	}
	if err := a.dir.mkdirAll(dir, 0o755); err != nil {
		return err
	}
	wrote, kept := 0, 0
	for name, b := range set.Files() {
		f, err := a.dir.openFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if os.IsExist(err) {
			kept++
			continue
		}
		if err != nil {
			return err
		}
		_, err = f.Write(b)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
		wrote++
	}
	if a.out.object(struct {
		V     int    `json:"v"`
		Dir   string `json:"dir"`
		Wrote int    `json:"wrote"`
		Kept  int    `json:"kept"`
	}{1, dir, wrote, kept}) {
		return nil
	}
	a.out.print("wrote %s into %s", plural(wrote, "file"), dir)
	if kept > 0 {
		a.out.print(", left %s that were there", number(kept))
	}
	a.out.print("\n")
	return nil
}
