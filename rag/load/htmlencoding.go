package load

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/encoding/htmlindex"
)

// declarationBytes is how far into a page its encoding is looked for, as in browsers.
const declarationBytes = 1024

// decodeHTML returns a page as UTF-8, and how many bytes a piece of it has in the
// file. A page that is UTF-8 or declares no encoding that is known is returned as it
// is, and size is nil. A page that is not what it declares is refused: a character
// that cannot be read is not replaced.
func decodeHTML(b []byte) (text []byte, size func(string) int64, err error) {
	if utf8.Valid(b) && bytes.IndexByte(b, 0x1b) < 0 { // ESC begins a shift of ISO-2022-JP
		return b, nil, nil
	}
	enc, err := htmlindex.Get(declaredEncoding(b[:min(len(b), declarationBytes)]))
	if err != nil {
		return b, nil, nil
	}
	name, err := htmlindex.Name(enc)
	switch {
	case err != nil, strings.HasPrefix(name, "utf-"): // a declaration that can be read is not UTF-16
		return b, nil, nil
	case name == "iso-2022-jp", name == "replacement": // the bytes of a piece depend on what is before it
		return nil, nil, refuse(0, ErrEncoding, "is in the encoding %s, which is not read; convert it to UTF-8 first", name)
	}
	size = func(s string) int64 {
		coded, err := enc.NewEncoder().String(s)
		if err != nil {
			return -1
		}
		return int64(len(coded))
	}
	text, err = enc.NewDecoder().Bytes(b)
	if at := bytes.IndexRune(text, utf8.RuneError); err == nil && at >= 0 {
		return nil, nil, refuse(1+bytes.Count(text[:at], []byte{'\n'}), ErrEncoding, "is not valid %s, which the page declares; convert it to UTF-8 first", name)
	}
	if err != nil || size(string(text)) != int64(len(b)) {
		return nil, nil, refuse(0, ErrEncoding, "has characters of %s whose place in the file is not known; convert it to UTF-8 first", name)
	}
	return text, size, nil
}

// declaredEncoding returns the name of the encoding that the beginning of a page
// declares: in an XML declaration or a meta element. It is "" without one.
func declaredEncoding(begin []byte) string {
	z := html.NewTokenizer(bytes.NewReader(begin))
	for first := true; z.Next() != html.ErrorToken; first = false {
		t := z.Token()
		if t.Type == html.CommentToken && first {
			_, after, _ := strings.Cut(t.Data, ` encoding=`)
			if parts := strings.FieldsFunc(after, func(r rune) bool { return r == '"' || r == '\'' }); len(parts) > 0 {
				return parts[0]
			}
		}
		if t.DataAtom != atom.Meta {
			continue
		}
		for _, a := range t.Attr {
			if a.Key == "charset" {
				return a.Val
			}
			if _, params, err := mime.ParseMediaType(a.Val); a.Key == "content" && err == nil && params["charset"] != "" {
				return params["charset"]
			}
		}
	}
	return ""
}
