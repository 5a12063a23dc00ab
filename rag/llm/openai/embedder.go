package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync"

	api "github.com/sashabaranov/go-openai"
	"golang.org/x/sync/errgroup"

	"github.com/ragdb/ragdb/rag/llm"
)

// ErrDimension says that an embedder does not know its dimension yet.
var ErrDimension = errors.New("the dimension of the embedding model is not known")

// Embedder turns texts into vectors by an embedding model. It is safe for
// concurrent use.
type Embedder struct {
	c   *client
	ask bool // send the dimension

	// mu guards the fields below it.
	mu         sync.Mutex
	dim        int
	batchTexts int
}

var _ llm.Embedder = (*Embedder)(nil)

// NewEmbedder returns an embedder of vectors of dimension dim; 0 is not known
// until [Embedder.Dimension] is called. Nothing is sent. The error is an
// [ErrConfig].
func NewEmbedder(cfg Config, dim int, o Options) (*Embedder, error) {
	c, err := newClient(cfg, o)
	if err != nil {
		return nil, err
	}
	if dim < 0 {
		return nil, phase.Errorf("%w: dimension %d", ErrConfig, dim)
	}
	ask := dim > 0 && (o.AskDimension || strings.HasPrefix(cfg.Model, "text-embedding-3"))
	return &Embedder{c: c, ask: ask, dim: dim, batchTexts: c.o.BatchTexts}, nil
}

// Space implements [llm.Embedder]. The dimension is 0 while it is not known.
func (e *Embedder) Space() llm.SpaceInfo {
	e.mu.Lock()
	defer e.mu.Unlock()
	return llm.SpaceInfo{Model: e.c.model, Dim: e.dim}
}

// String names the model and its server.
func (e *Embedder) String() string { return "embedder " + e.c.model + " at " + e.c.host }

// Format implements [fmt.Formatter]: every verb prints String.
func (e *Embedder) Format(f fmt.State, _ rune) { fmt.Fprint(f, e.String()) }

// Close closes idle connections. The embedder can be used again.
func (e *Embedder) Close() { e.c.close() }

// Dimension returns the dimension of the vectors. If it is not known, one
// text is embedded to learn it, and kept from then on.
func (e *Embedder) Dimension(ctx context.Context) (int, llm.Usage, error) {
	var sum llm.Usage
	if dim := e.Space().Dim; dim > 0 {
		return dim, sum, nil
	}
	vectors, err := e.send(ctx, []string{"dimension"}, &sum)
	if err != nil {
		return 0, sum, phase.Errorf("dimension: %w", providerError(err))
	}
	dim := len(vectors[0])
	if err := checkVector(vectors[0], dim); err != nil {
		return 0, sum, phase.Errorf("dimension: %w", &VectorError{Why: err.Error()})
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dim == 0 {
		e.dim = dim
	}
	return e.dim, sum, nil
}

// batch is texts of one request.
type batch struct {
	at    []int // their positions in the call
	texts []string
}

// Embed implements [llm.Embedder]. Texts go in batches, several at a time; a
// batch that is refused is cut in two, down to the text that is to blame. Blank
// texts are not sent and have a nil vector. The usage counts all requests that
// were answered, also if there is an error.
//
// Errors are [ErrDimension]; the context's; an [*VectorError] for a vector
// of another dimension, that is missing, zero or not finite; and a
// [*ProviderError], which is [llm.ErrRefused] if it concerns one text, which
// the error names by its position. Of several errors it is that of the first
// text.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	var sum llm.Usage
	info := e.Space()
	if info.Dim == 0 {
		return nil, sum, phase.Errorf("embed: %w", ErrDimension)
	}
	out := make([][]float32, len(texts))
	var mu sync.Mutex // guards sum and firstErr
	var firstErr error
	first := len(texts)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(e.c.o.Concurrency)
	for _, b := range e.batches(texts) {
		if gctx.Err() != nil {
			break
		}
		g.Go(func() error {
			var u llm.Usage
			err := e.embedBatch(gctx, b, info.Dim, out, &u)
			mu.Lock()
			defer mu.Unlock()
			sum.Add(u)
			if err != nil && (firstErr == nil || errors.Is(firstErr, context.Canceled) || b.at[0] < first && !errors.Is(err, context.Canceled)) {
				firstErr, first = err, b.at[0]
			}
			return err
		})
	}
	err := g.Wait()
	if err != nil {
		err = firstErr
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, sum, phase.Errorf("embed: %w", providerError(err))
	}
	return out, sum, nil
}

