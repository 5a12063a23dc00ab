package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/archrag"
)

// communitiesBench compares the ways in which ArchRAG can find communities, by
// how tight these are.
type communitiesBench struct {
	data, sets, clusters, augments string
	dim                            int
	seed                           uint64

	r *report
	t table
}

func communitiesFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	b := &communitiesBench{}
	fs.StringVar(&b.data, "data", "", "`folder` with a folder for each set")
	fs.StringVar(&b.sets, "sets", "vec_biographies,graph_cora,graph_facebook_pages", "`names` of the sets")
	fs.StringVar(&b.clusters, "clusters", "leiden,spectral,scan,node2vec", "`ways` of clustering")
	fs.StringVar(&b.augments, "augments", "knn,codicil", "`ways` of adding edges")
	fs.IntVar(&b.dim, "dim", 256, fmt.Sprintf("`elements` that vectors of more than %d are projected to", widestAttributes))
	fs.Uint64Var(&b.seed, "seed", 1, "of all that is random")
	return func(ctx context.Context, r *report) error {
		b.r = r
		return b.run(ctx)
	}
}

func (b *communitiesBench) run(ctx context.Context) error {
	if b.data == "" || b.dim < 1 {
		return inputError{errors.New("-data is needed, and -dim must be at least 1")}
	}
	b.r.Input = b.sets + " of " + filepath.Base(filepath.Clean(b.data)) + ", seed " + strconv.FormatUint(b.seed, 10)
	b.t = table{Title: "Communities", Columns: []string{
		"set", "edges added by", "clustering", "communities", "largest", "nodes in one %", "Calinski-Harabasz", "mean cosine", "CPU-s",
	}}
	for _, name := range strings.Split(b.sets, ",") {
		set, err := readAttributed(filepath.Join(b.data, name))
		if err != nil {
			return inputError{err}
		}
		if err := b.measure(ctx, name, set); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	b.r.Tables = append(b.r.Tables, b.t)
	return nil
}

// measure divides a set in all ways. Its nearest neighbours are found once, as
// many as any of them asks for.
func (b *communitiesBench) measure(ctx context.Context, name string, set *attributed) (err error) {
	if set.vectors.Dim > widestAttributes {
		if set.vectors, err = graphops.Reduce(ctx, set.vectors, graphops.ReduceOptions{Dim: b.dim, MaxPCA: 1, Seed: b.seed}); err != nil {
			return err
		}
		name += fmt.Sprintf(", projected to %d", b.dim)
	}
	near := &nearest{vectors: set.vectors}
	if set.edges == nil {
		if set.edges, err = near.graph(ctx, graphOfNearest); err != nil {
			return err
		}
		name += fmt.Sprintf(", %d nearest", graphOfNearest)
	}
	fmt.Fprintf(b.r.log, "%s: %d nodes, %d edges, %d dimensions\n", name, set.vectors.Len(), len(set.edges), set.vectors.Dim)
	// No way is charged for what the first of them would find for all.
	if _, err := near.edges(ctx, 3*len(set.edges)/max(1, set.vectors.Len())+1); err != nil {
		return err
	}
	for _, augment := range strings.Split(b.augments, ",") {
		for _, cluster := range strings.Split(b.clusters, ",") {
			sw := start()
			part, err := archrag.Communities(ctx, archrag.Attributed{Edges: set.edges, Vectors: set.vectors, Near: near.edges}, map[string]string{
				"augment": augment, "cluster": cluster, "seed": strconv.FormatUint(b.seed, 10),
			})
			if err != nil {
				return err
			}
			_, cpu := sw.stop()
			ch, err := graphops.CalinskiHarabasz(set.vectors, &part)
			if err != nil {
				return err
			}
			cos, err := graphops.MeanCosine(set.vectors, &part)
			if err != nil {
				return err
			}
			sizes, in := part.Sizes(), 0
			for _, size := range sizes {
				in += size
			}
			row := []string{
				name, augment, cluster, strconv.Itoa(part.Count), strconv.Itoa(slices.Max(sizes)),
				number(100 * float64(in) / float64(set.vectors.Len())), number(ch), fmt.Sprintf("%.3f", cos), number(cpu.Seconds()),
			}
			fmt.Fprintln(b.r.log, strings.Join(row, "  "))
			b.t.Rows = append(b.t.Rows, row)
		}
	}
	return nil
}
