package load_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/rag/load"
)

// metaText writes metadata in a fixed order with its kinds.
func metaText(d *load.Document) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(d.Meta)) {
		v := d.Meta[k]
		s := v.Text
		switch x := v.Typed.(type) {
		case float64:
			s = fmt.Sprintf("num %g", x)
		case bool:
			s = fmt.Sprintf("bool %v", x)
		case time.Time:
			s = "time " + x.UTC().Format("2006-01-02T15:04:05Z")
		case []string:
			s = fmt.Sprintf("list %q", x)
		}
		parts = append(parts, k+"="+s)
	}
	return strings.Join(parts, "; ")
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, in, title, want string }{
		{"paragraph", "One *two* **three** `co\\*de` ~~four~~\nfive.", "", "One two three co\\*de four five."},
		{"title is the first heading", "# The *Title*\n\nBody.\n", "The Title", "The Title\nBody."},
		{"title under text", "Intro.\n\n# T\n\nBody.", "T", "T\nIntro.\n\nBody."},
		{"no title below level one", "## Two\n\nBody.\n\n# One\n", "", "Two\n\nBody.\n\nOne"},
		{"underlined headings", "T\n=\n\nS\n-\n\nb", "T", "T\nS\n\nb"},
		{"links", "See [the *docs*](http://x.example/y), [ref][r], [r], ![a cat](c.png) and <http://z.example>.\n\n[r]: /r", "", "See the docs, ref, r, a cat and http://z.example."},
		{"undefined reference", "See [this][none].", "", "See [this][none]."},
		{"escapes", `\*no\* &amp; &copy; \&amp; &nosuch; a\` + "\nb", "", "*no* & © &amp; &nosuch; a\nb"},
		{"hard break", "a  \nb<br>c", "", "a\nb\nc"},
		{"chinese line break", "第一行\n第二行\nand english", "", "第一行第二行 and english"},
		{"tight list", "- a\n- b\n  - c\n  - d\n- e\n\nend", "", "- a\n- b\n  - c\n  - d\n- e\n\nend"},
		{"ordered list", "3. a\n4. b\n\n   more", "", "3. a\n\n4. b\n\n  more"},
		{"code", "a\n\n```go\nx := \"*\"\n\n\ty\n```\n\n    indented\n", "", "a\n\nx := \"*\"\n\n\ty\n\nindented"},
		{"quote", "> said\n> so\n>\n> twice", "", "said so\n\ntwice"},
		{"table", "Sizes\n\n| name | *n* |\n|:-----|--:|\n| a \\| b | 1 |\n| c | `2` |\n", "", "Sizes\n\nname | n\na | b | 1\nc | 2"},
		{"table without outer bars", "a | b\n--- | ---\n1 | 2", "", "a | b\n1 | 2"},
		{"html block", "<div>\n<b>bold</b> &lt;tag&gt;\n<script>alert(1)</script>\n</div>\n\n<!-- a\n\nb -->\n\nend <i>x</i>", "", "bold <tag>\n\nend x"},
		{"rule", "a\n\n---\n\nb", "", "a\n\nb"},
		{"front matter", "---\ntitle: \"From: matter\"\nlang: de\ntags: [a, 'b c']\ndate: 2025-03-01\nn: 3 # three\ndraft: false\nlist:\n  - x\n  - y\nnested:\n  a: b\n# note\n---\n# H\n\nBody", "From: matter", "From: matter\nH\n\nBody"},
		{"front matter repeats the heading", "---\ntitle: H\n---\n\n# H\n\nBody", "H", "H\nBody"},
		{"no front matter", "---\n\nsome text: here\nmore\n\n---\n", "", "some text: here more"},
		{"keys and values", "Name: Corvin *Asp*\nBorn: 4 May\nTrade: clocks\nand organs\n\nIt is so. Note: this\nis text", "", "Name: Corvin Asp\nBorn: 4 May\nTrade: clocks and organs\n\nIt is so. Note: this is text"},
		{"only a title", "# T\n", "T", "T"},
		{"anchors", "# T {#top}\n\n## The default {#default .new}\n\nText. {: .note}\n\n{: #alone}\n\n### Set {a} {/* #set */}\n\nUse `{#x}`", "T", "T\nThe default\n\nText.\n\nSet {a}\n\nUse {#x}"},
		{"no anchors", "## Braces {x}\n\nA {#each items} and {} and {#}", "", "Braces {x}\n\nA {#each items} and {} and {#}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := one(t, "a.md", c.in, nil)
			if d.Title != c.title || d.Text != c.want {
				t.Errorf("title %q text\n%q, want %q\n%q", d.Title, d.Text, c.title, c.want)
			}
			if crlf := one(t, "a.md", strings.ReplaceAll(c.in, "\n", "\r\n"), nil); crlf.Text != d.Text {
				t.Errorf("with CRLF the text is %q", crlf.Text)
			}
		})
	}
	d := one(t, "a.md", "---\ntitle: T\nlang: de\ntags: [a, 'b c']\ndate: 2025-03-01\nn: 3 # three\ndraft: false\nlist:\n  - x\n  - y\n---\nBody", nil)
	if got, want := metaText(d), `date=time 2025-03-01T00:00:00Z; draft=bool false; list=list ["x" "y"]; n=num 3; tags=list ["a" "b c"]`; got != want || d.Lang != "de" {
		t.Errorf("metadata %s, language %q; want %s", got, d.Lang, want)
	}
	d = one(t, "a.md", "---\ntitle: Pumps: a guide\nnote: \"a \\\"b\\\"\"\ntags: ['a, b', c]\nsummary: >\n  two\n  lines\nby: @corvin\nempty:\n---\nBody", nil)
	if got, want := metaText(d), `by=@corvin; note=a "b"; summary=two lines; tags=list ["a, b" "c"]`; got != want || d.Title != "Pumps: a guide" || d.Text != "Pumps: a guide\nBody" {
		t.Errorf("metadata %s, title %q, text %q; want %s", got, d.Title, d.Text, want)
	}
}

