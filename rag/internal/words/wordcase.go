package words

import (
	"encoding/binary"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/internal/varint"
)

// appendCase appends the counts of a word in the case statistics.
func appendCase(dst []byte, lower, upper int64) []byte {
	return binary.AppendVarint(binary.AppendVarint(dst, lower), upper)
}

func decodeCase(b []byte) (lower, upper int64, err error) {
	lower, b, ok := varint.Varint(b)
	if ok {
		upper, b, ok = varint.Varint(b)
	}
	if !ok || len(b) > 0 || lower == 0 && upper == 0 {
		return 0, 0, text.ErrCaseStats
	}
	return lower, upper, nil
}

// writeCases writes case statistics, by ascending word, where a version has none.
func writeCases(c *text.CaseStats, version uint32, set func(key, value []byte) error) error {
	for w := range c.Words() {
		if err := set(wordKey(version, "case/"+w), appendCase(nil, c.Lower(w), c.Upper(w))); err != nil {
			return err
		}
	}
	return nil
}

// changeCases adds a change to the case statistics of a version.
func changeCases(b engine.BucketWriter, version uint32, change *text.CaseStats) error {
	var words []string
	var keys [][]byte
	for w := range change.Words() {
		words = append(words, w)
		keys = append(keys, wordKey(version, "case/"+w))
	}
	sums := make([][2]int64, len(words))
	for i, w := range words {
		sums[i] = [2]int64{change.Lower(w), change.Upper(w)}
	}
	err := b.MultiGet(keys, func(i int, raw []byte) error {
		lower, upper, err := decodeCase(raw)
		if err != nil {
			return nil // it is lost, and the word told by what comes
		}
		sums[i][0] += lower
		sums[i][1] += upper
		return nil
	})
	for i, n := range sums {
		if err != nil {
			break
		}
		if n == [2]int64{} {
			err = b.Delete(keys[i])
		} else {
			err = b.Set(keys[i], appendCase(nil, n[0], n[1]))
		}
	}
	return err
}
