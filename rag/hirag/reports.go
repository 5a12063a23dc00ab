package hirag

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/method"
)

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
