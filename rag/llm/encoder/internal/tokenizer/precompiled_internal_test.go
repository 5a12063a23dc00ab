package tokenizer

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
)

// charsMap writes a table of replacements as SentencePiece does, each node's
// children in a block of their own.
func charsMap(replacements map[string]string) string {
	units := make([]uint32, 256)
	var texts []byte
	set := func(at, to uint32, label byte) { units[at] = units[at]&(1<<8) | (at^to)<<10 | uint32(label) }
	block := func() uint32 {
		units = append(units, make([]uint32, 256)...)
		return uint32(len(units) - 256)
	}
	base := map[string]uint32{"": block()} // where the children of a beginning stand
	units[0] = base[""] << 10
	for key, text := range replacements {
		for i := range len(key) {
			at := base[key[:i]] + uint32(key[i])
			if base[key[:i+1]] == 0 {
				base[key[:i+1]] = block()
				set(at, base[key[:i+1]], key[i])
			}
			if i+1 == len(key) {
				units[at] |= 1 << 8
				units[base[key]] = 1<<31 | uint32(len(texts))
			}
		}
		texts = append(append(texts, text...), 0)
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(4*len(units)))
	for _, u := range units {
		out = binary.LittleEndian.AppendUint32(out, u)
	}
	return base64.StdEncoding.EncodeToString(append(out, texts...))
}

func TestPrecompiled(t *testing.T) {
	t.Parallel()
	def, err := json.Marshal(map[string]string{"type": "Precompiled", "precompiled_charsmap": charsMap(map[string]string{
		"ﬁ": "fi", "①": "1", "e\u0301": "é", "\r": " ", "\u200b": "", "カ": "ka", "x": "X", "xy": "Z",
	})})
	if err != nil {
		t.Fatal(err)
	}
	n, err := parseNormalizer(def, 0)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                       "",
		"ﬁn ①":                   "fin 1",
		"cafe\u0301":             "café",
		"a\r\nb":                 "a b", // one user-perceived character
		"a\u200bb":               "ab",
		"①\u0301":                "1", // the mark is lost
		"①\u0301\u0301":          "1\u0301\u0301",
		"カ\u3099カ":               "ka\u3099ka", // six bytes: by code points
		"xy":                     "Xy",         // two characters, each on its own
		"한글\u1100\u1161":         "한글\u1100\u1161",
		"👨\u200d👩①":              "👨\u200d👩1",
		strings.Repeat("①", 500): strings.Repeat("1", 500),
	} {
		if got, _ := n.normalize(nil, []byte(text), &scratch{}); string(got) != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// A damaged table replaces what it can and never reads beyond its end.
func TestPrecompiledDamaged(t *testing.T) {
	t.Parallel()
	raw, err := base64.StdEncoding.DecodeString(charsMap(map[string]string{"ab": "c", "é": "e"}))
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(raw) - 4 {
		damaged := append([]byte(nil), raw...)
		for _, x := range []byte{0x01, 0x80, 0xff} {
			damaged[4+i] = raw[4+i] ^ x
			def := `{"type":"Precompiled","precompiled_charsmap":"` + base64.StdEncoding.EncodeToString(damaged) + `"}`
			if i%7 != 0 && raw[4+i] == 0 {
				continue // most of the table is empty
			}
			n, err := newPrecompiled(json.RawMessage(def))
			if err != nil {
				continue
			}
			if got, _ := n.normalize(nil, []byte("abé\u0301ab\x00"), &scratch{}); len(got) > 2000 {
				t.Fatalf("byte %d: %d bytes", i, len(got))
			}
		}
	}
}
