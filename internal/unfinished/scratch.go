package unfinished

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
)

// ScratchName is the pattern of the names of temporary files: Pebble removes files that
// are called so when it opens a store. The digits are beyond those that it gives its own.
const ScratchName = "temporary.7777777*.dbtmp"

// Scratch holds bytes that are written once and then read, as often as needed: in memory,
// and in a temporary file from a bound on. If the system lets an open file lose its name,
// nothing is left behind however the process ends. Written by one goroutine, it can then
// be read by several.
type Scratch struct {
	dir    string
	most   int
	buffer []byte
	f      *os.File // nil while all is in the buffer
	size   int64    // of the file
	named  bool     // the file still has a name to be removed
}

// NewScratch returns an empty scratch, whose file is made in dir, or in the system's
// folder for temporary files if dir is empty. It keeps up to most bytes in memory.
func NewScratch(dir string, most int) *Scratch { return &Scratch{dir: dir, most: most} }

// Write appends bytes.
func (s *Scratch) Write(b []byte) (int, error) {
	if len(s.buffer) > 0 && len(s.buffer)+len(b) > s.most {
		if err := s.flush(); err != nil {
			return 0, err
		}
	}
	s.buffer = append(s.buffer, b...)
	return len(b), nil
}

// flush moves what is in memory to the file.
func (s *Scratch) flush() error {
	if s.f == nil {
		f, err := os.CreateTemp(s.dir, ScratchName)
		if err != nil {
			return err
		}
		s.f, s.named = f, os.Remove(f.Name()) != nil
	}
	n, err := s.f.WriteAt(s.buffer, s.size)
	s.size += int64(n)
	s.buffer = s.buffer[:0]
	return err
}

// Reader returns a reader of all bytes. Nothing is written after the first.
func (s *Scratch) Reader() *bufio.Reader {
	const size = 64 << 10
	end := bytes.NewReader(s.buffer)
	if s.f == nil {
		return bufio.NewReaderSize(end, size)
	}
	return bufio.NewReaderSize(io.MultiReader(io.NewSectionReader(s.f, 0, s.size), end), size)
}

// Close frees the memory and removes the file.
func (s *Scratch) Close() error {
	s.buffer = nil
	if s.f == nil {
		return nil
	}
	err := s.f.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.f.Name()))
	}
	s.f = nil
	return err
}
