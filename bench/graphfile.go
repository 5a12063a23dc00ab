package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// graphMagic begins a binary graph file. All numbers in it are little endian:
//
//	offset  0     "RGB1"
//	        4     number of nodes n, u32
//	        8     number of edges m, u32
//	       12     type of each node, n bytes
//	     12+n     m edges: u32 from, u32 to, f32 weight
//
// Nodes are numbered from 0. An edge without direction is there once.
const graphMagic = "RGB1"

// graphFile is a graph as a file has it.
type graphFile struct {
	name  string
	types []byte // of each node
	edges []weighted
	ids   []uint32 // ids in the text that the nodes come from; nil of a binary file
}

// weighted is an edge with a weight.
type weighted struct {
	edge
	w float32
}

// readGraph reads a binary graph file, or a text with an edge a line: two ids
// and perhaps a weight, parted by tabs, blanks, commas or semicolons. Either
// may be compressed by gzip. Lines that begin with # or % are comments. Ids are
// whole numbers, and the nodes are those that edges or labels name, in the
// order of their ids. Loops are dropped and parallel edges become one, of the
// sum of their weights if the text has any; edges without direction are
// turned so that they lead from the lower number.
func readGraph(path, labels string, directed bool) (*graphFile, error) {
	b, err := readPacked(path)
	if err != nil {
		return nil, err
	}
	g := &graphFile{name: graphName(path)}
	if bytes.HasPrefix(b, []byte(graphMagic)) {
		err = g.parseBinary(b)
	} else {
		err = g.parseText(b, labels, directed)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

// graphName returns what a graph is called in tables: its file, or the folder of
// a file that is called edges.
func graphName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	if name == "edges" {
		if abs, err := filepath.Abs(path); err == nil {
			return strings.TrimPrefix(filepath.Base(filepath.Dir(abs)), "graph_")
		}
	}
	return name
}

// readPacked reads a whole file, unpacked if it is compressed.
func readPacked(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		return b, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if b, err = io.ReadAll(z); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

func (g *graphFile) parseBinary(b []byte) error {
	if len(b) < 12 {
		return errors.New("the file ends in its head")
	}
	n, m := int64(binary.LittleEndian.Uint32(b[4:])), int64(binary.LittleEndian.Uint32(b[8:]))
	if want := 12 + n + 12*m; int64(len(b)) != want {
		return fmt.Errorf("%d bytes, and %d nodes and %d edges take %d", len(b), n, m, want)
	}
	g.types = b[12 : 12+n : 12+n]
	g.edges = make([]weighted, m)
	for i := range g.edges {
		at := b[12+n+12*int64(i):]
		e := weighted{
			edge{binary.LittleEndian.Uint32(at), binary.LittleEndian.Uint32(at[4:])},
			math.Float32frombits(binary.LittleEndian.Uint32(at[8:])),
		}
		if int64(e.from) >= n || int64(e.to) >= n {
			return fmt.Errorf("edge %d joins %d and %d of %d nodes", i, e.from, e.to, n)
		}
		g.edges[i] = e
	}
	return nil
}

func (g *graphFile) parseText(b []byte, labels string, directed bool) error {
	hasWeights := false
	err := eachLine(b, func(fields []string) error {
		if len(fields) < 2 {
			return errors.New("one field, an edge has two or three")
		}
		e := weighted{w: 1}
		var err error
		if e.from, err = parseNode(fields[0]); err == nil {
			e.to, err = parseNode(fields[1])
		}
		if err != nil {
			return err
		}
		if len(fields) > 2 {
			w, err := strconv.ParseFloat(fields[2], 32)
			if err != nil || math.IsInf(w, 0) || math.IsNaN(w) {
				return fmt.Errorf("%q is no weight", fields[2])
			}
			hasWeights, e.w = true, float32(w)
		}
		g.ids = append(g.ids, e.from, e.to)
		g.edges = append(g.edges, e)
		return nil
	})
	if err != nil {
		return err
	}
	if labels != "" {
		labelOf, err := readLabels(labels)
		if err != nil {
			return err
		}
		for id := range labelOf {
			g.ids = append(g.ids, id)
		}
	}
	slices.Sort(g.ids)
	g.ids = slices.Compact(g.ids)
	if len(g.ids) == 0 {
		return errors.New("no edges")
	}
	g.types = make([]byte, len(g.ids))
	for i := range g.edges {
		e := &g.edges[i]
		from, _ := slices.BinarySearch(g.ids, e.from)
		to, _ := slices.BinarySearch(g.ids, e.to)
		e.from, e.to = uint32(from), uint32(to)
	}
	g.simplify(directed, hasWeights)
	return nil
}

// simplify drops loops, merges parallel edges, adding their weights if sum is
// set, and orders the edges.
func (g *graphFile) simplify(directed, sum bool) {
	g.edges = slices.DeleteFunc(g.edges, func(e weighted) bool { return e.from == e.to })
	if !directed {
		for i := range g.edges {
			e := &g.edges[i]
			e.from, e.to = min(e.from, e.to), max(e.from, e.to)
		}
	}
	slices.SortStableFunc(g.edges, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	kept := g.edges[:0]
	for _, e := range g.edges {
		switch last := len(kept) - 1; {
		case last < 0 || kept[last].edge != e.edge:
			kept = append(kept, e)
		case sum:
			kept[last].w += e.w
		}
	}
	g.edges = kept
}

// write writes a binary graph file.
func (g *graphFile) write(path string) error {
	b := make([]byte, 0, 12+len(g.types)+12*len(g.edges))
	b = append(b, graphMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(g.types)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(g.edges)))
	b = append(b, g.types...)
	for _, e := range g.edges {
		b = binary.LittleEndian.AppendUint32(b, e.from)
		b = binary.LittleEndian.AppendUint32(b, e.to)
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(e.w))
	}
	return os.WriteFile(path, b, 0o666)
}

// truth returns the label of each node, as numbers in the order in which they
// come first, from a file of lines "id label" or "label". -1 is none.
func (g *graphFile) truth(path string) ([]int32, error) {
	labelOf, err := readLabels(path)
	if err != nil {
		return nil, err
	}
	number := map[string]int32{}
	out := make([]int32, len(g.types))
	for u := range out {
		id := uint32(u)
		if g.ids != nil {
			id = g.ids[u]
		}
		label, ok := labelOf[id]
		if !ok {
			out[u] = -1
			continue
		}
		if _, ok := number[label]; !ok {
			number[label] = int32(len(number))
		}
		out[u] = number[label]
	}
	return out, nil
}

// readLabels reads labels by id. A line with one field is that of the node of
// its number, counted from 0.
func readLabels(path string) (map[uint32]string, error) {
	b, err := readPacked(path)
	if err != nil {
		return nil, err
	}
	out := map[uint32]string{}
	err = eachLine(b, func(fields []string) error {
		id, label := uint32(len(out)), fields[0]
		if len(fields) > 1 {
			var err error
			if id, err = parseNode(fields[0]); err != nil {
				return err
			}
			label = fields[1]
		}
		out[id] = label
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

// eachLine calls fn with the fields of each line that is not a comment.
func eachLine(b []byte, fn func(fields []string) error) error {
	sc := bufio.NewScanner(bytes.NewReader(b))
	for line := 1; sc.Scan(); line++ {
		fields := strings.FieldsFunc(sc.Text(), func(r rune) bool { return strings.ContainsRune("\t ,;\r", r) })
		if len(fields) == 0 || strings.ContainsRune("#%", rune(fields[0][0])) {
			continue
		}
		if err := fn(fields); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	return sc.Err()
}

func parseNode(s string) (uint32, error) {
	id, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is no node", s)
	}
	return uint32(id), nil
}
