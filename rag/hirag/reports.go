package hirag

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/graph"
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
	return &query.Pack{
		In: &allReports{r.s, level}, Name: "reports", Budget: tokens, Overflow: query.Skip,
		Render: r.s.renderReport, Size: r.s.reportSize, Cut: r.s.c.CutText,
	}
}

// allReports takes the communities down to a level that are reported on. The rating
// is the score.
type allReports struct {
	s     *system
	level int
}

// Run implements [query.Op].
func (o *allReports) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	v := o.s.view(ctx, e)
	t, ok := v.NodeType(typeCommunity)
	if !ok {
		return query.Set{}, nil
	}
	ids, err := v.Nodes(t)
	if err != nil {
		return query.Set{}, err
	}
	var out query.Set
	levels := map[engine.NodeID]int64{}
	for some := range slices.Chunk(graph.IDs(ids), readAtOnce) {
		err := e.EachNode(ctx, o.s.g, some, func(n engine.Node) error {
			may, err := e.May(ctx, o.s.g, n.ID)
			level := n.Prop(propLevel).AsInt()
			if err != nil || !may || level > int64(o.level) || n.Prop(propReport).IsNull() {
				return err
			}
			levels[n.ID] = level
			rating := n.Prop(propRating).AsFloat()
			out.Items = append(out.Items, query.Item{
				Graph: o.s.g.ID(), ID: n.ID, Score: rating,
				Why: []query.Step{{Op: "report", Score: rating, Note: fmt.Sprintf("level %d", level)}},
			})
			return nil
		})
		if err != nil {
			return query.Set{}, err
		}
	}
	slices.SortFunc(out.Items, func(a, b query.Item) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(levels[a.ID], levels[b.ID]), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// Explain implements [query.Op].
func (o *allReports) Explain() query.Explanation {
	return query.Explanation{Op: "Reports", Args: []string{"graph=" + o.s.g.Name(), fmt.Sprintf("level=%d", o.level)}, Source: "global search"}
}

// Inputs implements [query.Op].
func (o *allReports) Inputs() []query.Op { return nil }
