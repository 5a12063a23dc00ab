package replay

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/ragdb/ragdb/rag/llm"
)

// Provider reads recorded texts from their recordings and leaves the rest to
// another provider.
type Provider struct {
	recordings *Recordings
	fallback   llm.Provider // nil if there is none
	served     atomic.Int64
	passed     atomic.Int64
}

var _ llm.Provider = (*Provider)(nil)

// New makes a provider of recordings. What they do not have goes to fallback;
// if that is nil it is [ErrNotRecorded].
func New(r *Recordings, fallback llm.Provider) *Provider {
	return &Provider{recordings: r, fallback: fallback}
}

// Name implements [llm.Provider]: the name of the fallback, and a digest of all
// that is recorded.
func (p *Provider) Name() string {
	name := "replay/" + p.recordings.digest.String()[:12]
	if p.fallback != nil {
		name = p.fallback.Name() + "+" + name
	}
	return name
}

// Can implements [llm.Provider].
func (p *Provider) Can(k llm.Kind) bool {
	return k == llm.Extract || k == llm.Glean || p.fallback != nil && p.fallback.Can(k)
}

// Read returns how many texts were read from recordings so far, and how many
// others were not recorded.
func (p *Provider) Read() (recorded, others int) { return int(p.served.Load()), int(p.passed.Load()) }

// Do implements [llm.Provider]. A recorded reply costs nothing.
func (p *Provider) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	r, ok, err := p.recorded(ctx, t)
	if err != nil || ok {
		return r, llm.Usage{}, err
	}
	if p.fallback == nil {
		return r, llm.Usage{}, p.missing(t)
	}
	return p.fallback.Do(ctx, t)
}

// missing returns the error for a task without a recording.
func (p *Provider) missing(t llm.Task) error {
	if t.Kind == llm.Extract || t.Kind == llm.Glean {
		return phase.Errorf("%s task: %w", t.Kind, ErrNotRecorded)
	}
	return phase.Errorf("%s task: %w", t.Kind, llm.ErrKind)
}

// recorded returns the recorded reply to a task. There is nothing more to glean
// from a recorded text than was read the first time.
func (p *Provider) recorded(ctx context.Context, t llm.Task) (r llm.Reply, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return r, false, err
	}
	var in llm.ExtractInput
	switch t.Kind {
	case llm.Extract:
		in, ok = t.Input.(llm.ExtractInput)
	case llm.Glean:
		var g llm.GleanInput
		g, ok = t.Input.(llm.GleanInput)
		in = g.ExtractInput
	default:
		return r, false, nil
	}
	if !ok {
		return r, false, phase.Errorf("the input of a %s task is a %T", t.Kind, t.Input)
	}
	x, ok := p.recordings.Extract(in)
	if !ok {
		if t.Kind == llm.Extract {
			p.passed.Add(1)
		}
		return r, false, nil
	}
	if t.Kind == llm.Glean {
		x = llm.Extraction{Entities: []llm.Entity{}, Relations: []llm.Relation{}}
	} else {
		p.served.Add(1)
	}
	b, err := json.Marshal(x)
	return llm.Reply{Text: string(b)}, err == nil, err
}
