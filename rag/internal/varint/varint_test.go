package varint_test

import (
	"math"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/varint"
)

func TestRead(t *testing.T) {
	ff := string([]byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF})
	for _, c := range []struct {
		name, in string
		unsigned uint64
		signed   int64
		rest     string
		ok       bool
	}{
		{"nothing", "", 0, 0, "", false},
		{"zero", "\x00", 0, 0, "", true},
		{"one byte", "\x7f", 127, -64, "", true},
		{"two bytes", "\x80\x01", 128, 64, "", true},
		{"more follows", "\x01\x80\x00", 1, -1, "\x80\x00", true},
		{"greatest", ff + "\x01", math.MaxUint64, math.MinInt64, "", true},
		{"greatest signed", "\xfe" + ff[1:] + "\x01", math.MaxUint64 - 1, math.MaxInt64, "", true},
		{"zero in two bytes", "\x80\x00", 0, 0, "", false},
		{"one in three bytes", "\x81\x80\x00", 0, 0, "", false},
		{"cut short", "\x80", 0, 0, "", false},
		{"above 64 bits", ff + "\x02", 0, 0, "", false},
		{"eleven bytes", ff + "\xff\x01", 0, 0, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v, rest, ok := varint.Uvarint([]byte(c.in)); v != c.unsigned || string(rest) != c.rest || ok != c.ok {
				t.Errorf("Uvarint: %d, rest %x, %t", v, rest, ok)
			}
			if v, rest, ok := varint.Varint([]byte(c.in)); v != c.signed || string(rest) != c.rest || ok != c.ok {
				t.Errorf("Varint: %d, rest %x, %t", v, rest, ok)
			}
		})
	}
}
