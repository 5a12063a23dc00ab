package corpus

import (
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	etext "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// NamesField returns the name of the field of the names in a set's chunks:
// terms are the keys of the names, dates left out. A chunk has a name
// [query.MostAbout] times if the name opens a line of it, half as often
// if it opens a sentence, and a quarter as often anywhere else.
//
// What is a name is told from the chunk alone: a capitalised word at the start
// of a sentence is one, unless it is a common English word. Whether it is an
// ordinary word of the corpus is for the reader to tell from how often the corpus
// has it otherwise.
func NamesField(set text.ChunkSet) string { return "names:" + set.String() }

// namesAnalyzer is the version of these rules.
const namesAnalyzer = "names.v1"

// maxNameBytes bounds the keys: anything longer is not taken for a name.
const maxNameBytes = 256

// putNames writes the names of a chunk, the bytes from start to end of a
// document's text.
func putNames(v *engine.TxView, set text.ChunkSet, id engine.NodeID, full string, lang etext.Language, start, end int) error {
	terms := slices.DeleteFunc(nameTerms(full[start:end], start == 0 || full[start-1] == '\n'), func(t etext.Term) bool {
		return len(lang.Terms(t.Text)) == 0 // function words with a capital
	})
	if len(terms) == 0 {
		return nil
	}
	field := NamesField(set)
	if err := v.MakeField(field, engine.FieldOptions{Analyzer: namesAnalyzer}); err != nil {
		return err
	}
	return v.PutTerms(field, id, terms)
}

// nameTerms returns the terms of the names in a chunk, which may begin within
// a line of its document.
func nameTerms(body string, opensLine bool) []etext.Term {
	sentences := text.Sentences(body)
	about := map[string]int{}
	var keys []string
	for _, n := range text.Names(body, nil) {
		if n.Kind == text.Date || len(n.Key) > maxNameBytes {
			continue
		}
		if about[n.Key] == 0 {
			keys = append(keys, n.Key)
		}
		line := strings.LastIndexByte(body[:n.Start], '\n') + 1
		a := query.MostAbout / 4
		switch {
		case (line > 0 || opensLine) && opens(body[line:n.Start], n):
			a = query.MostAbout
		case opens(body[sentences[n.Sentence].Start:n.Start], n):
			a = query.MostAbout / 2
		}
		about[n.Key] = max(about[n.Key], a)
	}
	var out []etext.Term
	for _, key := range keys {
		for range about[key] {
			out = append(out, etext.Term{Text: key})
		}
	}
	return out
}

// opens reports whether nothing but marks and an article stand before a name.
func opens(before string, n text.Name) bool {
	const marksAndArticle = 16
	return len(before) <= marksAndArticle && text.Key(before+n.Surface) == n.Key
}
