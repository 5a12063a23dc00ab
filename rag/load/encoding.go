package load

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// isDeflateError reports whether compressed data made no sense.
func isDeflateError(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt)
}

// utf16Reader turns UTF-16 into UTF-8. Half characters are an error.
type utf16Reader struct {
	r    io.Reader
	big  bool
	raw  [4096]byte
	n    int    // raw bytes held
	out  []byte // decoded, not yet read
	buf  []byte // memory of out
	seen int64  // raw bytes decoded, for messages
	err  error
}

// Read reads decoded text.
func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		u.fill()
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

// fill decodes the next piece. A unit or pair that is not complete yet stays
// in raw.
func (u *utf16Reader) fill() {
	m, err := u.r.Read(u.raw[u.n:])
	u.n += m
	u.buf = u.buf[:0]
	i := 0
	for i+2 <= u.n {
		r, size := rune(u.unit(i)), 2
		if utf16.IsSurrogate(r) {
			if i+4 > u.n && err == nil {
				break
			}
			if i+4 <= u.n {
				r, size = utf16.DecodeRune(r, rune(u.unit(i+2))), 4
			}
			if size == 2 || r == utf8.RuneError {
				u.err = refuse(0, ErrEncoding, "is damaged UTF-16: half a character at byte %d", u.seen+int64(i)+2)
				break
			}
		}
		u.buf = utf8.AppendRune(u.buf, r)
		i += size
	}
	u.n = copy(u.raw[:], u.raw[i:u.n])
	u.seen += int64(i)
	u.out = u.buf
	if u.err == nil && err != nil {
		u.err = err
		if err == io.EOF && u.n > 0 {
			u.err = refuse(0, ErrEncoding, "is damaged UTF-16: it ends in the middle of a character")
		}
	}
}

func (u *utf16Reader) unit(i int) uint16 {
	if u.big {
		return uint16(u.raw[i])<<8 | uint16(u.raw[i+1])
	}
	return uint16(u.raw[i+1])<<8 | uint16(u.raw[i])
}

// checkText refuses what is not UTF-8 text and says what it probably is. line
// is that of b's first byte.
func checkText(b []byte, line int) *FileError {
	nul := bytes.IndexByte(b, 0)
	valid := utf8.Valid(b)
	if nul < 0 && valid {
		return nil
	}
	if kind := magic(b); kind != "" {
		return refuse(0, ErrEncoding, "is %s, not text", kind)
	}
	if nul >= 0 {
		return refuse(0, ErrEncoding, "holds NUL bytes: a binary file, or UTF-16 without a byte order mark")
	}
	at := 0
	for at < len(b) {
		r, size := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	line += bytes.Count(b[:at], []byte{'\n'})
	// A last byte alone may as well be a letter of Latin-1.
	ascii := bytes.IndexFunc(b[:at], func(r rune) bool { return r >= utf8.RuneSelf }) < 0
	if !utf8.FullRune(b[at:]) && (!ascii || len(b)-at > 1) {
		return refuse(line, ErrEncoding, "is not valid UTF-8: it ends in the middle of a character, so the file may be cut off")
	}
	return refuse(line, ErrEncoding, "is not valid UTF-8 (byte 0x%02x): it looks like %s; convert it to UTF-8 first", b[at], legacyEncoding(b[max(0, at-legacySample/2):]))
}

// magic names some kinds of file by their first bytes, "" for none of them.
func magic(b []byte) string {
	for _, m := range []struct{ prefix, kind string }{
		{"%PDF-", "a PDF file"},
		{"PK\x03\x04", "a zip archive (docx, xlsx, odt, epub, ...)"},
		{"\x1f\x8b", "a gzip file without .gz in its name"},
		{"\x28\xb5\x2f\xfd", "a zstd file"},
		{"\x89PNG", "a picture"},
		{"\xff\xd8\xff", "a picture"},
		{"\x7fELF", "a program"},
	} {
		if strings.HasPrefix(string(b[:min(len(b), 8)]), m.prefix) {
			return m.kind
		}
	}
	return ""
}

// legacySample is how much of a file its encoding is guessed from.
const legacySample = 64 << 10

// legacyEncoding guesses the encoding of what is not UTF-8. The characters of GBK and its
// kin are pairs of bytes, the first of which is high, and come in runs. The
// letters of Latin-1 stand alone among ASCII; in Cyrillic and Greek code pages
// most letters are high, and every other word is not a whole number of pairs.
func legacyEncoding(b []byte) string {
	b = b[:min(len(b), legacySample)]
	paired, alone, ascii := 0, 0, 0
	for i := 0; i < len(b); {
		run := 0
		for i+1 < len(b) && b[i] >= 0x81 && b[i+1] >= 0x40 && b[i+1] != 0x7f {
			run++
			i += 2
		}
		if run >= 3 {
			paired += run
		} else {
			alone += run
		}
		if i < len(b) {
			if b[i] >= 0x80 {
				alone++
			} else if b[i]|0x20 >= 'a' && b[i]|0x20 <= 'z' {
				ascii++
			}
			i++
		}
	}
	switch {
	case paired > 4*alone:
		return "GBK, Big5 or Shift-JIS"
	case paired+alone > max(ascii, 4):
		return "a code page of one byte a letter, such as Windows-1251"
	}
	return "Latin-1 or Windows-1252"
}

// origin maps offsets of a normalised text to those of the file.
type origin struct {
	text string
	bom  int64
	// size returns how many bytes a piece of text has in the file; nil if the file is
	// UTF-8.
	size func(string) int64
	// dropped holds, ascending, the offsets in text that a CR was removed
	// before.
	dropped []int
	// last is the offset asked for last and sized its size in the file, so
	// that ascending questions cost one pass over the text.
	last  int
	sized int64
}

// normalise turns CRLF and single CR into LF and keeps the map to the source.
func normalise(b []byte, in *input) *origin {
	o := &origin{bom: in.bom}
	if in.wide {
		o.size = wideSize
	}
	if bytes.IndexByte(b, '\r') < 0 {
		o.text = string(b)
		return o
	}
	var out strings.Builder
	out.Grow(len(b))
	for {
		i := bytes.IndexByte(b, '\r')
		if i < 0 {
			out.Write(b)
			break
		}
		out.Write(b[:i])
		if i+1 < len(b) && b[i+1] == '\n' {
			o.dropped = append(o.dropped, out.Len())
		} else {
			out.WriteByte('\n')
		}
		b = b[i+1:]
	}
	o.text = out.String()
	return o
}

// at returns the offset in the file of the character at text[i:]. A removed CR
// belongs to the line break behind it: the start of the line break in the text
// is the start of the CR in the file.
func (o *origin) at(i int) int64 {
	removed := sort.SearchInts(o.dropped, i)
	if o.size == nil {
		return o.bom + int64(i+removed)
	}
	if i < o.last {
		o.last, o.sized = 0, 0
	}
	o.sized += o.size(o.text[o.last:i])
	o.last = i
	return o.bom + o.sized + int64(removed)*o.size("\r")
}

// span maps text[start:end].
func (o *origin) span(start, end int) [2]int64 {
	return [2]int64{o.at(start), o.at(end)}
}

// wideSize returns the bytes of s in UTF-16.
func wideSize(s string) int64 {
	n := int64(0)
	for _, r := range s {
		n += 2 * int64(utf16.RuneLen(r))
	}
	return n
}

// normalString is normalise for a text without a map.
func normalString(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
