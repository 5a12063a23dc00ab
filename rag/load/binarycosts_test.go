package load_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/ragdb/ragdb/rag/internal/pdftest"
)

// pdfOf is a PDF file of one page whose content, font and other objects are
// given. The page is object 3, the font object 6.
func pdfOf(contents, font string, more ...string) string {
	var w pdftest.Writer
	w.Add("<< /Type /Catalog /Pages 2 0 R >>")
	w.Add("<< /Type /Pages /Count 1 /Kids [3 0 R] >>")
	w.Add("<< /Type /Page /Contents 4 0 R /Resources 5 0 R >>")
	w.Add(contents)
	w.Add("<< /Font << /F1 6 0 R >> /XObject << /X 7 0 R >> >>")
	w.Add(font)
	for _, o := range more {
		w.Add(o)
	}
	return string(w.Bytes("/Root 1 0 R"))
}

// pdfConstructs are what a PDF file is made of, each n times.
var pdfConstructs = map[string]func(n int) string{
	"pages": func(n int) string {
		return string(pdftest.Document("", pdftest.Helvetica, strings.Split(strings.Repeat(pdftest.Lines("Some text.")+"\x00", n/16), "\x00")...))
	},
	"lines": func(n int) string {
		return pdfOf(pdftest.Flate("", pdftest.Lines(parts(n, "line %d")...)), pdftest.Helvetica)
	},
	"paragraphs": func(n int) string {
		return pdfOf(pdftest.Flate("", pdftest.Lines(strings.Split(strings.Repeat("A text.\n\n", n), "\n")...)), pdftest.Helvetica)
	},
	"hyphens": func(n int) string {
		return pdfOf(pdftest.Flate("", pdftest.Lines(parts(n, "a-")...)), pdftest.Helvetica)
	},
	"words of a line": func(n int) string {
		return pdfOf(pdftest.Flate("", pdftest.Lines(strings.Repeat("word ", n))), pdftest.Helvetica)
	},
	"pieces of a line": func(n int) string {
		return pdfOf(pdftest.Flate("", "BT /F1 9 Tf 72 700 Td "+strings.Repeat("(a) Tj 9 0 Td ", n)+"ET"), pdftest.Helvetica)
	},
	"pieces from right to left": func(n int) string {
		return pdfOf(pdftest.Flate("", "BT /F1 9 Tf 72 700 Td "+strings.Repeat("(a) Tj -9 0 Td ", n)+"ET"), pdftest.Helvetica)
	},
	"lines from the bottom": func(n int) string {
		return pdfOf(pdftest.Flate("", "BT /F1 9 Tf 72 7 Td "+strings.Repeat("(a) Tj 0 14 Td ", n)+"ET"), pdftest.Helvetica)
	},
	"pieces in one place": func(n int) string {
		return pdfOf(pdftest.Flate("", strings.Repeat("BT /F1 9 Tf 72 700 Td (a) Tj ET ", n)), pdftest.Helvetica)
	},
	"saved states": func(n int) string {
		return pdfOf(pdftest.Flate("", strings.Repeat("q ", n)+pdftest.Lines("text")), pdftest.Helvetica)
	},
	"operators": func(n int) string {
		return pdfOf(pdftest.Flate("", strings.Repeat("1 0 0 1 0 0 cm ", n)+pdftest.Lines("text")), pdftest.Helvetica)
	},
	"operands": func(n int) string {
		return pdfOf(pdftest.Flate("", strings.Repeat("1 ", n)+pdftest.Lines("text")), pdftest.Helvetica)
	},
	"objects": func(n int) string {
		return pdfOf(pdftest.Flate("", pdftest.Lines("text")), pdftest.Helvetica, parts(n, "<< /I %d >>")...)
	},
	"objects without a table": func(n int) string {
		return strings.ReplaceAll(pdfOf(pdftest.Flate("", pdftest.Lines("text")), pdftest.Helvetica, parts(n, "<< /I %d >>")...), "startxref", "start")
	},
	"entries of a dictionary": func(n int) string {
		return pdfOf(pdftest.Flate("", pdftest.Lines("text")), strings.Replace(pdftest.Helvetica, ">>", strings.Join(parts(n, "/K%d 1"), " ")+" >>", 1))
	},
	"characters of a map": func(n int) string {
		return pdfOf(pdftest.Flate("", pdftest.Lines("text")), "<< /Subtype /Type0 /Encoding /Identity-H /ToUnicode 7 0 R >>",
			pdftest.Flate("", strings.Repeat("1 beginbfchar <0001> <0041> endbfchar\n", n)))
	},
	"ranges of a map": func(n int) string {
		return pdfOf(pdftest.Flate("", pdftest.Lines("text")), "<< /Subtype /Type0 /Encoding /Identity-H /ToUnicode 7 0 R >>",
			pdftest.Flate("", strings.Join(parts(n, "1 beginbfrange <%08X> <%[1]08X> <0041> endbfrange"), "\n")))
	},
	"differences of an encoding": func(n int) string {
		return pdfOf(pdftest.Flate("", pdftest.Lines("text")), "<< /Subtype /Type1 /Encoding << /Differences ["+strings.Repeat("1 /a ", n)+"] >> >>")
	},
	"widths": func(n int) string {
		return pdfOf(pdftest.Flate("", pdftest.Lines("text")), "<< /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [7 0 R] >>",
			"<< /W ["+strings.Repeat("1 2 500 ", n)+"] >>")
	},
	"streams of a page": func(n int) string {
		return pdfOf("["+strings.Repeat("7 0 R ", n)+"]", pdftest.Helvetica, pdftest.Flate("", "q Q"))
	},
	"forms": func(n int) string {
		return pdfOf(pdftest.Flate("", strings.Repeat("/X Do ", n)), pdftest.Helvetica, pdftest.Stream("/Subtype /Form", "q Q"))
	},
	"characters of a text": func(n int) string {
		return pdfOf(pdftest.Flate("", pdftest.Lines(strings.Repeat("x", n))), pdftest.Helvetica)
	},
	"open strings":      func(n int) string { return "%PDF-1.7\n" + strings.Repeat("1 0 obj (", n) + "%%EOF" },
	"open hexadecimals": func(n int) string { return "%PDF-1.7\n" + strings.Repeat("1 0 obj <", n) + "%%EOF" },
	"open streams":      func(n int) string { return "%PDF-1.7\n" + strings.Repeat("1 0 obj <<>> stream\n", n) + "%%EOF" },
	"open objects":      func(n int) string { return "%PDF-1.7\n" + strings.Repeat("1 0 obj ", n) + "%%EOF" },
	"trailers":          func(n int) string { return "%PDF-1.7\n" + strings.Repeat("trailer <<", n) + "%%EOF" },
	"arrays in arrays":  func(n int) string { return pdfOf(strings.Repeat("[", n), pdftest.Helvetica) },
	"pages of one object": func(n int) string {
		return strings.Replace(pdfOf(pdftest.Flate("", pdftest.Lines("a")), pdftest.Helvetica), "[3 0 R]", "["+strings.Repeat("3 0 R ", n)+"]", 1)
	},
	"filters": func(n int) string {
		return pdfOf(pdftest.Stream("/Filter ["+strings.Repeat("/AHx ", n)+"]", "41"), pdftest.Helvetica)
	},
	"hexadecimal data": func(n int) string {
		return pdfOf(pdftest.Stream("/Filter /AHx", strings.Repeat("20 ", n)+">"), pdftest.Helvetica)
	},
}

