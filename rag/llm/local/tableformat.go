package local

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/varint"
)

// A stored table is a head and a row for each word.
//
// Head, under the key "head":
//
//	byte      format, 2
//	uvarint   version of the table
//	uvarint   number of training texts
//	uvarint   number of words
//	string    name of the analyzer   (uvarint length, bytes)
//	string    name of the hash
//	512 f32   direction
//	f32 f32   P50 and P99
//	32 bytes  exclusive or of the SHA-256 of each row's word, a zero byte and value
//	32 bytes  SHA-256 of the head up to here
//
// Row, under the key "row/" with the word:
//
//	uvarint   number of texts that have the word
//	f32       scale
//	512 i8    the vector, in units of the scale
//
// Numbers of fixed size are little-endian.
const (
	tableFormat = 2
	headKey     = "head"
	rowPrefix   = "row/"
)

// Stored is a table in a store, by the keys of [Table.Entries].
type Stored interface {
	// Get returns the value of a key.
	Get(key []byte) ([]byte, error)
	// MultiGet calls fn with the places of those keys that have a value, and the
	// values, in any order.
	MultiGet(keys [][]byte, fn func(i int, value []byte) error) error
	// Each calls fn with the keys that begin with a prefix and their values, by
	// ascending key.
	Each(prefix []byte, fn func(key, value []byte) error) error
}

// Entries yields the table as keys and values to be stored. The head comes last, so
// that a store that was interrupted has none. Key and value belong to the caller.
func (t *Table) Entries() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		var sum rowSum
		for row, word := range t.words {
			b := appendRow(make([]byte, 0, Dim+16), t.df[row], t.scales[row], t.row(row))
			sum.toggle(word, b)
			if !yield(rowKey(word), b) {
				return
			}
		}
		yield([]byte(headKey), t.head.append(sum))
	}
}

func rowKey(word string) []byte { return append([]byte(rowPrefix), word...) }

// rowSum sums up rows, in any order.
type rowSum [sha256.Size]byte

// toggle adds a row, or takes one out that was added.
func (s *rowSum) toggle(word string, value []byte) {
	h := sha256.New()
	h.Write([]byte(word))
	h.Write([]byte{0})
	h.Write(value)
	for i, b := range h.Sum(nil) {
		s[i] ^= b
	}
}

func appendRow(b []byte, df int64, scale float32, row []int8) []byte {
	b = binary.AppendUvarint(b, uint64(df))
	b = appendFloat(b, scale)
	for _, q := range row {
		b = append(b, byte(q))
	}
	return b
}

