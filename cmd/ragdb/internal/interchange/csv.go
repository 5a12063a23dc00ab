package interchange

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/ragdb/ragdb/engine"
)

// The columns of neo4j-admin import.
const (
	colID, colLabel           = ":ID", ":LABEL"
	colStart, colEnd, colType = ":START_ID", ":END_ID", ":TYPE"
)

// WriteCSV writes the nodes and the edges of a graph as two tables whose headers
// name kinds, as neo4j-admin import reads them. It reads the graph twice.
func WriteCSV(ctx context.Context, nodes, edges io.Writer, s *Source) error {
	kinds := map[string]engine.Kind{}
	for n, err := range s.Nodes(ctx) {
		if err != nil {
			return err
		}
		note(kinds, n.Props)
	}
	w := csv.NewWriter(nodes)
	columns := slices.Sorted(maps.Keys(kinds))
	_ = w.Write(append([]string{colID, colLabel, attrKey}, header(columns, kinds)...)) // errors stay in w
	for n, err := range s.Nodes(ctx) {
		if err != nil {
			return err
		}
		_ = w.Write(append([]string{n.ID, n.Type, n.Key}, cells(columns, n.Props)...))
	}
	if w.Flush(); w.Error() != nil {
		return w.Error()
	}
	kinds = map[string]engine.Kind{}
	for e, err := range s.Edges(ctx) {
		if err != nil {
			return err
		}
		note(kinds, e.Props)
	}
	w, columns = csv.NewWriter(edges), slices.Sorted(maps.Keys(kinds))
	_ = w.Write(append([]string{colStart, colEnd, colType, "directed:boolean", "weight:float"}, header(columns, kinds)...))
	for e, err := range s.Edges(ctx) {
		if err != nil {
			return err
		}
		_ = w.Write(append([]string{e.From, e.To, e.Type, strconv.FormatBool(e.Directed), fmt.Sprintf("%g", e.Weight)}, cells(columns, e.Props)...))
	}
	w.Flush()
	return w.Error()
}

// note adds the kinds of properties; one of several kinds is text.
func note(kinds map[string]engine.Kind, props []Prop) {
	for _, p := range props {
		if have, ok := kinds[p.Name]; ok && have != p.Value.Kind() {
			kinds[p.Name] = engine.KindString
			continue
		}
		kinds[p.Name] = p.Value.Kind()
	}
}

func header(columns []string, kinds map[string]engine.Kind) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		switch kinds[c] {
		case engine.KindBool:
			c += ":boolean"
		case engine.KindInt:
			c += ":long"
		case engine.KindFloat:
			c += ":double"
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