// parts are n texts; %d is which of them it is.
func parts(n int, part string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = part
		if strings.Contains(part, "%") {
			out[i] = fmt.Sprintf(part, i)
		}
	}
	return out
}

// TestPDFCosts: what a PDF file costs grows with the number of a construct, and
// not with its square.
func TestPDFCosts(t *testing.T) {
	for name, content := range pdfConstructs {
		t.Run(name, func(t *testing.T) {
			checkGrowth(t, "a.pdf", content)
		})
	}
}

// parquetRow has what rows of a Parquet file are made of.
type parquetRow struct {
	ID   string            `parquet:"id"`
	Text string            `parquet:"text,optional"`
	List []string          `parquet:"list,list"`
	Map  map[string]string `parquet:"map,optional"`
}

// TestParquetCosts: what a Parquet file costs grows with the number of a
// construct, and not with its square.
func TestParquetCosts(t *testing.T) {
	row := func(i int) parquetRow { return parquetRow{ID: fmt.Sprint("r", i), Text: "text"} }
	write := func(t *testing.T, rows []parquetRow, o ...parquet.WriterOption) string {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[parquetRow](&b, o...)
		_, err := w.Write(rows)
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for name, content := range map[string]func(t *testing.T, n int) string{
		"rows": func(t *testing.T, n int) string {
			rows := make([]parquetRow, n)
			for i := range rows {
				rows[i] = row(i)
			}
			return write(t, rows)
		},
		"groups of rows": func(t *testing.T, n int) string {
			rows := make([]parquetRow, n/4)
			for i := range rows {
				rows[i] = row(i)
			}
			return write(t, rows, parquet.MaxRowsPerRowGroup(8))
		},
		"characters": func(t *testing.T, n int) string {
			return write(t, []parquetRow{{ID: "a", Text: strings.Repeat("x ", n)}})
		},
		"items of a list": func(t *testing.T, n int) string {
			return write(t, []parquetRow{{ID: "a", Text: "x", List: parts(n, "item %d")}})
		},
		"entries of a map": func(t *testing.T, n int) string {
			m := map[string]string{}
			for i := range n {
				m[fmt.Sprint("k", i)] = "x"
			}
			return write(t, []parquetRow{{ID: "a", Text: "x", Map: m}})
		},
		"columns": func(t *testing.T, n int) string {
			group, row := parquet.Group{"text": parquet.String()}, map[string]any{"text": "x"}
			for i := range n / 8 {
				group[fmt.Sprint("k", i)], row[fmt.Sprint("k", i)] = parquet.String(), "x"
			}
			var b bytes.Buffer
			w := parquet.NewGenericWriter[map[string]any](&b, parquet.NewSchema("row", group))
			_, err := w.Write([]map[string]any{row})
			if err = errors.Join(err, w.Close()); err != nil {
				t.Fatal(err)
			}
			return b.String()
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkGrowth(t, "a.parquet", func(n int) string { return content(t, n) })
		})
	}
}
