package load_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/rag/internal/pdftest"
	"github.com/ragdb/ragdb/rag/load"
)

// twoPages is a report whose lines are wrapped and hyphenated.
func twoPages() []byte {
	return pdftest.Document("The mill of Orsk", pdftest.Helvetica,
		pdftest.Lines(
			"The tide mill of Orsk was drawn by the engineer Mira Voss, who came to the",
			"town in 1891. It ground flour for sixty years, and the town gave it a bell,",
			"which hangs in the harbour to this day, rung by any ship that has for-",
			"gotten the hour.",
			"",
			"Caf\u00e9 prices (in crowns) are listed below."),
		pdftest.Lines("Its wheel turned at ebb and at flood."))
}

func TestPDF(t *testing.T) {
	d := one(t, "mill.pdf", string(twoPages()), nil)
	want := "The mill of Orsk\n" +
		"The tide mill of Orsk was drawn by the engineer Mira Voss, who came to the town in 1891. " +
		"It ground flour for sixty years, and the town gave it a bell, which hangs in the harbour " +
		"to this day, rung by any ship that has forgotten the hour.\n\n" +
		"Café prices (in crowns) are listed below.\n\n" +
		"Its wheel turned at ebb and at flood."
	if d.Text != want {
		t.Errorf("text:\n%s\nwant:\n%s", d.Text, want)
	}
	if d.Title != "The mill of Orsk" || d.Lang != "en-GB" || d.Format != "pdf" || d.Key != "mill.pdf" {
		t.Errorf("title %q, language %q, format %q, key %q", d.Title, d.Lang, d.Format, d.Key)
	}
	for text, page := range map[string]int{"The mill of Orsk": 1, "sixty years": 1, "Café": 1, "wheel turned": 2} {
		at := strings.Index(d.Text, text)
		if p, ok := locate(d, at, at+len(text)); !ok || p.Page != page {
			t.Errorf("%q is on page %d, want %d", text, p.Page, page)
		}
	}
	// The format is known by its name or told.
	if d := one(t, "mill.pdf.gz", gz(t, string(twoPages())), nil); d.Text != want {
		t.Errorf("compressed: %s", d.Text)
	}
	r := walk(t, files("mill", string(twoPages())), "mill", &load.Options{Format: "pdf"})
	if len(r.docs) != 1 || r.docs[0].Text != want {
		t.Errorf("with the format told: %d documents, %v", len(r.docs), r.bad)
	}
}

// imageOnly is a scan: a page that draws a picture.
func imageOnly() []byte {
	var w pdftest.Writer
	root := w.Add("<< /Type /Catalog /Pages 2 0 R >>")
	w.Add("<< /Type /Pages /Count 1 /Kids [3 0 R] >>")
	w.Add("<< /Type /Page /Contents 4 0 R /Resources << /XObject << /Im 5 0 R >> >> >>")
	w.Add(pdftest.Flate("", "q 600 0 0 800 0 0 cm /Im Do Q BI /W 1 /H 1 ID (text) Tj\xff EI Q"))
	w.Add(pdftest.Stream("/Subtype /Image /Width 2 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /DCTDecode", "\x80\x81"))
	return w.Bytes(fmt.Sprintf("/Root %d 0 R", root))
}