func (h Head) append(sum rowSum) []byte {
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
	b = append(b, sum[:]...)
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

// LoadHead returns the head of a stored table. get returns the value of a key of
// [Table.Entries]; LoadHead does not keep it. An error that is not get's is
// [ErrTable].
func LoadHead(get func(key []byte) ([]byte, error)) (Head, error) {
	h, _, err := loadHead(get)
	return h, err
}

func loadHead(get func(key []byte) ([]byte, error)) (h Head, sum rowSum, err error) {
	b, err := get([]byte(headKey))
	if err != nil {
		return Head{}, sum, phase.Errorf("load table: head: %w", err)
	}
	if h, sum, err = decodeHead(b); err != nil {
		return Head{}, sum, phase.Errorf("load table: head: %w", err)
	}
	return h, sum, nil
}

// LoadTable returns a stored table. It reads all rows and checks that they are those
// of the head. An error that is not the store's is [ErrTable].
func LoadTable(s Stored) (*Table, error) {
	h, want, err := loadHead(s.Get)
	if err != nil {
		return nil, err
	}
	t := &Table{head: h}
	var sum rowSum
	err = s.Each([]byte(rowPrefix), func(key, value []byte) error {
		word := string(key[len(rowPrefix):])
		sum.toggle(word, value)
		return t.decodeRow(word, value)
	})
	if err != nil {
		return nil, phase.Errorf("load table: %w", err)
	}
	if len(t.words) != h.Words || sum != want {
		return nil, phase.Errorf("load table: %w: rows are not those of the head", ErrTable)
	}
	t.lex = newLexicon(h.Texts, t.words, t.df)
	return t, nil
}

// LoadWords returns a stored table as far as some texts need it: it embeds them, and
// weighs their words, as the whole table does. Of other words it knows nothing. It
// reads the head and a row for each word. An error that is not the store's is
// [ErrTable].
func LoadWords(s Stored, texts ...string) (*Table, error) {
	h, _, err := loadHead(s.Get)
	if err != nil {
		return nil, err
	}
	var words []string
	for _, text := range texts {
		for _, c := range bag(text) {
			words = append(words, c.term)
		}
	}
	slices.Sort(words)
	words = slices.Compact(words)
	keys := make([][]byte, len(words))
	for i, w := range words {
		keys[i] = rowKey(w)
	}
	values := make([][]byte, len(words))
	if err := s.MultiGet(keys, func(i int, value []byte) error { values[i] = bytes.Clone(value); return nil }); err != nil {
		return nil, phase.Errorf("load words: %w", err)
	}
	t := &Table{head: h}
	for i, value := range values {
		if value == nil {
			continue
		}
		if err := t.decodeRow(strings.Clone(words[i]), value); err != nil {
			return nil, phase.Errorf("load words: %w", err)
		}
	}
	t.lex = newLexicon(h.Texts, t.words, t.df)
	return t, nil
}

// CheckEntry returns what is wrong with one key and value of [Table.Entries], an
// [ErrTable], as far as they can be read without the others.
func CheckEntry(key, value []byte) error {
	if string(key) == headKey {
		_, _, err := decodeHead(value)
		return err
	}
	word, ok := strings.CutPrefix(string(key), rowPrefix)
	if !ok {
		return fmt.Errorf("%w: key %q", ErrTable, key)
	}
	t := &Table{head: Head{Words: 1, Texts: math.MaxInt64}}
	return t.decodeRow(word, value)
}

// Drop removes words from a stored table: they then are as words that the table never
// had, which changes the vectors of texts that have them and no others. put stores a
// value in place of what a key had, remove removes a key: only the rows of the words
// and the head are read and written. If an error is returned, what was written must
// not be kept.
func Drop(s Stored, put func(key, value []byte) error, remove func(key []byte) error, words []string) error {
	h, sum, err := loadHead(s.Get)
	if err != nil {
		return err
	}
	words = slices.Compact(slices.Sorted(slices.Values(words)))
	keys := make([][]byte, len(words))
	for i, w := range words {
		keys[i] = rowKey(w)
	}
	var gone [][]byte
	err = s.MultiGet(keys, func(i int, value []byte) error {
		if err := CheckEntry(keys[i], value); err != nil {
			return err
		}
		sum.toggle(words[i], value)
		gone = append(gone, keys[i])
		return nil
	})
	if err != nil {
		return phase.Errorf("drop words: %w", err)
	}
	if len(gone) > h.Words {
		return phase.Errorf("drop words: %w: rows are not those of the head", ErrTable)
	}
	for _, key := range gone {
		if err := remove(key); err != nil {
			return phase.Errorf("drop words: %w", err)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	h.Words -= len(gone)
	if err := put([]byte(headKey), h.append(sum)); err != nil {
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

func decodeHead(b []byte) (h Head, sum rowSum, err error) {
	fail := func(what string) (Head, rowSum, error) {
		return Head{}, rowSum{}, fmt.Errorf("%w: %s", ErrTable, what)
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
	copy(sum[:], r.bytes(sha256.Size))
	switch {
	case r.bad || len(r.b) > 0:
		return fail("wrong length or number")
	case version > math.MaxUint32 || texts > math.MaxInt64 || words > math.MaxInt32:
		return fail("number out of range")
	}
	h.Version, h.Texts, h.Words = uint32(version), int64(texts), int(words)
	return h, sum, nil
}

// decodeRow appends the row of a word to the table.
func (t *Table) decodeRow(word string, b []byte) error {
	fail := func(what string) error { return fmt.Errorf("%w: the word %q: %s", ErrTable, word, what) }
	r := reader{b: b}
	df, scale, row := r.uvarint(), r.float(), r.bytes(Dim)
	switch {
	case r.bad || len(r.b) > 0:
		return fail("wrong length or number")
	case len(t.words) == t.head.Words:
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
	last := len(t.rows) - 1
	switch {
	case last < 0:
		t.rows, last = append(t.rows, nil), 0 // a few rows take little
	case len(t.rows[last]) == rowsPart*Dim:
		t.rows, last = append(t.rows, make([]int8, 0, rowsPart*Dim)), last+1
	}
	for _, q := range row {
		t.rows[last] = append(t.rows[last], int8(q))
	}
	return nil
}
