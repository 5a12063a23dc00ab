package prompts

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/llm"
)

//go:embed files small
var embedded embed.FS

// version is that of what the package adds to the files: the fence, the
// functions, the names of languages. It moves when filled prompts do.
const version = "prompts.v1"

// maxFileBytes is the largest file of prompts.
const maxFileBytes = 1 << 20

// Set is a prompt for each kind of task. It is not changed once it is made,
// and is safe for concurrent use.
type Set struct {
	entries map[llm.Kind]*entry
}

// entry is the prompt of one kind.
type entry struct {
	info           kindInfo
	prompt, schema []byte // the files; schema nil for free text
	compact        []byte // the schema without white space
	parsed         *prompt
}

// Default returns the built-in prompts.
func Default() (*Set, error) {
	files, err := fs.Sub(embedded, "files")
	if err != nil {
		return nil, phase.At("", err)
	}
	s := &Set{entries: map[llm.Kind]*entry{}}
	var problems []error
	for _, info := range kinds() {
		e := &entry{info: info}
		s.entries[info.kind] = e
		if e.prompt, err = readFile(files, promptFile(info.kind)); err == nil && info.structured {
			e.schema, err = readFile(files, schemaFile(info.kind))
		}
		if err == nil {
			err = e.read(e.schema)
		}
		if err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return nil, phase.At("", errors.Join(problems...))
	}
	return s, nil
}

// Small returns the built-in prompts for small models: shorter, with fewer fields,
// and with schemas that bound lists and texts, so that a model that repeats itself
// comes to an end if the server keeps it to the schema. Kinds that have none of their
// own have those of [Default].
func Small() (*Set, error) {
	s, err := Default()
	if err != nil {
		return nil, err
	}
	files, err := fs.Sub(embedded, "small")
	if err != nil {
		return nil, phase.At("", err)
	}
	var problems []error
	for _, info := range kinds() {
		if _, err := fs.Stat(files, promptFile(info.kind)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		b, err := readFile(files, promptFile(info.kind))
		e := &entry{info: info, prompt: b}
		s.entries[info.kind] = e
		if err == nil && info.structured {
			e.schema, err = readFile(files, schemaFile(info.kind))
		}
		if err == nil {
			err = e.read(e.schema)
		}
		if err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return nil, phase.At("", errors.Join(problems...))
	}
	return s, nil
}

// Load returns the built-in prompts with the files in the root of fsys in their
// place; nil has none. Names that begin with a dot are passed over.
// Every other name must be that of a file of [Set.Files]. A file with Windows
// line ends or a byte order mark is the same as one without.
//
// The error joins all that is wrong, each a [*FileError] with its line: unknown
// names, front parts, templates, which are tried on inputs of every shape, and
// schemas that ask for another reply than the program reads.
func Load(fsys fs.FS) (*Set, error) {
	s, err := Default()
	if err != nil || fsys == nil {
		return s, err
	}
	small, err := Small()
	if err != nil {
		return nil, err
	}
	list, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, phase.At("", err)
	}
	var problems []error
	changed := map[llm.Kind][]byte{} // the built-in schemas
	for _, f := range list {
		if strings.HasPrefix(f.Name(), ".") {
			continue
		}
		e, isSchema := s.named(f.Name())
		if e == nil {
			problems = append(problems, &FileError{File: f.Name(), Reason: "there is no such prompt; the files are " + strings.Join(s.names(), ", ")})
			continue
		}
		b, err := readFile(fsys, f.Name())
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if changed[e.info.kind] == nil {
			changed[e.info.kind] = append([]byte{}, e.schema...)
		}
		if isSchema {
			e.schema = b
		} else {
			e.prompt = b
		}
	}
	for _, info := range kinds() {
		if builtIn, ok := changed[info.kind]; ok {
			if err := s.entries[info.kind].read(builtIn, small.entries[info.kind].schema); err != nil {
				problems = append(problems, err)
			}
		}
	}
	if len(problems) > 0 {
		return nil, phase.At("", errors.Join(problems...))
	}
	return s, nil
}

// readFile returns a file with line feeds and without a byte order mark.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, &FileError{File: name, Reason: err.Error()}
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, &FileError{File: name, Reason: err.Error()}
	}
	switch {
	case len(b) > maxFileBytes:
		return nil, &FileError{File: name, Reason: "larger than 1 MiB"}
	case !utf8.Valid(b):
		return nil, &FileError{File: name, Reason: "not UTF-8 text"}
	}
	b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), nil
}