func TestMarkdownBlocks(t *testing.T) {
	const in = "# Manual\r\n\r\nIntro *here*.\r\n\r\n## Install\r\n\r\n### Linux ###\r\n\r\n- get it\r\n\r\n### macOS\r\n\r\n```\r\nbrew\r\n```\r\n\r\n## Use\r\n\r\ntext\r\n"
	d := one(t, "a.md", in, nil)
	want := "[] Manual\n[] Intro here.\n[Install] Install\n[Install > Linux] Linux\n[Install > Linux] - get it\n[Install > macOS] macOS\n[Install > macOS] brew\n[Use] Use\n[Use] text\n"
	if got := headings(d); got != want {
		t.Errorf("blocks\n%swant\n%s", got, want)
	}
	var sources []string
	for _, b := range d.Blocks {
		sources = append(sources, in[b.Source[0]:b.Source[1]])
	}
	if got, want := strings.Join(sources, "|"), "Manual|Intro *here*.|Install|Linux|get it|macOS|brew|Use|text"; got != want {
		t.Errorf("sources %q, want %q", got, want)
	}
	at := strings.Index(d.Text, "brew")
	if p, ok := locate(d, at, at+2); !ok || p.Heading != "Install > macOS" {
		t.Errorf("brew is located at %+v %v", p, ok)
	}
	if p, ok := locate(d, at, len(d.Text)); !ok || in[p.Source[0]:p.Source[1]] != "brew\r\n```\r\n\r\n## Use\r\n\r\ntext" {
		t.Errorf("the end is located at %+v %v", p, ok)
	}
	if _, ok := locate(d, len(d.Text), len(d.Text)+5); ok {
		t.Error("a span behind the text was located")
	}
}

// TestMarkdownPieces compares a long file with the same sections read alone:
// where the file is cut must not show.
func TestMarkdownPieces(t *testing.T) {
	section := func(i int) string {
		return fmt.Sprintf("## Part %d\n\nSome *words* and a [link][ref%d] to read.\n\n- item one\n- item two\n\n```\n# not a heading %d\n\ncode\n```\n\n<!-- hidden\n\nnote -->\n\nlast words\n\n", i, i, i)
	}
	var in, want strings.Builder
	for i := range 1500 {
		in.WriteString(section(i))
		fmt.Fprintf(&want, "Part %d\n\nSome words and a link to read.\n\n- item one\n- item two\n\n# not a heading %d\n\ncode\n\nlast words\n\n", i, i)
	}
	for i := range 1500 {
		fmt.Fprintf(&in, "[ref%d]: /target\n", i)
	}
	d := one(t, "a.md", in.String(), nil)
	if d.Text != strings.TrimSpace(want.String()) {
		a, b := d.Text, want.String()
		i := 0
		for i < min(len(a), len(b)) && a[i] == b[i] {
			i++
		}
		t.Fatalf("differs at byte %d: %q, want %q", i, a[max(0, i-40):min(len(a), i+40)], b[max(0, i-40):min(len(b), i+40)])
	}
	long := "x\n\n```\n" + strings.Repeat("*a* <b>\n", 10000) + "```\n\n*y*\n\n<!--\n" + strings.Repeat("*a* <b>\n", 10000) + "-->\n\n*z*\n"
	d = one(t, "a.md", long, nil)
	if want := "x\n\n" + strings.Repeat("*a* <b>\n", 10000) + "\ny\n\nz"; d.Text != want {
		t.Errorf("long code block: %d bytes, want %d; ends %q", len(d.Text), len(want), d.Text[len(d.Text)-40:])
	}
}

