package load_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/growthtest"
	"github.com/ragdb/ragdb/rag/load"
)

// constructs are what a file of a format is made of, each written n times; %d is
// which of them it is.
var constructs = []struct{ name, file, before, part, after string }{
	{"lines", "a.txt", "", "line %d\n", ""}, {"one line", "a.txt", "", "word%d ", ""}, {"paragraphs", "a.txt", "", "text %d\n\n", ""},
	{"empty lines", "a.txt", "x", "\n", "x"}, {"carriage returns", "a.txt", "x", "\r", "x"},
	{"headings", "a.md", "", "# heading %d\n\ntext\n\n", ""}, {"underlined headings", "a.md", "", "heading %d\n===\n", ""},
	{"items", "a.md", "", "- item %d\n", ""}, {"numbered items", "a.md", "", "%d. item\n", ""}, {"nested items", "a.md", "", "  - item %d\n    - inner\n", ""},
	{"quotes in quotes", "a.md", "", ">", " x"}, {"quotes", "a.md", "", "> quote %d\n", ""}, {"stars", "a.md", "", "*a ", ""}, {"closing stars", "a.md", "", "a* ", ""},
	{"emphasis", "a.md", "", "*a%d* ", ""}, {"stars of two", "a.md", "", "**a ", ""}, {"stars without text", "a.md", "", "*", "x"}, {"underscores", "a.md", "", "_a ", ""},
	{"tildes", "a.md", "", "~~a ", ""}, {"brackets", "a.md", "", "[", "x"}, {"brackets that close", "a.md", "", "]", "x"}, {"brackets and parentheses", "a.md", "", "[a](", ""},
	{"links", "a.md", "", "[a%d](http://example.org/%d) ", ""}, {"references", "a.md", "", "[a%d]: http://example.org/%d\n", ""},
	{"uses of references", "a.md", "[a]: http://example.org\n\n", "[a%d][a] ", ""}, {"pictures", "a.md", "", "![", "x"}, {"backticks", "a.md", "", "`a ", ""},
	{"growing backticks", "a.md", "", "``a` ", ""}, {"fences", "a.md", "", "```\ncode %d\n```\n", ""}, {"open fences", "a.md", "", "```\n~~~\n", ""},
	{"rows of a table", "a.md", "|a|b|\n|-|-|\n", "|%d|x|\n", ""}, {"columns of a table", "a.md", "|", "a|", "\n"}, {"escapes", "a.md", "", "\\*", ""},
	{"entities", "a.md", "", "&amp;", ""}, {"entities without end", "a.md", "", "&a", ""}, {"tags in Markdown", "a.md", "", "<b>", "x"}, {"less than", "a.md", "", "<", "x"},
	{"comments in Markdown", "a.md", "", "<!-- ", "x"}, {"footnotes", "a.md", "", "[^%d]: note\n\n", ""}, {"front matter", "a.md", "---\n", "k%d: v\n", "---\nx"},
	{"elements", "a.html", "", "<p>text %d</p>", ""}, {"elements in elements", "a.html", "", "<div>", "x"}, {"open inline elements", "a.html", "", "<b>", "x"},
	{"paragraphs without end", "a.html", "", "<p>x", ""}, {"elements that close", "a.html", "x", "</p>", ""}, {"attributes", "a.html", "<p ", "a%d=\"x\" ", ">x</p>"},
	{"less than in HTML", "a.html", "", "<", "x"}, {"comments", "a.html", "", "<!-- x -->", "x"}, {"open comments", "a.html", "", "<!--", "x"},
	{"scripts", "a.html", "", "<script>x</script>", "x"}, {"open scripts", "a.html", "x", "<script>", ""}, {"tables in tables", "a.html", "", "<table><tr><td>", "x"},
	{"rows", "a.html", "<table>", "<tr><td>%d</td></tr>", "</table>"}, {"cells", "a.html", "<table><tr>", "<td>%d</td>", "</tr></table>"},
	{"lists in lists", "a.html", "", "<ul><li>", "x"}, {"entities in HTML", "a.html", "", "&amp;", "x"}, {"headings in HTML", "a.html", "", "<h2>h %d</h2>", "x"},
	{"formatting of paragraphs", "a.html", "", "<b><p>", "x"}, {"links of links", "a.html", "", "<a href=x>", "x"}, {"line breaks", "a.html", "x", "<br>", "x"},
	{"records", "a.jsonl", "", "{\"id\":\"d%d\",\"text\":\"x\"}\n", ""}, {"fields", "a.jsonl", "{\"text\":\"x\"", ",\"k%d\":1", "}\n"}, {"bad lines", "a.jsonl", "{\"text\":\"x\"}\n", "{%d\n", ""},
	{"items of a field", "a.jsonl", "{\"text\":\"x\",\"l\":[\"x\"", ",\"%d\"", "]}\n"}, {"escapes in JSON", "a.jsonl", "{\"text\":\"", "\\u00e9", "\"}\n"},
	{"lists in JSON", "a.jsonl", "{\"text\":\"x\",\"l\":", "[", "\n"},
	{"rows of CSV", "a.csv", "id,text\n", "d%d,x\n", ""}, {"quotes in CSV", "a.csv", "id,text\nd,\"", "\"\"", "\"\n"}, {"open quotes", "a.csv", "id,text\nd,x\n", "\"x\n", ""},
	{"columns of CSV", "a.csv", "id,text", ",k%d", "\nd,x\n"},
}

// TestCosts: what a file costs grows with the number of a construct, and not with
// its square, whether it makes a document or is set aside.
func TestCosts(t *testing.T) {
	for _, c := range constructs {
		t.Run(c.name, func(t *testing.T) {
			checkGrowth(t, c.file, func(n int) string {
				var b strings.Builder
				b.WriteString(c.before)
				for i := range n {
					b.WriteString(strings.ReplaceAll(c.part, "%d", fmt.Sprint(i)))
				}
				b.WriteString(c.after)
				return b.String()
			})
		})
	}
}

// checkGrowth measures the reads of a file whose content has n of something,
// from a thousand on. Documents that are set aside cost as much as others.
func checkGrowth(t *testing.T, name string, content func(n int) string) {
	t.Helper()
	written := map[int]string{}
	growthtest.Check(t, growthtest.Sizes{From: 1000, To: 500_000}, func(n int) time.Duration {
		if written[n] == "" {
			written[n] = content(n)
		}
		fsys := files(name, written[n])
		return growthtest.Cost(func() {
			for _, err := range load.Walk(t.Context(), fsys, name, &load.Options{MaxDocBytes: 64 << 20}) {
				_ = err
			}
		})
	})
}
