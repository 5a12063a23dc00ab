package interchange

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// TestGraphMLEncodings holds that a file is read in the encoding of its mark, or in
// the declared one, and that a character is never lost in silence.
func TestGraphMLEncodings(t *testing.T) {
	t.Parallel()
	utf16 := func(e unicode.Endianness, b unicode.BOMPolicy) encoding.Encoding { return unicode.UTF16(e, b) }
	for name, c := range map[string]struct {
		declared string
		in       encoding.Encoding
		key      string
		damage   string // put in place of the key's last byte
		want     string // error; "" if the node is read
	}{
		"latin1":             {"ISO-8859-1", charmap.ISO8859_1, "Müller", "", ""},
		"windows-1252":       {"windows-1252", charmap.Windows1252, "Müller – €", "", ""},
		"lower case label":   {"koi8-r", charmap.KOI8R, "Мельница", "", ""},
		"Shift_JIS":          {"Shift_JIS", japanese.ShiftJIS, "水車小屋", "", ""},
		"GBK":                {"GBK", simplifiedchinese.GBK, "磨坊", "", ""},
		"UTF-8":              {"UTF-8", encoding.Nop, "Müller", "", ""},
		"UTF-8 mark":         {"UTF-8", unicode.UTF8BOM, "Müller", "", ""},
		"mark over label":    {"ISO-8859-1", unicode.UTF8BOM, "Müller", "", ""},
		"UTF-16 LE mark":     {"UTF-16", utf16(unicode.LittleEndian, unicode.UseBOM), "Müller 🙂", "", ""},
		"UTF-16 BE mark":     {"UTF-16", utf16(unicode.BigEndian, unicode.UseBOM), "Müller 🙂", "", ""},
		"UTF-16 LE no mark":  {"UTF-16LE", utf16(unicode.LittleEndian, unicode.IgnoreBOM), "Müller", "", ""},
		"UTF-16 BE no mark":  {"UTF-16BE", utf16(unicode.BigEndian, unicode.IgnoreBOM), "Müller", "", ""},
		"UTF-8 named UTF-16": {"utf-16", encoding.Nop, "Müller", "", ""},
		"unknown":            {"KLINGON", encoding.Nop, "a", "", `line 1: it is not XML: xml: opening charset "KLINGON": the encoding is not known; convert the file to UTF-8`},
		"not as declared":    {"Shift_JIS", japanese.ShiftJIS, "水車", "\xff", "line 2: it has bytes that are not Shift_JIS; convert it to UTF-8"},
		"half a character":   {"UTF-16", utf16(unicode.LittleEndian, unicode.UseBOM), "Mü", "\xd8", "line 2: it has bytes that are not UTF-16; convert it to UTF-8"},
		"damaged UTF-8":      {"UTF-8", unicode.UTF8BOM, "Mü", "x", "line 2: it is not XML: XML syntax error on line 2: invalid UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			head := `<?xml version="1.0" encoding="` + c.declared + `"?><!--` + strings.Repeat(c.key, 3000) + "-->\n" + `<graphml><graph edgedefault="directed"><node id="`
			tail := `"/></graph></graphml>`
			file, err := c.in.NewEncoder().String(head + c.key + tail)
			if err != nil {
				t.Fatal(err)
			}
			if c.damage != "" {
				end, err := c.in.NewEncoder().String(head + c.key)
				if err != nil {
					t.Fatal(err)
				}
				file = file[:len(end)-len(c.damage)] + c.damage + file[len(end):]
			}
			db, g := open(t)
			_, err = Load(t.Context(), db, g, func(to Reader) error { return ReadGraphML(strings.NewReader(file), to) })
			if c.want != "" {
				if err == nil || err.Error() != c.want {
					t.Fatalf("got  %v\nwant %s", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, want := lines(t, db, g), []string{"node:" + c.key + " node " + c.key + " []"}; !slices.Equal(got, want) {
				t.Errorf("got %.80q, want %.80q", got, want)
			}
		})
	}
}
