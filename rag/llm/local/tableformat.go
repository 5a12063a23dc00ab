package local

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"iter"
	"math"

	"github.com/ragdb/ragdb/rag/internal/varint"
)

// A stored table is a head and blocks of rows.
//
// Head, under the key "head":
//
//	byte      format, 1
//	uvarint   version of the table
//	uvarint   number of training texts
//	uvarint   number of words
//	string    name of the analyzer   (uvarint length, bytes)
//	string    name of the hash
//	512 f32   direction
//	f32 f32   P50 and P99
//	uvarint   number of blocks
//	32 bytes  SHA-256 of the blocks, one after the other
//	32 bytes  SHA-256 of the head up to here
//
// Block k, under the key "rows/" with k in five digits, holds up to 1,024
// words, fewer or none after [Drop], and, by ascending word over all blocks,
// for each:
//
//	string    the word
//	uvarint   number of texts that have it
//	f32       scale
//	512 i8    the vector, in units of the scale
//
// Numbers of fixed size are little-endian.
const (
	tableFormat = 1
	blockWords  = 1024
	maxBlock    = 1 << 20
	headKey     = "head"
)

// blockKey returns the key of block k.
func blockKey(k int) []byte { return fmt.Appendf(nil, "rows/%05d", k) }

// Blocks yields the table as keys and values to be stored, about 540 kB each
// and never above 1 MiB but for one word that alone is longer. The head comes
// last, so that a store that was interrupted has none. Key and value belong to
// the caller.
func (t *Table) Blocks() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		digest := sha256.New()
		blocks := 0
		for row := 0; row < len(t.words); {
			b := make([]byte, 0, blockWords*(Dim+16))
			first := row
			for row < len(t.words) && row-first < blockWords &&
				(row == first || len(b)+len(t.words[row])+Dim+24 <= maxBlock) {
				b = t.appendRow(b, row)
				row++
			}
			digest.Write(b)
			if !yield(blockKey(blocks), b) {
				return
			}
			blocks++
		}
		yield([]byte(headKey), t.head.append(blocks, digest))
	}
}

func (t *Table) appendRow(b []byte, row int) []byte {
	b = appendString(b, t.words[row])
	b = binary.AppendUvarint(b, uint64(t.df[row]))
	b = appendFloat(b, t.scales[row])
	for _, q := range t.rows[row*Dim : (row+1)*Dim] {
		b = append(b, byte(q))
	}
	return b
}

func (h Head) append(blocks int, digest hash.Hash) []byte {
	b := []byte{tableFormat}
	b = binary.AppendUvarint(b, uint64(h.Version))
	b = binary.AppendUvarint(b, uint64(h.Texts))
	b = binary.AppendUvarint(b, uint64(h.Words))
	b = appendString(b, analyzerName())
	b = appendString(b, hashName)
	for _, x := range h.Direction {
		b = appendFloat(b, x)
	}
	b = appendFloat(b, h.P50)
	b = appendFloat(b, h.P99)
	b = binary.AppendUvarint(b, uint64(blocks))
	b = digest.Sum(b)
	own := sha256.Sum256(b)
	return append(b, own[:]...)
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendFloat(b []byte, x float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
}

// LoadHead returns the head of a stored table. get returns the value of a key
// of [Table.Blocks]; LoadHead does not keep it. An error that is not get's is
// [ErrTable].
func LoadHead(get func(key []byte) ([]byte, error)) (Head, error) {
	h, _, _, err := loadHead(get)
	return h, err
}

func loadHead(get func(key []byte) ([]byte, error)) (h Head, blocks int, digest []byte, err error) {
	b, err := get([]byte(headKey))
	if err != nil {
		return Head{}, 0, nil, phase.Errorf("load table: head: %w", err)
	}
	if h, blocks, digest, err = decodeHead(b); err != nil {
		return Head{}, 0, nil, phase.Errorf("load table: head: %w", err)
	}
	return h, blocks, digest, nil
}

// LoadTable returns a stored table. get is as for [LoadHead]. It reads all
// blocks and checks their digest.
func LoadTable(get func(key []byte) ([]byte, error)) (*Table, error) {
	h, blocks, want, err := loadHead(get)
	if err != nil {
		return nil, err
	}
	t := &Table{head: h}
	digest := sha256.New()
	for k := range blocks {
		b, err := get(blockKey(k))
		if err == nil {
			err = t.decodeBlock(b)
		}
		if err != nil {
			return nil, phase.Errorf("load table: block %d: %w", k, err)
		}
		digest.Write(b)
	}
	if len(t.words) != h.Words || !bytes.Equal(digest.Sum(nil), want) {
		return nil, phase.Errorf("load table: %w: blocks are not those of the head", ErrTable)
	}
	t.lex = newLexicon(h.Texts, t.words, t.df)
	return t, nil
}

// CheckBlock returns what is wrong with one key and value of [Table.Blocks],
// an [ErrTable], as far as they can be read without the others.
func CheckBlock(key, value []byte) error {
	if string(key) == headKey {
		_, _, _, err := decodeHead(value)
		return err
	}
	var k int
	if n, err := fmt.Sscanf(string(key), "rows/%05d", &k); n != 1 || err != nil || string(blockKey(k)) != string(key) {
		return fmt.Errorf("%w: key %q", ErrTable, key)
	}
	t := &Table{head: Head{Words: blockWords, Texts: math.MaxInt64}}
	return t.decodeBlock(value)
}

// Drop removes words from a stored table: they then are as words that the
// table never had, which changes the vectors of texts that have them and no
// others. get is as for [LoadHead]; put stores a key in place of what it had,
// only blocks that change and the head. It reads the whole table. If an
// error is returned what was put must not be kept.
func Drop(get func(key []byte) ([]byte, error), put func(key, value []byte) error, words []string) error {
	h, blocks, _, err := loadHead(get)
	if err != nil {
		return err
	}
	gone := make(map[string]bool, len(words))
	for _, w := range words {
		gone[w] = true
	}
	digest := sha256.New()
	left := 0
	for k := range blocks {
		b, err := get(blockKey(k))
		if err != nil {
			return phase.Errorf("drop words: block %d: %w", k, err)
		}
		t := &Table{head: h}
		if err := t.decodeBlock(b); err != nil {
			return phase.Errorf("drop words: block %d: %w", k, err)
		}
		kept := make([]byte, 0, len(b))
		for row, w := range t.words {
			if !gone[w] {
				kept = t.appendRow(kept, row)
				left++
			}
		}
		digest.Write(kept)
		if len(kept) == len(b) {
			continue
		}
		if err := put(blockKey(k), kept); err != nil {
			return phase.Errorf("drop words: %w", err)
		}
	}
	if left == h.Words {
		return nil
	}
	h.Words = left
	if err := put([]byte(headKey), h.append(blocks, digest)); err != nil {
		return phase.Errorf("drop words: %w", err)
	}
	return nil
}

// A reader takes values off the front of bytes; after a failure all are 0.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uvarint() uint64 {
	v, rest, ok := varint.Uvarint(r.b)
	r.b, r.bad = rest, r.bad || !ok
	return v
}

