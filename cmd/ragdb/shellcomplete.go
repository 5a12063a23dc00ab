package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag/method"
)

// completeFor is how long a key may wait for words to complete it with.
const completeFor = 300 * time.Millisecond

// complete returns the words that may stand at a place of the line that is being
// typed, as [liner.WordCompleter] has it.
func (sh *shell) complete(line string, pos int) (head string, words []string, tail string) {
	ctx, cancel := context.WithTimeout(context.Background(), completeFor)
	defer cancel()
	runes := []rune(line)
	before, tail := string(runes[:pos]), string(runes[pos:])
	if trimmed := strings.TrimLeft(before, " "); sh.entered == "" && strings.HasPrefix(trimmed, ".") {
		return sh.completeCommand(ctx, before, tail)
	}
	if sh.entered == "" && strings.HasPrefix(strings.TrimSpace(before), "?") {
		return before, nil, tail
	}
	text := sh.entered + before
	e := cypher.Expecting(text, len(text))
	typed := len(e.Typed)
	if typed > len(before) {
		return before, nil, tail
	}
	if typed == 0 {
		if sig := sh.signature(ctx, text); sig != nil {
			return before, sig, tail
		}
	}
	return before[:len(before)-typed], matching(sh.expected(ctx, e), e.Typed), tail
}

