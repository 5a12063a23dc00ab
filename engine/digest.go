package engine

import (
	"context"
	"crypto/sha256"
)

// Digest returns the SHA-256 of a namespace's canonical export: equal digests
// mean equal content, whatever the histories. o is as for [Snapshot.Export];
// Canonical is implied.
func (s *Snapshot) Digest(ctx context.Context, namespace string, o ExportOptions) (sum [sha256.Size]byte, err error) {
	o.Canonical = true
	h := sha256.New()
	if err := s.Export(ctx, namespace, h, o); err != nil {
		return sum, err
	}
	h.Sum(sum[:0])
	return sum, nil
}
