package replay

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/llm"
)

// ErrNotRecorded says that there is no recording of a task.
var ErrNotRecorded = errors.New("not recorded")

// Replies is a provider that gives the replies that a model once gave.
type Replies struct {
	model   string
	replies map[Digest]Entry
	kinds   map[llm.Kind]bool
}

var _ llm.Provider = (*Replies)(nil)

// ReadReplies reads the replies of a model from entries; "" is the only model
// that has any. Entries of other models, vectors and passages are passed over.
func ReadReplies(r io.Reader, model string) (*Replies, error) {
	p := &Replies{model: model, replies: map[Digest]Entry{}, kinds: map[llm.Kind]bool{}}
	models := map[string]bool{}
	for e, err := range Read(r) {
		if err != nil {
			return nil, phase.At("", err)
		}
		if !e.Kind.Known() {
			continue
		}
		models[e.Model] = true
		if model != "" && e.Model != model {
			continue
		}
		p.replies[e.Digest] = e
		p.kinds[e.Kind] = true
	}
	names := slices.Sorted(maps.Keys(models))
	switch {
	case model != "" && !models[model]:
		return nil, phase.Errorf("%w: no replies of %s; there are those of %s", ErrNotRecorded, model, list(names))
	case model == "" && len(names) != 1:
		return nil, phase.Errorf("%w: no single model; there are replies of %s", ErrNotRecorded, list(names))
	case model == "":
		p.model = names[0]
	}
	return p, nil
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Len returns how many replies there are.
func (p *Replies) Len() int { return len(p.replies) }

// Name implements [llm.Provider]: the name of the model that gave the replies,
// so that the digests of tasks are the same.
func (p *Replies) Name() string { return p.model }

// Can implements [llm.Provider]: the kinds of which there are replies.
func (p *Replies) Can(k llm.Kind) bool { return p.kinds[k] }

// Do implements [llm.Provider]. A reply costs nothing again. A task of which
// there is none is [ErrNotRecorded].
func (p *Replies) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	if err := ctx.Err(); err != nil {
		return llm.Reply{}, llm.Usage{}, err
	}
	digest, err := t.Digest(p.model)
	if err != nil {
		return llm.Reply{}, llm.Usage{}, err
	}
	e, ok := p.replies[digest]
	if !ok {
		return llm.Reply{}, llm.Usage{}, phase.Errorf("%s task %s of %s: %w", t.Kind, Digest(digest), p.model, ErrNotRecorded)
	}
	return llm.Reply{Text: e.Reply}, llm.Usage{}, nil
}

// Embedder is an embedder that has no vectors of its own: all that are wanted
// have to be kept already.
type Embedder struct{ space llm.SpaceInfo }

var _ llm.Embedder = Embedder{}

// NewEmbedder returns an embedder of a space.
func NewEmbedder(space llm.SpaceInfo) Embedder { return Embedder{space} }

// Embed implements [llm.Embedder]: any text at all is [ErrNotRecorded].
func (e Embedder) Embed(_ context.Context, texts []string) ([][]float32, llm.Usage, error) {
	if len(texts) == 0 {
		return nil, llm.Usage{}, nil
	}
	return nil, llm.Usage{}, phase.Errorf("vectors of %s for %d texts: %w", e.space.Model, len(texts), ErrNotRecorded)
}

// Space implements [llm.Embedder].
func (e Embedder) Space() llm.SpaceInfo { return e.space }