// batches cuts texts into batches in their order, without the blank ones.
func (e *Embedder) batches(texts []string) []batch {
	e.mu.Lock()
	most := e.batchTexts
	e.mu.Unlock()
	var out []batch
	var b batch
	tokens := 0
	for i, s := range texts {
		if strings.TrimSpace(s) == "" {
			continue
		}
		n := e.c.o.Count(s)
		if len(b.at) > 0 && (len(b.at) >= most || tokens+n > e.c.o.BatchTokens) {
			out = append(out, b)
			b, tokens = batch{}, 0
		}
		b.at, b.texts = append(b.at, i), append(b.texts, s)
		tokens += n
	}
	if len(b.at) > 0 {
		out = append(out, b)
	}
	return out
}

// embedBatch writes the vectors of a batch to out.
func (e *Embedder) embedBatch(ctx context.Context, b batch, dim int, out [][]float32, sum *llm.Usage) error {
	vectors, err := e.send(ctx, b.texts, sum)
	var f *failure
	var nan errNotFinite
	blame := errors.As(err, &f) && f.Refused || errors.As(err, &nan)
	switch {
	case blame && len(b.at) == 1 && f == nil:
		return &VectorError{Text: b.at[0], Why: err.Error()}
	case blame && len(b.at) == 1:
		return fmt.Errorf("text %d: %w", b.at[0], f.ProviderError)
	case blame:
		half := len(b.at) / 2
		for _, part := range []batch{{b.at[:half], b.texts[:half]}, {b.at[half:], b.texts[half:]}} {
			if err := e.embedBatch(ctx, part, dim, out, sum); err != nil {
				return err
			}
		}
		if f != nil { // no text was to blame, so the number was
			e.shrink(ctx, len(b.at)-half)
		}
		return nil
	case err != nil:
		return err
	}
	for i, v := range vectors {
		if err := checkVector(v, dim); err != nil {
			return &VectorError{Text: b.at[i], Why: err.Error()}
		}
		out[b.at[i]] = v
	}
	return nil
}

// shrink bounds the texts of later batches.
func (e *Embedder) shrink(ctx context.Context, n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if n < e.batchTexts {
		e.batchTexts = n
		e.c.o.Log.LogAttrs(ctx, slog.LevelInfo, "the server takes smaller batches", slog.String("model", e.c.model), slog.Int("texts", n))
	}
}

// errNotFinite is an answer whose numbers JSON does not have.
type errNotFinite struct{}

func (errNotFinite) Error() string { return "a component is not finite" }

// send gets the vectors of texts. One that is missing is nil.
func (e *Embedder) send(ctx context.Context, texts []string, sum *llm.Usage) ([][]float32, error) {
	in := 0
	for _, s := range texts {
		in += e.c.o.Count(s)
	}
	req := api.EmbeddingRequest{Input: texts, Model: api.EmbeddingModel(e.c.model), EncodingFormat: api.EmbeddingEncodingFormatFloat}
	if e.ask {
		req.Dimensions = e.Space().Dim
	}
	vectors := make([][]float32, len(texts))
	err := e.c.call(ctx, in, func(ctx context.Context, x *exchange) (int, error) {
		clear(vectors)
		body, err := e.c.receive(ctx, x, http.MethodPost, e.c.base+"/embeddings", req)
		if !x.answered() {
			return 0, err
		}
		var data []embedding
		used := 0
		if err == nil {
			data, used, err = readVectors(body)
		}
		if errors.As(err, new(*refusal)) {
			return 0, err
		}
		used = cmp.Or(used, in)
		sum.Add(llm.Usage{Calls: 1, InTokens: used})
		place(vectors, data)
		return used, err
	})
	return vectors, err
}

// checkVector says what is wrong with a vector.
func checkVector(v []float32, dim int) error {
	switch {
	case len(v) == 0:
		return errors.New("it is missing")
	case len(v) != dim:
		return fmt.Errorf("it has %d components instead of %d", len(v), dim)
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	switch {
	case math.IsNaN(sum) || math.IsInf(sum, 0):
		return errNotFinite{}
	case sum == 0:
		return errors.New("it is zero")
	}
	return nil
}
