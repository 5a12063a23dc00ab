package hirag

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/rag/internal/text"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/method"
)

// The headers of a context's parts (spec B.3.7).
const (
	reportHeader   = "-----Backgrounds-----"
	bridgeHeader   = "-----Reasoning Path-----\nsource|target|description|weight|rank"
	entityHeader   = "-----Detail Entity Information-----\nentity|type|description|rank"
	relationHeader = "-----Relationships-----\nsource|target|description|weight|rank"
)

type renderer = func(ctx context.Context, e *query.Env, it query.Item) (string, int, error)

func (s *system) view(ctx context.Context, e *query.Env) *engine.View {
	return e.Snap.Graph(s.g).WithContext(ctx)
}

// renderReport is a community's report, for packing; "" if there is none: a
// document that it told of was removed.
func (s *system) renderReport(ctx context.Context, e *query.Env, it query.Item) (string, int, error) {
	n, err := e.Node(ctx, s.g, it.ID)
	if err != nil {
		return "", 0, err
	}
	report, tokens := n.Prop(propReport), int(n.Prop(propTokens).AsInt())
	switch {
	case report.IsNull():
		return "", 0, nil
	case report.Kind() == engine.KindText:
		text, err := s.view(ctx, e).Text(it.ID, propReport)
		return text, tokens, err
	}
	return report.AsString(), tokens, nil
}

// reportSize is how many tokens a community's report has, for packing; 0 if
// there is none.
func (s *system) reportSize(ctx context.Context, e *query.Env, it query.Item) (int, error) {
	n, err := e.Node(ctx, s.g, it.ID)
	if err != nil || n.Prop(propReport).IsNull() {
		return 0, err
	}
	return int(n.Prop(propTokens).AsInt()), nil
}

// tokens is how many tokens a chunk has.
func (s *system) tokens(ctx context.Context, e *query.Env, it query.Item) (int, error) {
	n, err := e.Node(ctx, s.g, it.ID)
	return int(n.Prop(propTokens).AsInt()), err
}

// renderEntity is a row of an entity.
func (s *system) renderEntity(ctx context.Context, e *query.Env, it query.Item) (string, int, error) {
	v := s.view(ctx, e)
	d, err := describe(v, it.ID)
	if err != nil {
		return "", 0, err
	}
	degree, err := e.Degree(ctx, s.g, it.ID, edgeRelation)
	return fmt.Sprintf("%s|%s|%s|%d", d.name, d.kind, text.OneLine(d.text), degree), 0, err
}

// renderRelation is a row of a relation.
func (s *system) renderRelation(ctx context.Context, e *query.Env, it query.Item) (string, int, error) {
	v := s.view(ctx, e)
	said, err := describeEdge(v, it.Edge)
	if err != nil {
		return "", 0, err
	}
	var names [2]string
	for i, id := range [2]engine.NodeID{it.Edge.From, it.Edge.To} {
		n, err := e.Node(ctx, s.g, id)
		if err != nil {
			return "", 0, err
		}
		if names[i], err = nameOf(v, n); err != nil {
			return "", 0, err
		}
	}
	return fmt.Sprintf("%s|%s|%s|%g|%g", names[0], names[1], text.OneLine(said), it.Edge.Weight, it.Score), 0, nil
}

// nameOf returns what a node is called, without its description.
func nameOf(v engine.Reader, n engine.Node) (string, error) {
	if n.Prop(propOf).IsNull() {
		d, err := describeNode(v, n)
		return d.name, err
	}
	return n.Prop(propName).AsString(), nil
}

// renderChunk is the text of a chunk, read through to the base graph.
func (s *system) renderChunk(ctx context.Context, e *query.Env, it query.Item) (string, int, error) {
	n, err := e.Node(ctx, s.g, it.ID)
	if err != nil {
		return "", 0, err
	}
	return s.c.TextOf(ctx, e.Snap, s.p.Chunks, n.Key)
}

// Reports are the reports on the communities of an index of HiRAG's, for methods
// that read them.
type Reports struct{ s *system }

// OpenReports opens HiRAG as [Open] does, and what gives its reports.
func OpenReports(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, *Reports, error) {
	s, err := open(ctx, c, params)
	if err != nil {
		return nil, nil, err
	}
	return s.system(), &Reports{s}, nil
}

// Pack packs the reports on the communities down to a level, by rating descending,
// level ascending, id ascending, into so many tokens; one that does not fit is
// passed over. It asks nothing of the question: it is what GraphRAG's global search
// reads.
func (r *Reports) Pack(level, tokens int) *query.Pack {
	s := r.s
	rating := &query.Measure{Name: fmt.Sprintf("rating down to level %d", level), Of: func(ctx context.Context, e *query.Env, it query.Item) (float64, bool, error) {
		n, err := e.Node(ctx, s.g, it.ID)
		return n.Prop(propRating).AsFloat(), n.Prop(propLevel).AsInt() <= int64(level) && !n.Prop(propReport).IsNull(), err
	}}
	above := &query.Measure{Name: "level, ascending", Of: func(ctx context.Context, e *query.Env, it query.Item) (float64, bool, error) {
		n, err := e.Node(ctx, s.g, it.ID)
		return -float64(n.Prop(propLevel).AsInt()), true, err
	}}
	return &query.Pack{
		In: &query.Sort{
			In:   &query.Reweigh{In: &query.All{Graph: s.g, Types: []string{typeCommunity}}, By: rating, Source: "global search"},
			Then: []*query.Measure{above},
		},
		Name: "reports", Budget: tokens, Skip: true, Render: s.renderReport, Size: s.reportSize, Cut: s.c.CutText,
	}
}
