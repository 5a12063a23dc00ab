package load_test

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/ragdb/ragdb/rag/load"
)

// TestHTMLEncodings holds that a page is read in the encoding that it declares, and
// that the places of its blocks are those in the file.
func TestHTMLEncodings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		head string
		in   encoding.Encoding
		text string
	}{
		"charset":           {`<meta charset="windows-1252">`, charmap.Windows1252, "Müller – 5 €."},
		"content type":      {`<META HTTP-EQUIV=Content-Type CONTENT="text/html; charset=ISO-8859-1">`, charmap.ISO8859_1, "Müller says so."},
		"Shift_JIS":         {`<meta charset=Shift_JIS>`, japanese.ShiftJIS, "水車小屋は川の曲がり角に、ﾊﾛｰ。"},
		"EUC-JP":            {`<meta charset=euc-jp>`, japanese.EUCJP, "水車小屋は川の曲がり角に、ﾊﾛｰ。"},
		"GBK":               {`<meta charset="gb2312">`, simplifiedchinese.GBK, "磨坊在河湾处。"},
		"gb18030":           {`<meta charset="gb18030">`, simplifiedchinese.GB18030, "磨坊在 🙂 河湾处。"},
		"Big5":              {`<meta charset="big5">`, traditionalchinese.Big5, "磨坊在河灣處。"},
		"EUC-KR":            {`<meta charset="euc-kr">`, korean.EUCKR, "방앗간은 강가에 있다."},
		"koi8-r":            {`<title>x</title><meta name=a content=b><meta charset=" KOI8-R ">`, charmap.KOI8R, "Мельница стоит у реки."},
		"XML declaration":   {`<?xml version="1.0" encoding="ISO-8859-1"?>`, charmap.ISO8859_1, "Müller says so."},
		"declared wrongly":  {`<meta charset="windows-1252">`, encoding.Nop, "Müller 磨坊"},
		"a mark goes first": {"\ufeff" + `<meta charset="windows-1252">`, encoding.Nop, "Müller 磨坊"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content, err := c.in.NewEncoder().String(c.head + "\r\n<p>" + c.text + "</p>\r\n<p>" + c.text + " Again.</p>")
			if err != nil {
				t.Fatal(err)
			}
			d := one(t, "a.html", content, nil)
			if want := c.text + "\n\n" + c.text + " Again."; !strings.HasSuffix(d.Text, want) {
				t.Fatalf("text %q, want %q", d.Text, want)
			}
			for _, b := range d.Blocks[len(d.Blocks)-2:] {
				source, err := c.in.NewDecoder().String(content[b.Source[0]:b.Source[1]])
				if err != nil || source != d.Text[b.Start:b.End] {
					t.Errorf("block %q is %q in the file (%v)", d.Text[b.Start:b.End], source, err)
				}
			}
		})
	}
	for name, c := range map[string]struct{ in, want string }{
		"not as declared":  {"<meta charset=Shift_JIS>\n<p>a\xff", "a.html:2: is not valid shift_jis, which the page declares; convert it to UTF-8 first"},
		"UTF-8 declared":   {"<meta charset=utf-8>\n<p>caf\xe9 noir", "a.html:2: is not valid UTF-8 (byte 0xe9): it looks like Latin-1 or Windows-1252; convert it to UTF-8 first"},
		"UTF-16 declared":  {"<meta charset=utf-16>\n<p>caf\xe9 noir", "a.html:2: is not valid UTF-8 (byte 0xe9): it looks like Latin-1 or Windows-1252; convert it to UTF-8 first"},
		"unknown":          {"<meta charset=klingon>\n<p>caf\xe9 noir", "a.html:2: is not valid UTF-8 (byte 0xe9): it looks like Latin-1 or Windows-1252; convert it to UTF-8 first"},
		"declared too far": {strings.Repeat(" ", 1024) + "<meta charset=latin1>caf\xe9 noir", "a.html:1: is not valid UTF-8 (byte 0xe9): it looks like Latin-1 or Windows-1252; convert it to UTF-8 first"},
		"states":           {"<meta charset=iso-2022-jp><p>\x1b$B?e<V\x1b(B", "a.html: is in the encoding iso-2022-jp, which is not read; convert it to UTF-8 first"},
		"not to be placed": {"<meta charset=big5><p>\x88\x62", "a.html: has characters of big5 whose place in the file is not known; convert it to UTF-8 first"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := walk(t, files("a.html", c.in), ".", nil)
			if len(r.bad) != 1 || r.bad[0].Error() != c.want || !errors.Is(r.bad[0], load.ErrEncoding) {
				t.Errorf("errors %v\nwant   %s", r.bad, c.want)
			}
		})
	}
	r := walk(t, files("a.html", "<meta charset=latin1>"+strings.Repeat("\xe9", 1000)), ".", &load.Options{MaxDocBytes: 1500})
	if len(r.bad) != 1 || !errors.Is(r.bad[0], load.ErrTooLarge) {
		t.Errorf("a page that is decoded beyond the limit: %v", r.bad)
	}
}
