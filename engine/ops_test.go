package engine_test

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// step is an operation on one graph: its line of the transcript as the model
// has it, and how to do it to the engine.
type step struct {
	graph uint32
	name  string
	want  string
	// run returns the engine's result; w is nil for a step that only reads.
	run func(r graphReader, w *engine.TxView) string
}

// graphOps makes steps that are random, from a seed and the state of the
// model alone.
type graphOps struct {
	rnd  *rand.Rand
	m    *modelGraph // the graph at work
	size int         // about the bytes of long texts in the transaction
}

func (g *graphOps) step(name, want string, run func(r graphReader, w *engine.TxView) string) step {
	return step{graph: g.m.id, name: name, want: want, run: run}
}

// writeStep is step for an operation that does not read.
func (g *graphOps) writeStep(name, want string, run func(w *engine.TxView) string) step {
	return g.step(name, want, func(_ graphReader, w *engine.TxView) string { return run(w) })
}

// fault names an error in transcripts.
func fault(err error) string {
	var conflict *engine.ConflictError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &conflict):
		return fmt.Sprintf("conflict: %d, not %d", conflict.Have, conflict.Want)
	}
	for _, known := range []error{
		engine.ErrTxTooLarge, engine.ErrNoIndex, engine.ErrNotFound, engine.ErrInvalid, engine.ErrExists,
		engine.ErrClosed, errFailed, vecindex.ErrModelMismatch, vecindex.ErrDimension, vecindex.ErrVector,
	} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return err.Error()
}

// outcome is fault, or the result of an operation that succeeded.
func outcome(err error, format string, args ...any) string {
	if err != nil {
		return fault(err)
	}
	return fmt.Sprintf(format, args...)
}

// found is the result of an operation that needs something to be there.
func found(ok bool) string {
	if ok {
		return "ok"
	}
	return fault(engine.ErrNotFound)
}

func pick[T any](rnd *rand.Rand, list []T) T { return list[rnd.IntN(len(list))] }

var (
	nodeTypeNames = []string{"chunk", "entity", "topic"}
	// The first two edge types are the caller's own, the others are only
	// contributed to.
	edgeTypeNames = []string{"links", "near", "causes", "said"}
	propNames     = []string{"a", "b", "text", "caf\u00e9", "cafe\u0301"}
	fieldNames    = []string{"body", "title"}
	spaceNames    = []string{"l2", "ip", "cos"}
	bucketNames   = []string{"jobs", "cache"}
	words         = []string{"a", "an", "ant", "bee", "bees", "cat", "d\x00g", "\xffz", "zebra"}
)

// isDirected says which edge types are directed.
func isDirected(name string) bool { return name == "links" || name == "causes" }

// id returns a node, mostly one that exists; a few are hubs.
func (g *graphOps) id() engine.NodeID {
	ids := g.m.nodesOf(engine.AnyType)
	switch {
	case len(ids) == 0 || g.rnd.IntN(30) == 0:
		return engine.NodeID(g.rnd.IntN(int(g.m.nextNode) + 2))
	case g.rnd.IntN(5) < 2:
		return ids[g.rnd.IntN(min(3, len(ids)))]
	}
	return pick(g.rnd, ids)
}

// edge returns an edge of one of some types, mostly one that exists.
func (g *graphOps) edge(types []string) modelEdge {
	ids := map[engine.EdgeType]bool{}
	for _, name := range types {
		ids[g.m.edgeTypes[name]] = true
	}
	var has []modelEdge
	for e := range g.m.edges {
		if ids[e.typ] {
			has = append(has, e)
		}
	}
	if len(has) > 0 && g.rnd.IntN(4) > 0 {
		slices.SortFunc(has, func(a, b modelEdge) int { return cmp.Or(compareTargets(a.target(), b.target()), cmp.Compare(a.n, b.n)) })
		e := pick(g.rnd, has)
		if !e.typ.Directed() && g.rnd.IntN(2) == 0 {
			e.from, e.to = e.to, e.from
		}
		return e
	}
	t := g.m.edgeTypes[pick(g.rnd, types)]
	return modelEdge{from: g.id(), to: g.id(), typ: t}
}

func (g *graphOps) text(n int) string {
	var b strings.Builder
	random := g.rnd.IntN(3) == 0 // does not compress
	for b.Len() < n {
		if random {
			fmt.Fprintf(&b, "%x", g.rnd.Uint64())
		} else {
			b.WriteString(pick(g.rnd, []string{"lorem ", "ipsum ", "dolor ", "sit ", "\u00e4\u00df\n"}))
		}
	}
	return strings.ToValidUTF8(b.String()[:n], "")
}

func (g *graphOps) value() engine.Value {
	switch g.rnd.IntN(18) {
	case 0, 1:
		return engine.Int(int64(g.rnd.IntN(7) - 3))
	case 2:
		return engine.Float(float64(g.rnd.IntN(9)-4) / 2)
	case 3:
		return engine.Bool(g.rnd.IntN(2) == 0)
	case 4:
		return engine.Time(time.Unix(int64(g.rnd.IntN(3)), 5))
	case 14, 15:
		return randomKind(g.rnd)
	case 16, 17:
		return randomList(g.rnd)
	case 5:
		return engine.Bytes([]byte(pick(g.rnd, []string{"", "\x00", "\xff\xfe"})))
	case 6:
		return engine.Strings(g.list(words[:6], 3)...)
	case 7:
		return engine.String(g.text(250 + g.rnd.IntN(12))) // about what an index keeps
	case 8:
		return engine.String(g.text(1020 + g.rnd.IntN(8))) // about what a record keeps
	case 9:
		return engine.String(g.text(1024 + g.rnd.IntN(3000)))
	case 10:
		if g.rnd.IntN(12) > 0 || g.size > 1<<20 {
			return engine.Value{}
		}
		g.size += 600_000
		return engine.String(g.text(pick(g.rnd, []int{256 << 10, 256<<10 + 1, 300_000, 600_000})))
	}
	return engine.String(pick(g.rnd, words[:6]))
}

// list returns at most n items of a list.
func (g *graphOps) list(from []string, n int) []string {
	out := make([]string, g.rnd.IntN(n+1))
	for i := range out {
		out[i] = pick(g.rnd, from)
	}
	return out
}

func (g *graphOps) props() engine.Props {
	p := engine.Props{}
	for range g.rnd.IntN(4) {
		p[pick(g.rnd, propNames)] = g.value()
	}
	if _, ok := p[propNames[3]]; ok {
		delete(p, propNames[4]) // the same name: which one counts is not said
	}
	return p
}

// showProps writes properties as transcripts do: long texts by their size.
func showProps(p engine.Props) string {
	var out []string
	for name, v := range p {
		s := fmt.Sprintf("%d:%s", v.Kind(), v)
		switch {
		case v.Kind() == engine.KindText || v.Kind() == engine.KindString && v.Size() > 1024:
			s = fmt.Sprintf("text of %d", v.Size())
		case v.Kind() == engine.KindString:
			s = showText(v.AsString())
		case v.Kind() == engine.KindBytes:
			s = fmt.Sprintf("%x", v.AsBytes())
		}
		out = append(out, name+"="+s)
	}
	slices.Sort(out)
	return "{" + strings.Join(out, " ") + "}"
}

func showText(s string) string {
	if len(s) <= 32 {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%d bytes %08x", len(s), crc32.ChecksumIEEE([]byte(s)))
}

func showRemoved(r engine.Removed) string {
	return fmt.Sprintf("nodes %v, dirty %v, %d edges", r.Nodes, r.Dirty, r.Edges)
}