// matching returns the words that begin with what was typed, in any case, each
// once.
func matching(words []string, typed string) []string {
	var out []string
	for _, w := range words {
		if len(w) >= len(typed) && strings.EqualFold(w[:len(typed)], typed) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// expected lists the words of an expectation.
func (sh *shell) expected(ctx context.Context, e cypher.Expectation) []string {
	words := slices.Clone(e.Variables)
	if e.Procedures {
		for _, name := range sh.procedures(ctx) {
			words = append(words, name+"(")
		}
	}
	if e.ColumnsOf != "" {
		words = append(words, sh.columnsOf(ctx, e.ColumnsOf)...)
	}
	if e.Graphs {
		words = append(words, sh.graphs(ctx)...)
	}
	if e.Labels {
		words = append(words, names(sh.strings(ctx, "CALL db.labels() YIELD label RETURN label"))...)
	}
	if e.EdgeTypes {
		words = append(words, names(sh.strings(ctx, "CALL db.relationshipTypes() YIELD relationshipType AS t RETURN t"))...)
	}
	if e.Properties {
		words = append(words, sh.properties(ctx, e.Of)...)
	}
	if e.Parameters {
		words = append(words, slices.Sorted(maps.Keys(sh.params))...)
	}
	if e.Indexes {
		words = append(words, sh.strings(ctx, "CALL db.indexes() YIELD name RETURN name")...)
	}
	if e.Files {
		words = append(words, filesLike(sh.a.dir, e.Typed)...)
	}
	if e.Functions {
		for _, f := range cypher.Functions() {
			name, _, _ := strings.Cut(f, "(")
			words = append(words, name+"(")
		}
	}
	for _, k := range e.Keywords {
		// A word that is completed is done: the next one follows a blank.
		if !strings.HasSuffix(k, "(") {
			k += " "
		}
		words = append(words, k)
	}
	return words
}

// strings returns the first column of a statement of the shell itself, what it
// has of it in time.
func (sh *shell) strings(ctx context.Context, text string) []string {
	var out []string
	_ = sh.each(ctx, text, nil, func(row []cypher.Value) { out = append(out, row[0].AsString()) })
	return out
}

// names writes labels as a statement takes them.
func names(labels []string) []string {
	for i, l := range labels {
		plain := func(r rune) bool {
			return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		}
		if strings.IndexFunc(l, func(r rune) bool { return !plain(r) }) >= 0 {
			labels[i] = quoteLabel(l)
		}
	}
	return labels
}

func (sh *shell) procedures(ctx context.Context) []string {
	return sh.strings(ctx, "CALL db.procedures() YIELD name RETURN name")
}

func (sh *shell) graphs(ctx context.Context) []string {
	return sh.strings(ctx, "CALL db.graphs() YIELD name RETURN name")
}

// properties are those of some nodes of the labels or edges of the types that
// are known, else of some nodes of any label.
func (sh *shell) properties(ctx context.Context, of []string) []string {
	if len(of) == 0 {
		of = sh.strings(ctx, "CALL db.labels() YIELD label RETURN label")
	}
	var out []string
	for _, name := range of {
		out = append(out, sh.strings(ctx, fmt.Sprintf("MATCH (n:%s) WITH n LIMIT %d UNWIND keys(n) AS k RETURN DISTINCT k ORDER BY k", quoteLabel(name), schemaSample))...)
	}
	if out == nil {
		for _, name := range of {
			out = append(out, sh.strings(ctx, fmt.Sprintf("MATCH ()-[e:%s]->() WITH e LIMIT %d UNWIND keys(e) AS k RETURN DISTINCT k ORDER BY k", quoteLabel(name), schemaSample))...)
		}
	}
	return append(out, "key")
}

// signatureOf returns how a procedure is written, "" for an unknown one.
func (sh *shell) signatureOf(ctx context.Context, name string) (sig string) {
	for _, s := range sh.strings(ctx, "CALL db.procedures('"+strings.ReplaceAll(name, "'", "")+"') YIELD signature RETURN signature") {
		if strings.HasPrefix(s, name+"(") {
			return s
		}
	}
	return ""
}

// columnsOf are the columns that a procedure yields.
func (sh *shell) columnsOf(ctx context.Context, name string) []string {
	_, cols, _ := strings.Cut(sh.signatureOf(ctx, name), ") :: (")
	var out []string
	for _, c := range strings.Split(strings.TrimSuffix(cols, ")"), ", ") {
		name, _, _ := strings.Cut(c, " :: ")
		out = append(out, name)
	}
	return out
}

// signature is shown where the arguments of a procedure begin: its arguments and
// columns, one a line. Nothing is common to them, so that nothing is inserted.
func (sh *shell) signature(ctx context.Context, text string) []string {
	open, ok := strings.CutSuffix(text, "(")
	if !ok {
		return nil
	}
	at := strings.LastIndexFunc(open, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' })
	name := open[at+1:]
	if !strings.Contains(name, ".") || !strings.EqualFold(lastWord(open[:at+1]), "call") {
		return nil
	}
	args, cols, ok := strings.Cut(sh.signatureOf(ctx, name), ") :: (")
	if !ok {
		return nil
	}
	return []string{args[len(name):] + ")", "YIELD " + strings.TrimSuffix(cols, ")")}
}

func lastWord(s string) string {
	fields := strings.Fields(s)
	if len(fields) == 0 {
		return ""
	}
	return fields[len(fields)-1]
}

// completeCommand completes the name of a command, or an argument of it.
func (sh *shell) completeCommand(ctx context.Context, before, tail string) (string, []string, string) {
	at := strings.LastIndexByte(before, ' ') + 1
	head, typed := before[:at], before[at:]
	fields := strings.Fields(head)
	if len(fields) == 0 {
		var words []string
		for _, c := range dotCommands() {
			words = append(words, "."+c.name+" ")
		}
		return head, matching(words, typed), tail
	}
	c, ok := findCommand(strings.TrimPrefix(fields[0], "."))
	if !ok {
		return before, nil, tail
	}
	var words []string
	switch c.arg {
	case argFile:
		words = filesLike(sh.a.dir, typed)
	case argGraph:
		words = sh.graphs(ctx)
	case argNamespace:
		words, _ = sh.db.Namespaces(ctx) // none if they cannot be read
	case argLabel:
		words = sh.strings(ctx, "CALL db.labels() YIELD label RETURN label")
	case argProcedure:
		words = sh.procedures(ctx)
	case argMethod:
		words = append(sh.a.methods.Names(), "default")
	case argFormat:
		words = formats()
	case argOnOff:
		words = []string{"on", "off"}
	case argStyle:
		words = append(method.Styles(), "default")
	case argCommand:
		for _, c := range dotCommands() {
			words = append(words, c.name)
		}
	}
	return head, matching(words, typed), tail
}

// filesLike lists the files whose path begins as typed, folders with a slash.
func filesLike(at folder, typed string) []string {
	dir, base := filepath.Split(typed)
	entries, err := at.readDir(cmp.Or(dir, "."))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && base == "" {
			continue
		}
		name := dir + e.Name()
		if e.IsDir() {
			name += string(filepath.Separator)
		}
		out = append(out, name)
	}
	return out
}
