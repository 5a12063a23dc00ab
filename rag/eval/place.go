package eval

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
)

// docsFolder is the folder of a data set whose documents are files as people have
// them, in place of records.
const docsFolder = "docs"

// findCorpus returns the documents of a data set: the file of its records, or else
// the folder of its files.
func findCorpus(dir string) (string, error) {
	file, missing := find(dir, "corpus.jsonl")
	docs := filepath.Join(dir, docsFolder)
	if info, err := os.Stat(docs); missing != nil && err == nil && info.IsDir() {
		return docs, nil
	}
	return file, missing
}

// A place is where the documents answer a question: a passage of one of some
// documents whose text matches an expression.
type place struct {
	// Doc has the keys of the documents with | between them; "" is any document.
	Doc string `json:"doc"`
	// Match is a regular expression of package regexp; case counts for nothing, a
	// point matches line ends, and white space of the text is single blanks.
	Match   string `json:"match"`
	matches *regexp.Regexp
}

// compile reads the expressions of a question. Its places are its gold records.
func (q *question) compile() error {
	for i := range q.Places {
		p := &q.Places[i]
		var err error
		if p.matches, err = expression(p.Match); err != nil {
			return err
		}
		q.Supporting = append(q.Supporting, placeName(i))
	}
	for _, s := range q.Expect {
		x, err := expression(s)
		if err != nil {
			return err
		}
		q.expected = append(q.expected, x)
	}
	return nil
}

func expression(s string) (*regexp.Regexp, error) {
	x, err := regexp.Compile("(?is)" + s)
	if err != nil || strings.TrimSpace(s) == "" {
		return nil, fmt.Errorf("%q is no regular expression that a passage is to match", s)
	}
	return x, nil
}

// placeName names a place of a question as a gold record.
func placeName(i int) string { return fmt.Sprintf("place %d", i+1) }

// placesIn returns the places of the question that a text of some documents shows.
func (q *question) placesIn(s string, docs []string) []string {
	s = text.OneLine(s)
	var out []string
	for i := range q.Places {
		p := &q.Places[i]
		of := func(doc string) bool { return p.Doc == "" || slices.Contains(strings.Split(p.Doc, "|"), doc) }
		if slices.ContainsFunc(docs, of) && p.matches.MatchString(s) {
			out = append(out, placeName(i))
		}
	}
	return out
}

// shown returns what judges whether an item of the evidence shows gold records of a
// question: it names the one record that the item's text is from or, if the question
// has places, those in the text. An item without any is named by its first chunk.
func (r *runner) shown(q *question) func(it *rag.Cited) []string {
	if len(q.Places) == 0 {
		return alone(r.records)
	}
	return func(it *rag.Cited) []string {
		var docs []string
		for _, ch := range it.Chunks {
			docs = append(docs, method.DocOf(ch))
		}
		if found := q.placesIn(it.Text, docs); len(found) > 0 {
			return found
		}
		return it.Chunks[:min(1, len(it.Chunks))]
	}
}

// told says how much of what is expected an answer tells: all, a part or nothing.
func (q *question) told(answer string) (n, of int) {
	s := text.OneLine(answer)
	for _, x := range q.expected {
		if x.MatchString(s) {
			n++
		}
	}
	return n, len(q.expected)
}

// filesIn returns the files of a folder, ascending.
func filesIn(dir string) (out []string, err error) {
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			out = append(out, p)
		}
		return err
	})
	return out, err
}
