package interchange

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The columns of neo4j-admin import.
const (
	colID, colLabel           = ":ID", ":LABEL"
	colStart, colEnd, colType = ":START_ID", ":END_ID", ":TYPE"
)

// WriteCSV writes the nodes and the edges of a graph as two tables whose headers
// name kinds, as neo4j-admin import reads them. It reads the graph twice.
func WriteCSV(ctx context.Context, nodes, edges io.Writer, s *Source) error {
	types := map[string]string{}
	for n, err := range s.Nodes(ctx) {
		if err != nil {
			return err
		}
		note(types, n.Props)
	}
	w := csv.NewWriter(nodes)
	columns := slices.Sorted(maps.Keys(types))
	_ = w.Write(append([]string{colID, colLabel, attrKey}, header(columns, types)...)) // errors stay in w
	for n, err := range s.Nodes(ctx) {
		if err != nil {
			return err
		}
		_ = w.Write(append([]string{n.ID, strings.Join(append([]string{n.Type}, n.Labels...), ";"), n.Key}, cells(columns, n.Props)...))
	}
	if w.Flush(); w.Error() != nil {
		return w.Error()
	}
	types = map[string]string{}
	for e, err := range s.Edges(ctx) {
		if err != nil {
			return err
		}
		note(types, e.Props)
	}
	w, columns = csv.NewWriter(edges), slices.Sorted(maps.Keys(types))
	_ = w.Write(append([]string{colStart, colEnd, colType, "directed:boolean", "weight:float"}, header(columns, types)...))
	for e, err := range s.Edges(ctx) {
		if err != nil {
			return err
		}
		_ = w.Write(append([]string{e.From, e.To, e.Type, strconv.FormatBool(e.Directed), fmt.Sprintf("%g", e.Weight)}, cells(columns, e.Props)...))
	}
	w.Flush()
	return w.Error()
}

// note adds the types of properties; one of several types is text.
func note(types map[string]string, props []Prop) {
	for _, p := range props {
		t := typeOf(p.Value)
		if have, ok := types[p.Name]; ok && have != t {
			t = typeString
		}
		types[p.Name] = t
	}
}

func header(columns []string, types map[string]string) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		if t := types[c]; t != typeString {
			c += ":" + t
		}
		out[i] = c
	}
	return out
}

func cells(columns []string, props []Prop) []string {
	out := make([]string, len(columns))
	for _, p := range props {
		if i, ok := slices.BinarySearch(columns, p.Name); ok {
			out[i] = text(p.Value)
		}
	}
	return out
}

// ReadCSV reads a table of nodes and one of edges with the headers of
// neo4j-admin import: :ID, :LABEL and properties as name:kind; :START_ID,
// :END_ID, :TYPE, and of properties weight and directed mean what they say.
func ReadCSV(nodes, edges io.Reader, to Reader) error {
	err := readTable(nodes, []string{colID}, func(r *record) error {
		n := Node{ID: r.take(colID), Type: r.take(colLabel), Key: r.take(attrKey)}
		all := strings.Split(n.Type, ";")
		n.Type = all[0]
		if n.Key == "" {
			n.Key = n.ID
		}
		if n.Type == "" && n.ID != ":"+n.Key { // else this program wrote a node without a label
			n.Type = DefaultNodeType
		}
		n.Labels = labelsBeside(n.Type, all)
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
			v, err := parse(s, typeBool)
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
	types []string
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
		v, err := parse(cell, r.types[i])
		if err != nil {
			return nil, r.errorf("%.100s: %v", r.names[i], err)
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
		r.names, r.types = append(r.names, n), append(r.types, kind)
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
func column(h string) (name, typ string) {
	h = strings.TrimPrefix(h, "\ufeff")
	name, of, _ := strings.Cut(h, ":")
	of, _, _ = strings.Cut(of, "(")
	of, _, _ = strings.Cut(of, "{") // point{crs:WGS-84}
	switch special := ":" + strings.ToUpper(of); special {
	case colID, colLabel, colStart, colEnd, colType:
		return special, typeString
	}
	return name, knownType(of)
}
