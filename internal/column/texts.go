package column

import (
	"encoding/binary"
	"slices"
)

// Forms of texts.
const (
	formPlain = 0
	formDict  = 1
)

// appendTexts writes the texts of rows, as a dictionary if that is shorter.
func appendTexts(dst []byte, x []string) []byte {
	codes := make(map[string]int64, 64)
	plain, dict := 0, 0
	for _, s := range x {
		plain += len(s)
		if _, ok := codes[s]; !ok {
			codes[s] = 0
			dict += len(s)
		}
	}
	entries := make([]string, 0, len(codes))
	for s := range codes {
		entries = append(entries, s)
	}
	if len(entries)*2 > len(x) || dict >= plain {
		return appendStrings(append(dst, formPlain), x)
	}
	slices.Sort(entries)
	for i, s := range entries {
		codes[s] = int64(i)
	}
	dst = binary.AppendUvarint(append(dst, formDict), uint64(len(entries)))
	dst = appendStrings(dst, entries)
	rows := make([]int64, len(x))
	for i, s := range x {
		rows[i] = codes[s]
	}
	return appendNumbers(dst, rows)
}

func appendStrings(dst []byte, x []string) []byte {
	lengths := make([]int64, len(x))
	for i, s := range x {
		lengths[i] = int64(len(s))
	}
	dst = appendNumbers(dst, lengths)
	for _, s := range x {
		dst = append(dst, s...)
	}
	return dst
}

// texts are read texts: codes[i] is the place in dict of the text of the i-th row that
// has one.
type texts struct {
	dict  []string
	codes []int64
}

// readTexts reads the texts of n rows into t and returns what follows them.
func readTexts(b []byte, n int, t *texts) ([]byte, bool) {
	if len(b) == 0 {
		return nil, false
	}
	form := b[0]
	b = b[1:]
	t.codes = slices.Grow(t.codes[:0], n)[:n]
	switch form {
	case formPlain:
		for i := range t.codes {
			t.codes[i] = int64(i)
		}
		return t.readStrings(b, n)
	case formDict:
		entries, k := binary.Uvarint(b)
		if k <= 0 || entries == 0 || entries > uint64(n) {
			return nil, false
		}
		b, ok := t.readStrings(b[k:], int(entries))
		if !ok {
			return nil, false
		}
		if b, ok = readNumbers(b, t.codes); !ok {
			return nil, false
		}
		for _, c := range t.codes {
			if uint64(c) >= entries {
				return nil, false
			}
		}
		return b, true
	}
	return nil, false
}

// readStrings reads n strings into the dictionary and returns what follows them.
func (t *texts) readStrings(b []byte, n int) ([]byte, bool) {
	lengths := make([]int64, n)
	b, ok := readNumbers(b, lengths)
	if !ok {
		return nil, false
	}
	sum := uint64(0)
	for _, l := range lengths {
		if uint64(l) > uint64(len(b)) {
			return nil, false
		}
		sum += uint64(l)
	}
	if sum > uint64(len(b)) {
		return nil, false
	}
	all := string(b[:sum])
	t.dict = slices.Grow(t.dict[:0], n)[:n]
	at := int64(0)
	for i, l := range lengths {
		t.dict[i] = all[at : at+l]
		at += l
	}
	return b[sum:], true
}
