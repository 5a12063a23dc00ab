package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"time"
)

// drawnDocuments is a file system of JSONL files with drawn documents, each file
// made when it is opened. The same seed gives the same documents.
type drawnDocuments struct {
	first, docs int // the documents with these numbers
	seed        uint64
}

// drawnFileDocs is how many documents a file holds.
const drawnFileDocs = 500

// Open implements [fs.FS].
func (d drawnDocuments) Open(name string) (fs.File, error) {
	if name == "." {
		return &drawnFile{name: name, d: d}, nil
	}
	var n int
	if _, err := fmt.Sscanf(name, "%06d.jsonl", &n); err != nil || n < 0 || n >= d.files() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	var b bytes.Buffer
	for i := n * drawnFileDocs; i < min((n+1)*drawnFileDocs, d.docs); i++ {
		line, err := json.Marshal(map[string]string{"id": fmt.Sprint("doc ", d.first+i), "text": drawDocument(d.seed, d.first+i)})
		if err != nil {
			return nil, err
		}
		b.Write(append(line, '\n'))
	}
	return &drawnFile{name: name, size: b.Len(), r: &b, d: d}, nil
}

func (d drawnDocuments) files() int { return (d.docs + drawnFileDocs - 1) / drawnFileDocs }

// drawnFile is a file or the folder of [drawnDocuments].
type drawnFile struct {
	name string
	size int
	r    io.Reader // nil for the folder
	d    drawnDocuments
	read bool // the folder was listed
}

func (f *drawnFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *drawnFile) Read(b []byte) (int, error) { return f.r.Read(b) }
func (f *drawnFile) Close() error               { return nil }
func (f *drawnFile) Name() string               { return f.name }
func (f *drawnFile) Size() int64                { return int64(f.size) }
func (f *drawnFile) ModTime() time.Time         { return time.Time{} }
func (f *drawnFile) IsDir() bool                { return f.r == nil }
func (f *drawnFile) Sys() any                   { return nil }

func (f *drawnFile) Mode() fs.FileMode {
	if f.IsDir() {
		return fs.ModeDir
	}
	return 0
}

// ReadDir implements [fs.ReadDirFile].
func (f *drawnFile) ReadDir(int) (out []fs.DirEntry, err error) {
	if f.read {
		return nil, io.EOF
	}
	f.read = true
	for n := range f.d.files() {
		out = append(out, fs.FileInfoToDirEntry(&drawnFile{name: fmt.Sprintf("%06d.jsonl", n), r: strings.NewReader("")}))
	}
	return out, nil
}

// drawDocument returns the text of a document of some 230 words. Words have the
// frequencies of natural text (Zipf), a tenth of them are the document's own topic's,
// and a sentence in three names one of the names that the documents share.
func drawDocument(seed uint64, n int) string {
	const vocabulary, topics, names = 60_000, 500, 20_000
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	zipf := rand.NewZipf(r, 1.07, 2.7, vocabulary-1)
	named := rand.NewZipf(r, 1.2, 8, names-1)
	topic := r.IntN(topics)
	var b strings.Builder
	for sentence := range 14 + r.IntN(6) {
		if sentence > 0 {
			b.WriteString([]string{" ", " ", " ", "\n\n"}[r.IntN(4)])
		}
		capital := true
		write := func(w string) {
			if !capital {
				b.WriteByte(' ')
			} else {
				w = titled(w)
			}
			capital = false
			b.WriteString(w)
		}
		at := -1
		if r.IntN(3) == 0 {
			at = 1 + r.IntN(6)
		}
		for i := range 9 + r.IntN(10) {
			switch {
			case i == at:
				k := named.Uint64()
				write(titled(drawnWord(1_000_000+k)) + " " + titled(drawnWord(2_000_000+k%997)))
			case r.IntN(10) == 0:
				write(drawnWord(uint64(vocabulary + topic*40 + r.IntN(40))))
			default:
				write(drawnWord(zipf.Uint64()))
			}
		}
		b.WriteByte('.')
	}
	return b.String()
}

// drawnWord returns the word of a rank: the more frequent, the shorter.
func drawnWord(rank uint64) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var b []byte
	for n := rank + 14*5; n > 0; n /= 70 {
		b = append(b, consonants[n%14], vowels[n/14%5])
	}
	return string(b)
}

// titled returns a word with a capital.
func titled(w string) string { return strings.ToUpper(w[:1]) + w[1:] }
