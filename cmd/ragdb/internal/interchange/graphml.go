package interchange

import (
	"bufio"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// The names of the attributes that are not properties.
const (
	attrType   = "type"
	attrKey    = "key"
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
		fmt.Fprintf(b, `<key id="k%d" for="%s" attr.name="%s" attr.type="%s"/>`+"\n", i, k.of, escape(k.name), graphMLType(keys[k].kind))
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
		for _, p := range n.Props {
			data("node", apart(p.Name), text(p.Value))
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
			data("edge", apart(p.Name), text(p.Value))
		}
		b.WriteString("</edge>\n")
	}
	b.WriteString("</graph>\n</graphml>\n")
	return b.Flush()
}

// graphMLKey is the number and kind of a key.
type graphMLKey struct {
	at   int
	kind engine.Kind
}

// graphMLKeys finds the attributes of a graph. One whose values are of several
// kinds is text.
func graphMLKeys(ctx context.Context, s *Source) (keys map[keyOf]graphMLKey, ids []keyOf, err error) {
	keys = map[keyOf]graphMLKey{}
	add := func(k keyOf, kind engine.Kind) {
		have, ok := keys[k]
		switch {
		case !ok:
			keys[k] = graphMLKey{len(ids), kind}
			ids = append(ids, k)
		case have.kind != kind:
			keys[k] = graphMLKey{have.at, engine.KindString}
		}
	}
	add(keyOf{"node", attrType}, engine.KindString)
	add(keyOf{"node", attrKey}, engine.KindString)
	add(keyOf{"edge", attrType}, engine.KindString)
	add(keyOf{"edge", attrWeight}, engine.KindFloat)
	add(keyOf{"edge", attrDirected}, engine.KindBool)
	for n, err := range s.Nodes(ctx) {
		if err != nil {
			return nil, nil, err
		}
		for _, p := range n.Props {
			add(keyOf{"node", apart(p.Name)}, p.Value.Kind())
		}
	}
	for e, err := range s.Edges(ctx) {
		if err != nil {
			return nil, nil, err
		}
		for _, p := range e.Props {
			add(keyOf{"edge", apart(p.Name)}, p.Value.Kind())
		}
	}
	return keys, ids, nil
}

// apart keeps a property apart from the attributes that have its name.
func apart(name string) string {
	switch name {
	case attrType, attrKey, attrWeight, attrDirected:
		return name + "_"
	}
	return name
}

func graphMLType(k engine.Kind) string {
	switch k {
	case engine.KindBool:
		return "boolean"
	case engine.KindInt:
		return "long"
	case engine.KindFloat:
		return "double"
	}
	return "string"
}

// escape writes text for XML. Characters that XML cannot hold, such as most
// control characters, become U+FFFD.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}
