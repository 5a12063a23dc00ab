package interchange

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// xmlReader reads XML in the encoding of its byte order mark, else in the one that
// it declares, else as UTF-8.
type xmlReader struct {
	*xml.Decoder
	// encoding is the name of the encoding that is decoded, "" for UTF-8.
	encoding string
}

func newXMLReader(r io.Reader) *xmlReader {
	x := &xmlReader{}
	in := bufio.NewReader(r)
	begin, _ := in.Peek(3) // a file may be shorter
	marked := true
	r = in
	switch s := string(begin); {
	case strings.HasPrefix(s, "\xff\xfe"), strings.HasPrefix(s, "<\x00"):
		r = x.decode(in, "UTF-16", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM))
	case strings.HasPrefix(s, "\xfe\xff"), strings.HasPrefix(s, "\x00<"):
		r = x.decode(in, "UTF-16", unicode.UTF16(unicode.BigEndian, unicode.UseBOM))
	case s == "\xef\xbb\xbf":
		in.Discard(len(s)) // what was peeked at can be discarded
	default:
		marked = false
	}
	x.Decoder = xml.NewDecoder(r)
	x.CharsetReader = func(name string, in io.Reader) (io.Reader, error) {
		if marked || strings.HasPrefix(strings.ToLower(name), "utf-16") {
			return in, nil // a declaration that can be read as ASCII is not UTF-16
		}
		e, err := htmlindex.Get(name)
		if err != nil {
			return nil, fmt.Errorf("the encoding is not known; convert the file to UTF-8")
		}
		return x.decode(in, name, e), nil
	}
	return x
}

func (x *xmlReader) decode(r io.Reader, name string, e encoding.Encoding) io.Reader {
	x.encoding = name
	return e.NewDecoder().Reader(r)
}

// undecoded reports whether a text that was read has bytes that are no character of
// the file's encoding: they were decoded to U+FFFD.
func (x *xmlReader) undecoded(s string) bool {
	return x.encoding != "" && strings.ContainsRune(s, utf8.RuneError)
}
