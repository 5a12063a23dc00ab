package main

import (
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes commands in a terminal",
		Long: `Completion prints a script for the terminal's shell, which completes the commands
and flags of ragdb.`,
		Example: `  source <(ragdb completion bash)
  ragdb completion zsh > "${fpath[1]}/_ragdb"
  ragdb completion fish > ~/.config/fish/completions/ragdb.fish`,
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usedAs(cmd, "needs the name of a shell")
			}
			root, w := cmd.Root(), a.out.stdout
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(w, true)
			case "zsh":
				return root.GenZshCompletion(w)
			case "fish":
				return root.GenFishCompletion(w, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(w)
			}
			return usage("there are "+strings.Join(shells, ", "), "there is no completion for %q", args[0])
		},
	}
}
