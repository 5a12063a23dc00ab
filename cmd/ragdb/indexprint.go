package main

import (
	"strings"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
)

func unreadable(n int) string {
	if n == 1 {
		return "1 file or record could not be read"
	}
	return number(n) + " files or records could not be read"
}

// partly tells how much of a run failed.
func partly(c *rag.Corpus, r *rag.IndexResult, err error) error {
	f := &failure{exit: exitPartial, code: "partial", err: err}
	var what, todo []string
	if n := len(r.BadFiles); n > 0 {
		what, todo = append(what, unreadable(n)), append(todo, "correct what is named above and run the same command")
	}
	if r.Failed > 0 {
		what, todo = append(what, plural(r.Failed, "item")+" failed"), append(todo, "ragdb status "+quote(c.Path())+" tells why")
	}
	f.message, f.hint = strings.Join(what, " and ")+", the rest is done", strings.Join(todo, ", ")
	return f
}

func (a *app) printIndex(c *rag.Corpus, r *service.Indexed) {
	var did []string
	for _, part := range []struct {
		n    int
		what string
	}{{r.Added, "added"}, {r.Replaced, "replaced"}, {r.Removed, "removed"}, {r.Unchanged, "unchanged"}} {
		if part.n > 0 {
			did = append(did, number(part.n)+" "+part.what)
		}
	}
	if len(did) == 0 {
		did = append(did, "no new documents")
	}
	a.out.print("%s · %s in %s\n", strings.Join(did, ", "), strings.Join(r.Methods, ", "), duration(time.Duration(r.Ms)*time.Millisecond))
	line := c.Path() + " holds " + plural(r.Documents, "document") + " · " + plural(r.Chunks, "chunk")
	if !repeated(r.Nodes) { // else ragdb stats tells them apart, by graph
		for _, n := range r.Nodes {
			line += " · " + plural(n.Count, n.Name)
		}
	}
	a.out.print("%s\n", line)
	if spent := spentLine(r.IndexResult); spent != "" {
		a.out.print("%s\n", spent)
	}
}

// repeated reports whether several graphs have nodes of one name.
func repeated(nodes []engine.Count) bool {
	seen := map[string]bool{}
	for _, n := range nodes {
		if seen[n.Name] {
			return true
		}
		seen[n.Name] = true
	}
	return false
}

// spentLine says what paid models cost in a run, "" if none was asked.
func spentLine(r *rag.IndexResult) string {
	var u llm.Usage
	for _, s := range r.Spent {
		if remoteName(s.Model) != "" {
			u.Add(s.Usage)
		}
	}
	if u == (llm.Usage{}) {
		return ""
	}
	line := plural(u.Calls, "model call") + " · " + number(u.InTokens) + " tokens read · " + number(u.OutTokens) + " written"
	if r.USD != nil {
		line += " · " + money(*r.USD)
	}
	if m := mendedLine(u.Mending); m != "" {
		line += " · " + m
	}
	return line
}

// mendedLine says what was done to replies so that they could be used, "" if
// nothing was.
func mendedLine(m llm.Mending) string {
	var parts []string
	for _, p := range []struct {
		n            int
		thing, state string
	}{{m.Mended, "reply", "mended"}, {m.Again, "reply", "asked for again"}, {m.Salvaged, "reply", "cut off and used as far as complete"}, {m.Dropped, "record", "dropped"}, {m.Fitted, "prompt", "divided or cut to fit the model's context"}} {
		if p.n > 0 {
			parts = append(parts, plural(p.n, p.thing)+" "+p.state)
		}
	}
	return strings.Join(parts, " · ")
}
