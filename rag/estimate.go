package rag

import (
	"context"
	"errors"
	"math"

	"github.com/ragdb/ragdb/engine"
	etext "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/encoder"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// An estimate is a run of everything but the models, on a copy of the corpus
// that is thrown away: documents are read and cut, prompts are made, and every
// call is counted in place of being made. Rules answer in place of a model, and
// what later stages do follows from that, so that their counts are as good as
// the rules are like the model; what is read of documents is counted exactly.

// Estimate runs the indexer with counted calls. It changes its corpus, which must be a
// copy that is thrown away afterwards.
func (x *Indexer) Estimate(ctx context.Context, inputs []Input, o cost.EstimateOptions) (*cost.Estimate, error) {
	x, err := x.ready(inputs)
	if err != nil {
		return nil, err
	}
	c := x.Corpus
	before, err := c.chunkCount(ctx)
	if err != nil {
		return nil, err
	}
	meter := cost.NewMeter(o.Prices, cost.Limits{})
	x.Corpus = c.With(Options{
		Models:  func(ctx context.Context, c *Corpus) (*Models, error) { return c.estimating(ctx, o, meter) },
		NoWords: c.o.NoWords && o.Chat != "",
	})
	res, err := x.Run(ctx, inputs)
	if err != nil && !errors.Is(err, ErrPartial) {
		return nil, err
	}
	out := &cost.Estimate{Documents: res.Documents, Chunks: res.Chunks, Added: res.Added, Replaced: res.Replaced, Stages: []cost.EstimatedStage{}}
	out.CachedChunks = min(before, res.Chunks)
	out.Stages = estimated(res.Stages, meter.Rows())
	out.Sum(meter.Total().USD, o)
	return out, err
}

// estimated lists what the stages of a run would do, in their order, a row for
// each model that one asks. What asks no model over the network, or only ours,
// costs nothing.
func estimated(stages []StageResult, rows []cost.Spent) []cost.EstimatedStage {
	out := []cost.EstimatedStage{}
	listed := map[string]bool{}
	add := func(stage string, items int) {
		listed[stage] = true
		paid := false
		for _, r := range rows {
			if r.Stage != stage || isLocal(r.Model) {
				continue
			}
			paid = true
			out = append(out, cost.EstimatedStage{
				Stage: stage, Model: r.Model, Items: items, Calls: r.Calls, InTokens: r.InTokens, OutTokens: r.OutTokens, Cached: r.Cached, USD: r.USD,
			})
		}
		if !paid && items > 0 {
			out = append(out, cost.EstimatedStage{Stage: stage, Model: local.ModelName, Items: items, USD: new(float64)})
		}
	}
	for _, s := range stages {
		at := len(out)
		add(s.Stage, s.Done+s.Failed)
		if at < len(out) {
			out[at].Whole = s.Whole
		}
	}
	for _, r := range rows { // those that are of no stage's items
		if !listed[r.Stage] {
			add(r.Stage, 0)
		}
	}
	return out
}

// isLocal reports whether a model is one of ours, which cost nothing.
func isLocal(model string) bool {
	return len(model) >= len(localVectors) && model[:len(localVectors)] == localVectors
}

func (c *Corpus) chunkCount(ctx context.Context) (n int, err error) {
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base())
		for _, t := range v.NodeTypes() {
			set, ok := chunkSetOf(v.NodeTypeName(t))
			if !ok {
				continue
			}
			of, err := c.CountChunks(v, set)
			if err != nil {
				return err
			}
			n = max(n, of)
		}
		return nil
	})
	return n, err
}

// chunkSetOf returns the chunk set of a node type's name.
func chunkSetOf(name string) (set text.ChunkSet, ok bool) {
	const prefix = "chunk:"
	if len(name) <= len(prefix) || name[:len(prefix)] != prefix {
		return set, false
	}
	set, err := text.ParseChunkSet(name[len(prefix):])
	return set, err == nil
}

// estimating returns models whose calls are counted and not made.
func (c *Corpus) estimating(ctx context.Context, o cost.EstimateOptions, meter *cost.Meter) (*Models, error) {
	p := Parts{Tagger: o.Tagger}
	if !o.Space.Recomputable {
		space := o.Space
		if space.Dim == 0 {
			space.Dim = estimateDim
		}
		e := &countedEmbedder{space: space, tokens: c.Tokens().Count}
		p.Documents, p.Questions, p.Workers = e, e, estimateWorkers
	}
	if o.Chat != "" || !o.Space.Recomputable {
		rules, err := c.rules(ctx, o.Tagger)
		if err != nil {
			return nil, err
		}
		p.Provider, p.Free = rules, true
		if o.Chat != "" {
			history, err := c.ledger.WrittenByKind(ctx)
			if err != nil {
				return nil, err
			}
			p.Provider, p.Free, p.Fill = &countedProvider{name: o.Chat, rules: rules, tokens: c.Tokens(), history: history, fits: o.Fits}, false, o.Fill
		}
	}
	m := c.NewModels(p)
	if o.Space.Recomputable {
		var err error
		if m, err = c.OpenLocal(ctx, true, p); err != nil {
			return nil, err
		}
	}
	return m.Metered(meter).Unkept(), nil
}

