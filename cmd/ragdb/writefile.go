package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
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
// One that exists is replaced only with --yes or where the user agrees.
func (a *app) writeFile(ctx context.Context, path string, write func(io.Writer) (int64, error)) (n int64, err error) {
	if err := a.mayReplace(ctx, path); err != nil {
		return 0, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	n, err = write(f)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return n, err
	}
	// A temporary file is its owner's alone, as the database is: so it stays.
	return n, os.Rename(f.Name(), path)
}

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
