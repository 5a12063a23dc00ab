package load

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Gzip may expand freely to bombFloor bytes and beyond that by bombRatio.
const (
	bombFloor = 16 << 20
	bombRatio = 200
)

// input is an open file: its uncompressed bytes as UTF-8 (bytes that are not
// UTF-8 pass through, for the caller to refuse), without byte order mark.
type input struct {
	*bufio.Reader
	// bom is the length of the byte order mark that was dropped.
	bom int64
	// wide is set if the file is UTF-16.
	wide bool
	// size is what the file system claims, -1 for a compressed file.
	size int64
	file fs.File
}

// open opens a regular file and unpacks and decodes it on the way.
func open(ctx context.Context, fsys fs.FS, name string, gzipped bool) (*input, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, readError(err)
	}
	in := &input{file: f}
	if err := in.init(ctx, gzipped); err != nil {
		f.Close()
		return nil, err
	}
	return in, nil
}

func (in *input) init(ctx context.Context, gzipped bool) error {
	info, err := in.file.Stat()
	if err != nil {
		return readError(err)
	}
	if !info.Mode().IsRegular() {
		return refuse(0, ErrMalformed, "is not a regular file")
	}
	in.size = info.Size()
	return in.decode(ctx, in.file, gzipped)
}

// decode makes the input what content holds.
func (in *input) decode(ctx context.Context, content io.Reader, gzipped bool) error {
	var r io.Reader = &countingReader{ctx: ctx, r: content}
	if gzipped {
		in.size = -1
		packed := r.(*countingReader)
		z, err := gzip.NewReader(bufio.NewReader(packed))
		if err != nil {
			return readError(err)
		}
		r = &bombReader{z: z, packed: packed}
	}
	in.Reader = bufio.NewReaderSize(r, 64<<10)
	switch b, _ := in.Peek(3); {
	case len(b) >= 3 && string(b) == "\xef\xbb\xbf":
		in.bom = 3
	case len(b) >= 2 && (string(b[:2]) == "\xff\xfe" || string(b[:2]) == "\xfe\xff"):
		in.bom, in.wide = 2, true
		big := b[0] == 0xfe
		in.Discard(2)
		in.Reader = bufio.NewReaderSize(&utf16Reader{r: in.Reader, big: big}, 64<<10)
		return nil
	}
	in.Discard(int(in.bom))
	return nil
}

// Close closes the file.
func (in *input) Close() error { return in.file.Close() }

// all reads the rest of the file, at most limit bytes. What the file system
// claims of the size serves to refuse early, never to allocate.
func (in *input) all(limit int64) ([]byte, error) {
	if in.size > limit {
		return nil, tooLarge(0, "file", limit)
	}
	buf, err := io.ReadAll(io.LimitReader(in.Reader, limit+1))
	if err != nil {
		return nil, readError(err)
	}
	if int64(len(buf)) > limit {
		return nil, tooLarge(0, "file", limit)
	}
	return buf, nil
}

// tooLarge is the error of a document beyond the limit.
func tooLarge(line int, what string, limit int64) *FileError {
	return refuse(line, ErrTooLarge, "the %s is larger than the limit of %s for a document", what, sizeText(limit))
}

// sizeText writes a number of bytes with a binary unit if it is a whole
// number of them.
func sizeText(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// readError says in a sentence why a file could not be read.
func readError(err error) error {
	var done *FileError
	switch {
	case errors.As(err, &done):
		return done
	case errors.Is(err, fs.ErrPermission):
		return refuse(0, err, "may not be read: permission denied")
	case errors.Is(err, fs.ErrNotExist):
		return refuse(0, err, "does not exist any more")
	case errors.Is(err, gzip.ErrHeader):
		return refuse(0, errors.Join(ErrMalformed, err), "is not gzip-compressed although its name ends in .gz")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, io.ErrUnexpectedEOF), isDeflateError(err):
		return refuse(0, errors.Join(ErrMalformed, err), "the compressed data is damaged or cut off (%v)", err)
	}
	return refuse(0, err, "cannot be read: %v", err)
}

// countingReader counts what passes and stops when the context ends.
type countingReader struct {
	ctx context.Context
	r   io.Reader
	n   int64
}

// Read reads from r.
func (c *countingReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// bombReader unpacks gzip and stops if it expands too far.
type bombReader struct {
	z      *gzip.Reader
	packed *countingReader
	n      int64
}

// Read unpacks the next bytes.
func (b *bombReader) Read(p []byte) (int, error) {
	n, err := b.z.Read(p)
	b.n += int64(n)
	if b.n > bombFloor && b.n > bombRatio*b.packed.n {
		return 0, refuse(0, ErrTooLarge, "expands more than %d-fold, which no text does: a decompression bomb", bombRatio)
	}
	return n, err
}
