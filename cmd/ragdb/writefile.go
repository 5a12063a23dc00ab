package main

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/ragdb/ragdb/internal/unfinished"
)

// counter counts the bytes that go through it.
type counter struct {
	w io.Writer
	r io.Reader
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// writeFile writes a file beside its place and moves it there when it is whole.
// What a killed process left of it is swept.
// One that exists is replaced only with --yes or if the user agrees.
func (a *app) writeFile(ctx context.Context, path string, write func(io.Writer) (int64, error)) (n int64, err error) {
	if err := a.dir.sweep(path); err != nil {
		return 0, err
	}
	if err := a.mayReplace(ctx, path); err != nil {
		return 0, err
	}
	f, err := a.dir.create(path, 0o600)
	if err != nil {
		return 0, err
	}
	if n, err = write(f); err != nil {
		return n, errors.Join(err, f.Discard())
	}
	return n, f.Commit()
}

// wholeFile is a file that takes its place when it is closed.
type wholeFile struct{ *unfinished.File }

// Close puts the file in its place.
func (f wholeFile) Close() error { return f.Commit() }

// writeOut writes a file, or standard output for -.
func (a *app) writeOut(ctx context.Context, path string, write func(io.Writer) error) (int64, error) {
	counted := func(w io.Writer) (int64, error) {
		buf := bufio.NewWriterSize(w, 1<<16)
		n := &counter{w: buf}
		err := write(n)
		return n.n, errors.Join(err, buf.Flush())
	}
	if path == "-" {
		return counted(a.out.stdout)
	}
	return a.writeFile(ctx, path, counted)
}
