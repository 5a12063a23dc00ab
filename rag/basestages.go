package rag

import (
	"context"
	"iter"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/vecindex"
)

// BaseStages returns the steps that come before those of some systems: for
// the chunk sets that they want, each once, the cutting of documents and then
// the vectors of the chunks. They are for looking at what is left to do; an
// [Indexer] runs its own.
func (c *Corpus) BaseStages(systems []*System, m *Models) ([]Step, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	sets, err := c.chunkers(systems)
	if err != nil {
		return nil, err
	}
	var cut, embed []Step
	for _, s := range sets {
		cut = append(cut, c.cutStep(s))
		embed = append(embed, c.embedStep(s.Set(), m))
	}
	return append(cut, embed...), nil
}

// cutStep returns the step that cuts documents by a chunk set.
func (c *Corpus) cutStep(s *text.Chunker) Step {
	st := &chunkStage{c: c, chunker: s}
	return Step{Stage: st, Settled: st.settled}
}

// embedStep returns the step that gives the chunks of a set their vectors.
func (c *Corpus) embedStep(set text.ChunkSet, m *Models) Step {
	return Step{Stage: &embedStage{c: c, set: set, model: m.DocumentSpace()}}
}

// chunkStage cuts documents that came in before a chunk set was wanted.
type chunkStage struct {
	c       *Corpus
	chunker *text.Chunker

	// What words learn of the chunks, read when the first document is cut.
	table *local.Table
	lost  bool
	read  bool
}

// Name implements [Stage].
func (st *chunkStage) Name() string { return "chunk " + st.chunker.Set().String() }

// Graph implements [Stage].
func (st *chunkStage) Graph() *engine.Graph { return st.c.base }

// Items implements [Stage]: the documents that the set does not cut yet.
func (st *chunkStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[WorkItem, error] {
	return func(yield func(WorkItem, error) bool) {
		set := st.chunker.Set().String()
		for d, err := range st.c.Documents(s.Graph(st.c.base).WithContext(ctx)) {
			if err == nil && slices.Contains(d.Sets, set) {
				continue
			}
			if !yield(WorkItem{Key: d.Key, Digest: Digest(string(d.Digest))}, err) || err != nil {
				return
			}
		}
	}
}

// settled is [Step.Settled]: it counts the documents that the set cuts, most of
// which were cut when they were read.
func (st *chunkStage) settled(ctx context.Context, s *engine.Snapshot) (int, error) {
	n, set := 0, st.chunker.Set().String()
	for d, err := range st.c.Documents(s.Graph(st.c.base).WithContext(ctx)) {
		if err != nil {
			return n, err
		}
		if slices.Contains(d.Sets, set) {
			n++
		}
	}
	return n, nil
}

// Do implements [Stage].
func (st *chunkStage) Do(context.Context, *engine.Snapshot, *Models, WorkItem) ([]byte, error) {
	return nil, nil
}

// Apply implements [Stage].
func (st *chunkStage) Apply(ctx context.Context, tx *engine.Tx, w WorkItem, _ []byte) error {
	v := tx.Graph(st.c.base)
	d, err := st.c.Document(v, w.Key)
	if err != nil {
		return err
	}
	full, err := v.Text(d.ID, propText)
	if err != nil {
		return err
	}
	chunks, err := st.c.cut(ctx, v, d.Key, d.ID, full, st.chunker)
	if err != nil {
		return err
	}
	sets := append(slices.Clone(d.Sets), st.chunker.Set().String())
	slices.Sort(sets)
	if err := v.SetProps(d.ID, engine.Props{propSets: engine.Strings(sets...)}); err != nil {
		return err
	}
	if ok, err := trains(v, st.chunker.Set()); err != nil || !ok {
		return err
	}
	if !st.read {
		if st.table, st.lost, err = st.c.words.loadTable(ctx); err != nil {
			return err
		}
		st.read = true
	}
	change := st.c.words.newWordChange(st.table, st.lost)
	for _, ch := range chunks {
		change.add(full[ch.Start:ch.End])
	}
	return st.c.words.changeWords(tx, change)
}

// embedStage gives the chunks of a set their vectors.
type embedStage struct {
	c     *Corpus
	set   text.ChunkSet
	model llm.SpaceInfo
}

// Name implements [Stage].
func (st *embedStage) Name() string { return embedStageName(st.set) }

// Graph implements [Stage].
func (st *embedStage) Graph() *engine.Graph { return st.c.base }

// Items implements [Stage]: the chunks of the set.
func (st *embedStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[WorkItem, error] {
	digest := embedDigest(st.set, st.model.Model)
	return func(yield func(WorkItem, error) bool) {
		for ch, err := range st.c.Chunks(s.Graph(st.c.base).WithContext(ctx), st.set) {
			if !yield(WorkItem{Key: ch.Key, Digest: digest}, err) || err != nil {
				return
			}
		}
	}
}

// Do implements [Stage].
func (st *embedStage) Do(ctx context.Context, s *engine.Snapshot, m *Models, w WorkItem) ([]byte, error) {
	ch, err := st.c.ChunkByKey(s.Graph(st.c.base).WithContext(ctx), st.set, w.Key)
	if err != nil {
		return nil, err
	}
	vecs, err := m.Embed(ctx, []string{ch.Doc}, []string{ch.Text})
	if err != nil {
		return nil, err
	}
	return encoded.AppendVector(nil, vecs[0]), nil
}

// Apply implements [Stage].
func (st *embedStage) Apply(_ context.Context, tx *engine.Tx, w WorkItem, result []byte) error {
	vec := encoded.ReadVector(result)
	if vec == nil {
		return nil // a text without words has no vector
	}
	v := tx.Graph(st.c.base)
	id, err := st.c.ChunkNode(v, st.set, w.Key)
	if err != nil {
		return err
	}
	space := ChunkSpace(st.set, st.model.Model)
	if err := MakeSpace(v, space, st.model, vecindex.Cosine); err != nil {
		return err
	}
	return v.PutVector(space, id, vec)
}
