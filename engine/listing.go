package engine

import (
	"context"
	"errors"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// listed is a graph as the directory lists it.
type listed struct {
	namespace, name string
	directoryEntry
}

// String returns namespace and graph as messages name them.
func (l *listed) String() string { return l.namespace + "/" + l.name }

// listGraphs returns the graphs of a namespace, or of all if it is "", in
// order of names.
func listGraphs(ctx context.Context, r kv.Reader, namespace string) (out []listed, found bool, err error) {
	err = eachEntry(ctx, r, func(ns, name string, e directoryEntry) {
		if namespace != "" && ns != namespace {
			return
		}
		found = true
		if name != "" {
			out = append(out, listed{ns, name, e})
		}
	})
	return out, found, err
}

// open returns a view of a listed graph that shares nothing with the handles
// of the database: its names are the snapshot's, and so it reads graphs that
// were dropped since.
func (s *Snapshot) open(ctx context.Context, l *listed) (*View, error) {
	st, err := openGraph(ctx, s.kv, l.graph)
	if err != nil {
		return nil, err
	}
	return s.viewOf(ctx, l, st), nil
}

func (s *Snapshot) viewOf(ctx context.Context, l *listed, st *graphState) *View {
	st.name = l.name
	ns := &Namespace{db: s.db, name: l.namespace, id: l.directoryEntry.namespace}
	return &View{reader{ctx: ctx, kv: s.kv, graph: &Graph{ns: ns, st: st}, g: l.graph, epoch: s.epoch, edges: &s.edges, snap: s}}
}

// emptyFamily reports whether a graph has no key of a family.
func (r *reader) emptyFamily(t layout.Tag) (bool, error) {
	for _, err := range scan(r.ctx, r.kv, layout.GraphPrefix(t, r.g)) {
		return false, err
	}
	return true, nil
}

// What is wrong with something that refers to what is not there.
var (
	errNoSuchNode = errors.New("no such node")
	errNoSuchType = errors.New("no such type")
)

func isNotFound(err error) bool { return errors.Is(err, ErrNotFound) }