func TestPermalinks(t *testing.T) {
	for in, want := range map[string]string{
		"<h2>Set up<a class=headerlink href=#s>¶</a></h2><p>x": "Set up\n\nx",
		"<h2>Set up <a href=#s>#</a></h2><p>x":                 "Set up\n\nx",
		"<h2>In C#</h2><p>x":                                   "In C#\n\nx",
		"<h2>¶</h2><p>x":                                       "¶\n\nx",
	} {
		if d := one(t, "a.html", in, nil); d.Text != want {
			t.Errorf("%s is read as %q, want %q", in, d.Text, want)
		}
	}
}

func TestHTML(t *testing.T) {
	for _, c := range []struct{ name, in, title, want string }{
		{"page", "<!doctype html><html lang=en><head><title>The\n Title</title><style>p{}</style></head><body><h1>Big</h1><p>One <b>t</b>wo.\n<p>Three&nbsp;&amp;&lt;four", "The Title", "The Title\nBig\n\nOne two.\n\nThree &<four"},
		{"title repeated", "<title>T</title><h1>T</h1><p>b", "T", "T\nb"},
		{"title from the heading", "<h1>T</h1><p>b</p><h1>U</h1>c", "T", "T\nb\n\nU\n\nc"},
		{"dropped parts", "<nav><a>menu</a><ul><li>x</ul></nav><p>a<script>var x = '<p>no</p>'</script> b<template><p>t</p></template><noscript>n</noscript><svg><title>s</title><text>v</text></svg><select><option>o</select> c<style>", "", "a b c"},
		{"nav left open", "<div><nav>menu</div><p>text", "", "text"},
		{"lists", "<p>a<ul><li>b<li><p>c</p><ol start=3><li>d</li><li>e</ol></li></ul>f", "", "a\n\n- b\n- c\n\n  3. d\n  4. e\n\nf"},
		{"table", "<table><caption>cap</caption><tr><th>a<th>b</tr><tr><td>1</td><td>2 <i>x</i></td></table>end", "", "cap\na | b\n1 | 2 x\n\nend"},
		{"pre", "<pre>\n  x\n    y\n\n</pre>z", "", "  x\n    y\n\nz"},
		{"breaks", "a<br>b<br/>\n c<hr>d<div>e</div><div>f</div>", "", "a\nb\nc\n\nd\ne\nf"},
		{"heading left open", "<h2>Head<p>para</p><h3>x", "", "Head\n\npara\n\nx"},
		{"image", `<p>see<img alt="the &quot;cat&quot;" src=x>here`, "", `see the "cat" here`},
		{"soft hyphen", "Donau&shy;dampf", "", "Donaudampf"},
		{"comment", "a<!-- <p>no -->b<![CDATA[c]]>d", "", "abd"},
		{"stray ends", "</div></p>a</b></h1>b</ul>c</nav>d", "", "a\nb\ncd"},
		{"plain text", "just text & more <", "", "just text & more <"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := one(t, "a.html", c.in, nil)
			if d.Title != c.title || d.Text != c.want {
				t.Errorf("title %q text\n%q, want %q\n%q", d.Title, d.Text, c.title, c.want)
			}
		})
	}
	const in = "<html lang='zh-Hans'><title>T</title>\r\n<h2>A</h2><p>one</p><h3>B</h3><ul><li>two</ul><h2>C</h2>three"
	d := one(t, "a.html", in, nil)
	if d.Lang != "zh-Hans" {
		t.Errorf("language %q", d.Lang)
	}
	if got, want := headings(d), "[] T\n[A] A\n[A] one\n[A > B] B\n[A > B] - two\n[C] C\n[C] three\n"; got != want {
		t.Errorf("blocks\n%swant\n%s", got, want)
	}
	for _, b := range d.Blocks {
		if got, want := in[b.Source[0]:b.Source[1]], strings.TrimPrefix(d.Text[b.Start:b.End], "- "); got != want {
			t.Errorf("source of %q is %q", want, got)
		}
	}
}
