package modelhub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
)

// file is a file of a revision.
type file struct {
	name string
	size int64
	// sha256 is that of the content, or else blob is the SHA-1 that git gives it; in hex.
	sha256, blob string
}

// hash returns what computes the checksum, and the checksum that is wanted.
func (f file) hash() (hash.Hash, string) {
	if f.sha256 != "" {
		return sha256.New(), f.sha256
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", f.size)
	return h, f.blob
}

// counter is a writer that tells how much is written.
type counter func(n int)

// Write implements [io.Writer].
func (c counter) Write(b []byte) (int, error) {
	c(len(b))
	return len(b), nil
}

// fetch puts a file of a model into a folder under a name, whole and checked. What is there
// already is taken for its beginning. progress is told how many bytes are there.
func (h *Hub) fetch(ctx context.Context, m Model, f file, dir *os.Root, as string, progress func(n int64)) (err error) {
	if f.size < 0 || len(f.sha256) != 64 && len(f.blob) != 40 {
		return failed("", "%s states no size and checksum of %s of %s", h.address, f.name, m.Name)
	}
	to, err := dir.OpenFile(as, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	what, have, most := f.name+" of "+m.Name, int64(0), int64(0)
	sum, want := f.hash()
	restart := func() error {
		have = 0
		sum, _ = f.hash()
		_, err := to.Seek(0, io.SeekStart)
		return errors.Join(err, to.Truncate(0))
	}
	more := func(ctx context.Context) (further bool, err error) {
		if have == f.size && have > 0 {
			return false, nil
		}
		err = h.get(ctx, h.address+"/"+m.Name+"/resolve/"+m.Revision+"/"+(&url.URL{Path: f.name}).EscapedPath(), what, have, func(r *http.Response) error {
			from := int64(0)
			if r.StatusCode != http.StatusOK {
				from = -1
				_, _ = fmt.Sscanf(r.Header.Get("Content-Range"), "bytes %d-", &from)
			}
			if from != have { // not the rest
				if err := restart(); err != nil {
					return err
				}
				if from != 0 {
					return &temporary{failed(goOn, "%s has another part of %s than was asked for", h.address, what), 0}
				}
			}
			count := counter(func(n int) { have += int64(n); progress(have) })
			_, err := io.Copy(io.MultiWriter(to, sum, count), io.LimitReader(r.Body, f.size-have+1))
			var disk *fs.PathError
			switch {
			case errors.As(err, &disk):
				return err
			case have > f.size:
				return errors.Join(failed("the hub is broken, or not one", "%s sends more than the %d bytes that it states of %s", h.address, f.size, what), restart())
			case err != nil || have < f.size:
				return &temporary{failed(goOn, "%s broke off after %d of %d bytes of %s", h.address, have, f.size, what), 0}
			}
			return nil
		})
		further, most = have > most, max(most, have)
		return further, err
	}
	n, err := io.Copy(sum, to)
	if have, most = n, n; err == nil && have > f.size {
		err = restart()
	}
	resumed := have > 0
	for err == nil {
		if err = h.again(ctx, more); err != nil {
			break
		}
		is := hex.EncodeToString(sum.Sum(nil))
		if is == want {
			return to.Sync()
		}
		if err = restart(); err == nil && !resumed { // else what was there was of something else
			err = failed("the hub or something on the way to it changed the file; nothing was kept", "%s: %s has the checksum %s, and must have %s", h.address, what, is, want)
		}
		resumed = false
	}
	return err
}
