package cypher

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// copyBatch is about how many bytes of vectors and properties of edges one
// transaction of a COPY FROM writes.
const copyBatch = 8 << 20

// copier reads a file into a graph: first it loads all nodes or edges at once,
// then it writes in transactions what a load cannot hold: vectors, and properties of
// edges that have an index or a constraint.
type copier struct {
	x      *exec
	c      *copyClause
	file   string
	format copyFormat
	view   *engine.View // before the load
	epoch  uint64       // of the load, for keys of nodes without one
	rows   int64
	second bool // there is something for the transactions

	ids      map[string]map[string]engine.NodeID // ends of edges, by label and key
	idsBytes int
	stored   engine.Props // of the edge at hand
}

// runCopy reads or writes a file.
func (s *Session) runCopy(x *exec, st *statement) error {
	c := st.Copy
	if st.Mode != modeRun {
		return refuse(st.Text, 0, "a plan of COPY")
	}
	if s.opts.Files == nil {
		return errNoFiles
	}
	pl := &planner{text: st.Text, scope: &segment{}}
	ev, err := pl.expr(c.File)
	if err != nil {
		return err
	}
	name, err := ev(x, nil)
	if err != nil {
		return err
	}
	if name.Kind() != KindString {
		return typeError(c.File.At(), "the name of a file is a string, not %s", aKind(name))
	}
	f := &copier{x: x, c: c, file: name.AsString(), ids: map[string]map[string]engine.NodeID{}, stored: engine.Props{}}
	if f.format, err = formatOf(x, c, f.file); err != nil {
		return err
	}
	if c.To {
		err = s.copyTo(f, st)
	} else {
		err = s.copyFrom(f, st)
	}
	x.result.Columns = []string{"rows"}
	x.result.rows = [][]Value{{Int(f.rows)}}
	return err
}

// copyFrom runs COPY FROM.
func (s *Session) copyFrom(f *copier, st *statement) error {
	eg, err := s.openUsed(f.x.ctx, st.Text, f.c.Use, s.use)
	if err != nil {
		return err
	}
	if err := s.writable(f.x.ctx, eg, false); err != nil {
		return err
	}
	if err := f.x.snapshot(true); err != nil {
		return err
	}
	f.view = f.x.result.snap.Graph(eg)
	f.x.graph = &graph{g: eg, r: f.view}
	err = s.opts.DB.Load(f.x.ctx, eg, func(l *engine.Loader) error {
		f.epoch = s.opts.DB.Epoch() + 1
		if f.c.From != "" {
			return f.loadEdges(l)
		}
		return f.loadNodes(l)
	})
	if err != nil {
		return err
	}
	if f.c.From != "" {
		f.x.result.Counts.EdgesCreated = int(f.rows)
	} else {
		f.x.result.Counts.NodesCreated = int(f.rows)
	}
	if !f.second {
		return nil
	}
	return f.writeRest(eg)
}

// each calls fn with each row of the file. Its errors are those of the line.
func (f *copier) each(fn func(copyRow) error) error {
	r, err := f.x.session.opts.Files.Open(f.file)
	if err != nil {
		return phase.Errorf("COPY: %w", err)
	}
	defer r.Close()
	rows, err := newRowReader(r, f.format)
	if err != nil {
		return f.fail(err)
	}
	for {
		if err := f.x.tick(); err != nil {
			return err
		}
		row, err := rows.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return f.fail(err)
		}
		if err := fn(row); err != nil {
			return f.fail(&engine.LineError{Line: row.line, Err: err})
		}
	}
}

// fail names the file of an error.
func (f *copier) fail(err error) error {
	var eval *EvalError
	var line *engine.LineError
	if errors.As(err, &eval) && errors.As(err, &line) {
		err = &engine.LineError{Line: line.Line, Err: errors.New(eval.Message)}
	}
	return phase.Errorf("COPY %s: %w", f.file, err)
}

// writer returns the writer that takes properties apart.
func (f *copier) writer() writer { return writer{x: f.x, at: f.c.Pos} }

// key returns the key of a row's node.
func (f *copier) key(row copyRow) (string, error) {
	switch k := row.props[propKey]; {
	case k.Kind() == KindString && k.AsString() != "" && !generatedKey(k.AsString()):
		return k.AsString(), nil
	case k.IsNull():
		return fmt.Sprintf("_%d.%d", f.epoch, row.line), nil
	default:
		return "", fmt.Errorf("a key is a string that is not empty and does not begin with _, not %s", k)
	}
}

// loadNodes loads a node for each row.
func (f *copier) loadNodes(l *engine.Loader) error {
	t, err := l.MakeNodeType(f.c.Label)
	if err != nil {
		return err
	}
	dims := map[string]int{}
	return f.each(func(row copyRow) error {
		key, err := f.key(row)
		if err != nil {
			return err
		}
		stored, vectors, err := f.writer().split([]string{f.c.Label}, row.props)
		if err != nil {
			return err
		}
		for index, vec := range vectors {
			if dims[index] == 0 {
				o, err := f.view.SpaceInfo(index)
				if err != nil {
					return err
				}
				dims[index] = o.Dim
			}
			if vec != nil && len(vec) != dims[index] {
				return fmt.Errorf("a vector of %d numbers; the index %s takes %d", len(vec), index, dims[index])
			}
			f.second = f.second || vec != nil
		}
		f.rows++
		_, err = l.Node(t, key, stored)
		if errors.Is(err, engine.ErrExists) {
			return fmt.Errorf("there is a %s with the key %q already", f.c.Label, key)
		}
		return err
	})
}

