package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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

	api "github.com/sashabaranov/go-openai"

	"github.com/ragdb/ragdb/rag/llm"
)

// Reranker scores passages for a question by a model behind a /rerank address.
// It speaks the form of Cohere and Jina, which llama.cpp and vLLM share
// (documents in, results with relevance_score out), and that of Hugging Face's
// text-embeddings-inference (texts in, a list of scores out); it learns from the
// first answer which one the server takes. It is safe for concurrent use.
type Reranker struct {
	c       *client
	key     string
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
	return &Reranker{c: c, key: cfg.Key, address: u.String()}, nil
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
		body, err := r.request(question, passages, texts)
		if err != nil {
			return nil, sum, phase.Errorf("rerank: %w", err)
		}
		var scores []float64
		err = r.c.call(ctx, in, func(ctx context.Context, _ func()) (int, error) {
			used := in
			if scores, err = r.once(ctx, body, len(passages), &used); err != nil && exchangeOf(ctx).status != http.StatusOK {
				return 0, err
			}
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

func (r *Reranker) request(question string, passages []string, texts bool) ([]byte, error) {
	if texts {
		return json.Marshal(map[string]any{"query": question, "texts": passages, "truncate": true})
	}
	return json.Marshal(map[string]any{"model": r.c.model, "query": question, "documents": passages, "top_n": len(passages)})
}

// rerankScore is a passage's score, as servers name it.
type rerankScore struct {
	Index     int      `json:"index"`
	Relevance *float64 `json:"relevance_score"`
	Score     *float64 `json:"score"`
}

// once sends a request. used is set to the tokens that the server counted, if it
// tells them.
func (r *Reranker) once(ctx context.Context, body []byte, passages int, used *int) ([]float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	x := exchangeOf(ctx)
	x.want = true
	resp, err := newDoer(r.c.transport).Do(req)
	if err != nil {
		return nil, err
	}
	if err := resp.Body.Close(); err != nil {
		return nil, err
	}
	if x.status != http.StatusOK {
		return nil, &api.RequestError{HTTPStatusCode: x.status, Body: x.body}
	}
	var list []rerankScore
	if b := bytes.TrimSpace(x.body); len(b) > 0 && b[0] == '[' {
		err = json.Unmarshal(b, &list)
	} else {
		var o struct {
			Results []rerankScore `json:"results"`
			Data    []rerankScore `json:"data"`
			Usage   struct {
				Total int `json:"total_tokens"`
			} `json:"usage"`
		}
		err = json.Unmarshal(b, &o)
		if list = o.Results; list == nil {
			list = o.Data
		}
		if o.Usage.Total > 0 {
			*used = o.Usage.Total
		}
	}
	if err != nil {
		return nil, err
	}
	return scoresOf(list, passages)
}

// scoresOf returns the scores in the order of the passages.
func scoresOf(list []rerankScore, passages int) ([]float64, error) {
	out := make([]float64, passages)
	seen := make([]bool, passages)
	for _, s := range list {
		score := s.Relevance
		if score == nil {
			score = s.Score
		}
		switch {
		case s.Index < 0 || s.Index >= passages:
			return nil, fmt.Errorf("there is a score for passage %d of %d", s.Index, passages)
		case score == nil || math.IsNaN(*score) || math.IsInf(*score, 0):
			return nil, fmt.Errorf("passage %d has no score", s.Index)
		}
		out[s.Index], seen[s.Index] = *score, true
	}
	for i, ok := range seen {
		if !ok {
			return nil, fmt.Errorf("passage %d has no score", i)
		}
	}
	return out, nil
}
