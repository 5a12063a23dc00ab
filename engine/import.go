package engine

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ragdb/ragdb/vecindex"
)

// LineError is the error of an import that a line of the input ended.
type LineError struct {
	Line int // from 1
	Err  error
}

// Error names the line and what is wrong with it.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong with the line.
func (e *LineError) Unwrap() error { return e.Err }

// importBatch is how many bytes of input go into one transaction, unless that
// is more than half of what Options.MaxTxBytes lets it hold.
const importBatch = 4 << 20

// Import reads the output of [Snapshot.Export] into the namespace. It keeps what
// the namespace holds already, but replaces a node, edge, contribution, vector or bucket
// entry of the same name.
//
// The input is written in transactions of about 4 MiB. An error in a line is a
// [*LineError], and [ErrInvalid] if the line makes no sense; the lines before it
// stay imported. The same holds for input that was cut short, which is an error
// too. A line may have as many bytes as Options.MaxTxBytes.
func (n *Namespace) Import(ctx context.Context, r io.Reader) error {
	if r == nil {
		return phase.Mark(ErrInvalid, "import %s: nothing to read from", n.name)
	}
	im := &importer{ns: n, in: bufio.NewReaderSize(r, 64<<10), limit: n.db.opts.MaxTxBytes}
	if err := im.run(ctx); err != nil {
		return phase.Errorf("import %s: %w", n.name, err)
	}
	return nil
}

// importer is the state of an import.
type importer struct {
	ns    *Namespace
	in    *bufio.Reader
	limit int
	buf   []byte
	lines int
	graph *Graph
	ended bool
	// done are the lines of the transaction so far.
	done [][]byte
}

func (im *importer) run(ctx context.Context) error {
	if err := im.header(); err != nil {
		return err
	}
	for !im.ended {
		next, err := im.commit(ctx)
		if err != nil {
			return err
		}
		if next == nil {
			continue
		}
		// Making a graph or a rule is a commit of its own.
		if next.Rule != nil {
			err = im.makeRule(ctx, next.Rule)
		} else {
			im.graph, err = im.ns.Graph(ctx, next.Graph.Name)
		}
		if err != nil {
			return im.at(err)
		}
	}
	switch _, err := im.readLine(); {
	case err == nil:
		return im.at(phase.Mark(ErrInvalid, "lines after the end"))
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// commit reads lines and writes what they say in one transaction. If one of them
// cannot be read or written, those before it are written without it.
func (im *importer) commit(ctx context.Context) (next *exportLine, err error) {
	im.done = im.done[:0]
	var wrong error
	err = im.ns.db.Update(ctx, func(tx *Tx) error {
		next, wrong = im.batch(tx)
		return wrong
	})
	if wrong == nil || ctx.Err() != nil || len(im.done) == 0 {
		return next, err
	}
	again := im.ns.db.Update(ctx, func(tx *Tx) error {
		for _, b := range im.done {
			var line exportLine
			if err := decodeLine(b, &line); err != nil {
				return err
			}
			if err := importLine(tx.Graph(im.graph), &line); err != nil {
				return err
			}
		}
		return nil
	})
	return nil, errors.Join(err, again)
}

// at says that the last line read is where err was met.
func (im *importer) at(err error) error { return &LineError{im.lines, err} }

func (im *importer) header() error {
	b, err := im.readLine()
	if err != nil {
		return im.cutShort(err)
	}
	var h exportHeader
	switch err := decodeLine(b, &h); {
	case err != nil || h.Ragdb != exportName:
		return im.at(phase.Mark(ErrInvalid, "not an export of ragdb"))
	case h.Version != exportVersion:
		return im.at(fmt.Errorf("%w: an export of version %d, this ragdb reads %d", ErrFormat, h.Version, exportVersion))
	}
	return nil
}

// cutShort explains an input that ends before a line that must follow.
func (im *importer) cutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return im.at(phase.Mark(ErrInvalid, "the export ends without its last line"))
	}
	return err
}

// batch reads lines into one transaction. It returns at a line of a graph or a
// rule, which the caller acts on, at the end and when there is enough to commit.
func (im *importer) batch(tx *Tx) (*exportLine, error) {
	for size := 0; size < importBatch && tx.Bytes() < im.limit/2; size += len(im.buf) {
		b, err := im.readLine()
		if err != nil {
			return nil, im.cutShort(err)
		}
		var line exportLine
		if err := decodeLine(b, &line); err != nil {
			return nil, im.at(phase.Mark(ErrInvalid, "%w", err))
		}
		if line.Graph != nil {
			return &line, nil
		}
		if line.End != nil {
			if line.End.Lines != im.lines-1 {
				return nil, im.at(phase.Mark(ErrInvalid, "%d lines, %d were written", im.lines-1, line.End.Lines))
			}
			im.ended = true
			return nil, nil
		}
		if im.graph == nil {
			return nil, im.at(phase.Mark(ErrInvalid, "no graph to put the line in"))
		}
		if line.Rule != nil {
			return &line, nil
		}
		if err := importLine(tx.Graph(im.graph), &line); err != nil {
			return nil, im.at(err)
		}
		im.done = append(im.done, bytes.Clone(b))
	}
	return nil, nil
}

// readLine returns the next line without its end, valid until the next call.
// The error is io.EOF if there is none.
func (im *importer) readLine() ([]byte, error) {
	im.buf = im.buf[:0]
	im.lines++
	for {
		part, err := im.in.ReadSlice('\n')
		im.buf = append(im.buf, part...)
		switch {
		case len(im.buf) > im.limit:
			return nil, im.at(phase.Mark(ErrInvalid, "a line of more than %d bytes", im.limit))
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil, errors.Is(err, io.EOF) && len(im.buf) > 0:
			return bytes.TrimSuffix(im.buf, []byte{'\n'}), nil
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		default:
			return nil, fmt.Errorf("after line %d: %w", im.lines-1, err)
		}
	}
}

