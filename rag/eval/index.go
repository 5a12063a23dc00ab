package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// system opens a method with the run's chunk set, unless its spec has its own.
func (r *runner) system(ctx context.Context, spec method.Spec) (*method.System, error) {
	params := map[string]string{}
	for k, v := range spec.Params {
		params[k] = v
	}
	_, own := params["chunks"]
	if _, profile := params["profile"]; !own && !profile {
		params["chunks"] = r.set.String()
	}
	return r.o.Methods.Open(ctx, r.corpus.Docs(), method.Spec{Name: spec.Name, Params: params})
}

// build is what making an index cost, as a database keeps it.
type build struct {
	Cost IndexCost `json:"cost"`
	CPU  seconds   `json:"cpu_s"`
	Wall seconds   `json:"wall_s"`
}

// seconds are a time in whole microseconds that is stored in a fixed width: how
// long something took does not change how much a database holds, and what is
// read back is what was told.
type seconds float64

func secondsOf(s float64) seconds { return seconds(math.Round(s*1e6) / 1e6) }

// MarshalText implements [encoding.TextMarshaler].
func (s seconds) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016.6f", float64(s)), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *seconds) UnmarshalText(b []byte) error {
	x, err := strconv.ParseFloat(string(b), 64)
	*s = seconds(x)
	return err
}

// plus returns the sum of two builds.
func (b build) plus(o build) build {
	c, d := &b.Cost, &o.Cost
	c.Calls += d.Calls
	c.InTokens += d.InTokens
	c.OutTokens += d.OutTokens
	c.EmbedCalls += d.EmbedCalls
	c.EmbedTokens += d.EmbedTokens
	c.Cached += d.Cached
	c.Failed = max(c.Failed, d.Failed) // what failed before is met again
	c.USD = sum(c.USD, d.USD)
	b.CPU, b.Wall = secondsOf(float64(b.CPU+o.CPU)), secondsOf(float64(b.Wall+o.Wall))
	return b
}

// sum adds prices; nil is one that is not known.
func sum(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	s := *a + *b
	return &s
}

// index indexes by a method and returns what that run of it cost, also if it
// failed.
func (r *runner) index(ctx context.Context, sys *method.System, inputs []rag.Input) (*rag.IndexResult, build, error) {
	x := &rag.Indexer{
		Corpus: r.corpus, Methods: r.o.Methods, Systems: []*method.System{sys},
		Options: rag.IndexOptions{Notify: r.o.Notify},
	}
	cpu, start := cpuSeconds(), time.Now()
	res, err := x.Run(ctx, inputs)
	b := build{CPU: secondsOf(cpuSeconds() - cpu), Wall: secondsOf(time.Since(start).Seconds())}
	if errors.Is(err, rag.ErrPartial) {
		err = nil // what failed is missing from the index, as it would be in use
	}
	if res != nil {
		b.Cost = r.costOf(res)
	}
	return res, b, err
}

// costOf sums up what the calls of a run cost.
func (r *runner) costOf(res *rag.IndexResult) IndexCost {
	c := IndexCost{Failed: res.Failed, USD: res.USD}
	if r.o.Extract != ExtractModel {
		c.USD = new(float64) // nothing is paid for
	}
	for _, s := range res.Spent {
		c.Cached += s.Cached
		if s.Model != r.provider {
			c.EmbedCalls += s.Calls
			c.EmbedTokens += s.InTokens
			continue
		}
		c.Calls += s.Calls
		c.InTokens += s.InTokens
		c.OutTokens += s.OutTokens
	}
	return c
}

// kept indexes by a method and returns what its index cost in all: the work of
// this run is added to what the database keeps of earlier ones. known is false
// if it was indexed by something else than eval.
func (r *runner) kept(ctx context.Context, name string, sys *method.System, inputs []rag.Input) (res *rag.IndexResult, b build, known bool, err error) {
	res, b, err = r.index(ctx, sys, inputs)
	worked := res != nil && slices.ContainsFunc(res.Stages, func(s rag.StageResult) bool { return s.Done > 0 })
	before, known, kerr := r.builtBefore(ctx, name)
	if err = errors.Join(err, kerr); !worked || kerr != nil {
		if !known {
			before.Cost.USD = b.Cost.USD
		}
		before.Cost.Failed = b.Cost.Failed
		return res, before, known, err
	}
	if known {
		b = b.plus(before)
	}
	return res, b, true, errors.Join(err, r.keepBuild(ctx, name, b))
}

// indexed is an index that a run has seen to.
type indexed struct {
	build
	known bool
}

// indexed indexes by a method. Methods of one instance have one index, which is
// seen to once.
func (r *runner) indexed(ctx context.Context, sys *method.System) (indexed, error) {
	instance := sys.Instance()
	if have, ok := r.built[instance]; ok {
		return have, nil
	}
	_, b, known, err := r.kept(ctx, instance, sys, nil)
	if err != nil {
		return indexed{}, err
	}
	r.built[instance] = indexed{b, known}
	return r.built[instance], nil
}

// indexAll indexes what all methods share, by a method that adds nothing.
func (r *runner) indexAll(ctx context.Context) (b build, known bool, err error) {
	shared, err := r.system(ctx, method.Spec{Name: "naive"})
	if err != nil {
		return build{}, false, err
	}
	res, b, known, err := r.kept(ctx, "", shared, []rag.Input{r.input})
	if err != nil {
		return build{}, false, err
	}
	read := res.Added + res.Replaced + res.Unchanged
	if read == 0 {
		return build{}, false, fmt.Errorf("%s: %w", r.o.Data, rag.ErrNoDocuments)
	}
	if other := res.Documents - read; other > 0 {
		return build{}, false, fmt.Errorf("%s holds %d other documents, which would be found too: name a database of this data set and the same join", r.o.DB, other)
	}
	r.documents, r.chunks = res.Documents, res.Chunks
	return b, known, nil
}

// keyBuild is the key, in the bucket of eval, of what the index of an instance
// cost, and for "" what all share.
func keyBuild(instance string) []byte { return []byte("build/" + instance) }

// builtBefore returns what the database keeps of an index; known is false if
// it keeps nothing.
func (r *runner) builtBefore(ctx context.Context, instance string) (b build, known bool, err error) {
	err = r.db.View(ctx, func(s *engine.Snapshot) error {
		raw, err := s.Graph(r.corpus.Base()).Bucket(bucketEval).Get(keyBuild(instance), nil)
		if errors.Is(err, engine.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		known = true
		return json.Unmarshal(raw, &b)
	})
	return b, known, err
}

// keepBuild stores what an index cost, also while the run is being cancelled:
// the next one goes on where it stopped.
func (r *runner) keepBuild(ctx context.Context, instance string, b build) error {
	raw, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return r.db.Update(context.WithoutCancel(ctx), func(tx *engine.Tx) error {
		bucket, err := tx.Graph(r.corpus.Base()).MakeBucket(bucketEval)
		if err != nil {
			return err
		}
		return bucket.Set(keyBuild(instance), raw)
	})
}
