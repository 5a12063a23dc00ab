package service

import (
	"context"

	"github.com/ragdb/ragdb/rag"
)

// Owed is what removals and merges that were interrupted have left to do.
type Owed struct {
	// Remove are the keys of documents that are to be removed.
	Remove []string `json:"remove,omitempty"`
	// Merge says that names were merged or undone, and that graphs have not followed.
	Merge bool `json:"merge,omitempty"`
	// Purge says that files may hold what is to be in none.
	Purge bool `json:"purge,omitempty"`
}

// OwedBy returns what a corpus owes, nil if nothing.
func OwedBy(ctx context.Context, c *rag.Corpus) (*Owed, error) {
	var o Owed
	var err error
	if o.Remove, o.Merge, o.Purge, err = c.Owed(ctx); err != nil {
		return nil, err
	}
	if len(o.Remove) == 0 && !o.Merge && !o.Purge {
		return nil, nil
	}
	return &o, nil
}
