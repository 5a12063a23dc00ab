package tokenizer

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// precompiled is the table of a SentencePiece model: a double array from
// characters to places in a text, at which their replacement stands up to the
// next NUL.
type precompiled struct {
	units []uint32
	texts []byte
	ascii [utf8.RuneSelf]int32 // where the replacement of a character stands, -1 for none
}

var errCharsMap = errors.New("precompiled_charsmap is not a table of replacements")

func newPrecompiled(raw json.RawMessage) (normalizer, error) {
	var def struct {
		Map string `json:"precompiled_charsmap"`
	}
	if err := json.Unmarshal(raw, &def); err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(def.Map)
	if err != nil || len(data) < 4 {
		return nil, errCharsMap
	}
	size := binary.LittleEndian.Uint32(data)
	data = data[4:]
	if uint64(size) > uint64(len(data)) || size%4 != 0 || size == 0 || !utf8.Valid(data[size:]) {
		return nil, errCharsMap
	}
	p := &precompiled{units: make([]uint32, size/4), texts: data[size:]}
	for i := range p.units {
		p.units[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	for c := range p.ascii {
		p.ascii[c] = p.place([]byte{byte(c)})
	}
	return p, nil
}

// place returns where the replacement of the shortest known beginning of text
// stands, -1 if there is none.
func (p *precompiled) place(text []byte) int32 {
	at := offset(p.units[0])
	for _, c := range text {
		if c == 0 {
			break
		}
		at ^= uint32(c)
		if at >= uint32(len(p.units)) {
			break
		}
		unit := p.units[at]
		if unit&(1<<31|0xff) != uint32(c) {
			break
		}
		at ^= offset(unit)
		if unit&(1<<8) != 0 {
			if at >= uint32(len(p.units)) {
				break
			}
			if v := p.units[at] &^ (1 << 31); v < uint32(len(p.texts)) {
				return int32(v)
			}
			break
		}
	}
	return -1
}

// offset is the distance from a unit to its children.
func offset(unit uint32) uint32 { return unit >> 10 << ((unit & (1 << 9)) >> 6) }

func (p *precompiled) append(dst []byte, place int32) []byte {
	text := p.texts[place:min(int(place)+maxReplacement, len(p.texts))]
	if n := bytes.IndexByte(text, 0); n >= 0 {
		text = text[:n]
	}
	return append(dst, text...)
}

// maxWhole is the size from which a user-perceived character is replaced by
// its parts only, in bytes.
const maxWhole = 6

// normalize replaces user-perceived characters, and where one has no
// replacement, its code points. Of a whole character only the shortest known
// beginning is looked up, as in the reference.
func (p *precompiled) normalize(dst, src []byte, _ *scratch) ([]byte, bool) {
	for i := 0; i < len(src); {
		r, size := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(src[i:])
		}
		if end := i + size; end == len(src) || stands(r) && standsBehind(src[end:]) {
			dst = p.one(dst, r, src[i:end])
			i = end
			continue
		}
		it := graphemes.FromBytes(src[i:])
		it.Next()
		whole := it.Value()
		i += len(whole)
		if len(whole) < maxWhole {
			if place := p.place(whole); place >= 0 {
				dst = p.append(dst, place)
				continue
			}
		}
		for len(whole) > 0 {
			r, size := utf8.DecodeRune(whole)
			dst = p.one(dst, r, whole[:size])
			whole = whole[size:]
		}
	}
	return dst, false
}

func (p *precompiled) one(dst []byte, r rune, text []byte) []byte {
	var place int32
	if r < utf8.RuneSelf {
		place = p.ascii[r]
	} else {
		place = p.place(text)
	}
	if place < 0 {
		return append(dst, text...)
	}
	return p.append(dst, place)
}

func standsBehind(text []byte) bool {
	if text[0] < utf8.RuneSelf {
		return text[0] != '\n' // it joins a carriage return
	}
	r, _ := utf8.DecodeRune(text)
	return stands(r)
}

// stands reports of common characters that none of them ever joins another one
// of them to a user-perceived character. Of others it reports false.
func stands(r rune) bool {
	switch {
	case r < 0x300:
		return r != 0xAD && r != 0xA9 && r != 0xAE
	case r < 0x590:
		return r >= 0x370 && r < 0x483 || r >= 0x48A
	case r < 0x700:
		return r >= 0x5D0 && r <= 0x5EA || r >= 0x620 && r <= 0x64A || r >= 0x671 && r <= 0x6D3
	case r < 0x3400:
		return r >= 0x1E00 && r < 0x2000 || r >= 0x3001 && r < 0x302A || r >= 0x3041 && r <= 0x3096 || r >= 0x30A0 && r <= 0x30FF
	}
	return r <= 0x9FFF || r >= hangulFirst && r < hangulFirst+hangulCount
}
