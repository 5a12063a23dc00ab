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
	"net/http"
	"net/url"
	"os"
	"strings"
)

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
	d := &download{hub: h, f: f, to: to, progress: progress, what: f.name + " of " + m.Name,
		address: h.address + "/" + m.Name + "/resolve/" + m.Revision + "/" + (&url.URL{Path: f.name}).EscapedPath()}
	if err := d.resume(); err != nil {
		return err
	}
	resumed := d.have > 0
	if err := h.again(ctx, d.more); err != nil {
		return err
	}
	if err := d.check(); err != nil && resumed { // what was there was of something else
		if err := d.restart(); err != nil {
			return err
		}
		if err := h.again(ctx, d.more); err != nil {
			return err
		}
	}
	if err := d.check(); err != nil {
		return errors.Join(err, d.restart())
	}
	return to.Sync()
}

// download is a file that is being fetched.
type download struct {
	hub           *Hub
	f             file
	address, what string
	to            *os.File
	have          int64 // bytes in to, which sum has seen
	most          int64 // that have ever been there
	sum           hash.Hash
	progress      func(n int64)
}

// resume begins with what is there.
func (d *download) resume() error {
	if err := d.begin(); err != nil {
		return err
	}
	n, err := io.Copy(d.sum, d.to)
	if err == nil && n > d.f.size {
		return d.restart()
	}
	d.have = n
	return err
}

// begin forgets what was read.
func (d *download) begin() error {
	d.have, d.sum = 0, sha256.New()
	if d.f.sha256 == "" {
		d.sum = sha1.New() // as git names what it holds
		fmt.Fprintf(d.sum, "blob %d\x00", d.f.size)
	}
	_, err := d.to.Seek(0, io.SeekStart)
	return err
}

// restart begins with an empty file.
func (d *download) restart() error { return errors.Join(d.begin(), d.to.Truncate(0)) }

// more asks for what is missing, and reports whether some of it came.
func (d *download) more(ctx context.Context) (further bool, err error) {
	before := d.have
	if before == d.f.size && before > 0 {
		return false, nil
	}
	most := max(d.most, before)
	err = d.hub.get(ctx, d.address, d.what, before, func(r *http.Response) error {
		switch {
		case r.StatusCode == http.StatusRequestedRangeNotSatisfiable,
			r.StatusCode == http.StatusPartialContent && !strings.HasPrefix(r.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", before)):
			return errors.Join(d.restart(), &temporary{failed(goOn, "%s has another part of %s than was asked for", d.hub.address, d.what), 0})
		case r.StatusCode == http.StatusOK && before > 0: // the whole
			if err := d.restart(); err != nil {
				return err
			}
		}
		return d.read(r.Body)
	})
	d.most = max(most, d.have)
	return d.have > most, err
}

// read takes a reply's bytes, one more than belong to the file at most.
func (d *download) read(body io.Reader) error {
	b := make([]byte, 256<<10)
	for {
		n, rerr := body.Read(b[:min(int64(len(b)), d.f.size-d.have+1)])
		if d.have+int64(n) > d.f.size {
			return errors.Join(failed("", "%s sends more than the %d bytes that it states of %s", d.hub.address, d.f.size, d.what), d.restart())
		}
		if _, err := d.to.Write(b[:n]); err != nil {
			return err
		}
		d.sum.Write(b[:n])
		d.have += int64(n)
		d.progress(d.have)
		switch {
		case rerr == io.EOF && d.have == d.f.size:
			return nil
		case rerr != nil:
			return &temporary{failed(goOn, "%s broke off after %d of %d bytes of %s", d.hub.address, d.have, d.f.size, d.what), 0}
		}
	}
}

// check refuses content that is not what the hub states.
func (d *download) check() error {
	want, have := d.f.sha256, hex.EncodeToString(d.sum.Sum(nil))
	kind := "SHA-256"
	if want == "" {
		want, kind = d.f.blob, "git checksum"
	}
	if want == have {
		return nil
	}
	return failed("the hub or something on the way to it changed the file; nothing was kept", "%s: %s has the %s %s, and must have %s", d.hub.address, d.what, kind, have, want)
}
