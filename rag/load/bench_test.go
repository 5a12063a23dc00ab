package load_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/load"
)

// BenchmarkWalk reads about a megabyte of ordinary text in each format.
func BenchmarkWalk(b *testing.B) {
	const sections = 1500
	sentence := "The lighthouse keeper wrote down the weather, the ships & the birds of the day; nobody read it for years. "
	var txt, md, page, jsonl, table strings.Builder
	page.WriteString("<html><head><title>Log</title></head><body>")
	table.WriteString("id,title,text,year\n")
	for i := range sections {
		p := strings.Repeat(sentence, 5)
		fmt.Fprintf(&txt, "%s\n\n", p)
		fmt.Fprintf(&md, "## Day %d\n\n%s with *emphasis* and a [link](http://example.org/%d).\n\n- first\n- second\n\n", i, p, i)
		fmt.Fprintf(&page, "<h2>Day %d</h2>\n<p class=\"entry\">%s with <em>emphasis</em> and a <a href=\"/%d\">link</a>.</p>\n<ul><li>first</li><li>second</li></ul>\n",
			i, strings.ReplaceAll(p, "&", "&amp;"), i)
		fmt.Fprintf(&jsonl, "{\"id\":\"d%d\",\"title\":\"Day %d\",\"text\":%q,\"year\":1900,\"tags\":[\"log\",\"sea\"]}\n", i, i, p)
		fmt.Fprintf(&table, "d%d,Day %d,%q,1900\n", i, i, p)
	}
	for _, c := range []struct{ name, content string }{
		{"a.txt", txt.String()}, {"a.md", md.String()}, {"a.html", page.String()}, {"a.jsonl", jsonl.String()}, {"a.csv", table.String()},
		{"a.txt.gz", gz(b, txt.String())},
	} {
		fsys := files(c.name, c.content)
		size := len(c.content)
		if c.name == "a.txt.gz" {
			size = txt.Len()
		}
		b.Run(strings.TrimPrefix(c.name, "a."), func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				for _, err := range load.Walk(b.Context(), fsys, c.name, nil) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
			}
			b.ReportMetric(float64(size)*float64(b.N)/1e6/b.Elapsed().Seconds(), "MB/s")
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "docs/s")
		})
	}
}
