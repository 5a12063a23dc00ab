package pdf

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// font turns the strings that a page shows into characters and widths.
type font struct {
	// table and widths are those of a font with codes of one byte.
	table  [256]string
	widths [256]float64
	// Of a composite font: the length of its codes, their characters, and
	// their widths. wide maps the codes to characters by an encoding, with
	// nil for UTF-16.
	composite bool
	codes     *cmap
	chars     map[uint32]string
	wide      bool
	decoder   *encoding.Decoder
	byCID     map[uint32]float64
	width     float64
	vertical  bool
}

// A glyph is what one code shows. Its width is in units of the font's size.
type glyph struct {
	text  string
	width float64
	blank bool // a single byte 32, which word spacing applies to
}

// next returns the glyph that s starts with and the bytes of its code.
func (t *font) next(s string) (glyph, int) {
	if !t.composite {
		c := s[0]
		return glyph{t.table[c], t.widths[c], c == ' '}, 1
	}
	n := t.codes.length(s, 2)
	c := code(s[:n])
	g := glyph{width: t.width, blank: n == 1 && c == ' '}
	text, ok := t.chars[c]
	if !ok && t.wide {
		if t.decoder == nil {
			text = plain(utf16String(s[:n]))
		} else if out, err := t.decoder.String(s[:n]); err == nil {
			text = plain(out)
		}
		if len(t.chars) < maxChars {
			t.chars[c] = text
		}
	}
	g.text = text
	if w, ok := t.byCID[c]; ok && !t.wide {
		g.width = w
	} else if t.wide && len(text) == 1 {
		g.width = t.width / 2
	}
	return g, n
}

// fontOf returns the font of a page's resources. Fonts are read once.
func (f *File) fontOf(v any) *font {
	r, isRef := v.(ref)
	if t, ok := f.fonts[r]; ok && isRef {
		return t
	}
	t := f.readFont(f.dict(v))
	if isRef {
		f.fonts[r] = t
	}
	return t
}

func (f *File) readFont(d dict) *font {
	var unicode *cmap
	if s, ok := f.get(d["ToUnicode"]).(*stream); ok {
		unicode = f.cmap(s)
	}
	if f.get(d["Subtype"]) == name("Type0") {
		return f.readComposite(d, unicode)
	}
	t := &font{}
	base, _ := f.get(d["BaseFont"]).(name)
	var table [256]rune
	var differences array
	switch e := f.get(d["Encoding"]).(type) {
	case name:
		table = baseEncoding(e)
	case dict:
		kind, _ := f.get(e["BaseEncoding"]).(name)
		table = baseEncoding(kind)
		differences = f.array(e["Differences"])
	default:
		switch {
		case strings.Contains(string(base), "Symbol"):
			table = symbolEncoding()
		case f.get(d["Subtype"]) == name("TrueType"):
			table = baseEncoding("WinAnsiEncoding")
		default:
			table = baseEncoding("StandardEncoding")
		}
	}
	for c, r := range table {
		if r != 0 && r != utf8.RuneError {
			t.table[c] = plain(string(r))
		}
	}
	c := 0
	for _, v := range differences {
		switch v := f.get(v).(type) {
		case int64:
			c = int(v)
		case name:
			if c >= 0 && c < 256 {
				t.table[c] = plain(f.glyphText(v))
			}
			c++
		}
	}
	if unicode != nil {
		for c, s := range unicode.chars {
			if c < 256 {
				t.table[c] = s
			}
		}
	}
	f.readWidths(t, d, string(base))
	return t
}

// readWidths reads the widths of a simple font (9.2.4). The fonts that every
// reader has need none.
func (f *File) readWidths(t *font, d dict, base string) {
	widths, ok := f.get(d["Widths"]).(array)
	if !ok {
		t.widths = standardWidths(base)
		return
	}
	scale := .001
	if f.get(d["Subtype"]) == name("Type3") {
		if m := f.array(d["FontMatrix"]); len(m) == 6 {
			scale = float(f.get(m[0]))
		}
	}
	missing := float(f.get(f.dict(d["FontDescriptor"])["MissingWidth"]))
	for c := range t.widths {
		t.widths[c] = missing * scale
	}
	first, _ := f.get(d["FirstChar"]).(int64)
	for i, w := range widths {
		if c := first + int64(i); c >= 0 && c < 256 {
			t.widths[c] = float(f.get(w)) * scale
		}
	}
}

