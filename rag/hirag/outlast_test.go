package hirag_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
)

var long = flag.Bool("long", false, "run the long versions of the tests")

// telling is a provider whose summaries and reports repeat the codes of all documents
// that it has read something of.
type telling struct{ llm.Provider }

var codes = regexp.MustCompile(`xq[a-z]{3}q`)

func (p telling) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	reply, usage, err := p.Provider.Do(ctx, t)
	if err != nil {
		return reply, usage, err
	}
	var out any
	in, err := json.Marshal(t.Input)
	if err != nil {
		return reply, usage, err
	}
	found := codes.FindAllString(strings.ToLower(string(in)), -1)
	slices.Sort(found)
	all := " It tells of " + strings.Join(slices.Compact(found), " ") + "."
	switch t.Kind {
	case llm.SummaryEntities:
		var x llm.Extraction
		err = json.Unmarshal([]byte(reply.Text), &x)
		for i := range x.Entities {
			x.Entities[i].Description += all
		}
		out = x
	case llm.CommunityReport:
		var x llm.Report
		err = json.Unmarshal([]byte(reply.Text), &x)
		x.Summary += all
		out = x
	default:
		return reply, usage, nil
	}
	if err != nil {
		return reply, usage, err
	}
	b, err := json.Marshal(out)
	reply.Text = string(b)
	return reply, usage, err
}

// TestNothingOutlasts says that a document leaves nothing in summaries and reports,
// although summaries that told of it were made again, and its entities have gone to other
// clusters, since it came: what was made of such a summary is found too.
func TestNothingOutlasts(t *testing.T) {
	t.Parallel()
	seeds, rounds := 2, 3
	if *long {
		seeds, rounds = 20, 10
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			spec := []string{"hirag:members=6,size=5,lag=0.6", "hirag:members=5,size=4"}[seed%2]
			r := rand.New(rand.NewPCG(seed, 77))
			c := open(t)
			c.Use(func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
				m, err := ragtest.Fixed(ctx, c)
				return ragtest.Provide(m, telling{m.Provider()}), err
			})
			next, live := 0, []ragtest.Doc(nil)
			come := func(n int) {
				var in []ragtest.Doc
				for range n {
					in = append(in, ragtest.Document(seed+200, next, 0))
					next++
				}
				live = append(live, in...)
				c.Index(t, spec, in...)
			}
			come(8)
			for round := range rounds {
				come(1)
				come(1)
				i := r.IntN(len(live))
				d := live[i]
				live = slices.Delete(live, i, i+1)
				c.Remove(t, d.Key)
				for _, k := range ragtest.Find(t, c.Store, d.Code) {
					if !strings.HasPrefix(k, "bucket(") { // the words of the corpus
						t.Fatalf("round %d, right after %s went: %s", round, d.Key, k)
					}
				}
			}
			c.Index(t, spec)
			ragtest.Check(t, c.DB())
			told := 0
			c.View(t, spec, func(v *engine.View) error {
				for _, err := range v.Bucket("plan").Prefix([]byte("told/")) {
					if told++; err != nil {
						return err
					}
				}
				return nil
			})
			if told == 0 {
				t.Error("nothing was made of a summary")
			}
		})
	}
}
