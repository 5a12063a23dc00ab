package interchange

import (
	"bufio"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// The names of the attributes that are not properties.
const (
	attrType   = "type"
	attrKey    = "key"
	attrLabels = "labels" // all of a node with several, as :A:B
	attrWeight = "weight"
	// attrDirected says of an edge whether it has a direction: many programs
	// refuse files in which some edges have one and others none.
	attrDirected = "directed"
)

// keyOf is a key of a GraphML file: an attribute of nodes or of edges.
type keyOf struct {
	of, name string // node or edge
}

// WriteGraphML writes a graph as GraphML. It reads the graph twice: what
// attributes there are stands before the nodes.
func WriteGraphML(ctx context.Context, w io.Writer, s *Source) error {
	keys, ids, err := graphMLKeys(ctx, s)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 1<<16)
	b.WriteString(xml.Header)
	b.WriteString(`<graphml xmlns="http://graphml.graphdrawing.org/xmlns">` + "\n")
	for i, k := range ids {
		fmt.Fprintf(b, `<key id="k%d" for="%s" attr.name="%s" %s/>`+"\n", i, k.of, escape(k.name), graphMLType(keys[k].typ))
	}
	preset := "undirected"
	for _, t := range s.View.EdgeTypes() {
		if t.Directed() {
			preset = "directed"
		}
	}
	fmt.Fprintf(b, `<graph id="%s" edgedefault="%s">`+"\n", escape(s.View.Graph().Name()), preset)
	data := func(of, name, value string) {
		fmt.Fprintf(b, `<data key="k%d">%s</data>`, keys[keyOf{of, name}].at, escape(value))
	}
	for n, err := range s.Nodes(ctx) {
		if err != nil {
			return err
		}
		fmt.Fprintf(b, `<node id="%s">`, escape(n.ID))
		data("node", attrType, n.Type)
		data("node", attrKey, n.Key)
		if len(n.Labels) > 0 {
			data("node", attrLabels, ":"+strings.Join(append([]string{n.Type}, n.Labels...), ":"))
		}
		for _, p := range n.Props {
			data("node", apart(p.Name), graphMLText(p.Value))
		}
		b.WriteString("</node>\n")
	}
	for e, err := range s.Edges(ctx) {
		if err != nil {
			return err
		}
		fmt.Fprintf(b, `<edge source="%s" target="%s">`, escape(e.From), escape(e.To))
		data("edge", attrType, e.Type)
		data("edge", attrDirected, fmt.Sprint(e.Directed))
		data("edge", attrWeight, fmt.Sprintf("%g", e.Weight))
		for _, p := range e.Props {
			data("edge", apart(p.Name), graphMLText(p.Value))
		}
		b.WriteString("</edge>\n")
	}
	b.WriteString("</graph>\n</graphml>\n")
	return b.Flush()
}

// graphMLKey is the number and kind of a key.
type graphMLKey struct {
	at  int
	typ string
}

// graphMLKeys finds the attributes of a graph. One whose values are of several
// kinds is text.
func graphMLKeys(ctx context.Context, s *Source) (keys map[keyOf]graphMLKey, ids []keyOf, err error) {
	keys = map[keyOf]graphMLKey{}
	add := func(k keyOf, typ string) {
		have, ok := keys[k]
		switch {
		case !ok:
			keys[k] = graphMLKey{len(ids), typ}
			ids = append(ids, k)
		case have.typ != typ:
			keys[k] = graphMLKey{have.at, typeString}
		}
	}
	add(keyOf{"node", attrType}, typeString)
	add(keyOf{"node", attrKey}, typeString)
	add(keyOf{"edge", attrType}, typeString)
	add(keyOf{"edge", attrWeight}, typeFloat)
	add(keyOf{"edge", attrDirected}, typeBool)
	for n, err := range s.Nodes(ctx) {
		if err != nil {
			return nil, nil, err
		}
		if len(n.Labels) > 0 {
			add(keyOf{"node", attrLabels}, typeString)
		}
		for _, p := range n.Props {
			add(keyOf{"node", apart(p.Name)}, typeOf(p.Value))
		}
	}
	for e, err := range s.Edges(ctx) {
		if err != nil {
			return nil, nil, err
		}
		for _, p := range e.Props {
			add(keyOf{"edge", apart(p.Name)}, typeOf(p.Value))
		}
	}
	return keys, ids, nil
}

