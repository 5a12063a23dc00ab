package ketrag

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/text"
)

// Name is the method's name.
const Name = "ketrag"

// Params are the method's parameters.
type Params struct {
	// Chunks is the chunk set.
	Chunks text.ChunkSet
	// K is the number of near chunks of each chunk: half by shared words, half
	// by vector. The default is 2.
	K int
	// Beta is the part of the chunks that make the core. The default is 0.8.
	Beta float64
	// Core chooses the core: pagerank (the default) or uniform, at random with
	// a fixed seed.
	Core string
	// Unit is the number of tokens up to which core chunks are read as one.
	// The default is 1200.
	Unit int
	// Compat takes the side of the reference code where it differs from the
	// paper or the defaults: keywords with their case, int(beta n), near
	// chunks that may be the same in both channels, 20 seeds, sources that
	// may appear several times.
	Compat bool

	// Theta is the part of the budget that is the entity channel's. The
	// default is 0.4; 0 is Keyword-RAG and 1 Skeleton-RAG.
	Theta float64
	// Seeds is the number of entities, or with the channel near of chunks, that
	// retrieval starts from. The default is 10.
	Seeds int
	// Probe is the number of keywords looked at. The default is 1000.
	Probe int
	// Channel is the channel beside the entities': keyword (the default);
	// text, the chunks nearest to the question; or near, the Seeds nearest
	// chunks and those that near edges join them to.
	Channel string
}

// Defaults returns the parameters by name with their defaults, as people write
// them.
func Defaults() map[string]string { return defaults() }

func defaults() map[string]string {
	return map[string]string{
		"chunks": text.ChunkSet{}.String(), "k": "2", "beta": "0.8", "core": "pagerank", "unit": "1200",
		"compat": "false", "theta": "0.4", "seeds": "10", "probe": "1000", "channel": "keyword",
	}
}

// indexed are the parameters that the index depends on; the others may differ
// from one question to the next.
func indexed() []string { return []string{"chunks", "k", "beta", "core", "unit", "compat"} }

// profile returns the chunk set of one of the paper's two cost profiles: windows of
// 1,200 tokens re-cut three times in two, and windows of 150.
func profile(name string) (text.ChunkSet, error) {
	switch name {
	case "low", "paper":
		return text.ChunkSet{Size: 1200, Overlap: 100, Rule: text.Window, Sub: 150}, nil
	case "high":
		return text.ChunkSet{Size: 150, Overlap: 100, Rule: text.Window}, nil
	case "default":
		return text.ChunkSet{}, nil
	}
	return text.ChunkSet{}, fmt.Errorf("profile %q: there are default, low (or paper) and high", name)
}

// parse reads parameters and returns them with their canonical spellings.
func parse(given map[string]string) (Params, map[string]string, error) {
	p, all := Params{}, defaults()
	for k, v := range given {
		if k == "profile" {
			set, err := profile(v)
			if err != nil {
				return p, nil, err
			}
			if _, ok := given["chunks"]; !ok {
				all["chunks"] = set.String()
			}
			continue
		}
		if _, ok := all[k]; !ok {
			return p, nil, fmt.Errorf("no parameter %q; there are profile, %s", k, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
		}
		all[k] = v
	}
	if _, ok := given["seeds"]; !ok && all["compat"] == "true" {
		all["seeds"] = "20"
	}
	r := rag.NewParamReader(all)
	var err error
	if p.Chunks, err = text.ParseChunkSet(all["chunks"]); err != nil {
		r.Fail("chunks", err.Error())
	}
	p.K = r.Int("k", 0, 64)
	p.Beta = r.Float("beta", 0, 1)
	p.Core = r.OneOf("core", "pagerank", "uniform")
	p.Unit = r.Int("unit", 1, 100_000)
	p.Compat = r.OneOf("compat", "false", "true") == "true"
	p.Theta = r.Float("theta", 0, 1)
	p.Seeds = r.Int("seeds", 1, 1000)
	p.Probe = r.Int("probe", 1, 100_000)
	p.Channel = r.OneOf("channel", "keyword", "text", "near")
	return p, all, r.Err()
}

// System is KET-RAG on a corpus.
type System struct {
	p     Params
	c     *rag.Corpus
	g     *engine.Graph
	all   map[string]string
	graph string
}

var _ rag.System = (*System)(nil)

// Open makes the method on a corpus; its graph is made where it is new.
func Open(ctx context.Context, c *rag.Corpus, params map[string]string) (rag.System, error) {
	p, all, err := parse(params)
	if err != nil {
		return nil, fmt.Errorf("rag: ketrag: %w: %w", rag.ErrMethod, err)
	}
	s := &System{p: p, c: c, all: all}
	part := map[string]string{}
	for _, k := range indexed() {
		part[k] = all[k]
	}
	s.graph = rag.Instance(Name, part, defaults())
	if s.g, err = c.Graph(ctx, s.graph); err != nil {
		return nil, fmt.Errorf("rag: ketrag: %w", err)
	}
	return s, nil
}

// Name implements [rag.System].
func (s *System) Name() string { return Name }

// Instance implements [rag.System].
func (s *System) Instance() string { return s.graph }

// Params implements [rag.System].
func (s *System) Params() map[string]string { return maps.Clone(s.all) }

// ChunkSet implements [rag.System].
func (s *System) ChunkSet() text.ChunkSet { return s.p.Chunks }

// Graph implements [rag.System].
func (s *System) Graph() *engine.Graph { return s.g }