// readComposite reads a font whose codes have several bytes (9.7).
func (f *File) readComposite(d dict, unicode *cmap) *font {
	t := &font{composite: true, codes: &cmap{}, chars: map[uint32]string{}, byCID: map[uint32]float64{}, width: 1}
	if unicode != nil {
		t.chars = unicode.chars
	}
	switch e := f.get(d["Encoding"]).(type) {
	case *stream:
		if m := f.cmap(e); m != nil {
			t.codes = m
		}
		mode, _ := f.get(e.dict["WMode"]).(int64)
		t.vertical = mode == 1
	case name:
		t.vertical = strings.HasSuffix(string(e), "-V")
		t.predefined(string(e))
	}
	var inner dict
	if a := f.array(d["DescendantFonts"]); len(a) > 0 {
		inner = f.dict(a[0])
	}
	if w, ok := f.get(inner["DW"]).(int64); ok {
		t.width = float64(w) / 1000
	}
	list := f.array(inner["W"])
	for i := 0; i+1 < len(list) && f.spend(16); {
		first, _ := f.get(list[i]).(int64)
		if each, ok := f.get(list[i+1]).(array); ok {
			for k, w := range each {
				t.setWidth(first+int64(k), float(f.get(w)))
			}
			i += 2
			continue
		}
		if i+2 >= len(list) {
			break
		}
		last, _ := f.get(list[i+1]).(int64)
		w := float(f.get(list[i+2]))
		for c := max(first, 0); c <= last && c <= 0xFFFF && f.spend(16); c++ {
			t.setWidth(c, w)
		}
		i += 3
	}
	return t
}

func (t *font) setWidth(cid int64, w float64) {
	if cid >= 0 && cid <= 0xFFFF {
		t.byCID[uint32(cid)] = w / 1000
	}
}

// predefined sets the codes of a predefined CMap (9.7.5.2). Those of Unicode
// and of the common national encodings tell the characters, too.
func (t *font) predefined(cmapName string) {
	one := func(lo, hi uint32) [][2]uint32 { return [][2]uint32{{lo, hi}} }
	legacy := func(e encoding.Encoding, lead [][2]uint32) {
		t.wide, t.decoder = true, e.NewDecoder()
		t.codes.space[0] = one(0, 0x7F)
		t.codes.space[1] = lead
	}
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(cmapName, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("UTF16"):
		t.wide = true
		t.codes.space[1] = [][2]uint32{{0, 0xD7FF}, {0xE000, 0xFFFF}}
		t.codes.space[3] = one(0xD800DC00, 0xDBFFDFFF)
	case has("UCS2"):
		t.wide = true
	case has("RKSJ"):
		legacy(japanese.ShiftJIS, [][2]uint32{{0x8140, 0x9FFC}, {0xE040, 0xFCFC}})
		t.codes.space[0] = append(t.codes.space[0], [2]uint32{0xA0, 0xDF})
	case has("GBK", "GB-EUC", "GBpc"):
		legacy(simplifiedchinese.GBK, one(0x8140, 0xFEFE))
	case has("B5", "HKscs"):
		legacy(traditionalchinese.Big5, one(0x8140, 0xFEFE))
	case has("KSC"):
		legacy(korean.EUCKR, one(0x8141, 0xFEFE))
	case cmapName == "EUC-H" || cmapName == "EUC-V":
		legacy(japanese.EUCJP, one(0x8EA0, 0xFEFE))
	}
}

// float returns a number as a float, 0 for anything else.
func float(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// The widths of the ASCII characters from the blank on, in thousandths, of the
// fonts Helvetica and Times.
var (
	helveticaWidths = [95]uint16{278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
		1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
		333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
		556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584}
	timesWidths = [95]uint16{250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278,
		500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444,
		921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889, 722, 722,
		556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500,
		333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500,
		500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541}
)

// standardWidths returns the widths of one of the standard fonts (9.6.2.2);
// other fonts are taken for Helvetica, and other letters to be of middle width.
func standardWidths(base string) (out [256]float64) {
	for c := range out {
		i := c - ' '
		switch {
		case strings.Contains(base, "Courier"):
			out[c] = .6
		case i < 0 || i >= len(timesWidths):
			out[c] = .55
		case strings.Contains(base, "Times"):
			out[c] = float64(timesWidths[i]) / 1000
		default:
			out[c] = float64(helveticaWidths[i]) / 1000
		}
	}
	return out
}