// apart keeps a property apart from the attributes that have its name.
func apart(name string) string {
	switch name {
	case attrType, attrKey, attrLabels, attrWeight, attrDirected:
		return name + "_"
	}
	return name
}

// graphMLType returns the attributes of a key that tell its type. GraphML knows
// boolean, long, double and string; attr.list says that values are lists, as JSON,
// and attr.kind which temporal value or that a point is written as text.
func graphMLType(typ string) string {
	one, list := strings.CutSuffix(typ, listMark)
	base, kind := one, ""
	if one == typePoint || kindOf(one) != 0 {
		base, kind = typeString, ` attr.kind="`+one+`"`
	}
	if list {
		return `attr.type="string" attr.list="` + base + `"` + kind
	}
	return `attr.type="` + base + `"` + kind
}

// graphMLText writes lists as JSON.
func graphMLText(v engine.Value) string {
	if strings.HasSuffix(typeOf(v), listMark) {
		return jsonList(v)
	}
	return text(v)
}

// escape writes text for XML. Characters that XML cannot hold, such as most
// control characters, become U+FFFD.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}

// ReadGraphML reads a GraphML file. A node's type is its attribute type, or
// entity_type (LightRAG), or the first of labels (Neo4j); an edge's is type or
// label; its weight is weight. The encoding is that of the byte order mark or the
// declared one. Groups, ports and hyperedges are refused.
func ReadGraphML(r io.Reader, to Reader) error {
	g := &graphMLReader{d: newXMLReader(r), to: to, keys: map[string]graphMLAttr{}}
	for {
		t, err := g.d.Token()
		if errors.Is(err, io.EOF) {
			if !g.seen {
				return g.errorf("there is no graph in it")
			}
			return nil
		}
		if err != nil {
			return g.errorf("it is not XML: %.200v", err)
		}
		start, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		if err := g.element(start); err != nil {
			return err
		}
	}
}

type graphMLReader struct {
	d        *xmlReader
	to       Reader
	keys     map[string]graphMLAttr
	presets  []graphMLAttr // in the file's order
	seen     bool          // a graph
	directed bool
}

// graphMLAttr is an attribute that a key of the file declares.
type graphMLAttr struct {
	name   string
	typ    string
	of     string // node, edge, all
	preset string // what a node or edge has that does not give it
}

func (g *graphMLReader) errorf(format string, args ...any) error {
	line, _ := g.d.InputPos()
	return &FileError{line, fmt.Sprintf(format, args...)}
}

// graphMLElement is a key, node or edge with its data.
type graphMLElement struct {
	Attrs   []xml.Attr `xml:",any,attr"`
	Default *string    `xml:"default"`
	Data    []struct {
		Key   string `xml:"key,attr"`
		Value string `xml:",chardata"`
	} `xml:"data"`
	Graph []struct{} `xml:"graph"`
}

// texts yields what the file says in an element.
func (e *graphMLElement) texts(yield func(string) bool) {
	for _, a := range e.Attrs {
		if !yield(a.Value) {
			return
		}
	}
	for _, d := range e.Data {
		if !yield(d.Value) {
			return
		}
	}
	if e.Default != nil {
		yield(*e.Default)
	}
}

