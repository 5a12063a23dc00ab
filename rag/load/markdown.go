package load

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	definition "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/yuin/goldmark/util"

	etext "github.com/ragdb/ragdb/rag/internal/text"
)

// readMarkdown reads a Markdown file.
func readMarkdown(ctx context.Context, o *origin) (*draft, error) {
	d := &draft{titleSrc: unknown}
	start := frontMatter(o.text, d)
	body := withoutTemplates(o.text, start)
	pieces, err := splitMarkdown(body, start)
	if err != nil {
		return nil, err
	}
	m := &mdReader{ctx: ctx, d: d, out: newBody(len(o.text)), outline: newOutline(len(o.text)), origin: o, text: body}
	m.parser = markdownParser()
	m.refs = parser.NewContext()
	if len(pieces) > 1 {
		addReferences(m.refs, body[start:])
	}
	for _, p := range pieces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := m.piece(p); err != nil {
			return nil, err
		}
	}
	d.text, d.blocks = m.out.text.String(), m.out.blocks
	return d, nil
}

// markdownParser returns the parser of CommonMark and strikethrough. Tables
// are found in the paragraphs they look like: as an extension they would let a
// short row stand for as many cells as the header has.
func markdownParser() parser.Parser {
	b := new(markBound)
	return parser.NewParser(
		parser.WithBlockParsers(append(parser.DefaultBlockParsers(),
			util.Prioritized(extension.NewDefinitionListParser(), 101),
			util.Prioritized(extension.NewDefinitionDescriptionParser(), 102))...),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(b.limit(parser.NewLinkParser()), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(b.limit(parser.NewEmphasisParser()), 500),
			util.Prioritized(b.limit(extension.NewStrikethroughParser()), 600),
		),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
}

// maxMarks is the number of brackets and emphasis marks beyond which those of
// a paragraph stay as they are.
const maxMarks = 500

// markBound decides whether the current paragraph is parsed for links and
// emphasis, whose cost is quadratic in the marks.
type markBound struct {
	node ast.Node
	many bool
}

// limit wraps an inline parser.
func (b *markBound) limit(p parser.InlineParser) parser.InlineParser {
	l := limitedParser{p, b}
	if c, ok := p.(parser.CloseBlocker); ok {
		return struct {
			limitedParser
			parser.CloseBlocker
		}{l, c}
	}
	return l
}

type limitedParser struct {
	parser.InlineParser
	bound *markBound
}

// Parse parses unless the paragraph has too many marks.
func (l limitedParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if b := l.bound; b.node != parent {
		b.node = parent
		marks := 0
		for _, s := range parent.Lines().Sliced(0, parent.Lines().Len()) {
			for _, c := range s.Value(block.Source()) {
				switch c {
				case '[', ']', '(', '*', '_', '~':
					marks++
				}
			}
		}
		b.many = marks > maxMarks
	}
	if l.bound.many {
		return nil
	}
	return l.InlineParser.Parse(parent, block, pc)
}

// addReferences registers the link reference definitions of the whole text,
// which pieces would not see of each other. Only that there is one matters.
func addReferences(pc parser.Context, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " ")
		if !strings.HasPrefix(line, "[") {
			continue
		}
		if label, target, ok := strings.Cut(line[1:], "]:"); ok && !isBlank(target) && !isBlank(label) && len(label) < 1000 {
			pc.AddReference(parser.NewReference([]byte(label), []byte("#"), nil))
		}
	}
}

// mdReader turns the syntax trees of a file's pieces into blocks.
type mdReader struct {
	ctx      context.Context
	d        *draft
	out      *body
	outline  *outline
	origin   *origin
	parser   parser.Parser
	refs     parser.Context
	headings int

	text   string // the file's, without templates
	src    []byte // the current piece
	offset int    // where it starts in the text
	prefix string // mark of the list item that begins with the next block
	indent string // of the blocks in the current list
}

