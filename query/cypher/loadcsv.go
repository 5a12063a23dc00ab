package cypher

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/ragdb/ragdb/engine"
)

// load compiles LOAD CSV.
func (pl *planner) load(l *loadClause) error {
	file, err := pl.expr(l.File)
	if err != nil {
		return err
	}
	s := &loadStep{at: l.File.At(), file: file, headers: l.Headers, comma: ','}
	if l.Separator != "" {
		s.comma, _ = utf8.DecodeRuneInString(l.Separator)
	}
	s.slot = pl.scope.add(l.Variable)
	s.describe("LoadCSV", shownExpr(l.File)+" AS "+l.Variable)
	pl.add(s)
	return nil
}

// loadStep makes a row of each line of a file: a list of its cells, or with headers a map.
type loadStep struct {
	planned
	at      Pos
	file    evaluator
	headers bool
	comma   rune
	slot    int
}

func (s *loadStep) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		v, err := s.file(x, r)
		if err != nil || v.IsNull() {
			return err
		}
		if v.kind != KindString {
			return typeError(s.at, "LOAD CSV needs the name of a file, not %s", aKind(v))
		}
		name, err := x.localFile(s.at, v.AsString())
		if err != nil {
			return err
		}
		f, err := x.session.opts.Files.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		err = s.read(x, f, r, next)
		var line *engine.LineError
		if errors.As(err, &line) {
			return phase.Errorf("%s: %w", name, err)
		}
		return err
	})
}

// read pushes a row for each line.
func (s *loadStep) read(x *exec, f io.Reader, r row, next sink) error {
	b := bufio.NewReaderSize(f, 64<<10)
	if mark, _ := b.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		b.Discard(3)
	}
	lines := &boundedLines{r: b}
	in := csv.NewReader(lines)
	in.Comma, in.ReuseRecord, in.FieldsPerRecord = s.comma, true, -1
	var heads []string
	for {
		if err := x.tick(); err != nil {
			return err
		}
		lines.left = maxCopyLine
		cells, err := in.Read()
		if err == io.EOF {
			return nil
		}
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			return &engine.LineError{Line: bad.Line, Err: bad.Err}
		}
		if err != nil {
			return err
		}
		line, _ := in.FieldPos(0)
		for _, cell := range cells {
			if !utf8.ValidString(cell) {
				return &engine.LineError{Line: line, Err: errors.New("the text is not UTF-8")}
			}
		}
		switch {
		case s.headers && heads == nil:
			if heads, err = headsOf(cells); err != nil {
				return &engine.LineError{Line: line, Err: err}
			}
			continue
		case s.headers && len(cells) > len(heads):
			return &engine.LineError{Line: line, Err: fmt.Errorf("%d cells, and the first line names %d", len(cells), len(heads))}
		case s.headers:
			m := make(map[string]Value, len(heads))
			for i, head := range heads {
				m[head] = Null
				if i < len(cells) {
					m[head] = cellValue(cells[i])
				}
			}
			r[s.slot] = MapOf(m)
		default:
			list := make([]Value, len(cells))
			for i, cell := range cells {
				list[i] = cellValue(cell)
			}
			r[s.slot] = ListOf(list)
		}
		if err := next.push(r); err != nil {
			return err
		}
	}
}

// cellValue returns the value of a cell: a string, or null if it is empty.
func cellValue(s string) Value {
	if s == "" {
		return Null
	}
	return String(strings.Clone(s))
}

// headsOf returns the names in the first line, which differ.
func headsOf(cells []string) ([]string, error) {
	heads := make([]string, len(cells))
	seen := map[string]bool{}
	for i, c := range cells {
		if c == "" || seen[c] {
			return nil, fmt.Errorf("the column %q has no name or one that another has", c)
		}
		seen[c] = true
		heads[i] = strings.Clone(c)
	}
	return heads, nil
}

// boundedLines refuses a line that is longer than a file's lines may be.
type boundedLines struct {
	r    io.Reader
	left int // of the line at hand
}

func (b *boundedLines) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("a line is longer than %d MiB", maxCopyLine>>20)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// localFile returns the name of a file that LOAD CSV may read: one below the working
// directory, unless the session allows others. A file URL names one, too.
func (x *exec) localFile(at Pos, name string) (string, error) {
	if x.session.opts.Files == nil {
		return "", phase.Mark(engine.ErrInvalid, "this session reads no files")
	}
	if scheme, _, ok := strings.Cut(name, "://"); ok && !strings.EqualFold(scheme, "file") {
		return "", argumentError(at, "LOAD CSV reads files, and not %s: download it first", scheme+"://")
	}
	if rest, ok := strings.CutPrefix(name, "file://"); ok {
		path, err := url.PathUnescape(rest)
		if err != nil {
			return "", argumentError(at, "%q is not a URL", name)
		}
		if name = path; !x.session.opts.AnyFile {
			name = strings.TrimPrefix(name, "/") // as Neo4j: below its folder
		}
	}
	if !x.session.opts.AnyFile && !filepath.IsLocal(name) {
		return "", argumentError(at, "LOAD CSV reads files below the working directory, and %q is not: copy it there", name)
	}
	return name, nil
}
