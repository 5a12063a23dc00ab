package service

import (
	"context"
	"errors"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// Indexed says what a run of an indexer did.
type Indexed struct {
	V       int      `json:"v"`
	Methods []string `json:"methods"`
	NS      string   `json:"ns"`
	*rag.IndexResult
	// Nodes are those of the methods' graphs by type, chunks left out.
	Nodes []engine.Count `json:"nodes"`
	Ms    int64          `json:"ms"`
}

// Run is what a run does with an indexer: [rag.Indexer.Run], or Sync.
type Run func(x *rag.Indexer, ctx context.Context, inputs []rag.Input) (*rag.IndexResult, error)

// ToIndex opens the methods to index by: those asked for, else those that the
// corpus has, else the default. A new corpus remembers for questions the first
// that was asked for.
func (c *Corpus) ToIndex(ctx context.Context, specs []method.Spec) ([]*method.System, error) {
	have, err := Instances(ctx, c.Corpus)
	if err != nil {
		return nil, err
	}
	if len(specs) == 0 {
		for _, name := range have {
			spec, err := method.ParseInstance(name)
			if err != nil {
				return nil, err
			}
			specs = append(specs, spec)
		}
	}
	named := len(specs) > 0
	if !named {
		specs = []method.Spec{{Name: methods.Default}}
	}
	var systems []*method.System
	for _, spec := range specs {
		sys, err := c.Methods.Open(ctx, c.Docs(), spec)
		if err != nil {
			return nil, err
		}
		systems = append(systems, sys)
	}
	if !named || len(have) > 0 {
		return systems, nil
	}
	kept, err := c.Settings(ctx)
	if err != nil || kept[methods.Setting] != "" {
		return systems, err
	}
	first := specs[0]
	first.Label = ""
	return systems, c.KeepSettings(ctx, map[string]string{methods.Setting: first.String()})
}

// Index runs an indexer. The result is nil if the run did not come to its end; it is
// there beside [rag.ErrPartial]. said is what the indexer told, also then.
func (c *Corpus) Index(ctx context.Context, systems []*method.System, inputs []rag.Input, o rag.IndexOptions, run Run) (out *Indexed, said *rag.IndexResult, err error) {
	start := time.Now()
	x := &rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: systems, Options: o}
	said, err = run(x, ctx, inputs)
	if err != nil && !errors.Is(err, rag.ErrPartial) {
		return nil, said, err
	}
	out = &Indexed{V: 1, NS: c.Namespace().Name(), IndexResult: said, Nodes: []engine.Count{}, Ms: time.Since(start).Milliseconds()}
	if said.Stages == nil {
		said.Stages = []rag.StageResult{}
	}
	for _, sys := range systems {
		out.Methods = append(out.Methods, sys.Instance())
		nodes, cerr := c.graphNodes(ctx, sys.Graph())
		if cerr != nil {
			return nil, said, cerr
		}
		out.Nodes = append(out.Nodes, nodes...)
	}
	return out, said, err
}

// graphNodes counts the nodes of a method's graph by type, without the chunks
// that it shares with the corpus; nil has none.
func (c *Corpus) graphNodes(ctx context.Context, g *engine.Graph) (out []engine.Count, err error) {
	if g == nil {
		return nil, nil
	}
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(g).WithContext(ctx)
		for _, t := range v.NodeTypes() {
			set, err := v.Nodes(t)
			if err != nil {
				return err
			}
			if name := v.NodeTypeName(t); name != method.ChunkNodeType {
				out = append(out, engine.Count{Name: name, Count: int64(set.GetCardinality())})
			}
		}
		return nil
	})
	return out, err
}
