package mcpserver

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ragdb/ragdb/internal/service"
)

// page is the text of a result, as a model reads it. What documents say is quoted: texts
// stand between <text MARK> and </text MARK>, where MARK is made for the result at random
// and stands in nothing that it holds, and ids, titles and headings are JSON strings on one
// line. So no document can end its own quotation.
//
// The page also bounds the result: it counts the tokens of what is taken, both as text and
// as JSON, and takes nothing beyond the bound.
type page struct {
	b     bytes.Buffer
	mark  string
	left  int
	count func(string) int
}

// The bounds of results, in tokens.
const (
	fewestTokens = 300
	usualTokens  = 4000
	mostTokens   = 20000
	// endTokens are kept for what is said of the rest.
	endTokens = 110
)

// newPage begins the text of a result of at most so many tokens. whole is the result
// before it is cut, frame what it has without the parts that are taken one by one.
func newPage(c *corpus, most int, whole, frame any) (*page, error) {
	all, err := service.Encode(whole)
	if err != nil {
		return nil, err
	}
	p := &page{count: c.Tokens().Count, left: most - endTokens}
	for p.mark == "" || bytes.Contains(all, []byte(p.mark)) {
		random := make([]byte, 6)
		if _, err := rand.Read(random); err != nil {
			return nil, err
		}
		p.mark = hex.EncodeToString(random)
	}
	head, err := service.Encode(frame)
	p.left -= p.count(string(head))
	return p, err
}

// say writes words of the server. Arguments that come from documents are quoted by the
// caller.
func (p *page) say(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

// quote writes a text of documents.
func (p *page) quote(s string) {
	p.say("<text %s>\n%s\n</text %s>\n", p.mark, plainText(s), p.mark)
}

// take adds a part: v is it in the JSON, write writes it. It takes nothing and reports
// false if the part does not fit.
func (p *page) take(v any, write func()) bool {
	from := p.b.Len()
	write()
	tokens := p.count(p.b.String()[from:])
	if v != nil {
		b, err := service.Encode(v)
		if err != nil {
			b = []byte(err.Error()) // an unsupported value: newPage has told of it
		}
		tokens = max(tokens, p.count(string(b))+1)
	}
	if tokens > p.left {
		p.b.Truncate(from)
		return false
	}
	p.left -= tokens
	return true
}

// takeCut is take for a part that is not left out: its text is cut until it fits, and
// cut says whether it was. It reports false if it does not fit without text either.
func (p *page) takeCut(text *string, v any, write func()) (cut, ok bool) {
	for !p.take(v, write) {
		n := len(strings.TrimSuffix(*text, cutMark)) * 2 / 3
		if n < 30 {
			if *text == "" {
				return cut, false
			}
			n = 0
		}
		*text, cut = cutAt(*text, n), true
	}
	return cut, true
}

// cutMark ends a text that was cut.
const cutMark = " … [cut]"

func cutAt(s string, n int) string {
	if n == 0 {
		return ""
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + cutMark
}

// short is a text that is cut if it has more than n bytes.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return cutAt(s, n)
}

// shortMeta is metadata whose values are cut.
func shortMeta(meta map[string]string, n int) map[string]string {
	out := map[string]string{}
	for k, v := range meta {
		out[k] = short(v, n)
	}
	return out
}

// leftOut tells what of a result was left out.
type leftOut struct {
	Shown int `json:"shown"`
	Of    int `json:"of"`
	// How says how to get the rest.
	How string `json:"how"`
}

// tell says what was left out.
func (p *page) tell(l *leftOut) {
	if l != nil {
		p.say("\n[%d of %d shown. %s]\n", l.Shown, l.Of, l.How)
	}
}

// result is the page with its JSON.
func (p *page) result(v any) (*mcp.CallToolResult, error) {
	b, err := service.Encode(v)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: p.b.String()}}, StructuredContent: json.RawMessage(b)}, nil
}

// refused is the result of a call that failed.
func refused(e *service.Error) *mcp.CallToolResult {
	text := e.Message
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	if e.Detail != "" {
		text += "\n" + e.Detail
	}
	out := &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: plainText(text)}}}
	if b, err := service.Encode(map[string]any{"error": e.View()}); err == nil {
		out.StructuredContent = json.RawMessage(b)
	}
	return out
}

// quoted is a name of a document as one line: a JSON string.
func quoted(s string) string {
	b, err := service.Encode(strings.ToValidUTF8(short(s, 300), "�"))
	if err != nil {
		return `""`
	}
	return showHidden(string(b))
}

func quotedList(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quoted(n)
	}
	return strings.Join(out, ", ")
}

// plainText shows the characters that a person who reads the text would not see: control
// characters, those that turn the direction of writing, and the invisible copy of ASCII.
func plainText(s string) string {
	return showHidden(strings.ToValidUTF8(s, "�"))
}

// showHidden writes hidden characters as escapes.
func showHidden(s string) string {
	hidden := func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || service.IsHidden(r) || r >= 0xe0000 && r <= 0xe007f
	}
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
