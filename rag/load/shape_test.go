package load_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestShapeOfHTML: tables, lists of definitions and code keep their shape, and what leads
// through a site is left out.
func TestShapeOfHTML(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"blocks in cells", "<table><tr><th><p>Name</p></th><th>Use</th></tr><tr><td><p>port</p><td><ul><li>in<li>out</ul><br>only</tr></table>", "Name | Use\nport | in; out only"},
		{"a row has a cell for each name", "<table><tr><th>A<th>B<th>C<tr><td>1<td><td>3<tr><td colspan=2>4<td>5<tr><td>6</table>", "A | B | C\n1 |  | 3\n4 |  | 5\n6"},
		{"cells that reach down", "<table><tr><th>A<th>B<tr><td rowspan=3>x<td>1<tr><td>2<tr><td>3<tr><td>y<td>4</table>", "A | B\nx | 1\nx | 2\nx | 3\ny | 4"},
		{"a header of two rows", "<table><thead><tr><td rowspan=2>Name<td colspan=2>Value<tr><td>min<td>max</thead><tbody><tr><td>a<td>1<td>2</table>", "Name | Value min | Value max\na | 1 | 2"},
		{"a header again", "<table><tr><th>A<th>B<tr><td>1<td>2<tr><th>C<th>D<tr><td>3<td>4</table>", "A | B\n1 | 2\nC | D\n3 | 4"},
		{"a header alone", "<table><tr><th>A<th>B</table>x", "A | B\n\nx"},
		{"rows that begin with their name", "<table><tr><th>Size<td>4 MB<tr><th>Age<td>5</table>", "Size: 4 MB\nAge: 5"},
		{"a table that lays out a page", "<table><tr><td><p>One.<p>Two.</p><td><h2>Three</h2><p>four</table>", "One.\n\nTwo.\n\nThree\n\nfour"},
		{"a mark beside a heading", "<table><tr><td rowspan=2><img alt='[Note]'><th>Note<tr><td><p>One.<p>Two.</table>", "[Note] | Note\n\nOne.\n\nTwo."},
		{"a table in a cell", "<table><tr><th>A<th>B<tr><td>1<td><table><tr><td>x<td>y</table><tr><td>2<td>3</table>end", "A | B\n1 | x y\n2 | 3\n\nend"},
		{"definitions", "<dl><dt>-a<dt>--all<dd><p>Show all.<p>Really.<dt>-b<dd>Brief<dl><dt>x<dd>y</dl></dl>end", "-a\n--all\n  Show all.\n\n  Really.\n\n-b\n  Brief\n\n  x\n    y\n\nend"},
		{"navigation", "<div class='navheader'><table><tr><th>Site</table></div><div role=navigation><ul><li>index</ul></div><p>Text <a class=headerlink href=x>¶</a>stays.</p><span class='mw-editsection'><span>[</span>edit<span>]</span></span><footer><p>2024</footer>", "Text stays."},
		{"neighbours", "<p>Next: <a rel=next href=b>Bees</a>, Up: <a rel=up href=c>Top</a></p><p>See <a rel=next href=b>Bees</a> for what they do all day long.", "See Bees for what they do all day long."},
		{"names of the page", "<html class=sidebar><body class='toc nav'><main class=related><p class=footer>a", "a"},
		{"line numbers", "<table><tr><td class=linenos><pre>1\n2</pre><td><pre>a\nb</pre></table>", "a\nb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := one(t, "a.html", c.in, nil); d.Text != c.want {
				t.Errorf("%q, want %q", d.Text, c.want)
			}
		})
	}
}

