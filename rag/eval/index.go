package eval

import (
	"context"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/rag"
)

// system opens a method with the run's chunk set, unless its spec has its own.
func (r *runner) system(ctx context.Context, spec rag.Spec) (rag.System, error) {
	params := map[string]string{}
	for k, v := range spec.Params {
		params[k] = v
	}
	_, own := params["chunks"]
	if _, profile := params["profile"]; !own && !profile {
		params["chunks"] = r.set.String()
	}
	return r.o.Methods.Open(ctx, r.corpus, rag.Spec{Name: spec.Name, Params: params})
}

// index indexes by a method and returns the CPU seconds that it took.
func (r *runner) index(ctx context.Context, sys rag.System, inputs []rag.Input) (*rag.IndexResult, float64, error) {
	x := &rag.Indexer{
		Corpus: r.corpus, Methods: r.o.Methods, Systems: []rag.System{sys},
		Options: rag.IndexOptions{Notify: r.o.Notify},
	}
	start := cpuSeconds()
	res, err := x.Run(ctx, inputs)
	if errors.Is(err, rag.ErrPartial) {
		err = nil // what failed is missing from the index, as it would be in use
	}
	return res, cpuSeconds() - start, err
}

// indexAll indexes what all methods share, by a method that adds nothing.
func (r *runner) indexAll(ctx context.Context) (float64, error) {
	shared, err := r.system(ctx, rag.Spec{Name: "naive"})
	if err != nil {
		return 0, err
	}
	res, cpu, err := r.index(ctx, shared, []rag.Input{r.input})
	if err != nil {
		return 0, err
	}
	read := res.Added + res.Replaced + res.Unchanged
	if read == 0 {
		return 0, fmt.Errorf("%s: %w", r.o.Data, rag.ErrNoDocuments)
	}
	if other := res.Documents - read; other > 0 {
		return 0, fmt.Errorf("%s holds %d other documents, which would be found too: name a database of this data set and the same join", r.o.DB, other)
	}
	return cpu, nil
}
