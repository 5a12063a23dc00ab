package rag

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// manyElements is the number of elements of the vectors of a space from which on bringing
// its index up to date may take a while, and is told.
const manyElements = 1 << 25

// flushVectors brings the vector indexes of the documents and of systems up to date with what
// a run brought: those that have become large get lists. The lists change here, and in stages
// that search them, at the same places of each run: what is found does not depend on the background.
func (x *Indexer) flushVectors(ctx context.Context, systems []*method.System) error {
	graphs := []*engine.Graph{x.Corpus.Base()}
	for _, s := range systems {
		if g := s.Graph(); g != nil {
			graphs = append(graphs, g)
		}
	}
	db := x.Corpus.DB()
	for _, g := range graphs {
		var spaces []string
		many := false
		err := db.View(ctx, func(s *engine.Snapshot) error {
			v := s.Graph(g).WithContext(ctx)
			for _, name := range v.Spaces() {
				info, err := v.SpaceInfo(name)
				if err != nil {
					return err
				}
				if info.Kind != vecindex.Auto {
					continue
				}
				spaces = append(spaces, name)
				vecs, err := v.Vectors(name)
				if err != nil {
					return err
				}
				many = many || vecs.Len()*info.Dim >= manyElements
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i, name := range spaces {
			if many {
				x.Options.Notify(Event{Stage: "vectors", Done: i, Total: len(spaces)})
			}
			if err := db.FlushSpace(ctx, g, name); err != nil {
				return err
			}
		}
	}
	return nil
}