// read parses the files of an entry and tries them. Its schema must ask for the same
// reply as one of the built-in ones.
func (e *entry) read(builtIn ...[]byte) error {
	file := promptFile(e.info.kind)
	var schemaErr error
	if e.info.structured {
		for _, b := range builtIn {
			err := checkSchema(schemaFile(e.info.kind), e.schema, b)
			if schemaErr = cmp.Or(schemaErr, err); err == nil {
				schemaErr = nil
				break
			}
		}
		if schemaErr == nil {
			var b bytes.Buffer
			schemaErr = json.Compact(&b, e.schema)
			e.compact = b.Bytes()
		}
	}
	var err error
	if e.parsed, err = parse(file, string(e.prompt)); err == nil {
		err = e.try(file)
	}
	return errors.Join(schemaErr, err)
}

// try fills the prompt with an input that has everything, one that has
// nothing, and the first with each field empty in turn.
func (e *entry) try(file string) error {
	full := sample(e.info.input)
	inputs := []reflect.Value{full, reflect.Zero(e.info.input)}
	for i := range full.NumField() {
		v := reflect.New(e.info.input).Elem()
		v.Set(full)
		v.Field(i).SetZero()
		inputs = append(inputs, v)
	}
	for _, in := range inputs {
		pg := newPage(string(e.info.kind), in, "")
		messages, err := e.parsed.fill(file, pg)
		if err != nil {
			return err
		}
		if !strings.Contains(messages[0].Content, guard) {
			return &FileError{File: file, Reason: "the first message has no {{guard}}, which says that fenced text is data"}
		}
		all := ""
		for _, m := range messages {
			all += m.Content + "\n"
		}
		if at := strings.Index(all, pg.code); at > 0 && all[at-1] == '-' {
			return &FileError{File: file, Reason: "no {{code}} stands before the first fence"}
		}
	}
	return nil
}

// sample returns a value in which nothing is empty.
func sample(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.String:
		v.SetString("sample")
	case reflect.Slice:
		v.Set(reflect.Append(v, sample(t.Elem()), sample(t.Elem())))
	case reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(sample(t.Field(i).Type))
		}
	case reflect.Int:
		v.SetInt(2)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(2)
	}
	return v
}

// named returns the entry that a file belongs to, nil for none, and whether
// the file is its schema.
func (s *Set) named(file string) (e *entry, isSchema bool) {
	for k, e := range s.entries {
		if file == promptFile(k) {
			return e, false
		}
		if file == schemaFile(k) && e.info.structured {
			return e, true
		}
	}
	return nil, false
}

func (s *Set) names() (out []string) {
	for name := range s.Files() {
		out = append(out, name)
	}
	return out
}

// Kinds returns the kinds that the set has prompts for: all, in the order of
// their constants. Behind [llm.Answer] follows answer-paragraphs, which is the prompt
// of an [llm.AnswerInput] with Paragraphs.
func (s *Set) Kinds() []llm.Kind {
	var out []llm.Kind
	for _, k := range kinds() {
		out = append(out, k.kind)
	}
	return out
}

// File returns the two files of a kind, nil for a schema if the reply is
// text and for an unknown kind. The bytes belong to the caller.
func (s *Set) File(k llm.Kind) (prompt, schema []byte) {
	e := s.entries[k]
	if e == nil {
		return nil, nil
	}
	return bytes.Clone(e.prompt), bytes.Clone(e.schema)
}

// Files yields the names of all files and their bytes, in order of name. They
// are a directory that [Load] reads into an equal set. The bytes belong to the
// caller.
func (s *Set) Files() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		files := map[string][]byte{}
		var names []string
		for k, e := range s.entries {
			files[promptFile(k)] = e.prompt
			names = append(names, promptFile(k))
			if e.info.structured {
				files[schemaFile(k)] = e.schema
				names = append(names, schemaFile(k))
			}
		}
		slices.Sort(names)
		for _, n := range names {
			if !yield(n, bytes.Clone(files[n])) {
				return
			}
		}
	}
}

// Hash identifies the set, for the manifest of a run: sets of equal hash fill
// equal tasks with equal bytes.
func (s *Set) Hash() [sha256.Size]byte {
	h := sha256.New()
	for _, k := range s.Kinds() {
		one := s.HashOf(k)
		h.Write(one[:])
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// HashOf is [Set.Hash] of one kind's files alone; zero for an unknown
// kind.
func (s *Set) HashOf(k llm.Kind) [sha256.Size]byte {
	e := s.entries[k]
	if e == nil {
		return [sha256.Size]byte{}
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte(version), []byte(k), e.prompt, e.schema} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
