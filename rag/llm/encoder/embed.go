package encoder

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
)

// batchTokens is how many tokens pass through the layers together. Texts lie one
// behind another, whatever their lengths.
const batchTokens = 512

// Embed returns one vector a text, which the caller owns. A text of nothing but
// white space gets a nil vector. A text of more than [Model.MaxTokens] tokens is
// cut. Embed ends soon after ctx does, with its error.
func (m *Model) Embed(ctx context.Context, texts []string, kind Kind) ([][]float32, error) {
	switch {
	case m.Scores():
		return nil, fmt.Errorf("encoder: %w: %s is a cross-encoder, which scores pairs of texts", ErrTask, m.name)
	case m.Types() != nil:
		return nil, fmt.Errorf("encoder: %w: %s tags words and makes no vectors", ErrTask, m.name)
	}
	prompt := m.sentence.passage
	if kind == Query {
		prompt = m.sentence.query
	}
	out := make([][]float32, len(texts))
	var full []int // texts that are not empty
	for i, t := range texts {
		if strings.TrimSpace(t) != "" {
			full = append(full, i)
		}
	}
	err := m.reading(func() error {
		if m.static != nil {
			return m.parallel(ctx, len(full), func(i int) error {
				ids := m.tokens.EncodePlain(prompt+texts[full[i]], m.maxTokens)
				return m.guard(func() error {
					out[full[i]] = m.static.embed(ids, m.tokens.UnknownID(), m.sentence.normalize)
					return nil
				})
			})
		}
		tokens := make([]sequence, len(full))
		err := m.parallel(ctx, len(full), func(i int) error {
			tokens[i].ids = m.tokens.Encode(prompt+texts[full[i]], m.maxTokens)
			return nil
		})
		if err != nil {
			return err
		}
		return m.run(ctx, tokens, func(first int, batch []sequence, x []float32) error {
			row := 0
			for i, t := range batch {
				v := m.pool(x[row*m.network.stride:], len(t.ids))
				for _, e := range v {
					if e != e || math.IsInf(float64(e), 0) {
						return fmt.Errorf("encoder: %w: its weights lead to infinite numbers", ErrModel)
					}
				}
				out[full[first+i]] = v
				if m.sentence.pooling == CLS {
					row++
				} else {
					row += len(t.ids)
				}
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// pool makes one vector of those of a text's tokens.
func (m *Model) pool(x []float32, tokens int) []float32 {
	v := make([]float32, m.dim)
	if m.sentence.pooling == CLS {
		copy(v, x)
	} else {
		for i := range tokens {
			for j, e := range x[i*m.network.stride:][:len(v)] {
				v[j] += e
			}
		}
		scale := 1 / float32(tokens)
		for j := range v {
			v[j] *= scale
		}
	}
	if m.sentence.normalize {
		normalize(v)
	}
	return v
}

// normalize gives v the length 1, unless it is 0.
func normalize(v []float32) {
	sum := 0.
	for _, e := range v {
		sum += float64(float64(e) * float64(e))
	}
	if sum == 0 {
		return
	}
	scale := 1 / math.Sqrt(sum)
	for i, e := range v {
		v[i] = float32(float64(e) * scale)
	}
}

// run takes texts through the network, some at a time, and calls done with the
// number of the first, and their vectors.
func (m *Model) run(ctx context.Context, texts []sequence, done func(first int, batch []sequence, x []float32) error) error {
	for _, t := range texts {
		if len(t.ids) == 0 {
			return fmt.Errorf("encoder: %w: its tokenizer puts no special tokens around a text", ErrModel)
		}
	}
	starts := []int{0}
	sum := 0
	for i, t := range texts {
		if sum+len(t.ids) > batchTokens && sum > 0 {
			starts, sum = append(starts, i), 0
		}
		sum += len(t.ids)
	}
	if len(texts) == 0 {
		return ctx.Err()
	}
	return m.parallel(ctx, len(starts), func(i int) error {
		end := len(texts)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		batch := texts[starts[i]:end]
		r := m.takeRoom(batch)
		defer m.rooms.Put(r)
		return m.guard(func() error {
			m.network.forward(r, batch, m.Scores() || m.network.tagger == nil && m.sentence.pooling == CLS)
			return done(starts[i], batch, r.x)
		})
	})
}

// parallel calls do with the numbers below n, on the model's threads, until one
// fails or ctx ends.
func (m *Model) parallel(ctx context.Context, n int, do func(i int) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	var once sync.Once
	var failed error
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			err := ctx.Err()
			if err == nil {
				err = do(i)
			}
			if err != nil {
				once.Do(func() { failed = err })
				next.Store(int64(n))
				return
			}
		}
	}
	for range min(m.threads, n) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
	return failed
}