// importLine does what a line of a graph says.
func importLine(v *TxView, line *exportLine) error {
	switch {
	case line.NodeType != nil:
		_, err := v.MakeNodeType(line.NodeType.Name)
		return err
	case line.EdgeType != nil:
		_, err := v.MakeEdgeType(line.EdgeType.Name, line.EdgeType.Directed)
		return err
	case line.Index != nil:
		return v.MakeIndex(line.Index.Property)
	case line.Field != nil:
		return v.MakeField(line.Field.Name, FieldOptions{Analyzer: line.Field.Analyzer, Positions: line.Field.Positions})
	case line.Space != nil:
		return importSpace(v, line.Space)
	case line.Node != nil:
		return importNode(v, line.Node)
	case line.Edge != nil:
		return importEdge(v, line.Edge)
	case line.Contribution != nil:
		return importContribution(v, line.Contribution)
	case line.Terms != nil:
		return importTerms(v, line.Terms)
	case line.Vector != nil:
		return importVector(v, line.Vector)
	case line.Entry != nil:
		w, err := v.MakeBucket(line.Entry.Bucket)
		if err != nil {
			return err
		}
		return w.Set(line.Entry.Key, line.Entry.Value)
	}
	return phase.Mark(ErrInvalid, "a line that says nothing")
}

// typeOf returns the node type that a reference names.
func (ref exportRef) typeOf(v *TxView) (TypeID, error) {
	if len(ref) != 2 {
		return 0, phase.Mark(ErrInvalid, "a node is named by two strings, type and key")
	}
	if ref[0] == "" {
		return NoType, nil
	}
	t, ok := v.NodeType(string(ref[0]))
	if !ok {
		return 0, phase.Mark(ErrInvalid, "unknown node type %.64q", ref[0])
	}
	return t, nil
}

// resolve returns the node that a reference names.
func (ref exportRef) resolve(v *TxView) (NodeID, error) {
	t, err := ref.typeOf(v)
	if err != nil {
		return 0, err
	}
	id, err := v.Lookup(t, string(ref[1]))
	if isNotFound(err) {
		return 0, phase.Mark(ErrInvalid, "unknown node %.64q of type %.64q", ref[1], ref[0])
	}
	return id, err
}

func importEdgeType(v *TxView, name string) (EdgeType, error) {
	t, ok := v.EdgeType(name)
	if !ok {
		return 0, phase.Mark(ErrInvalid, "unknown edge type %.64q", name)
	}
	return t, nil
}

func importNode(v *TxView, n *exportNode) error {
	t, err := n.Ref.typeOf(v)
	if err != nil {
		return err
	}
	key := string(n.Ref[1])
	labels := []TypeID{t}
	for _, name := range n.Labels {
		l, ok := v.NodeType(name)
		if !ok || t == NoType {
			return phase.Mark(ErrInvalid, "label %.64q of a node of type %.64q", name, n.Ref[0])
		}
		labels = append(labels, l)
	}
	var id NodeID
	if !n.Derived {
		id, _, err = v.PutNode(t, key, n.Props)
	} else if id, _, err = v.DeriveNode(t, key); err == nil && len(n.Props) > 0 {
		err = v.SetProps(id, n.Props)
	}
	if err != nil || len(labels) == 1 && !v.st.labelled.Load() || t == NoType {
		return err
	}
	return v.SetLabels(id, labels)
}

func importEdge(v *TxView, e *exportEdge) error {
	from, err := e.From.resolve(v)
	if err != nil {
		return err
	}
	to, err := e.To.resolve(v)
	if err != nil {
		return err
	}
	t, err := importEdgeType(v, e.Type)
	if err != nil {
		return err
	}
	edge := Edge{From: from, To: to, Type: t, Weight: e.Weight, N: e.N}
	if e.N == 0 {
		err = v.addEdge(from, to, t, e.Weight)
	} else if err = v.checkEdge(from, to, t); err == nil {
		err = v.putNumbered(edge)
	}
	if err != nil || len(e.Props) == 0 {
		return err
	}
	return v.SetEdgeProps(edge, e.Props)
}

func importContribution(v *TxView, c *exportContribution) error {
	source, err := c.Source.resolve(v)
	if err != nil {
		return err
	}
	first, err := c.Of.resolve(v)
	if err != nil {
		return err
	}
	target := NodeTarget(first)
	if c.Type != "" {
		to, err := c.To.resolve(v)
		if err != nil {
			return err
		}
		t, err := importEdgeType(v, c.Type)
		if err != nil {
			return err
		}
		target = EdgeTarget(first, to, t)
	}
	out := Contribution{Weight: c.Weight, Count: c.Count, Label: string(c.Label)}
	for _, s := range c.Texts {
		out.Texts = append(out.Texts, string(s))
	}
	return v.Contribute(source, target, out)
}

func importSpace(v *TxView, s *exportSpace) error {
	return v.MakeSpace(s.Name, SpaceOptions{
		Dim: s.Dim, Model: s.Model, Metric: vecindex.Metric(s.Metric), Kind: vecindex.Kind(s.Kind), Element: vecindex.Element(s.Element),
		Seed: s.Seed, M: s.M, EfConstruction: s.EfConstruction,
	})
}

func importVector(v *TxView, x *exportVector) error {
	id, err := x.Ref.resolve(v)
	if err != nil {
		return err
	}
	vec, err := unpackFloats(x.F32)
	if err != nil {
		return err
	}
	return v.PutLayerVector(x.Space, id, x.Layer, vec)
}
