package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// recordLog keeps records in the order in which they are added: up to limit bytes
// in memory, the rest in a file.
type recordLog struct {
	buf   []byte // of each record the length and the bytes
	limit int
	spill spill
}

func (r *recordLog) add(b []byte) error {
	r.buf = append(binary.AppendUvarint(r.buf, uint64(len(b))), b...)
	if len(r.buf) < r.limit {
		return nil
	}
	err := r.spill.write(func(w *bufio.Writer) error {
		_, err := w.Write(r.buf)
		return err
	})
	r.buf = r.buf[:0]
	return err
}

// each calls fn with every record, in order. What it is given is good until it
// returns.
func (r *recordLog) each(ctx context.Context, fn func(b []byte) error) error {
	var in io.Reader = bytes.NewReader(r.buf)
	if r.spill.f != nil {
		in = io.MultiReader(io.NewSectionReader(r.spill.f, 0, r.spill.size), in)
	}
	br := bufio.NewReaderSize(in, spillBuffer)
	var b []byte
	for i := 0; ; i++ {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		n, err := binary.ReadUvarint(br)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			b = slices.Grow(b[:0], int(n))[:n]
			_, err = io.ReadFull(br, b)
		}
		if err != nil {
			return fmt.Errorf("spill: %w", err)
		}
		if err := fn(b); err != nil {
			return err
		}
	}
}
