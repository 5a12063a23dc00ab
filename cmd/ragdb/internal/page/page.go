package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
)

// Page is what a page shows: a graph, the trace of an answer, or both.
type Page struct {
	V     int    `json:"v"` // 1
	Title string `json:"title"`
	Graph *Graph `json:"graph,omitempty"`
	Trace *Trace `json:"trace,omitempty"`
	// Sources are what nodes and evidence refer to.
	Sources []Source `json:"sources"`
}

// Graph is a graph, or the most connected part of a large one. A page of up to
// some 20,000 nodes opens in a second or two.
type Graph struct {
	// Total is how many nodes there are in all.
	Total int `json:"total"`
	// Start is the node that is shown first, by its place in Nodes.
	Start     int        `json:"start"`
	Types     []Type     `json:"types"`
	EdgeTypes []EdgeType `json:"edgeTypes"`
	Nodes     []Node     `json:"nodes"`
	Edges     []Edge     `json:"edges"`
}

// Type is a node type with the number of its nodes in the page.
type Type struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	// Text says that its nodes are pieces of text: those with names are drawn
	// before them.
	Text bool `json:"text,omitempty"`
}

// EdgeType is an edge type with the number of its edges in the page.
type EdgeType struct {
	Name     string `json:"name"`
	Directed bool   `json:"directed,omitempty"`
	Count    int    `json:"count"`
}

// Node is a node with its name and descriptions.
type Node struct {
	Type        int    `json:"t"` // place in Types
	Key         string `json:"k"`
	Name        string `json:"n"`
	Description string `json:"d,omitempty"`
	Sources     []int  `json:"s,omitempty"` // places in Page.Sources
	// More counts the sources that were left out.
	More int `json:"more,omitempty"`
}

// Edge is an edge. It is written as [from, to, type, weight].
type Edge struct {
	From, To, Type int // places in Nodes and EdgeTypes
	Weight         float32
}

// MarshalJSON implements [json.Marshaler].
func (e Edge) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "[%d,%d,%d,%g]", e.From, e.To, e.Type, e.Weight), nil
}

// Source is a piece of a document.
type Source struct {
	N       int      `json:"n,omitempty"` // by which the answer cites it
	Doc     string   `json:"doc"`
	Page    int      `json:"page,omitempty"`
	Heading string   `json:"heading,omitempty"`
	Bytes   [2]int64 `json:"bytes"`
	Text    string   `json:"text"`
}

// Trace is how an answer came about.
type Trace struct {
	ID       string     `json:"id,omitempty"`
	Question string     `json:"question"`
	Answer   string     `json:"answer,omitempty"`
	Cited    []Source   `json:"cited,omitempty"` // by the answer
	Method   string     `json:"method"`
	Ops      []Operator `json:"ops"`
	Items    []Item     `json:"items"`
}

// Operator is an operator of the plan.
type Operator struct {
	Depth int     `json:"depth"`
	Text  string  `json:"text"`
	Rows  int     `json:"rows"`
	Ms    float64 `json:"ms"`
}

// Item is a piece of evidence with the steps that led to it.
type Item struct {
	Name    string  `json:"name"`
	Section string  `json:"section"`
	Score   float64 `json:"score"`
	Tokens  int     `json:"tokens"`
	Why     []Step  `json:"why"`
	Sources []int   `json:"s,omitempty"`
}

// Step is one step to an item.
type Step struct {
	Op    string  `json:"op"`
	Note  string  `json:"note,omitempty"`
	Score float64 `json:"score"`
}

//go:embed page.html
var markup string

//go:embed page.css
var style string

//go:embed ui/dist/export.js
var script string

//go:embed vendored/cytoscape.min.js
var library string

// Write writes the page. Title and data are escaped, so that no text of a
// document ends a script or begins an element.
func (p *Page) Write(w io.Writer) error {
	t, err := template.New("page").Parse(markup)
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	b, err := json.Marshal(p) // escapes <, > and &
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	err = t.Execute(w, struct {
		Title                 string
		Style                 template.CSS
		Data, Library, Script template.JS
	}{p.Title, template.CSS(style), template.JS(b), template.JS(library), template.JS(script)})
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}
