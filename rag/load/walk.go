package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// maxKeyBytes bounds a key, and thereby the "id" of a record. A chunk's key, the
// document's with a # and a number behind it, has at most 4,096 bytes.
const maxKeyBytes = 4096 - 16

// Walk yields the documents of PATH, the file or folder root in fsys ("." or ""
// for all of it), in a fixed order: folders as [fs.WalkDir] does, by name, records
// as they stand in their file. A [*FileError] is one bad file, line or row, and
// the walk goes on; any other error is the last thing yielded: [ErrOption], a
// root that is not there, the context's error.
//
// Files are opened one at a time and closed before the next. Whole-file formats
// hold one document in memory, JSONL and CSV one record. Symbolic links are
// skipped, but a file may become one between the listing and the opening: use
// [os.Root.FS] for folders that others write to.
func Walk(ctx context.Context, fsys fs.FS, root string, o *Options) iter.Seq2[*Document, error] {
	return func(yield func(*Document, error) bool) {
		opt, err := o.ensure()
		if err != nil {
			yield(nil, err)
			return
		}
		w := &walker{ctx: ctx, fsys: fsys, root: root, opt: opt, yield: yield}
		if err := w.run(); err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// errStop ends a walk whose consumer wants no more.
var errStop = errors.New("stopped")

// walker is one walk. Its methods return nil to go on, errStop, or the error
// that ends the walk.
type walker struct {
	ctx   context.Context
	fsys  fs.FS
	root  string
	opt   Options
	yield func(*Document, error) bool
	src   Source // that is read in place of files
	// format is that of the file which is being read.
	format *format
	// entered is set once the root folder was visited.
	entered bool
}

func (w *walker) run() error {
	if w.fsys == nil {
		return phase.Errorf("no file system to read from: %w", ErrOption)
	}
	if w.root == "" {
		w.root = "."
	}
	if !fs.ValidPath(w.root) {
		return phase.Errorf("%q is not a slash path below the file system's root: %w", w.root, ErrOption)
	}
	info, err := fs.Lstat(w.fsys, w.root)
	if err != nil {
		return phase.Errorf("open %s: %w", w.root, err)
	}
	if info.IsDir() {
		return fs.WalkDir(w.fsys, w.root, w.visit)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return w.bad(w.root, refuse(0, ErrMalformed, "is a symbolic link; links are not followed"))
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return w.bad(w.root, refuse(0, ErrMalformed, "is not a regular file"))
	}
	f, gzipped := formatOf(w.root)
	if w.opt.Format != "" {
		f = formatNamed(w.opt.Format)
	}
	if f == nil {
		return w.bad(w.root, refuse(0, ErrMalformed, "has a name that tells no format (%s, each also .gz); state the format", strings.Join(Formats(), ", ")))
	}
	return w.file(w.root, path.Base(w.root), f, gzipped)
}

// visit is the callback of [fs.WalkDir].
func (w *walker) visit(name string, d fs.DirEntry, err error) error {
	if e := w.ctx.Err(); e != nil {
		return e
	}
	if err != nil {
		if name == w.root && d == nil {
			return phase.Errorf("open %s: %w", name, err)
		}
		return w.bad(name, readError(err))
	}
	if !w.entered { // the root; a hostile entry may lead back to its name
		w.entered = true
		return nil
	}
	if base := d.Name(); base == "." || base == ".." || strings.Contains(base, "/") {
		return skipDir(d, w.bad(name, refuse(0, fs.ErrInvalid, "cannot be the name of a file: %q", base)))
	}
	rel := name
	if w.root != "." {
		rel = strings.TrimPrefix(name, w.root+"/")
	}
	if why := w.opt.Skips(rel, d.Type()); why != "" {
		w.opt.OnSkip(name, why)
		return skipDir(d, nil)
	}
	if d.IsDir() {
		return nil
	}
	f, gzipped := formatOf(name)
	if w.opt.Format != "" {
		f = formatNamed(w.opt.Format)
	}
	return w.file(name, rel, f, gzipped)
}

// skipDir keeps the walk out of d if it is a folder.
func skipDir(d fs.DirEntry, err error) error {
	if err == nil && d.IsDir() {
		return fs.SkipDir
	}
	return err
}

// bad yields what is wrong with a file.
func (w *walker) bad(name string, err error) error {
	if e := w.ctx.Err(); e != nil {
		return e
	}
	e := asFileError(err)
	e.Path = name
	if !w.yield(nil, e) {
		return errStop
	}
	return nil
}

// asFileError returns the file error in err, or makes one.
func asFileError(err error) *FileError {
	var e *FileError
	if errors.As(err, &e) {
		return e
	}
	return refuse(0, err, "cannot be read: %v", err)
}

// file reads one file. key is the file's own.
func (w *walker) file(name, key string, f *format, gzipped bool) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if !utf8.ValidString(name) {
		return w.bad(name, refuse(0, ErrEncoding, "has a name that is not UTF-8"))
	}
	in, err := open(w.ctx, w.fsys, name, gzipped)
	if err != nil {
		return w.bad(name, err)
	}
	defer in.Close()
	return w.content(in, name, key, f)
}

// content reads what is in a file or source.
func (w *walker) content(in *input, name, key string, f *format) error {
	w.format = f
	if f.many != nil {
		return f.many(w, in, name, key)
	}
	d, err := f.one(w, in)
	if err != nil {
		return w.bad(name, err)
	}
	return w.emit(d, key, name, 0)
}

// emit completes a document and yields it. line is 0 for a whole file.
func (w *walker) emit(d *draft, key, name string, line int) error {
	place := name
	if line > 0 {
		place = fmt.Sprintf("%s:%d", name, line)
	}
	if err := w.src.complete(d); err != nil {
		return w.bad(name, err)
	}
	if d.empty() {
		w.opt.OnSkip(place, skipEmpty)
		return nil
	}
	key = w.opt.KeyPrefix + key
	if len(key) > maxKeyBytes {
		return w.bad(name, refuse(line, ErrMalformed, "has a key of more than %d bytes", maxKeyBytes))
	}
	if first, ok := w.opt.Keys.claim(key, place); !ok {
		return w.bad(name, refuse(line, ErrDuplicate, "has the key %q, which %q has already", key, first))
	}
	for _, n := range w.opt.metaNames() {
		d.setMeta(n, parseValue(w.opt.Meta[n]))
	}
	doc := d.document(w.opt.NoTitle)
	doc.Key, doc.Path, doc.Line, doc.Format = key, name, line, w.format.name
	doc.Digest = doc.digest()
	if doc.Lang == "" {
		doc.Lang = text.Language(doc.Text)
	}
	if !w.yield(doc, nil) {
		return errStop
	}
	return nil
}
