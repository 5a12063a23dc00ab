package openai

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ragdb/ragdb/rag/llm"
)

// Reranker scores passages for a question by a model behind a /rerank address.
// It speaks the form of Cohere and Jina, which llama.cpp and vLLM share
// (documents in, results with relevance_score out), and that of Hugging Face's
// text-embeddings-inference (texts in, a list of scores out); it learns from the
// first answer which one the server takes. It is safe for concurrent use.
type Reranker struct {
	c       *client
	address string
	texts   atomic.Bool  // the server wants texts rather than documents
	batch   atomic.Int64 // passages that the server takes at once; 0 if it is not known
}

// The defaults of a reranker's options: a question waits for it, and has an order without
// it.
const (
	rerankRetries = 1
	rerankTimeout = 30 * time.Second
)

// NewReranker returns a reranker; nothing is sent. The base URL is that of the
// API, such as http://localhost:8080/v1, or the whole address if it ends in
// /rerank. A server of one model may be given without the model's name. A request
// that failed is sent once more if Options.Retries is 0, and 30 seconds are the default of
// Options.Timeout and Options.MaxWait. The error is an [ErrConfig].
func NewReranker(cfg Config, o Options) (*Reranker, error) {
	if cfg.Model == "" {
		cfg.Model = "rerank"
	}
	o.Retries = cmp.Or(o.Retries, rerankRetries)
	o.Timeout, o.MaxWait = cmp.Or(o.Timeout, rerankTimeout), cmp.Or(o.MaxWait, rerankTimeout)
	c, err := newClient(cfg, o)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(cfg.BaseURL)
	if err != nil {
		return nil, phase.Errorf("%w: %s", ErrConfig, "the address is no URL")
	}
	if u.Path = strings.TrimRight(u.Path, "/"); !strings.HasSuffix(u.Path, "/rerank") {
		u.Path += "/rerank"
	}
	return &Reranker{c: c, address: u.String()}, nil
}

// Name is the model's name.
func (r *Reranker) Name() string { return r.c.model }

// String names the model and its server.
func (r *Reranker) String() string { return "reranker " + r.c.model + " at " + r.c.host }

// Format implements [fmt.Formatter]: every verb prints String.
func (r *Reranker) Format(f fmt.State, _ rune) { fmt.Fprint(f, r.String()) }

// Close closes idle connections. The reranker can be used again.
func (r *Reranker) Close() { r.c.close() }

// Rerank returns how well each passage answers the question: a greater score is
// better, and scores of different questions do not compare. No passages take no
// request. The usage counts all requests that were answered, also if there is an
// error.
//
// Errors are the context's, and a [*ProviderError], also for an answer without a
// finite score for each passage.
func (r *Reranker) Rerank(ctx context.Context, question string, passages []string) ([]float64, llm.Usage, error) {
	var sum llm.Usage
	if len(passages) == 0 {
		return nil, sum, nil
	}
	if n := int(r.batch.Load()); n > 0 && n < len(passages) {
		return r.inBatches(ctx, question, passages, n)
	}
	in := 0
	for _, p := range passages {
		in += r.c.o.Count(question) + r.c.o.Count(p)
	}
	for {
		texts := r.texts.Load()
		var scores []float64
		err := r.c.call(ctx, in, func(ctx context.Context, x *exchange) (used int, err error) {
			body, err := r.c.receive(ctx, x, http.MethodPost, r.address, r.request(question, passages, texts))
			if err == nil {
				scores, used, err = readScores(body, len(passages))
			}
			if !x.answered() || errors.As(err, new(*refusal)) {
				return 0, err
			}
			used = cmp.Or(used, in)
			sum.Add(llm.Usage{Calls: 1, InTokens: used})
			return used, err
		})
		if err == nil {
			return scores, sum, nil
		}
		var f *failure
		if errors.As(err, &f) && f.Refused && has(f.detail, "texts") && !texts {
			r.texts.Store(true)
			continue
		}
		if f != nil && f.Refused && has(f.detail, "batch size") && len(passages) > 1 {
			n := len(passages) / 2
			if m := batchNumber.FindStringSubmatch(f.detail); m != nil {
				told, _ := strconv.Atoi(m[1])
				n = max(min(told, len(passages)-1), 1)
			}
			r.batch.Store(int64(n))
			return r.inBatches(ctx, question, passages, n)
		}
		return nil, sum, phase.Errorf("rerank: %w", providerError(err))
	}
}

// batchNumber is how text-embeddings-inference names the passages that it takes at once,
// 32 if it is not told another number.
var batchNumber = regexp.MustCompile(`maximum allowed batch size (\d{1,6})`)

// inBatches scores so many passages at a time.
func (r *Reranker) inBatches(ctx context.Context, question string, passages []string, n int) (all []float64, sum llm.Usage, err error) {
	for some := range slices.Chunk(passages, n) {
		scores, u, err := r.Rerank(ctx, question, some)
		sum.Add(u)
		if err != nil {
			return nil, sum, err
		}
		all = append(all, scores...)
	}
	return all, sum, nil
}

// request is what the server is sent.
func (r *Reranker) request(question string, passages []string, texts bool) any {
	if texts {
		return map[string]any{"query": question, "texts": passages, "truncate": true}
	}
	return map[string]any{"model": r.c.model, "query": question, "documents": passages, "top_n": len(passages)}
}

// rerankReply is what a reranker replies: results, data as Voyage has it, rankings as
// NVIDIA has them, or scores in the order of the passages as DeepInfra has them.
type rerankReply struct {
	Results, Data, Rankings list[rerankScore]
	Scores                  list[amount]
	Usage                   tokens
}

// rerankScore is a passage's score, as servers name it.
type rerankScore struct {
	Index     amount
	Relevance *amount `json:"relevance_score"`
	Score     *amount
	Logit     *amount
}

// readScores reads the body of an answer: the scores of so many passages, and the
// tokens that the server counted, 0 if it tells none. The error is a [*refusal] if it is
// an error.
func readScores(body []byte, passages int) (scores []float64, used int, err error) {
	var r rerankReply
	if body = bytes.TrimSpace(body); len(body) > 0 && body[0] == '[' {
		err = decode(body, &r.Results) // text-embeddings-inference
	} else {
		err = decode(body, &r)
	}
	if err != nil {
		return nil, 0, noJSON(body)
	}
	all := slices.Concat(r.Results, r.Data, r.Rankings)
	for i, score := range r.Scores {
		all = append(all, rerankScore{Index: amount(i), Score: &score})
	}
	if len(all) == 0 {
		if said := errorIn(body); said != nil {
			return nil, 0, said
		}
	}
	scores, err = scoresOf(all, passages)
	return scores, r.Usage.Total.count(), err
}

// scoresOf returns the scores in the order of the passages.
func scoresOf(list []rerankScore, passages int) ([]float64, error) {
	out := make([]float64, passages)
	seen := make([]bool, passages)
	noNumber := amount(math.NaN())
	for _, s := range list {
		i := int(s.Index)
		score := float64(*cmp.Or(s.Relevance, s.Score, s.Logit, &noNumber))
		switch {
		case amount(i) != s.Index || i < 0 || i >= passages:
			return nil, fmt.Errorf("there is a score for passage %v of %d", s.Index, passages)
		case math.IsNaN(score) || math.IsInf(score, 0):
			return nil, fmt.Errorf("passage %d has no score", i)
		}
		out[i], seen[i] = score, true
	}
	for i, ok := range seen {
		if !ok {
			return nil, fmt.Errorf("passage %d has no score", i)
		}
	}
	return out, nil
}
