package interchange

import (
	"cmp"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// DefaultType is the type of nodes and edges that a file gives none.
const (
	DefaultNodeType = "node"
	DefaultEdgeType = "edge"
)

// FileError says what is wrong with a file, and where.
type FileError struct {
	Line int // from 1
	Why  string
}

// Error says where the file is wrong and why.
func (e *FileError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Why) }

// Is reports whether target is engine.ErrInvalid.
func (e *FileError) Is(target error) bool { return target == engine.ErrInvalid }

// Reader receives what a file holds; Edge is called after all nodes that its
// file puts before it.
type Reader struct {
	Node func(Node) error
	Edge func(Edge) error
}

// ReadGraphML reads a GraphML file. A node's type is its attribute type, or
// entity_type (LightRAG), or the first of labels (Neo4j); an edge's is type or
// label; its weight is weight. Groups, ports and hyperedges are refused.
func ReadGraphML(r io.Reader, to Reader) error {
	g := &graphMLReader{d: xml.NewDecoder(r), to: to, keys: map[string]graphMLAttr{}}
	for {
		t, err := g.d.Token()
		if errors.Is(err, io.EOF) {
			if !g.seen {
				return g.errorf("there is no graph in it")
			}
			return nil
		}
		if err != nil {
			return g.errorf("it is not XML: %v", err)
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
	d        *xml.Decoder
	to       Reader
	keys     map[string]graphMLAttr
	seen     bool // a graph
	directed bool
}

type graphMLAttr struct {
	name    string
	kind    engine.Kind
	of      string
	preset  string
	presets bool
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
			return g.errorf("it is not XML: %v", err)
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
	switch e.attr("attr.type") {
	case "boolean":
		a.kind = engine.KindBool
	case "int", "long":
		a.kind = engine.KindInt
	case "float", "double":
		a.kind = engine.KindFloat
	default:
		a.kind = engine.KindString
	}
	if e.Default != nil {
		a.preset, a.presets = *e.Default, true
	}
	g.keys[e.attr("id")] = a
}

// data reads the attributes of a node or edge, its own and the presets.
func (g *graphMLReader) data(e *graphMLElement, of string) (map[string]engine.Value, error) {
	out := map[string]engine.Value{}
	put := func(a graphMLAttr, s string) error {
		if s == "" && a.kind != engine.KindString {
			return nil // nothing is given
		}
		v, err := parse(s, a.kind)
		if err != nil {
			return g.errorf("%s: %v", a.name, err)
		}
		out[a.name] = v
		return nil
	}
	for _, a := range g.keys {
		if a.presets && (a.of == of || a.of == "all") {
			if err := put(a, a.preset); err != nil {
				return nil, err
			}
		}
	}
	for _, d := range e.Data {
		a, ok := g.keys[d.Key]
		if !ok {
			return nil, g.errorf("there is no key %q", d.Key)
		}
		if err := put(a, d.Value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// take removes the first of some attributes that there is.
func take(data map[string]engine.Value, names ...string) string {
	for _, n := range names {
		if v, ok := data[n]; ok {
			delete(data, n)
			if s := text(v); s != "" {
				return s
			}
		}
	}
	return ""
}

func (g *graphMLReader) node(e *graphMLElement) error {
	data, err := g.data(e, "node")
	if err != nil {
		return err
	}
	n := Node{ID: e.attr("id"), Type: take(data, attrType, "entity_type", "labels")}
	if n.ID == "" {
		return g.errorf("a node has no id")
	}
	n.Type, _, _ = strings.Cut(strings.TrimPrefix(n.Type, ":"), ":") // Neo4j writes :A:B
	if full := take(data, attrKey); full != "" {
		n.Key = full
		// A type may hold a colon where this program wrote it.
		if t, ok := strings.CutSuffix(n.ID, ":"+full); ok {
			n.Type = t
		}
	} else {
		n.Key = n.ID
	}
	if n.Type == "" {
		n.Type = DefaultNodeType
	}
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

func weight(s string) (float32, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 32)
	if err != nil || x != x {
		return 0, fmt.Errorf("weight %q is not a number", s)
	}
	return float32(x), nil
}

// ReadCSV reads a table of nodes and one of edges with the headers of
// neo4j-admin import: :ID, :LABEL and properties as name:kind; :START_ID,
// :END_ID, :TYPE, and of properties weight and directed mean what they say.
func ReadCSV(nodes, edges io.Reader, to Reader) error {
	err := readTable(nodes, []string{colID}, func(r *record) error {
		n := Node{ID: r.take(colID), Type: r.take(colLabel), Key: r.take(attrKey)}
		n.Type, _, _ = strings.Cut(n.Type, ";") // several labels: the first
		if n.Key == "" {
			n.Key = n.ID
		}
		if n.Type == "" {
			n.Type = DefaultNodeType
		}
		var err error
		if n.Props, err = r.props(); err != nil {
			return err
		}
		return to.Node(n)
	})
	if err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	err = readTable(edges, []string{colStart, colEnd}, func(r *record) error {
		e := Edge{From: r.take(colStart), To: r.take(colEnd), Type: r.take(colType), Directed: true, Weight: 1}
		if e.Type == "" {
			e.Type = DefaultEdgeType
		}
		if s := r.take("directed"); s != "" {
			v, err := parse(s, engine.KindBool)
			if err != nil {
				return r.errorf("directed: %v", err)
			}
			e.Directed = v.AsBool()
		}
		var err error
		if s := r.take(attrWeight); s != "" {
			if e.Weight, err = weight(s); err != nil {
				return r.errorf("%v", err)
			}
		}
		if e.Props, err = r.props(); err != nil {
			return err
		}
		return to.Edge(e)
	})
	if err != nil {
		return fmt.Errorf("edges: %w", err)
	}
	return nil
}

// record is a row of a table.
type record struct {
	line  int
	names []string
	kinds []engine.Kind
	cells []string
	taken []bool
}

func (r *record) errorf(format string, args ...any) error {
	return &FileError{r.line, fmt.Sprintf(format, args...)}
}

// take returns a cell and leaves it out of the properties.
func (r *record) take(name string) string {
	for i, n := range r.names {
		if n == name && !r.taken[i] {
			r.taken[i] = true
			return r.cells[i]
		}
	}
	return ""
}

func (r *record) props() ([]Prop, error) {
	var out []Prop
	for i, cell := range r.cells {
		if r.taken[i] || cell == "" {
			continue
		}
		v, err := parse(cell, r.kinds[i])
		if err != nil {
			return nil, r.errorf("%s: %v", r.names[i], err)
		}
		out = append(out, Prop{r.names[i], v})
	}
	slices.SortStableFunc(out, func(a, b Prop) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func readTable(in io.Reader, want []string, fn func(r *record) error) error {
	c := csv.NewReader(in)
	c.ReuseRecord = true
	head, err := c.Read()
	if err != nil {
		return &FileError{1, "there is no header"}
	}
	r := &record{taken: make([]bool, len(head))}
	for _, h := range head {
		n, kind := column(h)
		r.names, r.kinds = append(r.names, n), append(r.kinds, kind)
	}
	for _, w := range want {
		if !slices.Contains(r.names, w) {
			return &FileError{1, fmt.Sprintf("the header has no column %s", w)}
		}
	}
	for {
		r.cells, err = c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			var bad *csv.ParseError
			if errors.As(err, &bad) {
				return &FileError{bad.Line, bad.Err.Error()}
			}
			return err
		}
		r.line, _ = c.FieldPos(0)
		clear(r.taken)
		if err := fn(r); err != nil {
			return err
		}
	}
}

// column reads a column of a header: name:kind, :ID, id:ID or :ID(space).
func column(h string) (name string, kind engine.Kind) {
	h = strings.TrimPrefix(h, "\ufeff")
	name, of, _ := strings.Cut(h, ":")
	of, _, _ = strings.Cut(of, "(")
	switch special := ":" + strings.ToUpper(of); special {
	case colID, colLabel, colStart, colEnd, colType:
		return special, engine.KindString
	}
	switch strings.ToLower(of) {
	case "boolean":
		return name, engine.KindBool
	case "int", "long", "short", "byte":
		return name, engine.KindInt
	case "float", "double":
		return name, engine.KindFloat
	}
	return name, engine.KindString
}