func TestPDFRefused(t *testing.T) {
	whole := string(twoPages())
	for _, c := range []struct {
		name, in, reason string
		cause            error
	}{
		{"encrypted", strings.Replace(whole, "/Size", "/Encrypt << /Filter /Standard /V 2 /R 3 >> /Size", 1),
			"is encrypted; save it without a password first", load.ErrNoText},
		{"only pictures", string(imageOnly()),
			"has no text on any page (pages: 1): pictures of text must be recognised (OCR) first", load.ErrNoText},
		{"cut off", whole[:len(whole)*2/3],
			"cannot be read whole: damaged: it has no end mark, so it may be cut off", load.ErrMalformed},
		{"another file", "<html>", "is not a PDF file", load.ErrMalformed},
		{"empty", "", "is not a PDF file", load.ErrMalformed},
		{"no pages", "%PDF-1.7\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj 2 0 obj << /Kids [] >> endobj trailer << /Root 1 0 R >> %%EOF",
			"cannot be read whole: damaged: it has no pages", load.ErrMalformed},
		{"a page is missing", strings.Replace(whole, "/Kids [6 0 R 8 0 R]", "/Kids [6 0 R 9 0 R]", 1),
			"cannot be read whole: damaged: a page behind page 1 is missing", load.ErrMalformed},
		{"damaged data", strings.Replace(whole, "x\x9c", "xx", 1),
			"cannot be read whole: page 1: damaged: zlib: invalid header", load.ErrMalformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := walk(t, files("a.pdf", c.in, "b.txt", "fine"), ".", nil)
			if len(r.bad) != 1 || r.bad[0].Reason != c.reason || !errors.Is(r.bad[0], c.cause) {
				t.Errorf("errors %v\nwant   %s", r.bad, c.reason)
			}
			if keys(r) != "b.txt" {
				t.Errorf("the run went on with %q", keys(r))
			}
		})
	}
}

func TestPDFLimits(t *testing.T) {
	long := pdftest.Document("", pdftest.Helvetica, pdftest.Lines(strings.Repeat("word ", 5000)))
	r := walk(t, files("a.pdf", string(long)), ".", &load.Options{MaxDocBytes: 20_000})
	if len(r.bad) != 1 || !errors.Is(r.bad[0], load.ErrTooLarge) || !strings.Contains(r.bad[0].Reason, "too much text") {
		t.Errorf("a text beyond the limit: %v", r.bad)
	}
	if r := walk(t, files("a.pdf", string(long)), ".", &load.Options{MaxDocBytes: 25_000}); len(r.docs) != 1 {
		t.Errorf("a text within the limit: %v", r.bad)
	}
	r = walk(t, files("a.pdf", string(long)), ".", &load.Options{MaxDocBytes: 50})
	if len(r.bad) != 1 || r.bad[0].Reason != "the file is larger than 400 bytes, 8 times the limit for a document" {
		t.Errorf("a file beyond the limit: %v", r.bad)
	}
}

