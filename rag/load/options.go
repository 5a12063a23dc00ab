package load

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/ragdb/ragdb/internal/memory"
)

// DefaultMaxDocBytes is the limit of a document's size if none is given:
// 16 MiB, about three times the length of a King James Bible.
const DefaultMaxDocBytes = 16 << 20

// Options say what a walk reads and how. The zero value and nil are right for
// a folder of documents.
type Options struct {
	// Format is "auto" (also "") or one of [Formats]. Auto goes by the extension. With a format named, a folder gives the files with that
	// format's extensions, or every file that Include matches; a PATH that is
	// a file is read in it whatever its name.
	Format string
	// Include keeps the files of a folder that match one of the patterns. A
	// pattern without a slash is for the base name (*.md), one with a slash
	// for the path below PATH (docs/**/*.{md,txt}). ** stands for any number of
	// folders and braces for one of several; the rest is as in [path.Match].
	// Empty means all.
	Include []string
	// MaxDocBytes bounds the uncompressed size of a document: of a file, of a
	// JSONL line, of a CSV row, of the text of a PDF file, which itself may have
	// eight times as many. 0 means [DefaultMaxDocBytes].
	MaxDocBytes int64
	// KeyPrefix is put before every key as it is ("manuals/").
	KeyPrefix string
	// NoTitle leaves the title out of Text, for comparison.
	NoTitle bool
	// Meta is added to every document, over what the document says of itself.
	// A value that looks like a number, a bool or a date is one.
	Meta map[string]string
	// Keys remembers the keys of a run of several walks. nil means that this
	// walk is the run.
	Keys *Keys
	// Memory is a share of a memory budget, from which reading draws what it takes beside
	// the document; nil has no bound.
	Memory *memory.Share
	// OnSkip is told of every file and folder, and of every empty record, that
	// gives no document and is not an error, with the reason in a few words. It may
	// be nil.
	OnSkip func(place, why string)
}

// The reasons to pass over a file, as OnSkip is told them.
const (
	skipHidden     = "hidden"          // name begins with a dot
	skipVendored   = "node_modules"    // installed packages, not documents
	skipLink       = "symbolic link"   // never followed
	skipIrregular  = "no regular file" // device, pipe, socket
	skipFormat     = "other format"    // extension of no loader
	skipNotMatched = "not included"    // no pattern of Include matches
	skipEmpty      = "no text"         // nothing but white space
)

// Keys remembers the keys of a run and where each was seen. The zero value is
// empty and ready. It is not safe for concurrent use.
type Keys struct {
	seen map[string]string
}

// claim notes the key, or returns the place that has it already.
func (k *Keys) claim(key, place string) (first string, ok bool) {
	if first, found := k.seen[key]; found {
		return first, false
	}
	if k.seen == nil {
		k.seen = make(map[string]string)
	}
	k.seen[key] = place
	return "", true
}

// ensure returns a copy with the defaults filled in.
func (o *Options) ensure() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	switch c.Format {
	case "", "auto":
		c.Format = ""
	default:
		if formatNamed(c.Format) == nil {
			return c, phase.Errorf("format %q is not one of auto, %s: %w", c.Format, strings.Join(Formats(), ", "), ErrOption)
		}
	}
	if c.MaxDocBytes < 0 {
		return c, phase.Errorf("document limit %d is negative: %w", c.MaxDocBytes, ErrOption)
	}
	if c.MaxDocBytes == 0 {
		c.MaxDocBytes = DefaultMaxDocBytes
	}
	if !utf8.ValidString(c.KeyPrefix) || strings.ContainsFunc(c.KeyPrefix, unicode.IsControl) {
		return c, phase.Errorf("key prefix %q is not UTF-8, or has control characters: %w", c.KeyPrefix, ErrOption)
	}
	for _, n := range c.metaNames() {
		if !utf8.ValidString(n) || !utf8.ValidString(c.Meta[n]) || strings.IndexByte(c.Meta[n], 0) >= 0 || checkName(n, 0) != nil {
			return c, phase.Errorf("metadata %q=%q is not UTF-8, or no name and value: %w", n, c.Meta[n], ErrOption)
		}
	}
	for _, p := range c.Include {
		if !ValidPattern(p) {
			return c, phase.Errorf("%q is not a pattern such as *.md or docs/**/*.txt: %w", p, ErrOption)
		}
	}
	if c.Keys == nil {
		c.Keys = new(Keys)
	}
	if c.OnSkip == nil {
		c.OnSkip = func(string, string) {}
	}
	return c, nil
}

// metaNames returns the names of Meta in a fixed order.
func (o *Options) metaNames() []string { return slices.Sorted(maps.Keys(o.Meta)) }

// included reports whether a file below PATH passes the patterns.
func (o *Options) included(rel string) bool {
	if len(o.Include) == 0 {
		return true
	}
	return slices.ContainsFunc(o.Include, func(p string) bool { return Match(p, rel) })
}

// Skips returns why a walk passes over a file or folder, in a few words, or "" if it
// reads the file or enters the folder. rel is its slash path below PATH, and t the type
// bits of its mode. Only the path and the type are looked at, so a file that is not
// skipped may still give no document. Skips does not look at the folders above rel.
func (o *Options) Skips(rel string, t fs.FileMode) string {
	base := path.Base(rel)
	f, _ := formatOf(rel)
	named := o.Format != "" && o.Format != "auto"
	switch {
	case strings.HasPrefix(base, "."):
		return skipHidden
	case t.IsDir() && base == "node_modules":
		return skipVendored
	case t.IsDir():
		return ""
	case t&fs.ModeSymlink != 0:
		return skipLink
	case !t.IsRegular():
		return skipIrregular
	case !o.included(rel):
		return skipNotMatched
	case !named && f == nil, named && (f == nil || f.name != o.Format) && len(o.Include) == 0:
		return skipFormat
	}
	return ""
}

// ValidPattern reports whether a pattern may stand in Include.
func ValidPattern(pattern string) bool { return pattern != "" && doublestar.ValidatePattern(pattern) }

// Match reports whether a path matches a pattern of Include: one without a slash
// matches the last element. A malformed pattern matches nothing.
func Match(pattern, name string) bool {
	if !strings.Contains(pattern, "/") {
		name = path.Base(name)
	}
	ok, _ := doublestar.Match(pattern, name)
	return ok
}