// TestShapeOfMarkdown: the marks of generators of sites are left out, but not where
// code shows them; every other byte keeps its place.
func TestShapeOfMarkdown(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"links", "See [the docs]({{< relref \"x\" >}}), [ref]({{% ref \"y\" %}}#a) and {{< icon \"x\" >}} that.", "See the docs, ref and that."},
		{"html", "A <a href=\"{{< ref \"x\" >}}\">link</a>.", "A link."},
		{"notes of Hugo", "{{% note %}}\nMind it.\n{{% /note %}}\n", "Mind it."},
		{"a picture", "{{< figure src=\"a.png\"\n  title=\"A cat\" >}}", "A cat"},
		{"code", "{{< highlight go >}}\n# x\n{{< /highlight >}}\n\n{% highlight %}\n*y*\n{% endhighlight %}", "# x\n\n*y*"},
		{"Jekyll", "{% include a.html %}\n\n{% raw %}Text{% endraw %} {/* c */}goes on.", "Text goes on."},
		{"Docusaurus", "import Tabs from '@theme/Tabs';\n\n:::tip[Careful]\nDo *it*.\n:::\n\n:::note\nPlain.\n:::", "Careful\nDo it.\n\nPlain."},
		{"MkDocs", "!!! warning \"Hot\"\n    It burns.\n\n    Really.\n\n=== \"Linux\"\n\n    apt", "- Hot\nIt burns.\n\n  Really.\n\n- Linux\n\n  apt"},
		{"reStructuredText", ".. note:: Some *text* of :ref:`a`.\nSee {ref}`b`.", "Some text of a. See b."},
		{"alerts", "> [!NOTE]\n> Look out.", "NOTE\nLook out."},
		{"contents", "[TOC]\n\na", "a"},
		{"cells", "| a | b |\n|---|---|\n| {{< x >}} 1 | 2 |", "a | b\n1 | 2"},
		{"shown in code", "`{{< x >}}`\n\n```\n{{< keep >}} {% keep %}\n:::note\nimport x from 'y';\n```\n\n    {{< keep >}}", "{{< x >}}\n\n{{< keep >}} {% keep %}\n:::note\nimport x from 'y';\n\n{{< keep >}}"},
		{"no marks", "{{ x }} {y} :z: {{< open\n\n=== b\n\n!!!\n\nimport taxes are due", "{{ x }} {y} :z: {{< open\n\n=== b\n\n!!!\n\nimport taxes are due"},
		{"cells of code", "| a |  | c |\n|---|---|---|\n| `x \\| y` || \\| |\n", "a |  | c\nx | y |  | |"},
		{"definitions", "Term\n: Its *text*\n  goes on.\n: More.\n\nOther\n: This.\n\nend", "Term\n  Its text goes on.\n  More.\n\nOther\n  This.\n\nend"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := one(t, "a.md", c.in, nil); d.Text != c.want {
				t.Errorf("%q, want %q", d.Text, c.want)
			}
		})
	}
	const in = "a {{< x >}} b\n\n## C {{< y >}}\n\n*d*"
	d := one(t, "a.md", in, nil)
	for i, want := range []string{"a {{< x >}} b", "C {{< y >}}", "*d*"} {
		if s := d.Blocks[i].Source; in[s[0]:s[1]] != want {
			t.Errorf("source %q, want %q", in[s[0]:s[1]], want)
		}
	}
}

// TestKinds: blocks know code, the header of a table and its rows.
func TestKinds(t *testing.T) {
	prose := strings.Repeat("This text goes on and on over the end of the line, and then\nit goes on again until the whole of what is said was said in\nfull. ", 3)
	for name, in := range map[string]string{
		"a.md":   "p\n\n```\ncode\n```\n\n    code\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\np",
		"a.html": "<p>p<pre>code</pre><pre>code</pre><table><tr><th>a<th>b<tr><td>1<td>2</table><table><tr><td>c<td>d</table><pre>" + prose + "</pre>",
	} {
		got := ""
		d := one(t, name, in, nil)
		for _, b := range d.Blocks {
			got += fmt.Sprint(b.Kind)
		}
		if want := map[string]string{"a.md": "01120", "a.html": "0112300"}[name]; got != want {
			t.Errorf("%s: kinds %s, want %s of %q", name, got, want, d.Text)
		}
	}
}