// Rules returns the provider that works by rules and needs no network, with
// what the corpus says of names. It reads all chunks.
func (c *Corpus) Rules(ctx context.Context) (llm.Provider, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	p, err := c.rules(ctx, nil)
	if err != nil {
		return nil, phase.Errorf("rules: %w", err)
	}
	return p, nil
}

func (c *Corpus) rules(ctx context.Context, t encoder.Tagger) (*local.Provider, error) {
	cases := &text.CaseStats{}
	err := c.DB().View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base()).WithContext(ctx)
		for _, t := range v.NodeTypes() {
			set, ok := chunkSetOf(v.NodeTypeName(t))
			if !ok {
				continue
			}
			for ch, err := range c.Chunks(v, set) {
				if err != nil {
					return err
				}
				cases.Add(ch.Text)
			}
			return nil // one chunk set has all texts
		}
		return nil
	})
	return local.New(local.Options{Names: cases, Tokens: c.Tokens().Count, Tagger: t}), err
}

// countedProvider answers by rules and tells what a model would have used.
type countedProvider struct {
	name    string
	rules   *local.Provider
	tokens  *text.Tokenizer
	history map[llm.Kind]float64
	fits    func(context.Context, llm.Task) (reply int, err error) // may be nil
}

// Name implements [llm.Provider].
func (p *countedProvider) Name() string { return p.name }

// Can implements [llm.Provider].
func (p *countedProvider) Can(k llm.Kind) bool { return k != llm.Select && p.rules.Can(k) }

// Do implements [llm.Provider].
func (p *countedProvider) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	most := t.MaxTokens
	if p.fits != nil {
		limit, err := p.fits(ctx, t)
		if err != nil {
			return llm.Reply{}, llm.Usage{}, err
		}
		if limit > 0 {
			most = limit
		}
	}
	u := llm.Usage{Calls: 1, InTokens: models.PromptTokens(p.tokens, t)}
	r, _, err := p.rules.Do(ctx, t)
	out, ok := p.history[t.Kind]
	if !ok {
		// Models write more than rules do: descriptions, and JSON's names.
		out = 1.3 * float64(p.tokens.Count(r.Text))
		if in, ok := t.Input.(llm.ExtractInput); ok && t.Kind != llm.Decompose {
			out += float64(p.tokens.Count(in.Text)) // units, which rules do not write
		}
	}
	u.OutTokens = int(math.Ceil(out))
	if most > 0 {
		u.OutTokens = min(u.OutTokens, most)
	}
	return r, u, err
}

// estimateWorkers is how many work items are done at once where texts are
// gathered, so that they share requests as they will.
const estimateWorkers = 256

// estimateDim is the dimension of vectors that are counted and not made.
const estimateDim = 64

// countedEmbedder makes vectors that are near where texts share words, and
// tells what a model would have read.
type countedEmbedder struct {
	space  llm.SpaceInfo
	tokens func(string) int
}

// Space implements [llm.Embedder].
func (e *countedEmbedder) Space() llm.SpaceInfo { return e.space }

// Embed implements [llm.Embedder].
func (e *countedEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	out := make([][]float32, len(texts))
	u := llm.Usage{Calls: 1}
	for i, s := range texts {
		u.InTokens += e.tokens(s)
		out[i] = e.vector(s)
	}
	return out, u, ctx.Err()
}

// wordPlaces is how many elements a word adds to.
const wordPlaces = 8

func (e *countedEmbedder) vector(s string) []float32 {
	v := make([]float32, e.space.Dim)
	words := 0
	for w := range etext.Words(s) {
		d := corpus.Digest(w.Text)
		for k := range wordPlaces {
			at := (uint32(d[4*k])<<16 | uint32(d[4*k+1])<<8 | uint32(d[4*k+2])) % uint32(len(v))
			v[at] += 1 - 2*float32(d[4*k+3]&1)
		}
		words++
	}
	norm := 0.0
	for _, x := range v {
		norm += float64(x) * float64(x)
	}
	if words == 0 || norm == 0 {
		return nil
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(norm))
	}
	return v
}