func (e *graphMLElement) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (g *graphMLReader) element(start xml.StartElement) error {
	switch name := start.Name.Local; name {
	case "graphml":
		return nil
	case "graph":
		if g.seen {
			return g.errorf("it holds several graphs: give one a file")
		}
		g.seen = true
		for _, a := range start.Attr {
			if a.Name.Local == "edgedefault" {
				g.directed = a.Value == "directed"
			}
		}
		return nil
	case "key", "node", "edge":
		var e graphMLElement
		if err := g.d.DecodeElement(&e, &start); err != nil {
			return g.errorf("it is not XML: %.200v", err)
		}
		for s := range e.texts {
			if g.d.undecoded(s) {
				return g.errorf("it has bytes that are not %s; convert it to UTF-8", g.d.encoding)
			}
		}
		if len(e.Graph) > 0 {
			return g.errorf("a node holds a graph, which is not supported")
		}
		switch name {
		case "key":
			g.key(&e)
			return nil
		case "node":
			return g.node(&e)
		}
		return g.edge(&e)
	case "hyperedge", "port":
		return g.errorf("a %s is not supported", name)
	}
	return g.d.Skip()
}

func (g *graphMLReader) key(e *graphMLElement) {
	a := graphMLAttr{name: e.attr("attr.name"), of: e.attr("for")}
	if a.name == "" {
		a.name = e.attr("id")
	}
	a.typ = knownType(cmp.Or(e.attr("attr.kind"), e.attr("attr.list"), e.attr("attr.type")))
	if e.attr("attr.list") != "" {
		a.typ += listMark
	}
	if e.Default != nil {
		a.preset = *e.Default
		g.presets = append(g.presets, a)
	}
	g.keys[e.attr("id")] = a
}

// data reads the attributes of a node or edge, its own and the presets.
func (g *graphMLReader) data(e *graphMLElement, of string) (map[string]engine.Value, error) {
	out := map[string]engine.Value{}
	put := func(a graphMLAttr, s string) error {
		if s == "" && a.typ != typeString {
			return nil // nothing is given
		}
		v, err := parse(s, a.typ)
		if err != nil {
			return g.errorf("%.100s: %v", a.name, err)
		}
		out[a.name] = v
		return nil
	}
	for _, a := range g.presets {
		if a.of == of || a.of == "all" {
			if err := put(a, a.preset); err != nil {
				return nil, err
			}
		}
	}
	for _, d := range e.Data {
		a, ok := g.keys[d.Key]
		if !ok {
			return nil, g.errorf("there is no key %.100q", d.Key)
		}
		if err := put(a, d.Value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (g *graphMLReader) node(e *graphMLElement) error {
	data, err := g.data(e, "node")
	if err != nil {
		return err
	}
	n := Node{ID: e.attr("id"), Type: take(data, attrType, "entity_type")}
	if n.ID == "" {
		return g.errorf("a node has no id")
	}
	full := take(data, attrLabels) // Neo4j writes :A:B
	all := strings.Split(strings.TrimPrefix(strings.TrimPrefix(full, ":"+n.Type), ":"), ":")
	if n.Type == "" {
		n.Type = all[0]
	}
	n.Type, _, _ = strings.Cut(strings.TrimPrefix(n.Type, ":"), ":")
	if full = take(data, attrKey); full != "" {
		n.Key = full
		// A type may hold a colon if this program wrote it.
		if t, ok := strings.CutSuffix(n.ID, ":"+full); ok {
			n.Type = t
		}
	} else {
		n.Key = n.ID
	}
	if n.Type == "" && n.ID != ":"+n.Key { // else this program wrote a node without a label
		n.Type = DefaultNodeType
	}
	n.Labels = labelsBeside(n.Type, all)
	n.Props = sorted(data)
	return g.to.Node(n)
}

func (g *graphMLReader) edge(e *graphMLElement) error {
	data, err := g.data(e, "edge")
	if err != nil {
		return err
	}
	out := Edge{From: e.attr("source"), To: e.attr("target"), Directed: g.directed, Weight: 1}
	if out.From == "" || out.To == "" {
		return g.errorf("an edge needs a source and a target")
	}
	if s := cmp.Or(take(data, attrDirected), e.attr("directed")); s != "" {
		out.Directed = s == "true"
	}
	if out.Type = take(data, attrType, "label"); out.Type == "" {
		out.Type = DefaultEdgeType
	}
	if s := take(data, attrWeight); s != "" {
		if out.Weight, err = weight(s); err != nil {
			return g.errorf("%v", err)
		}
	}
	out.Props = sorted(data)
	return g.to.Edge(out)
}
