package load_test

import (
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/load"
)

// fuzz reads whatever comes as a file of the given name. walk checks every
// document: valid text, blocks in order and inside it that cover all of it.
// Beyond that, spans of the source are inside the file, and reading the file
// twice gives the same.
func fuzz(f *testing.F, name string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
		f.Add([]byte(wide(s, false)))
		f.Add([]byte(strings.ReplaceAll(s, "\n", "\r\n")))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o := &load.Options{MaxDocBytes: 1 << 16}
		r := walk(t, files(name, string(b)), ".", o)
		if r.err != nil {
			t.Fatalf("the walk ended with %v", r.err)
		}
		for _, d := range r.docs {
			for i, bl := range d.Blocks {
				if bl.Source[1] > int64(len(b)) {
					t.Errorf("block %d of %s has source %v in a file of %d bytes", i, d.Key, bl.Source, len(b))
				} else if d.Format == "txt" {
					src := decodeAny(string(b), bl.Source)
					if got := d.Text[bl.Start:bl.End]; strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(src) != got {
						t.Errorf("block %d is %q, its source %v %q", i, got, bl.Source, src)
					}
				}
			}
		}
		again := walk(t, files(name, string(b)), ".", o)
		if len(again.docs) != len(r.docs) {
			t.Fatalf("%d documents, then %d", len(r.docs), len(again.docs))
		}
		for i, d := range r.docs {
			if a := again.docs[i]; a.Digest != d.Digest || a.Key != d.Key || headings(a) != headings(d) {
				t.Errorf("document %s differs when read again", d.Key)
			}
		}
	})
}

func FuzzText(f *testing.F) {
	fuzz(f, "a.txt", "one\ntwo\n\n\fthree", "caf\xe9", "%PDF-1", "\xed\xa0\x80")
}

func FuzzMarkdown(f *testing.F) {
	fuzz(f, "a.md",
		"---\ntitle: T\ntags: [a, b]\n---\n# H\n\n*a* **b** [l](u) ![i](u) `c` <b>x</b> ~~s~~\n\n- a\n  1. b\n\n> q\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
		"[a]: b\n\n[a] [a][a] [a]() <http://x> &amp; \\* \n\n```\ncode\n```\n\n    code\n\n<div>\n<h2>x</h2>\n</div>\n\n<!-- c -->\n",
		"{{< a title=\"b\" >}}\n{{% c %}}[d]({{< e >}}){% f %}\n:::note[g]\nh\n:::\n!!! i\n    j\n```{k} l\nm\n```\n:n:`o`\n> [!P]\n> q\n\nr\n: s\n\n| {{< t >}} | `u\\|v` |\n|-|-|\n| 1 |\n",
		"T\n===\n\n***\na  \nb\\\nc<br>d", strings.Repeat("> ", 40), "- - -\n- # h\n")
}

func FuzzHTML(f *testing.F) {
	fuzz(f, "a.html",
		"<!doctype html><html lang=en><title>T</title><h1>H</h1><p>a<b>b</b>&amp;<br>c<ul><li>d<ol start=7><li>e</ol></ul><table><tr><th>f<td>g</table><pre>\n h\n</pre><img alt=i>",
		"<table><thead><tr><td rowspan=2>a<td colspan=3><p>b<tr><th>c<th>d<tbody><tr><td rowspan=9><ul><li>e<li>f</ul><td><table><tr><td>g</table><tr><th>h</table><dl><dt>i<dd>j<dl><dt>k<dd><pre>l</pre></dl><footer>m</footer><a rel=next>n</a>",
		"<nav>a</div><script>b</script><svg><title>c</svg><select><option>d</select></nav>e<h2>f<h3>g</ul></li></p>h<hr><xmp>&amp;</xmp><plaintext>i",
		"<textarea><p></textarea><template/><script/>x</script><![CDATA[y]]><!-->z", "&#0;&#x110000;&nbsp;&shy;&nGt;",
		"<meta charset=gb18030><p>\xc4\xa5\xb7\xbb \x81\x30\x81\x30\n", "<?xml encoding='big5'?><p>\xbf\x69\xa9\x7b \x88\x62")
}

func FuzzJSONL(f *testing.F) {
	fuzz(f, "a.jsonl",
		`{"id":"a","title":"T","text":"x\r\ny","k":[1,"2",null,{"a":[]}],"d":"2025-01-01","n":1e400,"lang":"en"}`+"\n\n"+`{"content":"z"}`+"\n[]\nnull\n\"s\"\n{",
		`{"id":"\ud800","text":"\u0000"}`, `{"id":1,"text":2,"title":3}`, "caf\xe9\n{\"text\":\"x\"}\n")
}

func FuzzCSV(f *testing.F) {
	fuzz(f, "a.csv", "id,title,text,n\na,T,\"x \"\"q\"\"\ny\",1\nb\n,,z,\n", "a;b\n1;2\n", "id,text\na,\"b\nc,d\n", "text\ncaf\xe9\nx\"y\nz")
}

func FuzzGzip(f *testing.F) {
	f.Add([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x4b\x04\x00\x43\xbe\xb7\xe8\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := walk(t, files("a.txt.gz", string(b)), ".", nil)
		if n := len(r.docs) + len(r.bad) + len(r.skips); n != 1 || r.err != nil {
			t.Errorf("%d outcomes of one file, error %v", n, r.err)
		}
	})
}