// piece reads one piece. The parser is not ours, so a panic in it is an error
// of the file, not of the program.
func (m *mdReader) piece(p piece) (err error) {
	defer func() {
		if r := recover(); r != nil {
			line := 1 + strings.Count(m.origin.text[:p.start], "\n")
			err = refuse(line, ErrMalformed, "cannot be parsed as Markdown from this line on: %v", r)
		}
	}()
	m.src, m.offset = []byte(m.text[p.start:p.end]), p.start
	switch p.kind {
	case pieceComment:
		return nil
	case pieceCode:
		m.out.sep = newLine // goes on where the last piece ended
		m.out.kind = etext.Code
		code := strings.TrimRight(m.text[p.start:p.end], "\n")
		m.out.add(code, m.outline.path, m.origin.span(p.start, p.start+len(code)))
		m.out.separate(newParagraph)
		return nil
	}
	m.out.separate(newParagraph)
	root := m.parser.Parse(text.NewReader(m.src), parser.WithContext(m.refs))
	return m.children(root, newParagraph)
}

// children reads the blocks in a container; sep is what stands around each.
func (m *mdReader) children(n ast.Node, sep separator) error {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		m.out.separate(sep)
		if err := m.block(c); err != nil {
			return err
		}
		m.out.separate(sep)
	}
	return nil
}

func (m *mdReader) block(n ast.Node) error {
	switch n := n.(type) {
	case *ast.Heading:
		m.heading(n)
	case *ast.Paragraph, *ast.TextBlock:
		m.add(m.paragraph(n), m.span(n.Lines()))
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		m.out.kind = etext.Code
		m.add(strings.Trim(string(n.Lines().Value(m.src)), "\n"), m.span(n.Lines()))
	case *ast.HTMLBlock:
		return m.html(n)
	case *ast.List:
		return m.list(n)
	case *definition.DefinitionTerm:
		if _, ok := n.PreviousSibling().(*definition.DefinitionDescription); ok {
			m.out.separate(newParagraph)
		}
		m.add(m.paragraph(n), m.span(n.Lines()))
		m.out.separate(newLine)
	case *definition.DefinitionDescription:
		outer := m.indent
		m.indent += "  "
		err := m.children(n, newLine)
		m.indent = outer
		return err
	case *definition.DefinitionList:
		return m.children(n, newLine)
	case *ast.LinkReferenceDefinition, *ast.ThematicBreak:
	default:
		return m.children(n, newParagraph)
	}
	return nil
}

// add appends a block with the mark or the indentation of its list.
func (m *mdReader) add(s string, src [2]int64) {
	if s = withoutFiller(s); isBlank(s) {
		return
	}
	indent := m.indent
	if m.prefix != "" {
		indent, m.prefix = m.prefix, ""
	}
	m.out.add(indent+s, m.outline.path, src)
}

// span maps the lines of a block to the file.
func (m *mdReader) span(lines *text.Segments) [2]int64 {
	if lines.Len() == 0 {
		return unknown
	}
	first, last := lines.At(0), lines.At(lines.Len()-1)
	end := last.Stop
	for end > first.Start && m.src[end-1] == '\n' {
		end--
	}
	return m.origin.span(m.offset+first.Start, m.offset+end)
}

// heading reads a heading. The first one of a file is its title if it is of
// level one and front matter gave none, and is left out of the body if it
// repeats the title.
func (m *mdReader) heading(n *ast.Heading) {
	s := etext.OneLine(withoutFiller(m.paragraph(n)))
	if s == "" {
		return
	}
	src := m.span(n.Lines())
	m.headings++
	if m.headings == 1 && n.Level == 1 && len(s) <= maxTitleBytes && (m.d.title == "" || m.d.title == s) {
		m.d.title, m.d.titleSrc = s, src
		return
	}
	m.outline.enter(n.Level, s)
	m.add(s, src)
}

// list reads the items of a list with their marks.
func (m *mdReader) list(n *ast.List) error {
	sep := newParagraph
	if n.IsTight {
		sep = newLine
	}
	outer := m.indent
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		m.out.separate(sep)
		m.prefix = outer + "- "
		if n.IsOrdered() {
			m.prefix = outer + strconv.Itoa(number) + ". "
			number++
		}
		m.indent = outer + "  "
		err := m.children(c, sep)
		m.prefix, m.indent = "", outer
		if err != nil {
			return err
		}
	}
	return nil
}

// html reads a block of HTML as a page's fragment.
func (m *mdReader) html(n *ast.HTMLBlock) error {
	var b bytes.Buffer
	b.Write(n.Lines().Value(m.src))
	lines := n.Lines()
	if n.HasClosure() {
		b.Write(n.ClosureLine.Value(m.src))
	}
	src := m.span(lines)
	h := &htmlReader{out: m.out, outline: m.outline, span: func(int, int) [2]int64 { return src }}
	return h.read(m.ctx, withoutFiller(b.String()))
}