// ends finds the nodes of a row's edge.
func (f *copier) ends(row copyRow) (from, to engine.NodeID, err error) {
	if from, err = f.end(row, "from", f.c.From); err == nil {
		to, err = f.end(row, "to", f.c.Into)
	}
	return from, to, err
}

// keysBytes bounds the memory of the nodes that a copier remembers by their keys.
const keysBytes = 64 << 20

// end finds the node that a column names.
func (f *copier) end(row copyRow, column, label string) (engine.NodeID, error) {
	v := row.props[column]
	if v.Kind() != KindString {
		return 0, fmt.Errorf("the column %s has no key", column)
	}
	key, known := v.AsString(), f.ids[label]
	if id, ok := known[key]; ok {
		return id, nil
	}
	for _, t := range typesOf(f.view, label) {
		id, err := f.view.Lookup(t, key)
		if errors.Is(err, engine.ErrNotFound) {
			continue
		}
		const entry = 64 // bytes beside the key
		if size := entry + len(key); err == nil && f.idsBytes+size <= keysBytes {
			if known == nil {
				known = map[string]engine.NodeID{}
				f.ids[label] = known
			}
			known[strings.Clone(key)] = id
			f.idsBytes += size
		}
		return id, err
	}
	return 0, fmt.Errorf("there is no %s with the key %q", label, key)
}

// edgeOf takes the properties of a row's edge apart. They are good until the next row.
func (f *copier) edgeOf(row copyRow) (weight float32, stored engine.Props, err error) {
	clear(f.stored)
	w, err := f.writer().edgeProps(f.stored, row.props, "from", "to")
	if w == nil {
		return 1, f.stored, err
	}
	return *w, f.stored, err
}

// loadEdges loads an edge for each row.
func (f *copier) loadEdges(l *engine.Loader) error {
	t, ok := f.view.EdgeType(f.c.Label)
	if !ok {
		var err error
		if t, err = l.MakeEdgeType(f.c.Label, true); err != nil {
			return err
		}
	}
	later, err := f.ruled()
	if err != nil {
		return err
	}
	return f.each(func(row copyRow) error {
		from, to, err := f.ends(row)
		if err != nil {
			return err
		}
		weight, stored, err := f.edgeOf(row)
		if err != nil {
			return err
		}
		f.rows++
		if later {
			f.second = f.second || len(stored) > 0
			return l.Edge(from, to, t, weight)
		}
		f.x.result.Counts.PropertiesSet += len(stored)
		return l.EdgeWith(from, to, t, weight, stored)
	})
}

// ruled reports whether the graph has an index or a constraint over the edges that are
// copied: then their properties are written after the load.
func (f *copier) ruled() (bool, error) {
	rules, err := f.view.Rules()
	return slices.ContainsFunc(rules, func(r engine.Rule) bool {
		return r.Edges && slices.Contains(r.Types, f.c.Label)
	}), err
}

// writeRest writes vectors of nodes and properties of edges.
func (f *copier) writeRest(eg *engine.Graph) error {
	var rows []copyRow
	size := int64(0)
	flush := func() error {
		err := f.x.session.opts.DB.Update(f.x.ctx, func(tx *engine.Tx) error {
			f.x.tx = tx.Graph(eg)
			for _, row := range rows {
				if err := f.writeRow(row); err != nil {
					return f.fail(&engine.LineError{Line: row.line, Err: err})
				}
			}
			return nil
		})
		rows, size = rows[:0], 0
		return err
	}
	err := f.each(func(row copyRow) error {
		rows = append(rows, row)
		size += MapOf(row.props).memory()
		if size < copyBatch {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// writeRow writes the parts of a row that the load could not hold.
func (f *copier) writeRow(row copyRow) error {
	if f.c.From != "" {
		_, stored, err := f.edgeOf(row)
		if err != nil || len(stored) == 0 {
			return err
		}
		from, to, err := f.ends(row)
		if err != nil {
			return err
		}
		t, _ := f.x.tx.EdgeType(f.c.Label)
		f.x.result.Counts.PropertiesSet += len(stored)
		return f.x.tx.SetEdgeProps(engine.Edge{From: from, To: to, Type: t}, stored)
	}
	_, vectors, err := f.writer().split([]string{f.c.Label}, row.props)
	if err != nil || len(vectors) == 0 {
		return err
	}
	key, err := f.key(row)
	if err != nil {
		return err
	}
	t, _ := f.x.tx.NodeType(f.c.Label)
	id, err := f.x.tx.Lookup(t, key)
	if err != nil {
		return err
	}
	return f.writer().putVectors(id, vectors)
}
