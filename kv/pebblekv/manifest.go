package pebblekv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
)

// A manifest is a log of records in blocks of 32 KiB. A record is one chunk
// (type 1), or a first (2), middle (3) and last (4) chunk in as many blocks:
//
//	checksum 4   crc32c of what follows the length, rotated; little-endian
//	length   2   of the payload; little-endian
//	type     1
//	payload
//
// A block's end too short for a chunk is zero.
const (
	manifestBlock = 32 << 10
	chunkHeader   = 7
	chunkFull     = 1
	chunkFirst    = 2
	chunkLast     = 4
)

// verifyManifest looks for damage that Pebble takes for the end of the
// manifest: it stops at the first chunk it cannot read, as is right for the
// one record a crash may have torn, and then it drops the tables that only
// later records name. Each record is durable before the next is written, so
// the start of another record after a bad chunk proves damage. In the last
// record damage and tearing look alike.
func verifyManifest(fsys vfs.FS, dir, name string) error {
	f, err := fsys.Open(fsys.PathJoin(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return &kv.CorruptError{File: name, Why: "the file is missing"}
	}
	if err != nil {
		return err
	}
	block := make([]byte, manifestBlock)
	for offset, bad := int64(0), int64(-1); ; offset += manifestBlock {
		n, err := io.ReadFull(f, block)
		if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
			return errors.Join(err, f.Close())
		}
		good := 0
		if bad < 0 {
			if good = goodChunks(block[:n]); good < n {
				bad = offset + int64(good)
			}
		}
		if bad >= 0 && recordStartsIn(block[good:n]) {
			return errors.Join(&kv.CorruptError{
				File: name,
				Why:  fmt.Sprintf("bad record at byte %d, before the last", bad),
			}, f.Close())
		}
		if err != nil {
			return f.Close()
		}
	}
}

// goodChunks returns the length of the well-formed start of a block, which is
// all of it if only a short zero end follows the chunks.
func goodChunks(b []byte) int {
	at := 0
	for len(b)-at >= chunkHeader {
		n, ok := chunk(b[at:])
		if !ok {
			return at
		}
		at += n
	}
	if len(b) == manifestBlock {
		return len(b)
	}
	return at
}

// recordStartsIn reports whether the start of a record is anywhere in b.
func recordStartsIn(b []byte) bool {
	for at := 0; at+chunkHeader <= len(b); at++ {
		if kind := b[at+6]; kind == chunkFull || kind == chunkFirst {
			if _, ok := chunk(b[at:]); ok {
				return true
			}
		}
	}
	return false
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// chunk returns the length of the chunk at the start of b, if one is there.
func chunk(b []byte) (n int, ok bool) {
	if len(b) < chunkHeader {
		return 0, false
	}
	n = chunkHeader + int(binary.LittleEndian.Uint16(b[4:]))
	if n > len(b) || b[6] < chunkFull || b[6] > chunkLast {
		return 0, false
	}
	c := crc32.Checksum(b[6:n], castagnoli)
	sum := (c>>15 | c<<17) + 0xa282ead8
	return n, sum == binary.LittleEndian.Uint32(b)
}

// currentManifest returns the manifest that the newest marker names.
func currentManifest(names []string) string {
	newest, manifest := "", ""
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, manifestMarker)
		if !ok {
			continue
		}
		number, value, _ := strings.Cut(rest, ".")
		if len(number) > len(newest) || len(number) == len(newest) && number > newest {
			newest, manifest = number, value
		}
	}
	return manifest
}
