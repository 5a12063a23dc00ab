package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
)

// question is a question of a data set.
type question struct {
	ID         string   `json:"id"`
	Text       string   `json:"question"`
	Answers    []string `json:"answers"`
	Supporting []string `json:"supporting"`
	Type       string   `json:"type"`
	// Options make it a multiple choice question, and Choice is the letter of
	// the right one, A for the first; "" is the option that is an answer.
	Options []string `json:"options,omitempty"`
	Choice  string   `json:"answer_idx,omitempty"`
	// Unanswerable says that the documents do not answer the question: to refuse
	// it is right.
	Unanswerable bool `json:"unanswerable,omitempty"`
	// Places are where documents without records answer it, all of them needed.
	Places []place `json:"places,omitempty"`
	// Expect are regular expressions, as those of places are, all of which a right
	// answer matches, and some a partly right one.
	Expect   []string `json:"expect,omitempty"`
	expected []*regexp.Regexp
}

// maxLine bounds a line of a data file.
const maxLine = 64 << 20

// unpacked reads what is in a packed file.
type unpacked struct {
	io.Reader
	file *os.File
}

// Close implements [io.Closer].
func (u *unpacked) Close() error { return u.file.Close() }

// openFile opens a data file, unpacking .gz.
func openFile(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(path, ".gz") {
		return f, nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		_ = f.Close() // it was only read
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &unpacked{z, f}, nil
}

// eachLine calls fn with every line of a JSONL file that is not blank, unpacking
// .gz.
func eachLine(path string, fn func(line []byte) error) error {
	return everyLine(path, func(line []byte) error {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		return fn(line)
	})
}

// everyLine is eachLine with the blank lines.
func everyLine(path string, fn func(line []byte) error) error {
	r, err := openFile(path)
	if err != nil {
		return err
	}
	defer r.Close()
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<20), maxLine)
	for n := 1; sc.Scan(); n++ {
		if err := fn(sc.Bytes()); err != nil {
			return fmt.Errorf("%s line %d: %w", path, n, err)
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// find returns the path of a file of a data set, with or without .gz.
func find(dir, name string) (string, error) {
	for _, p := range []string{name + ".gz", name} {
		p = filepath.Join(dir, p)
		if _, err := os.Stat(p); err == nil {
			return p, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s has neither %s nor %s.gz: %w", dir, name, name, fs.ErrNotExist)
}

// readQuestions reads questions, a JSON object or in a file of .tsv a row each.
func readQuestions(path string) ([]question, error) {
	var out []question
	rows := strings.HasSuffix(strings.TrimSuffix(path, ".gz"), ".tsv")
	err := eachLine(path, func(line []byte) error {
		var q question
		if rows {
			q = parseRow(string(line))
		} else if err := json.Unmarshal(line, &q); err != nil {
			return err
		}
		if strings.TrimSpace(q.Text) == "" {
			return errors.New("no question")
		}
		if err := errors.Join(q.checkOptions(), q.compile()); err != nil {
			return err
		}
		out = append(out, q)
		return nil
	})
	return out, err
}

// joined is a corpus as one document, with the place of each record.
type joined struct {
	text    strings.Builder
	records []record
}

type record struct {
	id         string
	start, end int64
}

// dataFS returns a data set's folder. Links in it are followed, which a walk of
// documents does not do: the wrapper hides them from it.
func dataFS(dir string) fs.FS { return struct{ fs.FS }{os.DirFS(dir)} }

// readJoined reads the records of a corpus as an index of them apart would:
// with the same keys and texts, those that cannot be read set aside.
func readJoined(ctx context.Context, in rag.Input, notify func(rag.Event)) (*joined, error) {
	j := &joined{}
	for d, err := range load.Walk(ctx, in.FS, in.Root, &in.Load) {
		var bad *load.FileError
		if errors.As(err, &bad) {
			notify(rag.Event{Stage: "read", Message: bad.Error()})
			continue
		}
		if err != nil {
			return nil, err
		}
		j.add(d.Key, d.Text)
	}
	return j, nil
}

// add appends a record. Its place is that of its text without the white space
// around it.
func (j *joined) add(id, text string) {
	if j.text.Len() > 0 {
		j.text.WriteByte('\n')
	} else {
		text = strings.TrimPrefix(text, "\ufeff") // which a reader would drop
	}
	start := j.text.Len() + len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	j.text.WriteString(text)
	end := j.text.Len() - len(text) + len(strings.TrimRightFunc(text, unicode.IsSpace))
	if start < end {
		j.records = append(j.records, record{id, int64(start), int64(end)})
	}
}

// of returns the records that a byte span touches with more than white space.
func (j *joined) recordsAt(span [2]int64) []string {
	var out []string
	lo, hi := 0, len(j.records)
	for lo < hi {
		mid := (lo + hi) / 2
		if j.records[mid].end <= span[0] {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < len(j.records) && j.records[lo].start < span[1]; lo++ {
		out = append(out, j.records[lo].id)
	}
	return out
}
