package pdf_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/internal/pdf"
	"github.com/ragdb/ragdb/rag/internal/pdftest"
)

// read returns the paragraphs of all pages, a page a line.
func read(tb testing.TB, b []byte) string {
	tb.Helper()
	f, err := pdf.Open(tb.Context(), b, pdf.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	var pages []string
	for n := range f.Pages() {
		paragraphs, err := f.Page(n)
		if err != nil {
			tb.Fatal(err)
		}
		pages = append(pages, strings.Join(paragraphs, " | "))
	}
	return strings.Join(pages, "\n")
}

// file returns a file of one page with a content stream, its resources, and
// further objects from 5 on.
func file(content, resources string, more ...string) []byte {
	var w pdftest.Writer
	w.Add("<< /Type /Catalog /Pages 2 0 R >>")
	w.Add("<< /Type /Pages /Count 1 /Kids [3 0 R] >>")
	w.Add("<< /Type /Page /Contents 4 0 R /Resources << " + resources + " >> >>")
	w.Add(content)
	for _, o := range more {
		w.Add(o)
	}
	return w.Bytes("/Root 1 0 R")
}

const oneFont = "/Font << /F1 5 0 R >>"

func TestFilters(t *testing.T) {
	text := pdftest.Lines("The mill ground flour.")
	hex := func(s string) string { return fmt.Sprintf("%x>", s) }
	// Two rows of four bytes, each under a filter of the PNG standard.
	up := "BT /F1 12 Tf (mill) Tj ET   " // 28 bytes: 7 rows of 4
	var rows strings.Builder
	for i := 0; i < len(up); i += 4 {
		switch i / 4 % 3 {
		case 0:
			rows.WriteString("\x00" + up[i:i+4])
		case 1: // above
			rows.WriteByte(2)
			for k := i; k < i+4; k++ {
				rows.WriteByte(up[k] - up[k-4])
			}
		case 2: // left
			rows.WriteByte(1)
			rows.WriteByte(up[i])
			for k := i + 1; k < i+4; k++ {
				rows.WriteByte(up[k] - up[k-1])
			}
		}
	}
	for _, c := range []struct{ name, entries, data, want string }{
		{"none", "", text, "The mill ground flour."},
		{"flate", "/Filter /FlateDecode", pdftest.Deflate(text), "The mill ground flour."},
		{"flate with a wrong checksum", "/Filter /FlateDecode", pdftest.Deflate(text)[:len(pdftest.Deflate(text))-1] + "!", "The mill ground flour."},
		{"hex", "/Filter /ASCIIHexDecode", hex(text), "The mill ground flour."},
		{"hex and flate", "/Filter [/AHx /Fl]", hex(pdftest.Deflate(text)), "The mill ground flour."},
		// By Python's base64.a85encode.
		{"ascii85", "/Filter /ASCII85Decode", "6<#'\\7PQ#G+B2qq-uWlM+B3(u+<UXa!!!~>", "ok"},
		{"run lengths", "/Filter /RunLengthDecode", "\x0bBT /F1 9 Tf " + "\x00(" + "\xfda" + "\x04) Tj " + "\x80", "aaaa"},
		{"predictors", "/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 4 >>", pdftest.Deflate(rows.String()), "mill"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, file(pdftest.Stream(c.entries, c.data), oneFont, pdftest.Helvetica)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	// The example of ISO 32000-1, 7.4.4.2, between the parts of a string.
	lzw := file("[6 0 R 7 0 R 8 0 R]", oneFont, pdftest.Helvetica, pdftest.Stream("", "BT /F1 9 Tf ("),
		pdftest.Stream("/Filter /LZWDecode", "\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01"), pdftest.Stream("", ") Tj"))
	if got := read(t, lzw); got != "-----A---B" {
		t.Errorf("LZW: %q", got)
	}
}

// composite is a font of two-byte codes with a map of characters.
func composite(encoding, toUnicode string) []string {
	return []string{
		"<< /Type /Font /Subtype /Type0 /Encoding /" + encoding + " /DescendantFonts [6 0 R] " + toUnicode + " >>",
		"<< /Subtype /CIDFontType2 /DW 1000 /W [36 [600 600] 100 110 500] >>",
	}
}

func TestCharacters(t *testing.T) {
	show := func(s string) string { return "BT /F1 10 Tf 1 0 0 1 72 700 Tm " + s + " ET" }
	simple := func(encoding string) []string {
		return []string{"<< /Subtype /Type1 /BaseFont /X /Encoding " + encoding + " >>"}
	}
	cmap := pdftest.Stream("", `/CIDInit /ProcSet findresource begin begincmap
		1 begincodespacerange <0000> <FFFF> endcodespacerange
		2 beginbfchar <0001> <661F> <0002> <00660066> endbfchar
		2 beginbfrange <0010> <0012> <0041> <0020> <0021> [<9732> <8C37>] endbfrange
		endcmap end`)
	for _, c := range []struct {
		name, content string
		font          []string
		want          string
	}{
		{"Windows", "(caf\\351 \\223x\\224 \\200)", simple("/WinAnsiEncoding"), "café “x” €"},
		{"Macintosh", "(caf\\216)", simple("/MacRomanEncoding"), "café"},
		{"standard", "(it's \\256nd \\341 \\373)", simple("<< >>"), "it’s find Æ ß"},
		{"differences", "(abcdefg)", simple("<< /BaseEncoding /WinAnsiEncoding /Differences [97 /alpha /afii10017 99 /uni4E2D /f_f_i /T.swash /nothing] >>"), "αА中ffiTg"},
		{"codes without a character", "<0041>", composite("Identity-H", ""), ""},
		{"map", "<00010020002100020010001100120099>", append(composite("Identity-H", "/ToUnicode 7 0 R"), cmap), "星露谷ffABC"},
		{"UCS-2", "<661F00410042>", composite("UniGB-UCS2-H", ""), "星AB"},
		{"UTF-16", "<661FD83DDE42>", composite("UniJIS-UTF16-H", ""), "星🙂"},
		{"GBK", "(\\320\\307A)", composite("GBK-EUC-H", ""), "星A"},
		{"Shift-JIS", "(\\220\\257A\\261)", composite("90ms-RKSJ-H", ""), "星Aｱ"},
		{"Big5", "(\\254P)", composite("ETen-B5-H", ""), "星"},
		{"Korean", "(\\307\\321)", composite("KSCms-UHC-H", ""), "한"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, file(pdftest.Stream("", show(c.content+" Tj")), oneFont, c.font...)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"blanks by gaps", "[(two) -300 (words) -20 (here)] TJ", "two wordshere"},
		{"blanks between runs", "(two) Tj 40 0 Td (words) Tj", "two words"},
		{"parts of a word", "(wo) Tj 12 0 Td (rd) Tj", "word"},
		{"lines", "14 TL (one) Tj T* (two) Tj (three) '", "one two three"},
		{"the order of a line", "100 0 Td (second) Tj -100 0 Td (first) Tj", "first second"},
		{"an index above", "(E = mc) Tj 32 4 Td /F1 6 Tf (2) Tj /F1 10 Tf 6 -4 Td (holds) Tj", "E = mc2 holds"},
		{"bold by drawing twice", "(bold) Tj 0.1 0 Td (bold) Tj", "bold"},
		{"a heading", "/F1 20 Tf (Heading) Tj 0 -24 Td /F1 10 Tf (Text that follows) Tj", "Heading | Text that follows"},
		{"a gap", "14 TL (One line) Tj T* (of a text) Tj T* (that goes on) Tj 0 -40 Td (and another) Tj", "One line of a text that goes on | and another"},
		{"bullets", "14 TL (\\225 first) Tj T* (\\225 second) Tj", "• first | • second"},
		{"a short last line", "14 TL (This line is rather long and sets the width of all.) Tj T* (It ends.) Tj T* (Another paragraph that is rather long begins here.) Tj",
			"This line is rather long and sets the width of all. It ends. | Another paragraph that is rather long begins here."},
		{"columns", "14 TL (left column, first line of it) Tj T* (and its second line, which) Tj 200 28 Td (goes on in the right column) Tj T* (and ends there.) Tj",
			"left column, first line of it and its second line, which goes on in the right column and ends there."},
		{"turned", "0 1 -1 0 300 100 Tm 14 TL (up the) Tj T* (page) Tj", "up the page"},
		{"hidden by scale", "0 0 0 0 0 0 Tm (nowhere) Tj", "nowhere"},
		{"wrong operands", "(x) Tf 1 Tm (a) (b) Td [1 2] Tj (kept) Tj", "kept"},
	} {
		t.Run(c.name, func(t *testing.T) {
			content := "q BT /F1 10 Tf 1 0 0 1 72 700 Tm " + c.content + " ET Q"
			if got := read(t, file(pdftest.Stream("", content), oneFont, pdftest.Helvetica)); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestRightToLeft shows Hebrew and Arabic as they look, from left to right.
func TestRightToLeft(t *testing.T) {
	seen := func(s string) string { // a line as the eye sees it
		var out []rune
		for _, r := range s {
			out = append([]rune{r}, out...)
		}
		return string(out)
	}
	for _, c := range []struct{ name, shown, want string }{
		{"Hebrew", seen("ספר טוב"), "ספר טוב"},
		{"numbers and Latin", "UNESCO " + seen("נוסד") + " 1957 " + seen("בשנת"), "בשנת 1957 נוסד UNESCO"},
		{"brackets", "(" + seen("טוב") + ") " + seen("ספר"), "ספר (טוב)"},
		{"Hebrew in English", "the word " + seen("ספר") + " means book", "the word ספר means book"},
		{"Arabic forms", "\uFE8F\uFE8E\uFE98\uFEDB", "كتاب"},
		{"an Arabic ligature", "\uFEE1\uFEFC\uFEB3", "سلام"},
	} {
		t.Run(c.name, func(t *testing.T) {
			content := "BT /F1 10 Tf <" + pdftest.Codes(c.shown) + "> Tj ET"
			if got := read(t, file(pdftest.Stream("", content), oneFont, composite("UniJIS-UCS2-H", "")...)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestStructure reads files whose objects stand where it takes some finding.
func TestStructure(t *testing.T) {
	text := func(s string) string { return pdftest.Stream("", pdftest.Lines(s)) }
	whole := file(text("Old."), oneFont, pdftest.Helvetica)
	// An object stream holds the pages and the font.
	packed := []string{"<< /Type /Pages /Count 1 /Kids [4 0 R] >>", "<< /Contents 5 0 R /Resources << /Font << /F1 6 0 R >> >> >>", pdftest.Helvetica}
	head, body := "", ""
	for i, o := range packed {
		head += fmt.Sprintf("%d %d ", []int{3, 4, 6}[i], len(body))
		body += o + " "
	}
	objects := "%PDF-1.5\n1 0 obj << /Type /Catalog /Pages 3 0 R >> endobj\n2 0 obj " +
		pdftest.Flate(fmt.Sprintf("/Type /ObjStm /N 3 /First %d", len(head)), head+body) + " endobj\n5 0 obj " + text("Packed.") +
		" endobj\n7 0 obj " + pdftest.Flate("/Type /XRef /Root 1 0 R /W [1 1 1] /Size 8", "wrong") + " endobj startxref 0 %%EOF"
	form := pdftest.Stream("/Subtype /Form /Matrix [1 0 0 1 0 -100]", "BT /F1 10 Tf 1 0 0 1 72 700 Tm (Inner.) Tj ET")
	outer := pdftest.Stream("", "BT /F1 10 Tf 1 0 0 1 72 700 Tm (Outer.) Tj ET /X Do /Missing Do")
	for _, c := range []struct{ name, in, want string }{
		{"an update", string(whole) + "4 0 obj\n" + text("New.") + "\nendobj\ntrailer << /Size 6 >> startxref 0 %%EOF\n", "New."},
		{"a wrong table", strings.ReplaceAll(string(whole), "00000 n", "00007 n"), "Old."},
		{"no table", strings.Replace(string(whole), "xref\n0", "yref\n0", 1), "Old."},
		{"bytes before and behind", "junk\n" + string(whole) + strings.Repeat("\x00", 1000), "Old."},
		{"an object stream", objects, "Packed."},
		{"a wrong length", strings.Replace(string(whole), "/Length ", "/Length 9", 1), "Old."},
		{"a length elsewhere", strings.Replace(string(whole), "<< /Length ", "<< /Length 99 0 R /Was ", 1), "Old."},
		{"a form", string(file(outer, oneFont+" /XObject << /X 6 0 R >>", pdftest.Helvetica, form)), "Outer. | Inner."},
		{"contents in parts", string(file("[6 0 R 7 0 R]", oneFont, pdftest.Helvetica, pdftest.Stream("", "BT /F1 10 Tf (in"), pdftest.Stream("", "parts) Tj ET"))), "in parts"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, []byte(c.in)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTitleAndErrors(t *testing.T) {
	f, err := pdf.Open(t.Context(), pdftest.Document("Zürich\n 星", pdftest.Helvetica, pdftest.Lines("x")), pdf.Options{})
	if err != nil || f.Title() != "Zürich 星" || f.Lang() != "en-GB" {
		t.Errorf("title %q, language %q, error %v", f.Title(), f.Lang(), err)
	}
	for _, in := range []string{"%PDF-1.7 %%EOF 1 0 ", "%PDF-1.7 %%EOF 1 0 obj", "%PDF-1.7 %%EOF trailer", "%PDF-1.7 %%EOF 1 0 obj << >> stream"} {
		if _, err := pdf.Open(t.Context(), []byte(in), pdf.Options{}); !errors.Is(err, pdf.ErrDamaged) {
			t.Errorf("%q: %v", in, err)
		}
	}
	long := pdftest.Document("", pdftest.Helvetica, pdftest.Lines(strings.Repeat("word ", 100)))
	if f, err = pdf.Open(t.Context(), long, pdf.Options{Text: 499}); err == nil {
		_, err = f.Page(0)
	}
	if !errors.Is(err, pdf.ErrLimit) {
		t.Errorf("text beyond the limit: %v", err)
	}
	if _, err := pdf.Open(t.Context(), long, pdf.Options{Work: 1000}); !errors.Is(err, pdf.ErrLimit) {
		t.Errorf("work beyond the limit: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(pdftest.Document("Title", pdftest.Helvetica, "BT /F1 12 Tf [(a) -300 <62>] TJ T* (c\\)\\n\\101) ' ET q 1 0 0 1 0 0 cm Q"))
	f.Add(file(pdftest.Stream("/Filter /AHx", "42 54>"), oneFont, composite("Identity-H", "/ToUnicode 7 0 R")...))
	f.Add(file(pdftest.Stream("/Filter /LZWDecode", "\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01"), oneFont, "<< /Subtype /Type3 /FontMatrix [1 0 0 1 0 0] /Widths [1 2] /Encoding << /Differences [1 /a] >> >>"))
	f.Add([]byte("%PDF-1.7\n1 0 obj << /Type /ObjStm /N 1 /First 4 >> stream\n2 0 [2 0 R]\nendstream endobj trailer << /Root 2 0 R >> %%EOF"))
	f.Fuzz(func(t *testing.T, b []byte) {
		start := time.Now()
		in, err := pdf.Open(t.Context(), b, pdf.Options{Work: 1 << 20, Text: 1 << 16})
		for n := 0; err == nil && n < in.Pages(); n++ {
			var paragraphs []string
			paragraphs, err = in.Page(n)
			for _, p := range paragraphs {
				if !utf8.ValidString(p) || strings.TrimSpace(p) == "" || strings.ContainsAny(p, "\n\r\x00") {
					t.Errorf("paragraph %q", p)
				}
			}
		}
		if err != nil && !errors.Is(err, pdf.ErrNotPDF) && !errors.Is(err, pdf.ErrEncrypted) && !errors.Is(err, pdf.ErrDamaged) && !errors.Is(err, pdf.ErrLimit) {
			t.Errorf("an error of no kind: %v", err)
		}
		if d := time.Since(start); d > time.Minute {
			t.Errorf("%d bytes took %v", len(b), d)
		}
	})
}

// TestManyRuns reads a page that shows one letter after the other on one base line: all are
// there, and the open line does not keep them all.
func TestManyRuns(t *testing.T) {
	const n = 200_000
	b := file(pdftest.Stream("", "BT /F1 9 Tf 10 700 Td "+strings.Repeat("(a) Tj ", n)+"ET"), oneFont, pdftest.Helvetica)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := read(t, b)
	runtime.ReadMemStats(&after)
	if letters := strings.Count(got, "a"); letters != n {
		t.Errorf("%d letters of %d", letters, n)
	}
	if each := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(b)); each > 25 {
		t.Errorf("%.1f bytes of memory are allocated for a byte of the file", each)
	}
}
