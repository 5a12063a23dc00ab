package cypher

import (
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// noticeLabels notes the labels of a matched pattern that no node of the graph has: it
// finds nothing, which may be a slip. A statement that writes may make them.
func (pl *planner) noticeLabels(e *labelExpr) {
	if e == nil || pl.writes {
		return
	}
	for _, arg := range e.Args {
		pl.noticeLabels(arg)
	}
	if e.Op == labelName && len(typesOf(pl.graph.r, e.Name)) == 0 {
		pl.notice("label", e.Name, namesOf(pl.graph.r.NodeTypes(), pl.graph.r.NodeTypeName))
	}
}

// noticeTypes does so for edge types.
func (pl *planner) noticeTypes(names []string) {
	for _, name := range names {
		if !pl.writes && len(pl.graph.edgeTypesOf(name)) == 0 {
			pl.notice("edge type", name, namesOf(pl.graph.r.EdgeTypes(), pl.graph.r.EdgeTypeName))
		}
	}
}

// noticeProperties notes the properties of nodes and edges that a part reads and that
// nothing in the graph has: they are null. computed are those of Options.
func (pl *planner) noticeProperties(p *singleQuery, read, computed []string) error {
	if len(read) == 0 || slices.ContainsFunc(p.Clauses, pl.writing) {
		return nil
	}
	have := append(slices.DeleteFunc(pl.graph.r.PropertyNames(), internalProperty), propKey)
	if pl.computes {
		have = append(append(have, computed...), propDescription, propWeight, propCount)
	}
	vectors, err := pl.graph.vectorIndexes()
	if err != nil {
		return err
	}
	for _, v := range vectors {
		have = append(have, v.Property)
	}
	for _, name := range read {
		if !isTotal(name) && !internalProperty(name) && !slices.Contains(have, name) {
			pl.notice("property", name, have)
		}
	}
	return nil
}

func (pl *planner) notice(what, name string, have []string) {
	text := fmt.Sprintf("the graph %s has no %s %s", pl.graph.name(), what, name)
	if near := nearest(name, have); near != "" {
		text += fmt.Sprintf("; did you mean %s?", near)
	}
	if pl.notices != nil && !slices.Contains(*pl.notices, text) {
		*pl.notices = append(*pl.notices, text)
	}
}

// namesOf returns the labels of types.
func namesOf[T engine.TypeID | engine.EdgeType](types []T, name func(T) string) []string {
	var out []string
	for _, t := range types {
		out = append(out, labelOf(name(t)))
	}
	return out
}