func (r *reader) bytes(n uint64) []byte {
	if r.bad || n > uint64(len(r.b)) {
		r.b, r.bad = nil, true
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) string() string { return string(r.bytes(r.uvarint())) }

// float reads a number, which must be finite.
func (r *reader) float() float32 {
	b := r.bytes(4)
	if r.bad {
		return 0
	}
	x := math.Float32frombits(binary.LittleEndian.Uint32(b))
	if x-x != 0 {
		r.bad = true
		return 0
	}
	return x
}

func decodeHead(b []byte) (h Head, blocks int, digest []byte, err error) {
	fail := func(what string) (Head, int, []byte, error) {
		return Head{}, 0, nil, fmt.Errorf("%w: %s", ErrTable, what)
	}
	if len(b) < sha256.Size {
		return fail("too short")
	}
	body := b[:len(b)-sha256.Size]
	if own := sha256.Sum256(body); !bytes.Equal(own[:], b[len(body):]) {
		return fail("wrong checksum")
	}
	r := reader{b: body}
	if f := r.bytes(1); r.bad || f[0] != tableFormat {
		return fail("unknown format")
	}
	version, texts, words := r.uvarint(), r.uvarint(), r.uvarint()
	if a := r.string(); !r.bad && a != analyzerName() {
		return fail(fmt.Sprintf("analyzer %q, want %q", a, analyzerName()))
	}
	if n := r.string(); !r.bad && n != hashName {
		return fail(fmt.Sprintf("hash %q, want %q", n, hashName))
	}
	h.Direction = make([]float32, Dim)
	for i := range h.Direction {
		h.Direction[i] = r.float()
	}
	h.P50, h.P99 = r.float(), r.float()
	n := r.uvarint()
	digest = bytes.Clone(r.bytes(sha256.Size))
	switch {
	case r.bad || len(r.b) > 0:
		return fail("wrong length or number")
	case version > math.MaxUint32 || texts > math.MaxInt64 || words > math.MaxInt32 || n > math.MaxInt32:
		return fail("number out of range")
	}
	h.Version, h.Texts, h.Words = uint32(version), int64(texts), int(words)
	return h, int(n), digest, nil
}

// decodeBlock appends the rows of a block to the table.
func (t *Table) decodeBlock(b []byte) error {
	fail := func(what string) error { return fmt.Errorf("%w: word %d: %s", ErrTable, len(t.words), what) }
	r := reader{b: b}
	for n := 0; len(r.b) > 0; n++ {
		word, df, scale, row := r.string(), r.uvarint(), r.float(), r.bytes(Dim)
		switch {
		case r.bad:
			return fail("wrong length or number")
		case n == blockWords || len(t.words) == t.head.Words:
			return fail("too many words")
		case word == "" || len(t.words) > 0 && word <= t.words[len(t.words)-1]:
			return fail("words are not in order")
		case df == 0 || df > uint64(t.head.Texts):
			return fail("number of texts")
		case scale < 0:
			return fail("scale")
		}
		t.words = append(t.words, word)
		t.df = append(t.df, int64(df))
		t.scales = append(t.scales, scale)
		for _, q := range row {
			t.rows = append(t.rows, int8(q))
		}
	}
	return nil
}
