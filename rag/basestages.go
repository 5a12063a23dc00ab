package rag

import (
	"context"
	"iter"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/internal/words"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// BaseStages returns the steps that come before those of some systems: for
// the chunk sets that they want, each once, the cutting of documents and then
// the vectors of the chunks. They are for looking at what is left to do; an
// [Indexer] runs its own.
func (c *Corpus) BaseStages(systems []*method.System, m *Models) ([]queue.Step, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	sets, err := c.chunkers(systems)
	if err != nil {
		return nil, err
	}
	var cut, embed []queue.Step
	for _, s := range sets {
		cut = append(cut, c.cutStep(s))
		embed = append(embed, c.embedStep(s.Set(), m))
	}
	return append(cut, embed...), nil
}

// cutStep returns the step that cuts documents by a chunk set.
func (c *Corpus) cutStep(s *text.Chunker) queue.Step {
	st := &chunkStage{c: c, chunker: s, tables: c.words.Tables()}
	return queue.Step{Stage: st, Growth: st.growth()}
}

// embedStep returns the step that gives the chunks of a set their vectors.
func (c *Corpus) embedStep(set text.ChunkSet, m *Models) queue.Step {
	st := &embedStage{c: c, set: set, model: m.DocumentSpace()}
	step := queue.Embed(st)
	step.Growth = st.growth()
	return step
}

// chunkStage cuts documents that came in before a chunk set was wanted.
type chunkStage struct {
	c       *Corpus
	chunker *text.Chunker

	tables *words.Tables // by which words learn of the chunks
}

// Name implements [queue.Stage].
func (st *chunkStage) Name() string { return "chunk " + st.chunker.Set().String() }

// Graph implements [queue.Stage].
func (st *chunkStage) Graph() *engine.Graph { return st.c.Base() }

// growth says that a document is cut once.
func (st *chunkStage) growth() *queue.Growth {
	set := st.chunker.Set().String()
	return &queue.Growth{Type: corpus.TypeDocument, Digest: corpus.Digest("cut", set),
		Items: func(v *engine.View, ids []engine.NodeID) (out []queue.WorkItem, err error) {
			for _, id := range ids {
				d, err := st.c.DocumentAt(v, id)
				if err != nil {
					return nil, err
				}
				if !slices.Contains(d.Sets, set) {
					out = append(out, queue.WorkItem{Key: d.Key, Digest: corpus.Digest(string(d.Digest)), Node: id})
				}
			}
			return out, nil
		}}
}

// Items implements [queue.Stage]: the documents that the set does not cut yet.
func (st *chunkStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[queue.WorkItem, error] {
	return st.growth().All(s.Graph(st.c.Base()).WithContext(ctx))
}

// Do implements [queue.Stage].
func (st *chunkStage) Do(context.Context, *engine.Snapshot, *Models, queue.WorkItem) ([]byte, error) {
	return nil, nil
}

// Apply implements [queue.Stage].
func (st *chunkStage) Apply(ctx context.Context, tx *engine.Tx, w queue.WorkItem, _ []byte) error {
	v := tx.Graph(st.c.Base())
	d, err := st.c.Document(v, w.Key)
	if err != nil {
		return err
	}
	full, err := v.Text(d.ID, corpus.PropText)
	if err != nil {
		return err
	}
	outline, err := st.c.Outlines(v).Of(d.Key)
	if err != nil {
		return err
	}
	chunks, err := st.chunker.Chunks(ctx, full, outline.Parts()...)
	if err != nil {
		return err
	}
	cut := corpus.CutDocument{Key: d.Key, Lang: d.Lang, Text: full, ID: d.ID, Outline: outline}
	if err := st.c.AddChunks(v, cut, st.chunker.Set(), chunks); err != nil {
		return err
	}
	sets := append(slices.Clone(d.Sets), st.chunker.Set().String())
	slices.Sort(sets)
	if err := v.SetProps(d.ID, engine.Props{corpus.PropSets: engine.Strings(sets...)}); err != nil {
		return err
	}
	if ok, err := words.Trains(v, st.chunker.Set()); err != nil || !ok {
		return err
	}
	texts := chunkTexts(full, chunks)
	table, lost, err := st.tables.For(ctx, texts...)
	if err != nil {
		return err
	}
	change := st.c.words.NewChange(table, lost)
	for _, s := range texts {
		change.Add(s)
	}
	return st.c.words.Apply(tx, change)
}

// chunkTexts returns the texts of the chunks of a document.
func chunkTexts(full string, chunks []text.Chunk) []string {
	out := make([]string, len(chunks))
	for i, ch := range chunks {
		out[i] = full[ch.Start:ch.End]
	}
	return out
}

// embedStage gives the chunks of a set their vectors.
type embedStage struct {
	c     *Corpus
	set   text.ChunkSet
	model llm.SpaceInfo
}

// Name implements [queue.Embedding].
func (st *embedStage) Name() string { return queue.EmbedStageName(st.set) }

// Graph implements [queue.Embedding].
func (st *embedStage) Graph() *engine.Graph { return st.c.Base() }

// growth says that a chunk has one vector of a model.
func (st *embedStage) growth() *queue.Growth {
	digest := queue.EmbedDigest(st.set, st.model.Model)
	return &queue.Growth{Type: corpus.ChunkType(st.set), Digest: digest,
		Items: func(v *engine.View, ids []engine.NodeID) ([]queue.WorkItem, error) {
			out := make([]queue.WorkItem, len(ids))
			return out, v.EachNode(ids, func(i int, n engine.Node) error {
				out[i] = queue.WorkItem{Key: n.Key, Digest: digest, Node: n.ID}
				return nil
			})
		}}
}

// Items implements [queue.Embedding]: the chunks of the set.
func (st *embedStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[queue.WorkItem, error] {
	return st.growth().All(s.Graph(st.c.Base()).WithContext(ctx))
}

// Vector implements [queue.Embedding].
func (st *embedStage) Vector(ctx context.Context, s *engine.Snapshot, m *Models, w queue.WorkItem) ([]float32, error) {
	ch, err := st.c.Chunk(s.Graph(st.c.Base()).WithContext(ctx), w.Node)
	if err != nil {
		return nil, err
	}
	vecs, err := m.Embed(ctx, []string{ch.Doc}, []string{ch.Text})
	if err != nil {
		return nil, err
	}
	return vecs[0], nil
}

// Put implements [queue.Embedding].
func (st *embedStage) Put(_ context.Context, tx *engine.Tx, w queue.WorkItem, vec []float32) error {
	if len(vec) == 0 {
		return nil // a text without words has no vector
	}
	v := tx.Graph(st.c.Base())
	space := corpus.ChunkSpace(st.set, st.model.Model)
	if err := corpus.MakeSpace(v, space, st.model, vecindex.Cosine); err != nil {
		return err
	}
	return v.PutVector(space, w.Node, vec)
}
