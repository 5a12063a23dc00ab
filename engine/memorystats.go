package engine

import (
	"context"
	"slices"

	"github.com/ragdb/ragdb/vecindex"
)

// memoryStats are what a database keeps of its vector spaces in memory at a moment, and
// where the searches of those that do not fit read.
type memoryStats struct {
	BudgetBytes int64 `json:"budget_bytes"` // Options.MemoryBudget
	// VectorBytes is what the vector spaces hold.
	VectorBytes int64 `json:"vector_bytes"`
	// OnDisk names, as namespace/graph/space, the vector spaces of which each search
	// reads all vectors from the store.
	OnDisk []string `json:"on_disk"`
	// Indexes are the vector spaces, by namespace, graph and name.
	Indexes []indexStats `json:"indexes"`
}

// indexStats are the figures of a vector space.
type indexStats struct {
	Name string `json:"name"` // namespace/graph/space
	Kind string `json:"kind"` // flat, hnsw, c-hnsw or ivf
	// Source is where the next search reads: unloaded (memory, once it is read),
	// memory, walk (the graph, node by node from the store), codes (the vectors that
	// codes in memory leave in doubt, from the store), lists (the lists near the query,
	// from the store) or disk (all vectors).
	Source string `json:"source"`
	// Why says in a sentence why that is not memory; empty if it is.
	Why     string `json:"why,omitempty"`
	Vectors int    `json:"vectors"`
	Bytes   int64  `json:"bytes"` // in memory
	Dead    int    `json:"dead"`
	// Of a kind that builds a graph or lists: vectors in them and not yet in them. Of a
	// graph also what its estimates are checked against: lowplane or store.
	Linked  int    `json:"linked,omitempty"`
	Pending int    `json:"pending,omitempty"`
	Rerank  string `json:"rerank,omitempty"`
}

// MemoryStats returns Stats that have Memory alone. It reads some records of each vector
// space, and no vectors.
func (s *Snapshot) MemoryStats(ctx context.Context) (Stats, error) {
	graphs, _, err := listGraphs(ctx, s.kv, "")
	if err == nil {
		out := Stats{Epoch: s.epoch}
		if out.Memory, err = s.memoryStats(ctx, graphs); err == nil {
			return out, nil
		}
	}
	return Stats{}, phase.Errorf("memory: %w", err)
}

func (s *Snapshot) memoryStats(ctx context.Context, graphs []listed) (memoryStats, error) {
	out := memoryStats{BudgetBytes: s.db.opts.MemoryBudget, OnDisk: []string{}, Indexes: []indexStats{}}
	for i := range graphs {
		v, err := s.open(ctx, &graphs[i])
		if err != nil {
			return out, err
		}
		names, err := v.spaces()
		if err != nil {
			return out, err
		}
		slices.Sort(names)
		for _, name := range names {
			x, err := v.indexStats(ctx, graphs[i].String()+"/"+name, name)
			if err != nil {
				return out, err
			}
			out.VectorBytes += x.Bytes
			if out.Indexes = append(out.Indexes, x); x.Source == "disk" {
				out.OnDisk = append(out.OnDisk, x.Name)
			}
		}
	}
	return out, nil
}

// indexStats returns the figures of the space of a name, which is called full in them.
func (r *reader) indexStats(ctx context.Context, full, name string) (indexStats, error) {
	id, s, err := r.space(name)
	if err != nil {
		return indexStats{}, err
	}
	db := r.graph.ns.db
	ix := db.usedIndex(s.config(r.g, id))
	if ix == nil { // what the first search would open
		if ix, err = db.openIndex(ctx, s.config(r.g, id), 0); err != nil {
			return indexStats{}, err
		}
		defer db.mirrors.remove(ix)
	}
	f, err := ix.Stats(ctx)
	if err != nil {
		return indexStats{}, err
	}
	x := indexStats{
		Name: full, Kind: s.Kind.String(), Source: f.Source, Why: f.Why,
		Vectors: f.Vectors, Bytes: f.MemoryBytes, Dead: f.Dead, Linked: f.Linked, Pending: f.Pending,
	}
	if f.Rerank != vecindex.RerankAuto {
		x.Rerank = f.Rerank.String()
	}
	return x, nil
}

// usedIndex returns the index of a configuration that searches use already, nil if there
// is none.
func (db *DB) usedIndex(conf vecindex.Config) *vecindex.Index {
	db.mu.Lock()
	st := db.graphs[conf.Table.Graph]
	db.mu.Unlock()
	if st == nil {
		return nil
	}
	st.mu.RLock()
	defer st.mu.RUnlock()
	if ix := st.spaces[conf.Table.Space]; ix != nil && ix.Config() == conf {
		return ix
	}
	return nil
}
