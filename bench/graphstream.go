package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// graphStream reads the edges of a binary graph file one by one.
type graphStream struct {
	f     *os.File
	r     *bufio.Reader
	types []byte // of each node
	edges int
}

// openGraphStream opens a file, and returns nil if it is not a plain binary graph
// file.
func openGraphStream(path string) (_ *graphStream, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &graphStream{f: f, r: bufio.NewReaderSize(f, 1<<16)}
	var head [12]byte
	if _, err := io.ReadFull(s.r, head[:]); err != nil || string(head[:4]) != graphMagic {
		return nil, f.Close()
	}
	s.types = make([]byte, binary.LittleEndian.Uint32(head[4:]))
	s.edges = int(binary.LittleEndian.Uint32(head[8:]))
	if _, err := io.ReadFull(s.r, s.types); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// each adds every edge with the weight 1.
func (s *graphStream) each(add func(e weighted) error) error {
	var b [12]byte
	for range s.edges {
		if _, err := io.ReadFull(s.r, b[:]); err != nil {
			return err
		}
		e := weighted{edge{binary.LittleEndian.Uint32(b[:]), binary.LittleEndian.Uint32(b[4:])}, 1}
		if err := add(e); err != nil {
			return err
		}
	}
	return nil
}