// TestPDFBombs reads files that are made to cost time or memory, or to lead a
// reader in circles. Each ends soon, with a document or one refusal.
func TestPDFBombs(t *testing.T) {
	page := func(objects ...string) string {
		var w pdftest.Writer
		w.Add("<< /Type /Catalog /Pages 2 0 R >>")
		for _, o := range objects {
			w.Add(o)
		}
		return string(w.Bytes("/Root 1 0 R"))
	}
	const leaf = "<< /Type /Page /Contents 4 0 R /Resources 5 0 R >>"
	const one = "<< /Type /Pages /Count 1 /Kids [3 0 R] >>"
	const fonts = "<< /Font << /F1 6 0 R >> /XObject << /X 4 0 R >> >>"
	text := pdftest.Lines("Some text.")
	for _, c := range []struct{ name, in string }{
		{"tree of pages that leads back", page("<< /Type /Pages /Kids [2 0 R 3 0 R 2 0 R] >>", "<< /Type /Pages /Kids [2 0 R] >>")},
		{"tree of pages without end", page("<< /Kids [" + strings.Repeat("<< /Kids [", 5000))},
		{"a million pages", page("<< /Kids ["+strings.Repeat("3 0 R ", 1_000_000)+"] >>", leaf)},
		{"a page in a million places", page("<< /Kids ["+strings.Repeat("<< /Contents 3 0 R >>", 20_000)+"] >>", pdftest.Flate("", strings.Repeat(" ", 1<<20)))},
		{"a reference to itself", page("2 0 R")},
		{"references in a circle", page("3 0 R", "2 0 R")},
		{"an object stream in itself", page(pdftest.Stream("/Type /ObjStm /N 1 /First 4", "2 0 [2 0 R]"))},
		{"a length that is itself", page(one, leaf, "<< /Length 4 0 R >> stream\n"+text+"\nendstream", fonts, pdftest.Helvetica)},
		{"a form that draws itself", page(one, leaf, pdftest.Stream("/Subtype /Form", strings.Repeat("/X Do ", 1000)), fonts, pdftest.Helvetica)},
		{"zeros", page(one, leaf, pdftest.Flate("", strings.Repeat("\x00", 140<<20)), fonts)},
		{"zeros in zeros", page(one, leaf, pdftest.Stream("/Filter [/FlateDecode /FlateDecode]", pdftest.Deflate(pdftest.Deflate(strings.Repeat("\x00", 140<<20)))), fonts)},
		{"many filters", page(one, leaf, pdftest.Stream("/Filter ["+strings.Repeat("/AHx ", 100_000)+"]", "41"), fonts)},
		{"a map of all characters", page(one, leaf, pdftest.Flate("", text), fonts, "<< /Subtype /Type0 /Encoding /Identity-H /ToUnicode 7 0 R >>",
			pdftest.Flate("", strings.Repeat("1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange\n", 10_000)))},
		{"widths of all characters", page(one, leaf, pdftest.Flate("", text), fonts, "<< /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [7 0 R] >>",
			"<< /W ["+strings.Repeat("-9999999999999 9999999999999 1 ", 80_000)+"] >>")},
		{"open strings", "%PDF-1.7\n" + strings.Repeat("1 0 obj (", 200_000) + "%%EOF"},
		{"open hexadecimal strings", "%PDF-1.7\n" + strings.Repeat("1 0 obj <", 200_000) + "%%EOF"},
		{"open streams", "%PDF-1.7\n" + strings.Repeat("1 0 obj <<>> stream\n", 200_000) + "%%EOF"},
		{"nested arrays", page(strings.Repeat("[", 1_000_000))},
		{"nested objects", "%PDF-1.7\n" + strings.Repeat("1 0 obj ", 500_000) + "%%EOF"},
		{"trailers", "%PDF-1.7\n" + strings.Repeat("trailer <<", 200_000) + "%%EOF"},
		{"saved states", page(one, leaf, pdftest.Flate("", strings.Repeat("q ", 1_000_000)+text), fonts, pdftest.Helvetica)},
		{"hyphens", page(one, leaf, pdftest.Flate("", pdftest.Lines(strings.Split(strings.Repeat("a-\n", 100_000), "\n")...)), fonts, pdftest.Helvetica)},
		{"a line without end", page(one, leaf, pdftest.Flate("", "BT /F1 1 Tf "+strings.Repeat("(a) Tj -9 0 Td ", 100_000)), fonts, pdftest.Helvetica)},
		{"infinite places", page(one, leaf, pdftest.Flate("", "BT /F1 1 Tf "+strings.Repeat("900000000000000 0 0 900000000000000 0 0 cm ", 40)+text), fonts, pdftest.Helvetica)},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			r := walk(t, files("a.pdf", c.in), ".", &load.Options{MaxDocBytes: 1 << 20})
			if n := len(r.docs) + len(r.bad); n != 1 || r.err != nil {
				t.Errorf("%d outcomes, error %v", n, r.err)
			}
			if d := time.Since(start); d > time.Minute {
				t.Errorf("took %v for %d bytes", d, len(c.in))
			} else {
				t.Logf("%v for %d bytes: %v", d.Round(time.Millisecond), len(c.in), r.bad)
			}
		})
	}
}

func FuzzPDF(f *testing.F) {
	whole := string(twoPages())
	fuzz(f, "a.pdf", whole, string(imageOnly()), strings.Replace(whole, "/Size", "/Encrypt << >> /Size", 1))
}
